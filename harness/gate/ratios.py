"""By how much is one side worse than the other, and how far can that be trusted?

A pair is a start of each side, played one after the other; its number is d = ln(candidate /
baseline), with the sign turned where more is better, so that d > 0 is always a change for the
worse.  The unit is the start and not the turn: turns of one start share its noise (Kalibera and
Jones, ISMM 2013), and pairing takes out what both starts share (Duet, Bulej et al., ICPE 2020).
Logarithms make it a ratio: no unit matters, and swapping the sides only turns the sign.

The interval is that of t: mean +- t(n - 1) * sd / sqrt(n).  BCa (Efron 1987), which `harness.stats`
uses for turns, holds the truth far too seldom with so few pairs; `tests.benchmarks.gate_rule`
counts, for 90 %, how often each does:

    pairs                      4     6     8    10
    normal              t    .89   .89   .89   .89      BCa  .75   .80   .82   .83
    one pair in ten
    five sd off         t    .92   .93   .93   .92      BCa  .71   .75   .77   .79
    exponential         t    .92   .91   .90   .92      BCa  .69   .76   .77   .80

Arrays have any shape; their last axis are the pairs.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import stdtrit

from harness.units import Better

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["Interval", "interval_of", "limit_of", "worsening"]


class Interval(NamedTuple):
    """Mean of log ratios with its interval and standard deviation; each an array, or a number."""

    mean: Array
    low: Array
    high: Array
    sd: Array


def worsening(baseline: Sequence[float], candidate: Sequence[float], better: Better) -> Array:
    """Log ratios, above 0 where the candidate is worse; more is worse where neither way is better.

    In the order of their size: no order of the pairs can be told from what is computed of them.

    Raises:
        ValueError: a value is not above 0, or is no number.
    """
    for value in (*baseline, *candidate):
        if not (value > 0 and math.isfinite(value)):
            raise ValueError(f"a ratio needs values above 0, not {value:g}")
    sign = -1.0 if better is Better.HIGHER else 1.0
    return np.sort(sign * (np.log(np.asarray(candidate)) - np.log(np.asarray(baseline))))


def interval_of(logs: Array, level: float) -> Interval:
    """The t interval of the mean, with an error of `level` on each side; two pairs at least."""
    n = logs.shape[-1]
    mean, sd = logs.mean(axis=-1), logs.std(axis=-1, ddof=1)
    half = -float(stdtrit(n - 1, level)) * sd / math.sqrt(n)
    return Interval(mean, mean - half, mean + half, sd)


def limit_of(margin: float) -> float:
    """A margin as a log ratio: the same for a time and for the rate that is its reciprocal."""
    return math.log1p(margin)
