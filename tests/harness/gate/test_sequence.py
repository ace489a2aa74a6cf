"""Looks are planned, and each has its share of the error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.stats import binomtest, multivariate_normal, norm
from scipy.stats import t as student

from harness.gate.policy import GateMetric, Policy
from harness.gate.sequence import Design

if TYPE_CHECKING:
    from numpy.typing import NDArray

TRIALS = 40_000


def design(least: int, pairs: int) -> Design:
    """A 90 % interval."""
    return Design(least, pairs, confirm=6, confidence=0.90)


@pytest.mark.parametrize(
    ("least", "pairs", "looks"),
    [
        (4, 10, (4, 6, 8, 10)),
        (3, 9, (4, 6, 8, 9)),
        (10, 10, (10,)),
        (4, 2, (2,)),
    ],
)
def test_a_look_follows_each_block_and_the_end(
    least: int, pairs: int, looks: tuple[int, ...]
) -> None:
    """Blocks are of two pairs; the last may be cut."""
    assert design(least, pairs).looks == looks


def test_a_policy_tells_the_design_and_fewer_pairs_may_be_asked_for() -> None:
    """`--pairs 6` plans looks at 4 and 6."""
    metric = GateMetric("ttft", "TTFT", "ttft", margin=0.05, gated=True)
    policy = Policy("small", "Is it as fast?", ("gate-speed",), (metric,))

    assert Design.of(policy) == Design(4, 10, 6, 0.90)
    assert Design.of(policy, pairs=6).looks == (4, 6)


def test_a_single_look_may_make_the_whole_error() -> None:
    """Then it is the plain 90 % interval."""
    assert design(10, 10).level(10) == pytest.approx(0.05)


@pytest.mark.parametrize(("least", "pairs"), [(4, 10), (2, 8), (4, 20)])
def test_each_look_spends_its_share(least: int, pairs: int) -> None:
    """Sums of n normal values cross a bound by then with nine tenths of alpha (n / N)^2.

    Computed another way: as the multivariate normal distribution of the sums at all looks.
    """
    plan = design(least, pairs)
    n = np.array(plan.looks)
    bounds = norm.isf([plan.level(look) for look in plan.looks])
    together = np.sqrt(np.minimum.outer(n, n) / np.maximum.outer(n, n))

    for last in range(1, min(len(n), 4) + 1):
        crossed = 1 - multivariate_normal(cov=together[:last, :last]).cdf(bounds[:last])
        assert crossed == pytest.approx(0.9 * 0.05 * (n[last - 1] / pairs) ** 2, abs=1e-4)


def test_a_number_of_pairs_that_was_not_planned_is_judged_as_the_next_that_was() -> None:
    """A gate that was cut takes the share of the look it was on the way to."""
    ten = design(4, 10)

    assert ten.level(5) == ten.level(6)
    assert ten.level(9) == ten.level(10)
    assert ten.level(12) == ten.level(10)
    assert ten.level(2) == ten.level(4)


@pytest.mark.parametrize(("least", "pairs"), [(4, 10), (2, 10), (4, 20), (6, 10), (4, 6)])
def test_looking_often_makes_no_more_errors_than_looking_once(least: int, pairs: int) -> None:
    """Of candidates just outside the margin no more than 5 % pass at any of the looks."""
    plan = design(least, pairs)
    noise = np.random.default_rng(20_261_130).standard_normal((TRIALS, pairs))

    def crossed(level: float, n: int) -> NDArray[np.bool_]:
        seen = noise[:, :n]
        t = seen.mean(1) / seen.std(1, ddof=1) * n**0.5
        return np.asarray(t > student.isf(level, n - 1))

    planned = np.any([crossed(plan.level(n), n) for n in plan.looks], axis=0)
    naive = np.any([crossed(plan.alpha, n) for n in plan.looks], axis=0)

    assert binomtest(int(planned.sum()), TRIALS, 0.05, "greater").pvalue > 0.01
    assert planned.mean() > 0.045
    assert binomtest(int(naive.sum()), TRIALS, 0.07, "greater").pvalue < 1e-6
