"""How sure does each look have to be, so that looking often does not make errors more likely?

The pairs of a gate are looked at after every block of two, from `least` to `pairs`.  A 90 %
interval at each of four looks would pass a candidate that is just outside its margin in 11 of 100
gates and not in 5, so the levels are those of a group-sequential design.

Alpha spending (Lan and DeMets 1983), the power family of Kim and DeMets (1987): when n of N pairs
are played, alpha * (n / N)^2 of the error may have been made.  alpha is one side of the interval,
(1 - confidence) / 2.  The bound of a look is the one at which a sum of n normal values crosses it
first with the probability that the look may spend, by the recursion of Armitage, McPherson and
Rowe (1969) over the density of the sums that have crossed none before.  The normal level of the
bound is then the level of a t interval with n - 1 degrees (the significance level approach of
Jennison and Turnbull 2000, 11.5).  With as few pairs as here that would make 5.4 errors instead of
5, so with more than one look a tenth less is spent; `tests.benchmarks.gate_rule` shows what is left
of the error.  The square spends little early: the last look of (4, 6, 8, 10) has an interval wider
by a seventh (t = 2.09, not 1.83), and a metric with little noise can still be decided at 4 or 6.

The intervals of all looks together hold the truth with the confidence (repeated confidence
intervals, Jennison and Turnbull 1989): a gate may be stopped at any look, for any reason, and what
its last interval says is still true.  Assumed: log ratios of pairs are independent and roughly
normal.  A look at a number of pairs that was not planned (a gate that was cut, a pair with a value
missing) is judged as strictly as the next one that was, whose share of the error it takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from harness.gate.plan import BLOCK

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from harness.gate.policy import Policy

__all__ = ["Design"]

POWER = 2
"""Of the share of the pairs: 1 spends evenly, 3 nearly all at the end."""
SPENT = 0.9
"""Share of alpha that the recursion may spend where there is more than one look."""
FAR = 8.0
"""Standard deviations beyond which a sum does not come."""


@dataclass(frozen=True, slots=True)
class Design:
    """How often is looked, and how sure one wants to be."""

    least: int
    """Nothing is decided with fewer pairs."""
    pairs: int
    """At most."""
    confirm: int
    """Pairs of the fresh block that a fail has to be found in again."""
    confidence: float
    """Of the interval, two-sided, over all looks together."""

    @classmethod
    def of(cls, policy: Policy, pairs: int | None = None) -> Design:
        """What a policy asks for; `pairs` at most in place of its own."""
        return cls(
            policy.least,
            policy.pairs if pairs is None else pairs,
            policy.confirm,
            policy.confidence,
        )

    @property
    def looks(self) -> tuple[int, ...]:
        """Numbers of pairs at which is looked: after each block, and at the end."""
        first = self.least + self.least % BLOCK
        return (*range(first, self.pairs, BLOCK), self.pairs)

    @property
    def alpha(self) -> float:
        """Error that one side of the interval may make."""
        return (1 - self.confidence) / 2

    def level(self, n: int) -> float:
        """Error that one side of the interval at n pairs may make, seen alone."""
        levels = dict(zip(self.looks, _levels(self.looks, self.alpha), strict=True))
        return next((level for look, level in levels.items() if look >= n), levels[self.looks[-1]])


@cache
def _levels(looks: tuple[int, ...], alpha: float) -> tuple[float, ...]:
    """The normal level of each look, one-sided."""
    if len(looks) == 1:
        return (alpha,)
    shares = [0.0, *(SPENT * alpha * (n / looks[-1]) ** POWER for n in looks)]
    levels = []
    sums, density = np.zeros(1), np.ones(1)
    for (before, n), (spent, spend) in zip(pairwise((0, *looks)), pairwise(shares), strict=True):
        step = float(np.sqrt(n - before))
        bound = _bound(sums, density, step, spend - spent, FAR * float(np.sqrt(n)))
        levels.append(float(norm.sf(bound / np.sqrt(n))))
        sums, density = _not_crossed(sums, density, step, bound, FAR * float(np.sqrt(n)))
    return tuple(levels)


def _bound(
    sums: NDArray[np.float64],
    density: NDArray[np.float64],
    step: float,
    share: float,
    far: float,
) -> float:
    """The sum that is crossed with a probability of `share` after a step."""

    def too_often(bound: float) -> float:
        return float((density * norm.sf((bound - sums) / step)).sum()) - share

    return float(brentq(too_often, 0, far, xtol=1e-9))


def _not_crossed(
    sums: NDArray[np.float64],
    density: NDArray[np.float64],
    step: float,
    bound: float,
    far: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sums after a step that stayed below the bound, and their weights (Gauss-Legendre)."""
    count = 64 + int(4 * (bound + far) / step)
    nodes, weights = np.polynomial.legendre.leggauss(count)
    after = (bound + far) / 2 * nodes + (bound - far) / 2
    reached = norm.pdf((after[:, None] - sums[None, :]) / step) / step @ density
    return after, reached * weights * (bound + far) / 2
