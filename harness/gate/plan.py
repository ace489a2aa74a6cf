"""In which order are the two sides started?

A block is two pairs that mirror each other, ABBA, so that what drifts steadily falls on both sides
alike; the next block begins with the other side, and a coin that the seed tosses says which side
begins the first.  Both starts of a pair are asked the very same, drawn from the salt of the pair.

A side that somebody else started goes on from start to start, and would know again what it was
asked: there every start has a salt of its own.
"""

from __future__ import annotations

import hashlib
import itertools
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.gate.record import Side

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.gate.record import StartRecord

__all__ = [
    "BLOCK",
    "Block",
    "PlannedPair",
    "is_played",
    "plan_blocks",
    "salt_of",
    "tried",
    "unpaired",
]

BLOCK = 2
"""Pairs of a block: both orders, so that a drift of the machine is on neither side."""
TRIES = 2
"""A start that broke is tried once more."""


@dataclass(frozen=True, slots=True)
class PlannedPair:
    """Two starts, one after the other."""

    number: int
    sides: tuple[Side, Side]
    """In the order in which they are started."""
    confirms: bool


@dataclass(frozen=True, slots=True)
class Block:
    """The pairs between two looks at the anchor."""

    number: int
    pairs: tuple[PlannedPair, ...]


def plan_blocks(pairs: int, *, seed: int, after: int = 0, confirms: bool = False) -> list[Block]:
    """The blocks of so many pairs; `after` is how many pairs, in whole blocks, come before."""
    sides = list(Side)
    if random.Random(seed).random() < 0.5:
        sides.reverse()
    numbers = range(after + 1, after + pairs + 1)
    return [
        _block(-(-after // BLOCK) + number, tuple(of_block), sides, confirms=confirms)
        for number, of_block in enumerate(_batched(numbers), start=1)
    ]


def _block(number: int, pairs: Sequence[int], sides: Sequence[Side], *, confirms: bool) -> Block:
    first, second = sides if number % 2 else reversed(sides)
    orders = itertools.cycle([(first, second), (second, first)])
    return Block(
        number,
        tuple(
            PlannedPair(pair, order, confirms) for pair, order in zip(pairs, orders, strict=False)
        ),
    )


def _batched(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    return (numbers[at : at + BLOCK] for at in range(0, len(numbers), BLOCK))


def salt_of(salt: str, *what: object) -> str:
    """What is drawn from, eight digits: another one for each thing that is named."""
    return hashlib.sha256(" ".join(map(str, (salt, *what))).encode()).hexdigest()[:8]


def tried(starts: Sequence[StartRecord], pair: int, side: Side) -> list[StartRecord]:
    """The starts of one side of a pair that have ended, those that broke among them."""
    return [s for s in starts if (s.pair, s.side) == (pair, side) and s.ended_at is not None]


def is_played(starts: Sequence[StartRecord], pair: int) -> bool:
    """Whether no start of a pair is missing: both are there, or one broke too often."""
    sides = [tried(starts, pair, side) for side in Side]
    return all(any(each.whole for each in side) for side in sides) or any(
        sum(not each.whole for each in side) >= TRIES for side in sides
    )


def unpaired(starts: Sequence[StartRecord]) -> list[StartRecord]:
    """The starts to be thrown away where a gate goes on: cut ones, and those left alone by them.

    The two starts of a pair have to lie side by side; so the other one is played again, too.
    Starts that broke are kept: they are evidence.
    """
    return [
        start
        for start in starts
        if start.ended_at is None or (start.whole and not is_played(starts, start.pair))
    ]
