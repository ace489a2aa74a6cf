"""How is the draft trained?

On what the target itself would write, with the target frozen: made-up conversations go through the
target, and where its likeliest next tokens are the conversation's own, they are what the draft has
to guess from the outputs of the target's layers before the block. So every label is the target's
greedy choice on the target's own path; where it leaves the conversation the rest of the block
carries no loss. Later places weigh less, as they are reached less often.

Afterwards the draft and `draft.json`, the facts of the run with how often each place is right on
held-out conversations, are written to one folder.

    python -m bootstrap.nano.draft_training
"""

from __future__ import annotations

import argparse
import json
import os
import time
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import torch
from torch.nn import functional

from bootstrap.nano.configuration import CHECKPOINT, DRAFT, DRAFT_CHECKPOINT, NANO, SHIPPED
from bootstrap.nano.draft import Blocks, build_draft, dense_blocks, guesses, load_draft, save_draft
from bootstrap.nano.feeding import Order, batches, workers
from bootstrap.nano.network import load
from bootstrap.nano.optimisation import Optimiser
from bootstrap.nano.packing import Emphasis
from bootstrap.nano.training import Clock, Forward, mixture_at, rate_at, revision

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.pool import Pool

    from torch import Tensor

    from bootstrap.nano.feeding import Packed

__all__ = ["blocks_to_learn", "expected_tokens"]

_WEIGHTS = (0.0, 1.0, 0.8, 0.6)  # of a block's places
_STEADY = 10


