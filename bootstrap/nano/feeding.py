"""How do batches reach the GPU before it asks for them?

Processes of low priority make them ahead, in order, a bounded number at a time; they come over in
shared memory. Batch k is the same whoever makes it. The mixture of a batch is drawn up when it is
ordered.
"""

from __future__ import annotations

import os
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import multiprocessing

from bootstrap.nano.packing import Emphasis, batch
from bootstrap.nano.vision import Sheets
from bootstrap.nano.vocabulary import Encoder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from multiprocessing.pool import Pool
    from pathlib import Path

    from torch import Tensor

    from bootstrap.nano.dialogues import Mixture

__all__ = ["Order", "Packed", "batches", "encoder", "workers"]

_AHEAD = 96

_encoder: Encoder | None = None


class Order(NamedTuple):
    """What a batch depends on."""

    seed: int
    number: int
    rows: int
    sheets: int
    mixture: Mixture
    emphasis: Emphasis = Emphasis()


class Packed(NamedTuple):
    """A batch as tensors: `packed` i16 [rows, 2048] as `packing` has it, and its pictures."""

    tokens: Tensor
    sheets: Sheets

    def to(self, device: str) -> Packed:
        """On that device; page-locked on the way, so that nobody waits for the copy."""
        if device == "cpu":
            return self
        tokens, *sheets = (
            each.pin_memory().to(device, non_blocking=True) for each in (self.tokens, *self.sheets)
        )
        return Packed(tokens, Sheets(*sheets))


def encoder() -> Encoder:
    """This process's encoder; `workers` says from which file."""
    assert _encoder is not None
    return _encoder


def _prepare(tokenizer: Path) -> None:
    global _encoder  # noqa: PLW0603  one encoder a process, with its cache
    _encoder = Encoder(tokenizer)


def _prepare_worker(tokenizer: Path) -> None:
    os.nice(5)
    torch.set_num_threads(1)
    _prepare(tokenizer)


def _make(order: Order) -> Packed:
    seed, number, rows, sheets, mixture, emphasis = order
    made = batch(seed, number, rows, mixture, encoder(), sheets, emphasis)
    arrays = (made.patches, made.places, made.pictures, made.cells)
    return Packed(
        torch.from_numpy(made.tokens.view("int16")), Sheets(*map(torch.from_numpy, arrays))
    )


@contextmanager
def workers(count: int, tokenizer: Path) -> Iterator[Pool | None]:
    """Processes that make data; none of them for a count of 0, and this one does the work."""
    _prepare(tokenizer)
    if count == 0:
        yield None
        return
    context = multiprocessing.get_context("spawn")
    with context.Pool(count, initializer=_prepare_worker, initargs=(tokenizer,)) as pool:
        yield pool


def batches(orders: Iterable[Order], pool: Pool | None) -> Iterator[Packed]:
    """The batches that were ordered, in order."""
    if pool is None:
        yield from map(_make, orders)
        return
    waiting: deque[Any] = deque()
    for order in orders:
        waiting.append(pool.apply_async(_make, (order,)))
        if len(waiting) >= _AHEAD:
            yield waiting.popleft().get()
    while waiting:
        yield waiting.popleft().get()
