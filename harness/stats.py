"""What do repeated measurements say, and how sure can one be?

Assumption: none about the shape of a distribution.  Latencies are skewed and have a few far
values, so a sample is summarised by its median with an interval made of order statistics, and
two samples are compared in pairs by the logarithm of their ratio, with a bootstrap interval.
Standard library only.

Summary.    The interval (x_(k), x_(n+1-k)) of the sorted sample holds the median with probability
            1 - 2 P(B < k), B ~ Binomial(n, 1/2); k is the largest for which that is at least the
            confidence asked for.  95 % needs n >= 6.  The one that is reached is carried along.
Percentile. p is printed only where n values bound it from above with one-sided 95 %:
            1 - p^n >= 0.95, so p95 needs n >= 59 and p99 n >= 299.  Linear between ranks.
Comparison. d_i = ln(a_i / b_i); the ratio is exp(mean d), the geometric mean of paired ratios.
            The interval is BCa (Efron 1987) over a seeded resampling of the pairs; where the
            pairs do not vary BCa has nothing to correct: plain percentiles, and it says so.

Doubts travel with the numbers as data; nothing here prints.
"""

from __future__ import annotations

import math
import random
import statistics
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "MINIMUM_PAIRS",
    "PERCENTILES",
    "Comparison",
    "Doubt",
    "DoubtKind",
    "Summary",
    "compare_paired",
    "pairs_needed",
    "percentile",
    "summarise",
    "values_needed",
]

PERCENTILES = (90, 95, 99)
SPREAD_LIMIT = 0.25
"""An interval wider than this share of its median is called wide."""
MINIMUM_PAIRS = 3
"""Fewer pairs make no bootstrap: with two there are three different resamples."""
TRUSTED_PAIRS = 5
RESAMPLES = 4_000

_NORMAL = statistics.NormalDist()


class DoubtKind(Enum):
    """Why a number may deserve less trust than it looks."""

    TOO_FEW = "too few"
    SPREAD = "spread"
    DIRTY = "dirty"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Doubt:
    """One reason to doubt, with what would help."""

    kind: DoubtKind
    message: str


