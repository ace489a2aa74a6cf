"""How is Nano trained?

One pass over made-up conversations: linear warm-up, a plateau, and a decay to nothing over the
last half; in the last 30 % long notes weigh more. The run is as long as `--steps` or `--seconds`
says. Text model, vision tower and what joins them are trained together. Any number of GPUs, each
with data of its own (`parallel.py`). Afterwards the checkpoint, the facts of the run
(`training.json`) and the held-out results (`evaluation.json`) are written to one folder.

What is said is settled, word for word, by what came before; so the loss may be taken at a raised
temperature: who is sure at `--temper` 1.5 is surer still at 1, where now and then a token out of
place would break a header or a call.

    python -m bootstrap.nano.training --out bootstrap/nano/checkpoint
    torchrun --nproc-per-node 2 -m bootstrap.nano.training --out bootstrap/nano/checkpoint
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch.nn import functional

from bootstrap.nano import evaluation
from bootstrap.nano.attention import BlockMasks, PictureMask, dense_masks, dense_picture_mask
from bootstrap.nano.configuration import NANO, ROOT, SHIPPED
from bootstrap.nano.dialogues import Mixture
from bootstrap.nano.feeding import Order, batches, workers
from bootstrap.nano.network import build, embedded, load, logits, save, tapped, text_layer
from bootstrap.nano.optimisation import Optimiser
from bootstrap.nano.packing import LEARNED, SHEET, Emphasis
from bootstrap.nano.parallel import join
from bootstrap.nano.vision import picture_rows, vision_layer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.pool import Pool

    from torch import Tensor

    from bootstrap.nano.feeding import Packed
    from bootstrap.nano.parallel import Group

__all__ = ["Clock", "Forward", "Passed", "mixture_at", "rate_at", "revision"]

_WARM_UP = 0.02
_DECAY = 0.50
_LONG_NOTES = 0.30
_STEADY = 10  # steps after which everything is compiled


def rate_at(progress: float, peak: float) -> float:
    """The learning rate when this share of the run is done."""
    if progress < _WARM_UP:
        return peak * (progress + 1e-3) / _WARM_UP
    return peak * max(0.0, min(1.0, (1 - progress) / _DECAY))


def mixture_at(progress: float, whole: float) -> Mixture:
    """What the data is made of when this share of the run is done."""
    if progress < 1 - _LONG_NOTES:
        return Mixture(notes=0.30, chat=0.45, single=0.25, whole=whole)
    return Mixture(notes=0.40, chat=0.42, single=0.18, whole=whole)


@dataclass(slots=True)
class Clock:
    """How much of a run is done: by steps, or by seconds where those are given.

    Compiling is no part of the run: seconds count from the first call of `steady` on.
    """

    steps: int
    seconds: float | None
    begun: float
    _steady: float | None = None

    def steady(self, now: float) -> None:
        """From now on every step takes the same time."""
        self._steady = now

    def progress(self, step: int, now: float) -> float:
        """The share of the run that lies behind `step` at the time `now`."""
        if self.seconds is None:
            return step / self.steps
        if self._steady is None:
            return 0.0
        return (now - self._steady) / max(self.begun + self.seconds - self._steady, 1e-9)


def _loss(
    model: Any,  # noqa: ANN401
    hidden: Tensor,
    ids: Tensor,
    learned: Tensor,
    temper: float,
) -> Tensor:
    """Mean cross-entropy over the learned tokens of `ids[B, T]`, at the temperature `temper`."""
    scores = logits(model, hidden)[:, :-1] / temper
    each = functional.cross_entropy(scores.flatten(0, 1), ids[:, 1:].flatten(), reduction="none")
    weight = learned[:, 1:].flatten().float()
    return (each * weight).sum() / weight.sum().clamp(min=1)


class Forward:
    """The network over packed batches of one shape.

    On a GPU its layers are compiled, each kind once, which takes far less time than the whole.
    """

    def __init__(self, model: Any, rows: int, sheets: int, device: str) -> None:  # noqa: ANN401
        self._model = model
        self._with_pictures = sheets > 0
        self._masks: Callable[[Tensor], dict[str, Any]] = dense_masks
        self._picture_mask: Callable[[Tensor], Any] = dense_picture_mask
        self._text: Callable[..., Tensor] = text_layer
        self._vision: Callable[..., Tensor] = vision_layer
        if device == "cuda":
            self._masks = BlockMasks(rows, NANO.max_position_embeddings, device)
            self._picture_mask = PictureMask(sheets, SHEET, device)
            self._text = torch.compile(text_layer, dynamic=False)
            self._vision = torch.compile(vision_layer, dynamic=False)

    def __call__(self, packed: Packed, layers: Sequence[int] = ()) -> Passed:
        """Run a batch; `layers` are those whose outputs are wanted."""
        tokens = packed.tokens.long()
        ids, learned = tokens & (LEARNED - 1), tokens >= LEARNED
        if self._with_pictures:
            sheets = packed.sheets
            mask = self._picture_mask(sheets.pictures)
            soft = picture_rows(self._model, sheets, mask, self._vision)
            x = embedded(self._model, ids, soft, sheets.cells)
        else:
            x = embedded(self._model, ids)
        hidden, taps = tapped(self._model, x, self._masks(ids), layers, self._text)
        return Passed(ids, learned, hidden, taps)


class Passed(NamedTuple):
    """What came out: all `[B, T]` or `[B, T, hidden]`."""

    ids: Tensor
    learned: Tensor  # which tokens the model writes
    hidden: Tensor  # after the last norm
    taps: list[Tensor]  # outputs of layers


def _orders(
    arguments: argparse.Namespace, group: Group, state: dict[str, float]
) -> Iterator[Order]:
    """The batches of this process, without end; the mixture follows the run's progress."""
    number = group.rank
    emphasis = Emphasis(tuple(arguments.practise), arguments.practice, arguments.drills)
    while True:
        mixture = mixture_at(state["progress"], arguments.whole)
        yield Order(arguments.seed, number, arguments.rows, arguments.sheets, mixture, emphasis)
        number += group.size


