"""Since when is a number another one?  Change points in a short series, always the same ones.

As Hunter does it (Fleming et al. 2023, arXiv:2301.03034; today Apache Otava), in small:

1.  The split of a stretch is where its two sides lie farthest apart by the energy distance of
    E-Divisive (Matteson and James 2014, doi:10.1080/01621459.2013.849605), on logarithms.  Both
    sides are split in turn, as long as there is room: what goes up and comes back again is no
    split of the whole that any test would see.
2.  Then the stretches on both sides of each split are held against each other by a t-test, and
    not by permutations, which would need a seed.  The split that says least is taken out, until
    each of those that are left counts.  A p is multiplied by the number of places in the series
    (Bonferroni), for the place was chosen.

A side has three values at least, so nothing can be found among fewer than six; with fewer, and
with a change too small for so few, nothing is marked.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from scipy import stats

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ALPHA", "LEAST", "Change", "change_points"]

ALPHA = 0.01
"""Of a split, all its places taken together: a chart that cries wolf is not looked at."""
SIDE = 3
LEAST = 2 * SIDE
"""Values that a series needs."""
STILL = 1e-12
"""Logs that lie no farther apart than this are the same number."""


@dataclass(frozen=True, slots=True)
class Change:
    """From here on the numbers are others."""

    at: int
    """Index of the first value behind it."""
    ratio: float
    """Behind over before, of the geometric means of both sides."""
    p: float
    """Of a t-test on logs, for every place that it could have been at."""


def change_points(values: Sequence[float]) -> tuple[Change, ...]:
    """Where a series changes, in its order.

    Raises:
        ValueError: a value is not above 0.
    """
    if any(value <= 0 for value in values):
        raise ValueError("a ratio needs values above 0")
    logs = [math.log(value) for value in values]
    found = _told_apart(logs, sorted(_split(logs, 0, len(logs))))
    edges = [0, *found, len(logs)]
    levels = [statistics.fmean(logs[begin:end] or [0.0]) for begin, end in pairwise(edges)]
    return tuple(
        Change(at, math.exp(behind - before), found[at])
        for at, (before, behind) in zip(found, pairwise(levels), strict=True)
    )


def _split(logs: Sequence[float], begin: int, end: int) -> list[int]:
    """Every place at which a stretch may be split, and its sides again."""
    places = range(begin + SIDE, end - SIDE + 1)
    if not places:
        return []
    at = max(places, key=lambda place: _apart(logs[begin:place], logs[place:end]))
    return [*_split(logs, begin, at), at, *_split(logs, at, end)]


def _told_apart(logs: Sequence[float], cuts: Sequence[int]) -> dict[int, float]:
    """Those of the places at which the sides differ, each with its p."""
    places = len(logs) - LEAST + 1
    left = list(cuts)
    while left:
        edges = [0, *left, len(logs)]
        found = {
            at: min(1.0, places * _p_of(logs[begin:at], logs[at:end]))
            for begin, at, end in zip(edges, left, edges[2:], strict=False)
        }
        weakest = max(left, key=lambda at: found[at])
        if found[weakest] <= ALPHA:
            return found
        left.remove(weakest)
    return {}


def _apart(before: Sequence[float], behind: Sequence[float]) -> float:
    """The energy distance of two samples, weighed by their sizes."""
    n, m = len(before), len(behind)
    across = statistics.fmean(abs(x - y) for x in before for y in behind)
    return (n * m / (n + m)) * (2 * across - _within(before) - _within(behind))


def _within(sample: Sequence[float]) -> float:
    n = len(sample)
    pairs = sum(abs(x - y) for at, x in enumerate(sample) for y in sample[:at])
    return 2 * pairs / (n * (n - 1))


def _p_of(before: Sequence[float], behind: Sequence[float]) -> float:
    """Two-sided, of Student's test; a step between two still sides is no chance at all."""
    if max(_spread(before), _spread(behind)) <= STILL:
        return 0.0 if abs(statistics.fmean(before) - statistics.fmean(behind)) > STILL else 1.0
    n, m = len(before), len(behind)
    pooled = ((n - 1) * statistics.variance(before) + (m - 1) * statistics.variance(behind)) / (
        n + m - 2
    )
    error = math.sqrt(pooled * (1 / n + 1 / m))
    apart = abs(statistics.fmean(before) - statistics.fmean(behind))
    return 2 * float(stats.t.sf(apart / error, n + m - 2))


def _spread(sample: Sequence[float]) -> float:
    return max(sample) - min(sample)
