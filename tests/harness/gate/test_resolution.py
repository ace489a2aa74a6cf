"""What an instrument cannot tell is known before it is asked."""

from __future__ import annotations

import numpy as np
import pytest

from harness.gate.decision import passes
from harness.gate.policy import GateMetric
from harness.gate.ratios import interval_of, limit_of
from harness.gate.resolution import (
    RESOLVED,
    chance_to_pass,
    finest_margin,
    needed_pairs,
    too_coarse,
)
from harness.gate.sequence import Design

DESIGN = Design(least=4, pairs=10, confirm=6, confidence=0.90)


@pytest.mark.parametrize(("noise", "margin"), [(0.02, 0.03), (0.05, 0.05), (0.03, 0.05)])
def test_the_chance_to_pass_is_the_share_that_passes(noise: float, margin: float) -> None:
    """Ten pairs of no change, 20,000 times."""
    level = DESIGN.level(10)
    logs = np.random.default_rng(7).standard_normal((20_000, 10)) * noise

    seen = passes(interval_of(logs, level), limit_of(margin)).mean()

    assert chance_to_pass(noise, margin, 10, level) == pytest.approx(seen, abs=0.01)


@pytest.mark.parametrize(("noise", "margin"), [(0.05, 0.05), (0.10, 0.05), (0.03, 0.01)])
def test_that_many_pairs_are_needed_and_enough(noise: float, margin: float) -> None:
    """A block fewer does not resolve the margin."""
    needed, level = needed_pairs(noise, margin, DESIGN), DESIGN.level(10)

    assert needed % 2 == 0
    assert chance_to_pass(noise, margin, needed, level) >= RESOLVED
    assert chance_to_pass(noise, margin, needed - 2, level) < RESOLVED


@pytest.mark.parametrize("noise", [0.0, 1e-9, 0.005])
def test_a_quiet_metric_needs_the_least(noise: float) -> None:
    """Nothing is decided before that, however quiet it is."""
    assert needed_pairs(noise, 0.05, DESIGN) == DESIGN.least


@pytest.mark.parametrize("noise", [0.01, 0.04, 0.2])
def test_the_finest_margin_is_just_resolved(noise: float) -> None:
    """It takes all the pairs there are, and a finer one more."""
    finest = finest_margin(noise, DESIGN)

    assert needed_pairs(noise, finest * 1.001, DESIGN) == 10
    assert needed_pairs(noise, finest * 0.98, DESIGN) > 10


def test_no_noise_resolves_any_margin() -> None:
    """A count that is always the same."""
    assert finest_margin(0.0, DESIGN) == 0


def test_a_margin_that_cannot_be_resolved_is_named_with_the_pairs_it_would_take() -> None:
    """Only gated metrics of which the noise is known."""
    metrics = [
        GateMetric("decode", "decode rate", "decode", margin=0.05, gated=True),
        GateMetric("ttft", "TTFT", "ttft", margin=0.05, gated=True),
        GateMetric("stop", "stop latency", "stop", margin=0.05, gated=True),
        GateMetric("shown", "shown", "ttft", margin=0.05),
    ]

    coarse = too_coarse(metrics, {"decode": 0.02, "ttft": 0.08, "shown": 0.5}, DESIGN)

    assert [each.metric for each in coarse] == ["ttft"]
    assert str(coarse[0]) == (
        "instrument too coarse for ttft: pairs lie 8.0 % apart, so 10 of them resolve 9.2 %"
        " and not 5.0 %, which takes 28: allow --pairs 28, widen the margin or quieten the machine"
    )
