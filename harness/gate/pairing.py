"""Which starts make a pair, and what is missing?

Two starts with the same pair number, one of each side, are a pair where both have a value.  A pair
of which one side has none is counted as missing, and never made up for.

Both starts of a pair are asked the very same, so that each request of one has its like in the
other, with the same trace id.  A pair is compared by the median of the ratios of those, where all
of them have a value on both sides; else by the ratio of the two medians.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.gate.record import Side
from harness.gate.result import PairValue

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from harness.gate.result import StartValue

__all__ = ["Pairing", "pair_up"]


@dataclass(frozen=True, slots=True)
class Pairing:
    """The values of one metric, in pairs."""

    pairs: tuple[PairValue, ...]
    """Complete ones: first those that decide, then those that confirm, in the order played."""
    missing: Mapping[Side, int]
    """Pairs in which this side has no value and the other has; those that confirm apart."""
    disturbed: int
    """Starts of complete pairs with a sample of a turn that was disturbed; they are kept, for what
    is left out by hand can be left out until it fits."""

    @property
    def deciding(self) -> tuple[PairValue, ...]:
        """Those that decide."""
        return tuple(pair for pair in self.pairs if not pair.confirms)

    @property
    def fresh(self) -> tuple[PairValue, ...]:
        """Those in which a fail has to be found again."""
        return tuple(pair for pair in self.pairs if pair.confirms)


def pair_up(starts: Iterable[StartValue]) -> Pairing:
    """The pairs that starts make; of two starts of one side of a pair the later counts."""
    sides: dict[tuple[bool, int], dict[Side, StartValue]] = {}
    for start in sorted(starts, key=lambda each: each.start):
        sides.setdefault((start.confirms, start.pair), {})[start.side] = start
    complete = {key: pair for key, pair in sorted(sides.items()) if len(pair) == len(Side)}
    lonely = [
        side
        for (confirms, _), pair in sides.items()
        for side in Side
        if not confirms and side not in pair
    ]
    return Pairing(
        tuple(
            _pair_value(pair, sides[Side.BASELINE], sides[Side.CANDIDATE])
            for (_, pair), sides in complete.items()
        ),
        {side: lonely.count(side) for side in Side},
        sum(start.dirty > 0 for pair in complete.values() for start in pair.values()),
    )


def _pair_value(pair: int, baseline: StartValue, candidate: StartValue) -> PairValue:
    return PairValue(
        pair, baseline.confirms, baseline.value, candidate.value, _by_request(baseline, candidate)
    )


def _by_request(baseline: StartValue, candidate: StartValue) -> float | None:
    """The median ratio of the same requests; None where they are not, or one has no ratio."""
    ours, theirs = (
        {sample.trace.rpartition("#")[2]: sample.value for sample in start.samples}
        for start in (baseline, candidate)
    )
    if not ours or ours.keys() != theirs.keys() or min(*ours.values(), *theirs.values()) <= 0:
        return None
    return statistics.median(theirs[request] / ours[request] for request in ours)