def _train(
    model: Any,  # noqa: ANN401
    arguments: argparse.Namespace,
    device: str,
    group: Group,
    pool: Pool | None,
) -> dict[str, float]:
    """Run to the end; return what it took."""
    optimiser = Optimiser(model.named_parameters(), decay=arguments.decay)
    if device == "cuda":
        for parameter in model.parameters():  # not `.to`: the rotary tables stay float32
            parameter.data = parameter.data.bfloat16()
    model.train()
    forward = Forward(model, arguments.rows, arguments.sheets, device)
    loss_of = torch.compile(_loss, dynamic=False) if device == "cuda" else _loss
    begun = time.monotonic()
    clock = Clock(arguments.steps, arguments.seconds, begun)
    state = {"progress": 0.0}
    steady, step, loss, waited = begun, 0, torch.zeros(()), 0.0
    feed = batches(_orders(arguments, group, state), pool)
    while True:
        state["progress"] = group.agreed(clock.progress(step, time.monotonic()))
        if state["progress"] >= 1:
            break
        asked = time.monotonic()
        packed = next(feed)
        waited += time.monotonic() - asked
        passed = forward(packed.to(device))
        loss = loss_of(model, passed.hidden, passed.ids, passed.learned, arguments.temper)
        loss.backward()
        group.average_gradients(model.parameters())
        optimiser.step(rate_at(state["progress"], arguments.rate))
        step += 1
        if step == _STEADY:
            loss.item()
            steady = time.monotonic()
            clock.steady(steady)
            print(
                f"first steps took {steady - begun:.1f} s, {waited:.1f} of them for data",
                flush=True,
            )
            waited = 0.0
        if step % arguments.report == 0 and group.rank == 0:
            now = time.monotonic()
            print(
                f"step {step} loss {loss.item():.4f} at {now - begun:.1f} s, "
                f"{state['progress']:.3f} done, waited {waited:.1f} s",
                flush=True,
            )
    final = loss.item()
    ended = time.monotonic()
    each = arguments.rows * NANO.max_position_embeddings * group.size
    rate = (step - _STEADY) * each / (ended - steady)
    return {
        "steps": step,
        "tokens": step * each,
        "seconds": round(ended - begun, 1),
        "tokens_per_second": round(rate) if step > _STEADY else 0,
        "waited_for_data": round(waited, 1),
        "last_loss": round(final, 4),
    }