class _Target:
    """The frozen target: what it has computed, and which tokens it would write."""

    def __init__(self, model: Any, arguments: argparse.Namespace, device: str) -> None:  # noqa: ANN401
        self.model = model
        self._layers = arguments.taps
        self._forward = Forward(model, arguments.rows, arguments.sheets, device)

    @torch.no_grad()
    def __call__(self, packed: Packed) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Ids, which of them the model writes, taps, and its next token after each: `[B, T, …]`."""
        ids, learned, hidden, taps = self._forward(packed, self._layers)
        # neither multiplier nor cap changes which is the likeliest
        following = torch.cat([self.model.lm_head(row).argmax(-1) for row in hidden.split(8)])
        return ids, learned, torch.cat(taps, dim=-1), following


def blocks_to_learn(
    ids: Tensor, learned: Tensor, following: Tensor, offset: Tensor
) -> tuple[Tensor, Tensor]:
    """For every place of every block the target's token, and whether it counts: `[B, T]`.

    It counts where the model writes the block, anchor included, and the target has agreed with
    the conversation at the places of the block before it.
    """
    length = ids.shape[1]
    place = torch.arange(length, device=ids.device)
    positions = offset + place
    inside = positions < length
    here = positions.clamp(max=length - 1)
    before = (here - 1).clamp(min=0)
    label = following[:, before]
    agrees = label == ids[:, here]
    first = place % DRAFT.block_size == 0
    counts = learned[:, here] & inside & ~first
    for step in range(1, DRAFT.block_size):  # all places before it in the block agree
        earlier = (place - step).clamp(min=0)
        same_block = place % DRAFT.block_size >= step
        is_anchor = place % DRAFT.block_size == step
        counts = counts & (~same_block | is_anchor | agrees[:, earlier])
        counts = counts & (~same_block | learned[:, here[earlier]])
    return label, counts


def _loss(  # noqa: PLR0913, PLR0917  (one compiled whole)
    draft: Any,  # noqa: ANN401
    target: Any,  # noqa: ANN401
    ids: Tensor,
    learned: Tensor,
    taps: Tensor,
    following: Tensor,
    offset: Tensor,
    mask: Any,  # noqa: ANN401
) -> tuple[Tensor, Tensor]:
    """Weighted cross-entropy, and how often each place is (right, tried): `[block, 2]`."""
    scores = guesses(draft, target, ids, taps, offset, mask)
    label, counts = blocks_to_learn(ids, learned, following, offset)
    each = functional.cross_entropy(scores.flatten(0, 1), label.flatten(), reduction="none")
    weight = torch.tensor(_WEIGHTS, device=ids.device).repeat(ids.shape[1] // len(_WEIGHTS))
    weight = (weight * counts).flatten()
    loss = (each * weight).sum() / weight.sum().clamp(min=1)
    return loss, _runs(scores.argmax(-1) == label, counts)


def _runs(right: Tensor, counts: Tensor) -> Tensor:
    """For each place of a block: accepted, and reached by accepting all before it."""
    size = DRAFT.block_size
    right, counts = right.unflatten(1, (-1, size)), counts.unflatten(1, (-1, size))
    alive = torch.ones_like(counts[..., 0])
    rows = [torch.zeros(2, device=counts.device, dtype=torch.long)]
    for place in range(1, size):
        reached = alive & counts[..., place]
        alive = reached & right[..., place]
        rows.append(torch.stack([alive.sum(), reached.sum()]))
    return torch.stack(rows)


def expected_tokens(rates: list[float]) -> float:
    """Tokens a round, the target's own included, when each guess is right this often.

    `rates[n]` is how often guess n is accepted if it is reached.

    >>> expected_tokens([1.0, 1.0, 1.0])
    4.0
    """
    expected, reached = 1.0, 1.0
    for rate in rates:
        reached *= rate
        expected += reached
    return expected


def _measured(
    draft: Any,  # noqa: ANN401
    target: _Target,
    arguments: argparse.Namespace,
    device: str,
    blocks: Callable[[Tensor, Tensor], Any],
    pool: Pool | None,
    loss_of: Callable[..., tuple[Tensor, Tensor]],
) -> dict[str, Any]:
    """How often each place is accepted on conversations of another seed, blocks at all offsets."""
    counts = torch.zeros(DRAFT.block_size, 2, dtype=torch.long)
    for packed in batches(_orders(arguments, -1, arguments.held_out), pool):
        seen = target(packed.to(device))
        for start in range(DRAFT.block_size):
            offset = torch.tensor(start, device=device)
            _, runs = loss_of(draft, target.model, *seen, offset, blocks(seen[0], offset))
            counts += runs.cpu()
    rates = [float(right / max(tried, 1)) for right, tried in counts[1:].tolist()]
    return {
        "accepted_by_place": [round(rate, 4) for rate in rates],
        "blocks": int(counts[1, 1]),
        "tokens_a_round": round(expected_tokens(rates), 3),
    }


def _orders(
    arguments: argparse.Namespace, seed: int, count: int | None, drills: float = 0.0
) -> Iterator[Order]:
    number = 0
    while count is None or number < count:
        mixture, emphasis = mixture_at(0.0, arguments.whole), Emphasis(drills=drills)
        yield Order(seed, number, arguments.rows, arguments.sheets, mixture, emphasis)
        number += 1


def _train(
    draft: Any,  # noqa: ANN401
    target: _Target,
    arguments: argparse.Namespace,
    device: str,
    pool: Pool | None,
    blocks: Callable[[Tensor, Tensor], Any],
    loss_of: Callable[..., tuple[Tensor, Tensor]],
) -> dict[str, float]:
    optimiser = Optimiser(draft.named_parameters(), decay=arguments.decay)
    if device == "cuda":
        for parameter in draft.parameters():
            parameter.data = parameter.data.bfloat16()
    draft.train()
    rng = Random(arguments.seed)
    begun = time.monotonic()
    clock = Clock(arguments.steps, arguments.seconds, begun)
    step, loss = 0, torch.zeros(())
    feed = batches(_orders(arguments, arguments.seed, None, arguments.drills), pool)
    while (progress := clock.progress(step, time.monotonic())) < 1:
        ids, learned, taps, following = target(next(feed).to(device))
        offset = torch.tensor(rng.randrange(DRAFT.block_size), device=device)
        mask = blocks(ids, offset)
        loss, runs = loss_of(draft, target.model, ids, learned, taps, following, offset, mask)
        loss.backward()
        optimiser.step(rate_at(progress, arguments.rate))
        step += 1
        if step == _STEADY:
            loss.item()
            clock.steady(time.monotonic())
            print(f"first steps took {time.monotonic() - begun:.1f} s", flush=True)
        if step % arguments.report == 0:
            shares = [f"{right / max(tried, 1):.3f}" for right, tried in runs[1:].tolist()]
            print(
                f"step {step} loss {loss.item():.4f} accepted {' '.join(shares)} "
                f"at {time.monotonic() - begun:.1f} s",
                flush=True,
            )
    return {
        "steps": step,
        "tokens": step * arguments.rows * NANO.max_position_embeddings,
        "seconds": round(time.monotonic() - begun, 1),
        "last_loss": round(loss.item(), 4),
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--target", type=Path, default=CHECKPOINT)
    parser.add_argument("--tokenizer", type=Path, default=SHIPPED / "tokenizer.json")
    parser.add_argument("--out", type=Path, default=DRAFT_CHECKPOINT)
    parser.add_argument("--start", type=Path, help="go on from this draft")
    parser.add_argument("--layers", type=int, default=DRAFT.num_hidden_layers)
    parser.add_argument("--taps", type=int, nargs="+", default=DRAFT.target_layer_ids)
    parser.add_argument("--window", type=int, default=DRAFT.sliding_window)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--seconds", type=float, help="as long as this instead")
    parser.add_argument("--rows", type=int, default=64)
    parser.add_argument("--sheets", type=int, default=16)
    parser.add_argument("--whole", type=float, default=0.40)
    parser.add_argument("--drills", type=float, default=0.0, help="share of draws with exercises")
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--decay", type=float, default=0.1)
    parser.add_argument("--held-out", type=int, default=16, help="batches to measure on")
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    parser.add_argument("--report", type=int, default=100)
    parser.add_argument("--revision", default="")
    return parser.parse_args()


def main() -> None:
    """Train, measure, save."""
    arguments = _arguments()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = load(arguments.target).to(device).requires_grad_(False)
    if device == "cuda":
        for parameter in model.parameters():
            parameter.data = parameter.data.bfloat16()
    sizes = replace(
        DRAFT,
        num_hidden_layers=arguments.layers,
        target_layer_ids=tuple(arguments.taps),
        sliding_window=arguments.window,
    )
    draft = load_draft(arguments.start) if arguments.start else build_draft(arguments.seed, sizes)
    draft.to(device)
    target = _Target(model, arguments, device)
    blocks: Callable[[Tensor, Tensor], Any] = (
        Blocks(arguments.rows, NANO.max_position_embeddings, device, arguments.window)
        if device == "cuda"
        else lambda ids, offset: dense_blocks(ids, offset, arguments.window)
    )
    loss_of = torch.compile(_loss, dynamic=False) if device == "cuda" else _loss
    with workers(arguments.workers, arguments.tokenizer) as pool:
        took = _train(draft, target, arguments, device, pool, blocks, loss_of)
        found = _measured(draft, target, arguments, device, blocks, pool, loss_of)
    for parameter in draft.parameters():
        parameter.data = parameter.data.bfloat16()
    arguments.out.mkdir(parents=True, exist_ok=True)
    save_draft(draft, arguments.out)
    facts = {
        "revision": arguments.revision or revision(),
        "seed": arguments.seed,
        "hardware": torch.cuda.get_device_name() if device == "cuda" else "CPU",
        "sizes": asdict(sizes),
        "parameters": sum(parameter.numel() for parameter in draft.parameters()),
        "rate": arguments.rate,
        "drills": arguments.drills,
        "begun_from_a_draft": arguments.start is not None,
        **took,
        "held_out": found,
    }
    (arguments.out / "draft.json").write_text(json.dumps(facts, indent=2) + "\n")
    print(json.dumps(facts), flush=True)


if __name__ == "__main__":
    main()
