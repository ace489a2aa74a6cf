"""What would simpler rules say? The rules one meets elsewhere, on one metric.

    single        one start of each side, fail above the margin
    median        the median of the starts of a side, fail above the margin
    pooled        Mann-Whitney over all requests of all starts, fail where the candidate is slower
                  with a two-sided p below 5 %: it takes requests of one start for independent

The drift lasts as long as they do.

Also other ways to find a fail again, and another interval, that the gate might have used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit
from scipy.stats import mannwhitneyu

from harness.gate.decision import found_again
from harness.gate.ratios import interval_of
from tests.benchmarks.gate_rule.gates import Share

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.random import Generator

    from harness.gate.ratios import Interval
    from tests.benchmarks.gate_rule.gates import Flags, FoundAgain
    from tests.benchmarks.gate_rule.models import Array, Drift

__all__ = ["coverage", "found_otherwise", "median_fails", "pooled_fails"]


def median_fails(
    model: Drift, effect: float, margin: float, starts: int, trials: int, seed: int
) -> Share:
    """Fails by the medians of so many starts a side; a single start is its own."""
    draw = np.random.default_rng(seed)
    played = np.median(model.times(draw, trials, 2 * starts), axis=-1)
    baseline, candidate = (np.median(side, axis=-1) for side in model.sides(draw, played))
    worse = candidate + np.log1p(effect) - baseline > np.log1p(margin)
    return Share(int(worse.any(axis=1).sum()), trials)


def pooled_fails(model: Drift, effect: float, starts: int, trials: int, seed: int) -> Share:
    """Fails by a test over requests."""
    draw = np.random.default_rng(seed)
    baseline, candidate = model.sides(draw, model.times(draw, trials, 2 * starts))
    slower = candidate[:, 0].reshape(trials, -1) + np.log1p(effect)
    test = mannwhitneyu(slower, baseline[:, 0].reshape(trials, -1), axis=1, method="asymptotic")
    middle = slower.shape[1] ** 2 / 2
    return Share(int(((test.pvalue < 0.05) & (test.statistic > middle)).sum()), trials)


def found_otherwise(n: int, starts: int) -> Mapping[str, FoundAgain]:
    """Ways to find a fail again in the first n fresh pairs, after so many deciding ones."""

    def alone(first: Interval, fresh: Array, limits: Array) -> Flags:
        return np.asarray(interval_of(fresh[..., :n], 0.05).low > 0)

    def pooled(first: Interval, fresh: Array, limits: Array) -> Flags:
        seen = fresh[..., :n]
        degrees = n + starts - 2
        variance = (n - 1) * seen.var(axis=-1, ddof=1) + (starts - 1) * first.sd**2
        half = -stdtrit(degrees, 0.05) * np.sqrt(variance / degrees / n)
        return np.asarray(seen.mean(axis=-1) > half)

    def half_margin(first: Interval, fresh: Array, limits: Array) -> Flags:
        return np.asarray(fresh[..., :n].mean(axis=-1) > limits / 2)

    def ours(first: Interval, fresh: Array, limits: Array) -> Flags:
        return found_again(first, interval_of(fresh[..., :n], 0.05), limits)

    def margin(first: Interval, fresh: Array, limits: Array) -> Flags:
        beyond = fresh[..., :n].mean(axis=-1) > limits
        return np.asarray(alone(first, fresh, limits) & beyond)

    return {
        "alone, and half the margin (ours)": ours,
        "alone, interval only": alone,
        "alone, and the whole margin": margin,
        "with the spread of all pairs": pooled,
        "half the margin, no interval": half_margin,
    }


def coverage(kind: str, n: int, trials: int, resamples: int, seed: int) -> tuple[Share, Share]:
    """How often a 90 % interval of n pairs holds the truth: that of t, and BCa."""
    draw = np.random.default_rng(seed)
    logs = _logs(kind, draw, (trials, n))
    mean, alpha = logs.mean(axis=1), 0.05
    plain = interval_of(logs, alpha)
    means = np.empty((trials, resamples))
    for trial, values in enumerate(logs):
        means[trial] = values[draw.integers(0, n, (resamples, n))].mean(axis=1)
    means.sort(axis=1)
    bias = ndtri((means < mean[:, None]).mean(axis=1) + (means == mean[:, None]).mean(axis=1) / 2)
    off = mean[:, None] - logs  # of jackknife means, but for a factor that cancels
    skew = -(off**3).sum(axis=1) / (6 * (off**2).sum(axis=1) ** 1.5)
    ends = []
    for z in ndtri([alpha, 1 - alpha]):
        tail = ndtr(bias + (bias + z) / (1 - skew * (bias + z)))
        place = np.clip((tail * (resamples - 1)).round().astype(int), 0, resamples - 1)
        ends.append(np.take_along_axis(means, place[:, None], axis=1)[:, 0])
    held = (plain.low < 0) & (plain.high > 0), (ends[0] < 0) & (ends[1] > 0)
    return Share(int(held[0].sum()), trials), Share(int(held[1].sum()), trials)


def _logs(kind: str, draw: Generator, shape: tuple[int, int]) -> Array:
    """Log ratios of pairs around 0, of starts whose noise is of some kind."""
    if kind == "normal":
        return draw.standard_normal(shape)
    if kind == "exponential":
        return draw.exponential(size=shape) - draw.exponential(size=shape)
    off = (draw.random(shape) < 0.05).astype(float) - (draw.random(shape) < 0.05)
    return np.asarray(draw.standard_normal(shape) + 5 * off)
