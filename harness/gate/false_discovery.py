"""Which of many metrics that nobody named in advance have changed?

Each has the two-sided p of a paired t test, and over all of them the q of Benjamini and Hochberg
(1995): of the metrics with q at most 0.1, one in ten is expected to have changed only by chance.
They cannot fail a gate.

With n pairs the signs of the ratios alone fall out all one way in 2^(1-n) of cases.  No test that
takes the shape of the noise for unknown has a smaller p, so none smaller is claimed; and below six
pairs, where that is above 5 %, there is no p at all.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scipy.stats import false_discovery_control, ttest_1samp

from harness.gate.ratios import worsening

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from harness.gate.result import Measured

__all__ = ["REACHED", "chance_of", "corrected", "with_q"]

REACHED = 0.05
"""The smallest p of so many pairs has to be able to fall below this."""
NOTHING = 1e-12
"""A spread of log ratios that is only that of the arithmetic."""


def chance_of(logs: NDArray[np.float64]) -> float | None:
    """The p of such a change where there is none; None with too few pairs."""
    least = float(2.0 ** (1 - len(logs)))
    if least > REACHED:
        return None
    if float(logs.std()) < NOTHING:
        return least if abs(float(logs.mean())) > NOTHING else 1.0
    return max(least, float(ttest_1samp(logs, 0.0).pvalue))


def with_q(measured: Sequence[Measured]) -> tuple[Measured, ...]:
    """The same metrics; those that are not gated have a q where their pairs allow one."""
    chances = corrected([_chance(each) for each in measured])
    return tuple(replace(each, q=q) for each, q in zip(measured, chances, strict=True))


def corrected(chances: Sequence[float | None]) -> list[float | None]:
    """The q of each p, for as many as there are; None for what has none."""
    known = [p for p in chances if p is not None]
    q = iter(map(float, false_discovery_control(known)) if known else ())
    return [None if p is None else next(q) for p in chances]


def _chance(measured: Measured) -> float | None:
    pairs = [pair for pair in measured.pairs if not pair.confirms]
    if measured.gated or measured.ratio is None:
        return None
    return chance_of(
        worsening(
            [pair.baseline for pair in pairs],
            [pair.compared for pair in pairs],
            measured.unit.better,
        )
    )