def revision() -> str:
    """The commit that is checked out."""
    found = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return found.stdout.strip() or "unknown"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--begin", type=Path, help="go on from this checkpoint")
    parser.add_argument("--tokenizer", type=Path, default=SHIPPED / "tokenizer.json")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=6400)
    parser.add_argument("--seconds", type=float, help="as long as this instead, compiling included")
    parser.add_argument("--rows", type=int, default=64, help="of 2048 tokens, a batch and process")
    parser.add_argument("--sheets", type=int, default=16, help="of 2048 patches, likewise")
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--decay", type=float, default=0.1)
    parser.add_argument("--whole", type=float, default=0.40, help="share of whole conversations")
    parser.add_argument("--practise", nargs="*", default=(), help="skills to draw more often")
    parser.add_argument("--practice", type=float, default=0.0, help="share of draws with one")
    parser.add_argument("--drills", type=float, default=0.0, help="share of draws with exercises")
    parser.add_argument("--temper", type=float, default=1.0, help="temperature of the loss")
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    parser.add_argument("--report", type=int, default=100)
    parser.add_argument("--conversations", type=int, default=1536, help="held-out, to evaluate")
    parser.add_argument("--sampled", type=int, default=256, help="outputs to generate for real")
    parser.add_argument("--revision", default="")
    return parser.parse_args()


def main() -> None:
    """Train, save, evaluate."""
    arguments = _arguments()
    group = join()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    arguments.out.mkdir(parents=True, exist_ok=True)
    model = load(arguments.begin) if arguments.begin else build(arguments.seed)
    model.to(device)
    with workers(arguments.workers // group.size, arguments.tokenizer) as pool:
        cases = evaluation.Cases(arguments.conversations, arguments.sampled, pool, group.rank == 0)
        took = _train(model, arguments, device, group, pool)
        group.leave()
        if group.rank:
            return
        for parameter in model.parameters():
            parameter.data = parameter.data.bfloat16()
        save(model, arguments.out)
        facts = _facts(arguments, group, device) | took
        if arguments.begin:
            facts["begun_from"] = json.loads((arguments.begin / "training.json").read_text())
        (arguments.out / "training.json").write_text(json.dumps(facts, indent=2) + "\n")
        print(json.dumps(facts), flush=True)
        if arguments.conversations:
            results = evaluation.evaluate(model.eval(), cases, device)
            evaluation.write(results, arguments.out / "evaluation.json")


def _facts(arguments: argparse.Namespace, group: Group, device: str) -> dict[str, Any]:
    return {
        "revision": arguments.revision or revision(),
        "seed": arguments.seed,
        "hardware": torch.cuda.get_device_name() if device == "cuda" else platform.processor(),
        "processes": group.size,
        "torch": torch.__version__,
        "parameters": NANO.parameters,
        "rows": arguments.rows,
        "sheets": arguments.sheets,
        "rate": arguments.rate,
        "decay": arguments.decay,
        "whole": arguments.whole,
        "practise": list(arguments.practise),
        "practice": arguments.practice,
        "drills": arguments.drills,
        "temper": arguments.temper,
        "planned_steps": arguments.steps if arguments.seconds is None else None,
    }


if __name__ == "__main__":
    main()
