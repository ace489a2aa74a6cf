"""A pair is compared request by request, where both sides were asked the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.gate.pairing import pair_up
from harness.gate.record import Side
from harness.gate.result import Sample, StartValue

if TYPE_CHECKING:
    from collections.abc import Mapping


def start(side: Side, value: float, told: Mapping[str, float]) -> StartValue:
    """A start of a side, with the values of its requests by their ids."""
    at = f"starts/001-{side.value}/talk"
    samples = tuple(Sample(each, f"{at}#{name}") for name, each in told.items())
    return StartValue(1 + (side is Side.CANDIDATE), side, 1, False, value, samples)


def compared(baseline: Mapping[str, float], candidate: Mapping[str, float]) -> float:
    """The ratio of a pair whose medians are 10 and 12."""
    (pair,) = pair_up(
        [start(Side.BASELINE, 10.0, baseline), start(Side.CANDIDATE, 12.0, candidate)]
    ).pairs
    return pair.compared / pair.baseline


def test_a_machine_that_changes_its_speed_within_a_start_does_so_for_both() -> None:
    """Each request took the candidate a tenth longer, and the last four times as long for both."""
    baseline = {"a": 10.0, "b": 10.0, "c": 40.0}
    candidate = {"a": 11.0, "b": 11.0, "c": 44.0}

    assert compared(baseline, candidate) == pytest.approx(1.1)


def test_one_request_that_met_a_hiccup_moves_nothing() -> None:
    """The median over requests does not follow it."""
    baseline = {"a": 10.0, "b": 10.0, "c": 10.0}
    candidate = {"a": 11.0, "b": 11.0, "c": 500.0}

    assert compared(baseline, candidate) == pytest.approx(1.1)


@pytest.mark.parametrize(
    ("baseline", "candidate"),
    [
        ({}, {}),
        ({"a": 10.0}, {"b": 11.0}),
        ({"a": 10.0, "b": 10.0}, {"a": 11.0}),
        ({"a": 0.0}, {"a": 11.0}),
    ],
)
def test_where_requests_have_no_like_the_medians_are_compared(
    baseline: Mapping[str, float], candidate: Mapping[str, float]
) -> None:
    """A number of the start itself, other prompts, a request without a value, or with nothing."""
    assert compared(baseline, candidate) == pytest.approx(1.2)
