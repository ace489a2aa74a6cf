"""How is a change said: as a share for the worse, and in words?

A change is the logarithm of a ratio with the sign turned where more is better, so that above 0 is
always for the worse; more is worse where neither way is better.
"""

from __future__ import annotations

import math

from harness.units import Better

__all__ = ["change", "share_of", "worse_of"]

SEEN = 0.1
"""The least change that is told, in per cent."""


def worse_of(ratio: float, better: Better) -> float:
    """The change that a ratio above 0, candidate over baseline, is."""
    log = math.log(ratio)
    return -log if better is Better.HIGHER else log


def share_of(log: float) -> float:
    """A change as a share for the worse: 0.05, or -0.03 for the better."""
    return math.expm1(log)


def change(log: float, better: Better = Better.LOWER) -> str:
    """A change in words: `4.8 % worse`, or `4.8 % more` where neither way is better."""
    share = 100 * share_of(log)
    if abs(share) < SEEN / 2:
        return "no change"
    words = ("less", "more") if better is Better.NEITHER else ("better", "worse")
    return f"{abs(share):.1f} % {words[share > 0]}"
