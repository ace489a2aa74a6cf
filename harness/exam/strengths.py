"""Does a greater strength of reasoning make for more of it?

For each leg the median of reasoning tokens over the turns of each strength; from step to step the
ratio of the two medians.  Nothing after nothing is no growth; something after nothing is more than
any ratio.  Turns whose reply does not count its reasoning are left out.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.exam.marking import MarkedTurn

__all__ = ["STRENGTHS", "Length", "Step", "lengths", "steps"]

STRENGTHS = ("low", "medium", "high", "xhigh")


@dataclass(frozen=True, slots=True)
class Length:
    """How long one strength reasons."""

    strength: str
    median: float
    n: int


@dataclass(frozen=True, slots=True)
class Step:
    """From one strength to the next that was asked for."""

    lower: Length
    upper: Length

    @property
    def ratio(self) -> float:
        """How many times longer the upper one is; infinite above nothing."""
        if self.lower.median:
            return self.upper.median / self.lower.median
        return math.inf if self.upper.median else 1.0


def lengths(turns: Sequence[MarkedTurn]) -> tuple[Length, ...]:
    """Of each strength that some turn has, in order."""
    found = []
    for strength in STRENGTHS:
        told = (
            turn.turn.measurements["tokens.reasoning"].value
            for turn in turns
            if turn.case.strength == strength
        )
        values = [value for value in told if value is not None]
        if values:
            found.append(Length(strength, statistics.median(values), len(values)))
    return tuple(found)


def steps(turns: Sequence[MarkedTurn]) -> tuple[Step, ...]:
    """From each strength to the next."""
    return tuple(Step(lower, upper) for lower, upper in pairwise(lengths(turns)))
