"""How often was it right, and how sure can one be of that share?

Interval.   Wilson's score interval, z the normal quantile of the confidence, p = k / n:
                (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n)
            It stays within 0 and 1, and says something at k = 0 and k = n, where the textbook
            interval has no width.  It takes the n as independent: repeats of one case are not
            quite that, so an interval over repeats is, if anything, too narrow.
Tally.      The turns of one leg, in one group or in all.  A pair is right if both its turns are
            right in the same repeat; a pair of which one was not played is not counted.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness.exam.marking import MarkedTurn

__all__ = ["Rate", "Tally", "rate", "tallies", "tally", "wilson"]


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its interval."""

    right: int
    n: int
    low: float
    high: float
    confidence: float

    @property
    def share(self) -> float | None:
        """The right ones of all; None of nothing."""
        return self.right / self.n if self.n else None


@dataclass(frozen=True, slots=True)
class Tally:
    """The answers of one leg, in one group or in all."""

    leg: str
    group: str
    """Empty for all groups together."""
    rate: Rate
    pairs: Rate
    """Of opposite pairs, both right; n = 0 where there are none."""
    failing: tuple[MarkedTurn, ...]


def wilson(right: int, n: int, confidence: float) -> tuple[float, float]:
    """The interval of a share; (0, 1) of nothing."""
    if not n:
        return 0.0, 1.0
    z = statistics.NormalDist().inv_cdf((1 + confidence) / 2)
    p, square = right / n, z * z / n
    middle = (p + square / 2) / (1 + square)
    half = math.sqrt(p * (1 - p) * square + square * square / 4) / (1 + square)
    # At the ends the two are equal but for rounding.
    low = 0.0 if right == 0 else middle - half
    high = 1.0 if right == n else middle + half
    return low, high


def rate(outcomes: Iterable[bool], confidence: float) -> Rate:
    """The share of these that are true."""
    told = list(outcomes)
    low, high = wilson(sum(told), len(told), confidence)
    return Rate(sum(told), len(told), low, high, confidence)


def tally(turns: Sequence[MarkedTurn], leg: str, group: str, confidence: float) -> Tally:
    """The turns of a leg in a group; of all groups where it is empty."""
    own = [t for t in turns if t.label.leg == leg and group in {"", t.case.skill}]
    return Tally(
        leg=leg,
        group=group,
        rate=rate((turn.right for turn in own), confidence),
        pairs=rate(_pairs(own), confidence),
        failing=tuple(turn for turn in own if not turn.right),
    )


def tallies(
    turns: Sequence[MarkedTurn], legs: Iterable[str], groups: Iterable[str], confidence: float
) -> tuple[Tally, ...]:
    """For each leg: all groups together, then each group that it was asked of."""
    named = list(groups)
    found = (tally(turns, leg, group, confidence) for leg in legs for group in ("", *named))
    return tuple(each for each in found if each.rate.n or not each.group)


def _pairs(turns: Sequence[MarkedTurn]) -> list[bool]:
    pairs: dict[tuple[int, str], list[bool]] = {}
    for turn in turns:
        if turn.case.pair is not None:
            pairs.setdefault((turn.label.repeat, turn.case.pair), []).append(turn.right)
    return [all(both) for both in pairs.values() if len(both) == 2]
