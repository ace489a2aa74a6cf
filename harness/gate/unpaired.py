"""What can be said of two runs that were not played in turn?

Less than of pairs: a value here has no partner that shared its minute, so what changed between the
two sessions is in the ratio, and no interval knows of it.  What is left is Welch's test on
logarithms (Welch 1947), which lets both sides scatter as they do:

    ratio       of the geometric means, candidate over baseline
    interval    t of Welch and Satterthwaite; it takes two values on each side
    p           two-sided, of the same; never smaller than a rank test of so few values can give,
                2 / C(n + m, n), for the shape of the noise is not known
    ranks       the exact test of Mann and Whitney as a cross-check, only where so many values can
                reach 5 % at all: asv keeps the same rule
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["REACHED", "Unpaired", "compare_unpaired"]

REACHED = 0.05
STILL = 1e-12
"""Logs that lie no farther apart than this are the same number."""


@dataclass(frozen=True, slots=True)
class Unpaired:
    """Two samples without pairs."""

    ratio: float
    low: float | None
    high: float | None
    p: float | None
    ranks: float | None
    """p of the rank test; None where so few values cannot reach `REACHED`."""


def compare_unpaired(
    baseline: Sequence[float], candidate: Sequence[float], confidence: float = 0.90
) -> Unpaired:
    """The candidate over the baseline.

    Raises:
        ValueError: a side has no value, or one that is not above 0.
    """
    if not baseline or not candidate:
        raise ValueError("a ratio needs a value on both sides")
    if not all(value > 0 and math.isfinite(value) for value in (*baseline, *candidate)):
        raise ValueError("a ratio needs values above 0")
    before, behind = np.log(np.asarray(baseline)), np.log(np.asarray(candidate))
    n, m = len(before), len(behind)
    mean = float(behind.mean() - before.mean())
    found = Unpaired(math.exp(mean), None, None, None, None)
    if min(n, m) < 2:
        return found
    least = 2 / math.comb(n + m, n)
    ranks = None
    if least <= REACHED:
        ranks = float(stats.mannwhitneyu(behind, before, method="auto").pvalue)
    if max(float(np.ptp(before)), float(np.ptp(behind))) <= STILL:
        p = least if abs(mean) > STILL else 1.0
        return Unpaired(math.exp(mean), math.exp(mean), math.exp(mean), p, ranks)
    apart = behind.var(ddof=1) / m, before.var(ddof=1) / n
    error = math.sqrt(sum(apart))
    freedom = sum(apart) ** 2 / (apart[0] ** 2 / (m - 1) + apart[1] ** 2 / (n - 1))
    half = float(stats.t.ppf((1 + confidence) / 2, freedom)) * error
    p = 2 * float(stats.t.sf(abs(mean) / error, freedom))
    low, high = math.exp(mean - half), math.exp(mean + half)
    return Unpaired(math.exp(mean), low, high, max(least, p), ranks)
