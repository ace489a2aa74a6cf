"""Can so many pairs tell a change of the margin from none, and how many would it take?

An instrument resolves a margin where a candidate that is just as good passes in nine of ten gates.
With noise sd (of paired log ratios) and n pairs that has the probability

    P(T > t),   T noncentral t with n - 1 degrees and d = ln(1 + margin) * sqrt(n) / sd,

where t is that of the last look.  It is the mean of Phi(d - t * s) over s = sqrt(chi2 / (n - 1)),
which is computed so because scipy's noncentral t is no number where d is large.  `needed_pairs`
turns it round for n, `finest_margin` for the margin; what looks before the last add is left out.

As a rule of thumb ten pairs resolve a margin of 1.1 sd in one metric.  Six that have nothing to do
with one another all pass nine times of ten where each has a margin of 1.4 sd.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaincinv, ndtr, stdtrit

from harness.gate.change import share_of
from harness.gate.plan import BLOCK
from harness.gate.ratios import limit_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from harness.gate.policy import GateMetric
    from harness.gate.sequence import Design

__all__ = ["RESOLVED", "Coarse", "chance_to_pass", "finest_margin", "needed_pairs", "too_coarse"]

RESOLVED = 0.90
"""Share of gates in which a candidate that is just as good has to pass, in one metric."""
MOST_ASKED = 100
"""Pairs that a gate can be asked for."""
MOST = 100_000
"""Pairs nobody will play."""
QUANTILES = (np.arange(400) + 0.5) / 400
"""At which a distribution is looked up, to have its mean."""


@dataclass(frozen=True, slots=True)
class Coarse:
    """A margin that an instrument cannot resolve."""

    metric: str
    margin: float
    noise: float
    pairs: int
    """At most."""
    needed: int
    finest: float
    """The margin that so many pairs resolve, as a share."""

    def __str__(self) -> str:
        """What is wrong, and what would help."""
        more = f"allow --pairs {self.needed}, " if self.needed <= MOST_ASKED else ""
        return (
            f"instrument too coarse for {self.metric}: pairs lie {100 * self.noise:.1f} % apart, so"
            f" {self.pairs} of them resolve {100 * self.finest:.1f} % and not"
            f" {100 * self.margin:.1f} %, which takes {self.needed}: {more}"
            "widen the margin or quieten the machine"
        )


def chance_to_pass(noise: float, margin: float, n: int, level: float) -> float:
    """Of a candidate that is just as good, with n pairs and an interval of this level."""
    if noise <= 0:
        return 1.0
    away = limit_of(margin) * math.sqrt(n) / noise
    return float(ndtr(away + stdtrit(n - 1, level) * _spreads(n - 1)).mean())


@cache
def _spreads(degrees: int) -> NDArray[np.float64]:
    """Equally likely values of an estimated spread, over the true one."""
    return np.asarray(np.sqrt(gammaincinv(degrees / 2, QUANTILES) / (degrees / 2)))


def needed_pairs(noise: float, margin: float, design: Design) -> int:
    """Pairs, in whole blocks, that resolve a margin with this noise; at most `MOST`.

    The last look is taken to be as strict as that of the design.
    """
    level = design.level(design.pairs)
    first = max(design.least, BLOCK)
    low, high = first // BLOCK, MOST // BLOCK
    while low < high:
        middle = (low + high) // 2
        if chance_to_pass(noise, margin, BLOCK * middle, level) >= RESOLVED:
            high = middle
        else:
            low = middle + 1
    return max(BLOCK * low, first)


def finest_margin(noise: float, design: Design, chance: float = RESOLVED) -> float:
    """The least margin, as a share, that all pairs of a design resolve with this noise."""
    if noise <= 0:
        return 0.0
    n, level = max(design.pairs, BLOCK), design.level(design.pairs)

    def short(log: float) -> float:
        return chance_to_pass(noise, share_of(log), n, level) - chance

    return share_of(float(brentq(short, 0.0, 100 * noise, xtol=1e-7)))


def too_coarse(
    metrics: Iterable[GateMetric], noise: Mapping[str, float], design: Design
) -> tuple[Coarse, ...]:
    """Gated metrics whose margin cannot be resolved with the noise that was found for them.

    A metric whose noise is not known is not among them.
    """
    found = []
    for metric in metrics:
        sd = noise.get(metric.name)
        if not metric.gated or metric.margin is None or sd is None:
            continue
        needed = needed_pairs(sd, metric.margin, design)
        if needed > design.pairs:
            finest = finest_margin(sd, design)
            found.append(Coarse(metric.name, metric.margin, sd, design.pairs, needed, finest))
    return tuple(found)
