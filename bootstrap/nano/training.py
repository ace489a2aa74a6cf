"""How is Nano trained?

One pass over made-up conversations, one GPU, a fixed number of steps: linear warm-up, a plateau,
and a decay to nothing over the last half; in the last 30 % long notes weigh more. Processes make
the batches while the GPU works; batch k is the same whoever makes it. Afterwards the checkpoint,
the facts of the run (`training.json`) and the held-out results (`evaluation.json`) are written to
one folder.

    python -m bootstrap.nano.training --out bootstrap/nano/checkpoint
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn import functional

from bootstrap.nano import evaluation
from bootstrap.nano.configuration import NANO, ROOT
from bootstrap.nano.dialogues import Mixture
from bootstrap.nano.network import BlockMasks, build, dense_masks, hidden_states, load, logits, save
from bootstrap.nano.optimisation import Optimiser
from bootstrap.nano.packing import LEARNED, batch
from bootstrap.nano.vocabulary import Encoder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray
    from torch import Tensor

__all__ = ["mixture_at", "rate_at"]

_WARM_UP = 0.02
_DECAY = 0.50
_LONG_NOTES = 0.30


def rate_at(progress: float, peak: float) -> float:
    """The learning rate when this share of the run is done."""
    if progress < _WARM_UP:
        return peak * (progress + 1e-3) / _WARM_UP
    return peak * min(1.0, (1 - progress) / _DECAY)


def mixture_at(progress: float) -> Mixture:
    """What the data is made of when this share of the run is done."""
    if progress < 1 - _LONG_NOTES:
        return Mixture(notes=0.45, chat=0.40, single=0.15)
    return Mixture(notes=0.60, chat=0.32, single=0.08)


_encoder: Encoder | None = None


def _make(task: tuple[int, int, int, float]) -> NDArray[np.uint16]:
    global _encoder  # noqa: PLW0603  one encoder a process, with its cache
    _encoder = _encoder or Encoder()
    seed, number, rows, progress = task
    return batch(seed, number, rows, mixture_at(progress), _encoder)


def _batches(arguments: argparse.Namespace) -> Iterator[NDArray[np.uint16]]:
    """All batches of the run, in order, made ahead by processes of low priority."""
    steps = arguments.steps
    tasks = [(arguments.seed, k, arguments.rows, k / steps) for k in range(steps)]
    if arguments.workers == 0:
        yield from map(_make, tasks)
        return
    with multiprocessing.get_context("spawn").Pool(
        arguments.workers, initializer=os.nice, initargs=(5,)
    ) as pool:
        yield from pool.imap(_make, tasks, chunksize=4)


def _loss(model: Any, ids: Tensor, learned: Tensor, masks: dict[str, Any]) -> Tensor:  # noqa: ANN401
    """Mean cross-entropy over the learned tokens of `ids[B, T]`."""
    scores = logits(model, hidden_states(model, ids, masks))[:, :-1]
    each = functional.cross_entropy(scores.flatten(0, 1), ids[:, 1:].flatten(), reduction="none")
    weight = learned[:, 1:].flatten().float()
    return (each * weight).sum() / weight.sum().clamp(min=1)


def _trainable(model: Any) -> list[tuple[str, torch.nn.Parameter]]:  # noqa: ANN401
    return [
        (name, parameter)
        for name, parameter in model.named_parameters()
        if name.startswith("model.language_model.") or name == "lm_head.weight"
    ]


def _train(model: Any, arguments: argparse.Namespace, device: str) -> dict[str, float]:  # noqa: ANN401
    """Run all steps, or as many as the time allows; return what it took."""
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    named = _trainable(model)
    optimiser = Optimiser(named, decay=arguments.decay)
    gpu = device == "cuda"
    for parameter in model.parameters():  # not `.to`: the rotary table stays float32
        parameter.data = parameter.data.bfloat16() if gpu else parameter.data
    for _, parameter in named:
        parameter.requires_grad_(True)
    model.train()

    masks_of: Callable[[Tensor], dict[str, Any]] = (
        BlockMasks(arguments.rows, NANO.max_position_embeddings, device) if gpu else dense_masks
    )
    loss_of = torch.compile(_loss, dynamic=False) if gpu else _loss
    begun, steady, step, loss = time.monotonic(), 0.0, 0, torch.zeros(())
    for step, rows in enumerate(_batches(arguments)):
        packed = torch.from_numpy(rows.astype(np.int64)).to(device, non_blocking=True)
        ids, learned = packed & (LEARNED - 1), packed >= LEARNED
        loss = loss_of(model, ids, learned, masks_of(ids))
        loss.backward()
        optimiser.step(rate_at(step / arguments.steps, arguments.rate))
        if step == 10:
            loss.item()
            steady = time.monotonic()
            print(f"first steps took {steady - begun:.1f} s", flush=True)
        if step % arguments.report == 0:
            print(
                f"step {step} loss {loss.item():.4f} at {time.monotonic() - begun:.1f} s",
                flush=True,
            )
        if time.monotonic() - begun > arguments.seconds:
            print(f"stopped by the clock after step {step}", flush=True)
            break
    final = loss.item()
    ended = time.monotonic()
    tokens = (step + 1) * arguments.rows * NANO.max_position_embeddings
    rate = (step - 10) * arguments.rows * NANO.max_position_embeddings / max(ended - steady, 1e-9)
    return {
        "steps": step + 1,
        "tokens": tokens,
        "seconds": round(ended - begun, 1),
        "tokens_per_second": round(rate) if steady else 0,
        "last_loss": round(final, 4),
    }


def _revision() -> str:
    found = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return found.stdout.strip() or "unknown"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="go on from this checkpoint")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=6400)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after this long")
    parser.add_argument("--rows", type=int, default=64)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--decay", type=float, default=0.1)
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    parser.add_argument("--report", type=int, default=100)
    parser.add_argument("--conversations", type=int, default=1536, help="held-out, to evaluate")
    parser.add_argument("--sampled", type=int, default=256, help="turns to generate for real")
    parser.add_argument("--revision", default="")
    return parser.parse_args()


def main() -> None:
    """Train, save, evaluate."""
    arguments = _arguments()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    arguments.out.mkdir(parents=True, exist_ok=True)
    model = load(arguments.start) if arguments.start else build(arguments.seed)
    model.to(device)
    took = _train(model, arguments, device)
    for parameter in model.parameters():
        parameter.data = parameter.data.bfloat16()
    save(model, arguments.out)
    hardware = torch.cuda.get_device_name() if device == "cuda" else platform.processor() or "CPU"
    facts: dict[str, Any] = {
        "revision": arguments.revision or _revision(),
        "seed": arguments.seed,
        "hardware": hardware,
        "torch": torch.__version__,
        "parameters": NANO.parameters,
        "rows": arguments.rows,
        "rate": arguments.rate,
        "decay": arguments.decay,
        "planned_steps": arguments.steps,
        **took,
    }
    if arguments.start:
        facts["start"] = json.loads((arguments.start / "training.json").read_text())
    (arguments.out / "training.json").write_text(json.dumps(facts, indent=2) + "\n")
    print(json.dumps(facts), flush=True)
    results = evaluation.evaluate(model.eval(), arguments.conversations, device, arguments.sampled)
    (arguments.out / "evaluation.json").write_text(json.dumps(results, indent=2) + "\n")
    print(json.dumps(results), flush=True)


if __name__ == "__main__":
    main()
