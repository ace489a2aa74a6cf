"""What follows from what was seen?

frame interval   from one frame's stamp to the next one's
delay            of a mark: from the arrival of its last character to the first paint that shows
                 it or a later one
growth           a line fitted to (characters, bytes) by least squares, and how far the farthest
                 point is off it, as a share of what was gained from the first point to the last
slowdown         1 - engine's rate with the page reading / with a client that only drains: the
                 geometric mean over pairs, with its interval
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from harness.stats import compare_paired, percentile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.benchmarks.page.record import Pair

__all__ = [
    "Line",
    "Slowdown",
    "delays",
    "fit",
    "intervals",
    "percentile_of",
    "share_within",
    "slowdown",
    "within",
]

SEED = 1


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line, and how well it fits."""

    slope: float
    start: float
    off: float
    """How far the farthest point is from it, as a share of the gain from first point to last."""


@dataclass(frozen=True, slots=True)
class Slowdown:
    """A share of the engine's rate, below 0 where it was faster; None where no interval is."""

    share: float
    low: float | None
    high: float | None
    pairs: int


def intervals(stamps: Sequence[float]) -> tuple[float, ...]:
    """Between one frame and the next."""
    return tuple(after - before for before, after in pairwise(stamps))


def within(stamps: Sequence[float], first: float, last: float) -> tuple[float, ...]:
    """The stamps of a stretch of time."""
    return tuple(stamp for stamp in stamps if first <= stamp <= last)


def share_within(values: Sequence[float], limit: float) -> float:
    """The share of values that are at most `limit`.

    Raises:
        ValueError: there are no values.
    """
    if not values:
        raise ValueError("no values")
    return sum(value <= limit for value in values) / len(values)


def percentile_of(values: Sequence[float], p: float) -> float:
    """The p-th percentile, 0 to 100, of values in any order.

    Raises:
        ValueError: there are no values.
    """
    if not values:
        raise ValueError("no values")
    return percentile(sorted(values), p)


def delays(
    arrivals: Sequence[tuple[float, int]],
    paints: Sequence[tuple[float, int]],
    ends: Sequence[int],
) -> tuple[tuple[float, ...], int]:
    """The delay of each mark in order, and how many arrived without ever being painted.

    `arrivals` are (time, characters that are there), `paints` (time, highest mark that is shown),
    both rising; mark n ends after `ends[n]` characters.
    """
    found: list[float] = []
    unpainted = 0
    coming, drawn = iter(arrivals), iter(paints)
    arrival, paint = next(coming, None), next(drawn, None)
    for mark, end in enumerate(ends):
        while arrival is not None and arrival[1] < end:
            arrival = next(coming, None)
        if arrival is None:
            break
        while paint is not None and paint[1] < mark:
            paint = next(drawn, None)
        if paint is None:
            unpainted += 1
        else:
            found.append(paint[0] - arrival[0])
    return tuple(found), unpainted


def fit(points: Sequence[tuple[float, float]]) -> Line:
    """The line through the points by least squares.

    Raises:
        ValueError: fewer than three points say nothing about a line, nor do points without gain.
    """
    if len(points) < 3:
        raise ValueError(f"{len(points)} points; a line needs 3 to be judged")
    xs, ys = [x for x, _ in points], [y for _, y in points]
    gained = ys[-1] - ys[0]
    if gained <= 0:
        raise ValueError("nothing was gained")
    slope, start = statistics.linear_regression(xs, ys)
    off = max(abs(y - start - slope * x) for x, y in points)
    return Line(slope, start, off / gained)


def slowdown(pairs: Sequence[Pair]) -> Slowdown:
    """What reading in the page takes of the engine's rate.

    Raises:
        ValueError: there are no pairs.
    """
    if not pairs:
        raise ValueError("no pairs")
    ratio = compare_paired(
        [pair.page_per_s for pair in pairs], [pair.drained_per_s for pair in pairs], SEED
    )
    assert ratio.ratio is not None
    low = None if ratio.high is None else 1 - ratio.high
    high = None if ratio.low is None else 1 - ratio.low
    return Slowdown(1 - ratio.ratio, low, high, len(pairs))
