"""How are conversations packed into rows that the GPU can eat?

A batch is `uint16[rows, 2048]`: the low twelve bits are the token id, bit twelve says that the
token carries loss. Every conversation begins with the BOS token, so documents are told apart by
counting those; attention never crosses from one to another. What is left of a row is padding.

Batch number k of a run depends on the seed, k and the mixture alone, so any number of processes
makes the same data.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import numpy as np

from bootstrap.nano.configuration import NANO
from bootstrap.nano.dialogues import Mixture, converse
from bootstrap.nano.rendering import render

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["LEARNED", "batch"]

LEARNED = 1 << 12
_PAD = NANO.control("<|pad|>")
_LENGTH = NANO.max_position_embeddings
_CHARACTERS = (2500, 5500, 7000, 7300)  # about 3.7 characters a token
_OPEN = 24  # rows that stay open while conversations are dealt out


def _row(rng: Random, mixture: Mixture, encode: Callable[[str], list[int]]) -> NDArray[np.uint16]:
    rendered = render(converse(rng, mixture, rng.choice(_CHARACTERS)), encode)
    ids = np.array(rendered.ids[:_LENGTH], dtype=np.uint16)
    ids[np.array(rendered.learned[:_LENGTH])] |= LEARNED
    return ids


def batch(
    seed: int, number: int, rows: int, mixture: Mixture, encode: Callable[[str], list[int]]
) -> NDArray[np.uint16]:
    """Batch `number` of the run: `rows` rows, each filled first-fit."""
    rng = Random(f"{seed}/{number}")
    out = np.full((rows, _LENGTH), _PAD, dtype=np.uint16)
    used = [0] * rows
    first, misses = 0, 0
    while first < rows and misses < 40:
        document = _row(rng, mixture, encode)
        for row in range(first, min(first + _OPEN, rows)):
            if used[row] + len(document) <= _LENGTH:
                out[row, used[row] : used[row] + len(document)] = document
                used[row] += len(document)
                break
        else:
            misses += first + _OPEN >= rows
            if first + _OPEN < rows:
                first += 1  # the oldest open row is as full as it will get
        while first < rows and used[first] > _LENGTH - 120:
            first += 1
    return out
