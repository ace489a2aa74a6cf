"""How do the kinds of worker differ? One table; all else is the protocol (see `messages`).

    python   `playground.worker`, ours
    native   ExecuTorch's `muse_glimmer_worker`, at the commit that `bootstrap/pins.toml` names and
             with our patch, which lets a turn be cancelled

                            python                          native
    a flag                  --max_sessions 2                --max_sessions=2; one that it does not
                                                            know ends it with exit code 1
    begin of text           --bos_token, by name            --bos_id, by number
    end of text             known by name                   --eos_id, and `<|eot|>` by name
    threads, no drafting    --threads, --dflash false       not to be had: the server refuses
    drafting of one turn    `dflash` false                  not to be had: the request is refused
    progress lines          where a request asks            never
    a cancel in a prefill   heard between its chunks        heard between its chunks, which are
                                                            large, and behind a picture: it has the
                                                            time for those beside its grace
    pictures of a request   as many as the ready line says  one
    a turn with a picture   goes on from the cache          computes all of its prompt, "new"
    a picture's file        is turned as its EXIF says and  is taken as its pixels lie, and what is
                            laid on white                   transparent by its colour: the server
                                                            draws such a file anew
    `worker` when ready     what it is and what it loaded   absent: the server says what it knows
    done                    `ttft_ms`, `resident_tokens`,   none of these
                            `peak_rss_bytes`, what was
                            drafted

How a turn is cancelled is no matter of kind: the ready line says it (see `client`). `cancelled` in
a done line is upstream's own where cancellation is, so a worker that is not patched has neither.

The native worker drafts whenever its program has a draft: `--artifact_mode=autoregressive` is no
way out, since a program is loaded only in the mode whose methods it has.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Literal

from playground.vision.grid import MOST_CELLS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from playground.tokens import Tokenizer

__all__ = ["DIALECTS", "Dialect", "Drafting", "Loads", "Serves", "WorkerKind"]

WorkerKind = Literal["python", "native"]

END_OF_TEXT = "<|end_of_text|>"


@dataclass(frozen=True, slots=True)
class Loads:
    """What a worker is told to load."""

    program: Path
    tokenizer_path: Path
    tokenizer: Tokenizer
    bos: str
    """The name of the token that begins every prompt."""
    positions: Path | None = None
    """The vision encoder's position table."""


@dataclass(frozen=True, slots=True)
class Serves:
    """How a worker is told to serve it."""

    max_sessions: int
    max_image_bytes: int
    threads: int | None = None
    """None leaves them to the worker."""
    dflash: bool = True
    """Whether turns may draft."""


@dataclass(frozen=True, slots=True)
class Drafting:
    """How a worker drafts, as far as its command line decides it."""

    block_length: int
    """Pending token and proposals together."""
    draft_tokens: int
    """Proposals of a round."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One kind of worker, as far as it is another one."""

    kind: WorkerKind
    program: tuple[str, ...]
    """The command that starts it where none is given; empty where one has to be."""
    refuses: Mapping[str, str]
    """Flags of the server that cannot be passed on, each with why."""
    model_flags: Callable[[Loads], tuple[str, ...]]
    """Tell it what to load; raises UnknownControlToken for a name that the vocabulary lacks."""
    server_flags: Callable[[Serves], tuple[str, ...]]
    """Tell it how to serve."""
    drafting: Callable[[Sequence[str]], Drafting | None]
    """What a command line that it got ready with says of its drafting; None if nothing."""
    plain_turns: bool
    """Whether one turn can go without drafting."""
    tells_progress: bool
    deaf_tokens: int
    """Tokens of a prompt that may be computed before a cancel is heard: 0 is at once."""
    warm_pictures: bool
    """Whether a conversation that shows a picture goes on from the cache."""
    looks_as_told: bool
    """Whether it turns a picture as its EXIF says, and lays it on white."""


def _no_drafting(argv: Sequence[str]) -> None:
    """Nothing: the ready line says it."""


def _python_model_flags(loads: Loads) -> tuple[str, ...]:
    return (
        *("--model_path", str(loads.program)),
        *("--tokenizer_path", str(loads.tokenizer_path)),
        *("--bos_token", loads.bos),
        *(("--pos_embed_path", str(loads.positions)) if loads.positions else ()),
    )


def _python_server_flags(serves: Serves) -> tuple[str, ...]:
    return (
        *("--max_sessions", str(serves.max_sessions)),
        *(() if serves.threads is None else ("--threads", str(serves.threads))),
        *(() if serves.dflash else ("--dflash", "false")),
    )


def _native_model_flags(loads: Loads) -> tuple[str, ...]:
    return (
        f"--model_path={loads.program}",
        f"--tokenizer_path={loads.tokenizer_path}",
        f"--bos_id={loads.tokenizer.control(loads.bos)}",
        f"--eos_id={loads.tokenizer.control(END_OF_TEXT)}",
        *((f"--pos_embed_path={loads.positions}",) if loads.positions else ()),
    )


def _native_server_flags(serves: Serves) -> tuple[str, ...]:
    return (
        f"--max_sessions={serves.max_sessions}",
        f"--max_image_bytes={serves.max_image_bytes}",
    )


NATIVE_BLOCK_LENGTH, NATIVE_DRAFT_TOKENS = 4, 3
"""The native worker's own defaults."""
NATIVE_CHUNK = 512
"""Tokens of a prompt that it computes at once, at most."""


def _native_drafting(argv: Sequence[str]) -> Drafting | None:
    """Known where the mode is demanded: a program without a draft is then not loaded at all."""
    if _last(argv, "artifact_mode") != "dflash":
        return None
    block = int(_last(argv, "dflash_block_length") or NATIVE_BLOCK_LENGTH)
    drafts = int(_last(argv, "dflash_n_draft") or NATIVE_DRAFT_TOKENS)
    if block == 0:  # as long as the program has it, and that is not told
        return None
    return Drafting(block, drafts or block - 1)


def _last(argv: Sequence[str], name: str) -> str | None:
    """The value that a flag ends up with: `--name=value` or `--name value`, the last one wins."""
    value = None
    for word, behind in zip_longest(argv, argv[1:]):
        flag, equals, told = word.lstrip("-").partition("=")
        if word.startswith("-") and flag.replace("-", "_") == name:
            value = told if equals else behind
    return value


DIALECTS: Mapping[str, Dialect] = {
    "python": Dialect(
        kind="python",
        program=(sys.executable, "-m", "playground.worker"),
        refuses={},
        model_flags=_python_model_flags,
        server_flags=_python_server_flags,
        drafting=_no_drafting,
        plain_turns=True,
        tells_progress=True,
        deaf_tokens=0,
        warm_pictures=True,
        looks_as_told=True,
    ),
    "native": Dialect(
        kind="native",
        program=(),
        refuses={
            "threads": "its kernels run on the GPU, and it has no such flag; leave it out",
            "no-dflash": "a program with a draft is loaded in no other mode; leave it out, or"
            " serve a program that was exported without one",
            "script": "a script is played by our own worker; leave --worker-kind out",
        },
        model_flags=_native_model_flags,
        server_flags=_native_server_flags,
        drafting=_native_drafting,
        plain_turns=False,
        tells_progress=False,
        deaf_tokens=MOST_CELLS + NATIVE_CHUNK,
        warm_pictures=False,
        looks_as_told=False,
    ),
}
