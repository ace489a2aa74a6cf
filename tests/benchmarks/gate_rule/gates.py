"""What comes of thousands of gates, if their noise is that of a model?

The rule is the gate's own (`harness.gate.decision`, `sequence`, `ratios`), over many gates at once:
looks after each block, stopped as soon as every metric is decided, a fail found again in a fresh
block or not final.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import binomtest

from harness.gate.decision import fails, found_again, passes
from harness.gate.ratios import Interval, interval_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from harness.gate.sequence import Design
    from tests.benchmarks.gate_rule.models import Array, Model

    Flags = NDArray[np.bool_]
    FoundAgain = Callable[[Interval, Array, Array], Flags]
    """First interval, fresh pairs and limits, by gate and metric: where a fail is found again."""

__all__ = ["Gates", "Share", "play", "run_gates"]


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    count: int
    trials: int

    @property
    def value(self) -> float:
        """As a share."""
        return self.count / self.trials

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """The exact binomial interval (Clopper and Pearson 1934)."""
        ends = binomtest(self.count, self.trials).proportion_ci(confidence, "exact")
        return float(ends.low), float(ends.high)


@dataclass(frozen=True, slots=True)
class Gates:
    """How many gates came to what."""

    trials: int
    failed: Share
    passed: Share
    inconclusive: Share
    first: Share
    """Fails before they were looked for in a fresh block."""
    pairs: float
    """Mean number of pairs until decided, the fresh block apart."""


def play(
    model: Model, effects: Sequence[Array], margins: Array, design: Design, trials: int, seed: int
) -> tuple[Gates, ...]:
    """Gates whose candidate is truly worse by these shares, metric by metric.

    Those of one effect have the same noise as those of another.
    """
    draw = np.random.default_rng(seed)
    deciding = model.pairs(draw, trials, design.pairs)
    fresh = model.pairs(draw, trials, design.confirm)
    shifts = (np.log1p(effect)[None, :, None] for effect in effects)
    limits = np.log1p(margins)
    return tuple(run_gates(deciding + shift, fresh + shift, limits, design) for shift in shifts)


def run_gates(
    deciding: Array,
    fresh: Array,
    limits: Array,
    design: Design,
    again: FoundAgain | None = None,
) -> Gates:
    """What gates with these log ratios come to; arrays are gates x metrics x pairs."""
    trials = len(deciding)
    running = np.ones(trials, dtype=bool)
    passed, failed = np.zeros((2, *deciding.shape[:2]), dtype=bool)
    means, used = np.zeros(deciding.shape[:2]), np.zeros(trials)
    spreads = np.zeros_like(means)
    for look in design.looks:
        seen = interval_of(deciding[..., :look], design.level(look))
        good, bad = passes(seen, limits), fails(seen, limits)
        stops = running & ((good | bad).all(axis=1) | (look == design.looks[-1]))
        passed[stops], failed[stops], used[stops] = good[stops], bad[stops], look
        means[stops], spreads[stops] = seen.mean[stops], seen.sd[stops]
        running &= ~stops
    first = Interval(means, means, means, spreads)
    if again is None:
        confirmed = found_again(first, interval_of(fresh, design.alpha), limits)
    else:
        confirmed = again(first, fresh, limits)
    final = (failed & confirmed).any(axis=1)
    fine = passed.all(axis=1)

    def share(where: Flags) -> Share:
        return Share(int(where.sum()), trials)

    return Gates(
        trials,
        failed=share(final),
        passed=share(fine),
        inconclusive=share(~final & ~fine),
        first=share(failed.any(axis=1)),
        pairs=float(used.mean()),
    )