@dataclass(frozen=True, slots=True)
class Summary:
    """One sample in short; every number None when the sample is empty."""

    n: int
    median: float | None
    low: float | None
    high: float | None
    """Interval of the median; None when n is too small for one."""
    confidence: float | None
    """The confidence the interval reaches, at least what was asked for."""
    minimum: float | None
    maximum: float | None
    percentiles: Mapping[int, float] = field(default_factory=dict)
    """Of `PERCENTILES`, those that n can carry."""
    doubts: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two paired samples as one ratio, numerator over denominator."""

    n: int
    ratio: float | None
    low: float | None
    high: float | None
    confidence: float
    method: str
    """"bca", "percentile", or "none"."""
    seed: int
    resamples: int
    doubts: tuple[Doubt, ...] = ()

    @property
    def distinct(self) -> bool:
        """Whether the interval excludes 1; False where there is no interval."""
        return self.low is not None and self.high is not None and not self.low <= 1 <= self.high


def summarise(
    values: Sequence[float], *, confidence: float = 0.95, dirty: int = 0, missing: int = 0
) -> Summary:
    """The sample in short.

    `dirty` of the values are of a turn in which the machine or we were in the way (`dirty`);
    `missing` turns had no value.
    """
    n, ordered = len(values), sorted(values)
    doubts = [*_blemishes(n, dirty, missing)]
    if not ordered:
        doubts.append(Doubt(DoubtKind.TOO_FEW, "no values"))
        return Summary(0, None, None, None, None, None, None, doubts=tuple(doubts))
    median = statistics.median(ordered)
    low, high, reached = _median_interval(ordered, confidence)
    if reached is None:
        need = values_needed(confidence)
        doubts.append(
            Doubt(DoubtKind.TOO_FEW, f"{n} values; a {confidence:.0%} interval needs {need}")
        )
    elif median and (high - low) / abs(median) > SPREAD_LIMIT:
        share = (high - low) / abs(median)
        doubts.append(Doubt(DoubtKind.SPREAD, f"the interval is {share:.0%} of the median wide"))
    return Summary(
        n,
        median,
        low if reached else None,
        high if reached else None,
        reached,
        ordered[0],
        ordered[-1],
        {p: percentile(ordered, p) for p in PERCENTILES if n >= _percentile_needs(p)},
        tuple(doubts),
    )


def compare_paired(
    numerator: Sequence[float],
    denominator: Sequence[float],
    seed: int,
    *,
    confidence: float = 0.90,
    dirty: int = 0,
    missing: int = 0,
) -> Comparison:
    """The ratio of paired samples: numerator[i] and denominator[i] were measured side by side.

    Raises:
        ValueError: the samples differ in length, or hold a value that is not above 0.
    """
    logs = _log_ratios(numerator, denominator)
    n = len(logs)
    doubts = [*_blemishes(n, dirty, missing)]
    if n < TRUSTED_PAIRS:
        doubts.append(
            Doubt(DoubtKind.TOO_FEW, f"{n} pairs; {pairs_needed()} make an interval to trust")
        )
    if n < MINIMUM_PAIRS:
        ratio = math.exp(statistics.fmean(logs)) if logs else None
        return Comparison(n, ratio, None, None, confidence, "none", seed, 0, tuple(doubts))
    mean = statistics.fmean(logs)
    draw = random.Random(seed)
    means = sorted(statistics.fmean(draw.choices(logs, k=n)) for _ in range(RESAMPLES))
    tails = _bca_tails(logs, mean, means, (1 - confidence) / 2)
    method = "bca" if tails else "percentile"
    lower, upper = tails or ((1 - confidence) / 2, (1 + confidence) / 2)
    low, high = (math.exp(percentile(means, 100 * tail)) for tail in (lower, upper))
    if high / low - 1 > SPREAD_LIMIT:
        doubts.append(Doubt(DoubtKind.SPREAD, f"the interval spans a factor of {high / low:.2f}"))
    return Comparison(
        n, math.exp(mean), low, high, confidence, method, seed, RESAMPLES, tuple(doubts)
    )


def values_needed(confidence: float = 0.95) -> int:
    """The least n for which min and max hold the median with this confidence."""
    return math.ceil(1 - math.log2(1 - confidence))


def pairs_needed() -> int:
    """The least number of pairs whose bootstrap interval carries no doubt of being too few."""
    return TRUSTED_PAIRS


def percentile(ordered: Sequence[float], p: float) -> float:
    """The p-th percentile (0..100) of sorted values, linear between ranks."""
    position = (len(ordered) - 1) * min(max(p, 0.0), 100.0) / 100
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


def _log_ratios(numerator: Sequence[float], denominator: Sequence[float]) -> list[float]:
    if len(numerator) != len(denominator):
        raise ValueError(f"not pairs: {len(numerator)} values against {len(denominator)}")
    if any(value <= 0 for value in (*numerator, *denominator)):
        raise ValueError("a ratio needs values above 0")
    return [math.log(a / b) for a, b in zip(numerator, denominator, strict=True)]


def _percentile_needs(p: int) -> int:
    return math.ceil(math.log(0.05) / math.log(p / 100))


def _median_interval(
    ordered: Sequence[float], confidence: float
) -> tuple[float, float, float | None]:
    """Low, high and the confidence they reach; None where even min and max do not reach it."""
    n = len(ordered)
    best: tuple[float, float, float | None] = (ordered[0], ordered[-1], None)
    below = 0.0  # P(B < k)
    for k in range(1, n // 2 + 1):
        below += math.comb(n, k - 1) / 2**n
        reached = 1 - 2 * below
        if reached < confidence:
            break
        best = (ordered[k - 1], ordered[n - k], reached)
    return best


def _bca_tails(
    logs: Sequence[float], mean: float, means: Sequence[float], alpha: float
) -> tuple[float, float] | None:
    """Which quantiles of the resampled means bound the interval; None where BCa cannot say."""
    n = len(logs)
    below = sum(each < mean for each in means) + sum(each == mean for each in means) / 2
    total = sum(logs)
    left_out = [(total - each) / (n - 1) for each in logs]  # jackknife means
    middle = statistics.fmean(left_out)
    spread = sum((middle - each) ** 2 for each in left_out)
    if not 0 < below < len(means) or spread <= 1e-24:
        return None
    bias = _NORMAL.inv_cdf(below / len(means))
    acceleration = sum((middle - each) ** 3 for each in left_out) / (6 * spread**1.5)
    tails = []
    for tail in (alpha, 1 - alpha):
        z = bias + _NORMAL.inv_cdf(tail)
        tails.append(_NORMAL.cdf(bias + z / (1 - acceleration * z)))
    return tails[0], tails[1]


def _blemishes(n: int, dirty: int, missing: int) -> list[Doubt]:
    doubts = []
    if dirty:
        doubts.append(Doubt(DoubtKind.DIRTY, f"{dirty} of {n} measured on a disturbed machine"))
    if missing:
        doubts.append(Doubt(DoubtKind.MISSING, f"{missing} of {n + missing} turns had no value"))
    return doubts
