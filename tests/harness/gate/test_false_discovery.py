"""Many metrics are looked at, and some look changed by chance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from harness.gate.false_discovery import chance_of, with_q
from harness.gate.measured import judge_metric
from harness.gate.policy import GateMetric
from harness.gate.record import Side
from harness.gate.result import Measured, StartValue
from harness.gate.sequence import Design
from harness.units import SECONDS

DESIGN = Design(least=4, pairs=10, confirm=6, confidence=0.90)


def measured(logs: np.ndarray, *, gated: bool = False) -> Measured:
    """A metric with these log ratios."""
    starts = [
        start
        for pair, log in enumerate(logs.tolist(), 1)
        for start in (
            StartValue(2 * pair - 1, Side.BASELINE, pair, confirms=False, value=1.0),
            StartValue(2 * pair, Side.CANDIDATE, pair, confirms=False, value=float(np.exp(log))),
        )
    ]
    metric = GateMetric("shown", "shown", "ttft", margin=0.05, gated=gated)
    return judge_metric(metric, SECONDS, starts, DESIGN)


def test_few_pairs_have_no_p() -> None:
    """Five pairs all fall one way in 6 of 100 cases: no test can tell them from chance."""
    assert chance_of(np.array([0.5, 0.51, 0.49, 0.52, 0.5])) is None


def test_no_p_is_smaller_than_the_pairs_can_carry() -> None:
    """Six pairs that all fall one way are one of 32 cases, however far they fall."""
    assert chance_of(np.array([0.5, 0.51, 0.49, 0.52, 0.5, 0.48])) == 1 / 32
    assert chance_of(np.full(8, 0.1)) == 1 / 128


def test_no_change_at_all_is_no_finding() -> None:
    """Equal values have a p of 1."""
    assert chance_of(np.zeros(10)) == 1.0


def test_the_p_of_ordinary_pairs_is_that_of_the_paired_t_test() -> None:
    """As scipy computes it."""
    logs = np.random.default_rng(3).standard_normal(10) * 0.03 + 0.01

    assert chance_of(logs) == pytest.approx(ttest_1samp(logs, 0).pvalue)


def test_the_more_are_looked_at_the_less_one_of_them_says() -> None:
    """The q of a change is greater among twenty metrics than alone; gated ones have none."""
    draw = np.random.default_rng(5)
    changed = measured(draw.standard_normal(10) * 0.02 + 0.03)
    others = [measured(draw.standard_normal(10) * 0.02) for _ in range(19)]
    gated = measured(draw.standard_normal(10) * 0.02, gated=True)

    (alone,) = with_q([changed])
    among = with_q([gated, changed, *others])

    assert among[0].q is None
    assert alone.q is not None
    assert among[1].q is not None
    assert alone.q < among[1].q <= 20 * alone.q


def test_what_has_no_p_has_no_q() -> None:
    """Four pairs, or none."""
    few = with_q([measured(np.array([0.1, 0.2, 0.1, 0.2])), measured(np.array([]))])

    assert [each.q for each in few] == [None, None]
