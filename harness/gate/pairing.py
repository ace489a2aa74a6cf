"""Which starts make a pair, and what is missing?

Two starts with the same pair number, one of each side, are a pair where both have a value.  A pair
of which one side has none is counted as missing, and never made up for.
"""

from __future__ import annotations

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
            PairValue(pair, confirms, sides[Side.BASELINE].value, sides[Side.CANDIDATE].value)
            for (confirms, pair), sides in complete.items()
        ),
        {side: lonely.count(side) for side in Side},
        sum(start.dirty > 0 for pair in complete.values() for start in pair.values()),
    )
