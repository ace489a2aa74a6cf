"""Which servers are compared, and in what do they differ for the client?

An arm is one server with its settings. They all speak the same dialect; what still differs is
told here, because a rate must be made of the same tokens everywhere:

    hides_header   the model's own ` to=user<|message|>` is parsed away, so that the first text
                   seen comes some tokens after the first token
    counts_end     the token that ends the answer is in `completion_tokens`
    extra          what the server needs in a request to behave as it is named
    brief          it is so slow that a few of the conversations, and of the rounds, have to do
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.benchmarks.peers import llama_cpp, mlx
from tests.benchmarks.peers.record import Asked

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

__all__ = ["BASELINE", "Arm", "all_arms"]

BASELINE = "llama.cpp Q8_0"
SESSION = "peers"


@dataclass(frozen=True, slots=True)
class Arm(Asked):
    """One server to be measured."""

    argv: Callable[[int], Sequence[str]]
    """The command for a port."""
    hides_header: bool = True
    counts_end: bool = True
    extra: Mapping[str, Any] = field(default_factory=dict)
    brief: bool = False
    model: str | None = None
    """What its model is to be called in requests, where it lists none."""


def all_arms(
    llama: llama_cpp.LlamaCpp,
    mlx_lm: mlx.Mlx,
    model_dir: Path,
    *,
    threads: Sequence[int],
    drafting: bool,
) -> tuple[Arm, ...]:
    """Every server, those with the same number of threads next to each other."""
    arms: list[Arm] = []
    for count in threads:
        for drafts in (False, True) if drafting else (False,):
            arms += [_llama(llama, count, drafts=drafts), _ours(model_dir, count, drafts=drafts)]
    arms.append(
        Arm(
            "mlx-lm 8 bit",
            None,
            lambda port: mlx.server_argv(mlx_lm, port),
            hides_header=False,
            brief=True,
            model="default_model",
        )
    )
    return tuple(arms)


def _llama(made: llama_cpp.LlamaCpp, threads: int, *, drafts: bool) -> Arm:
    return Arm(
        f"{BASELINE}, DFlash" if drafts else BASELINE,
        threads,
        lambda port: llama_cpp.server_argv(made, port, threads, drafting=drafts),
    )


def _ours(model_dir: Path, threads: int, *, drafts: bool) -> Arm:
    command = [sys.executable, "-m", "playground", "--model-dir", str(model_dir), "--no-ui"]
    command += ["--threads", str(threads), *([] if drafts else ["--no-dflash"])]
    return Arm(
        "muse-playground, DFlash" if drafts else "muse-playground",
        threads,
        lambda port: [*command, "--port", str(port)],
        counts_end=False,
        extra={"session_id": SESSION},
    )
