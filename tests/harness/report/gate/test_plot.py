"""Where do values stand in the drawings of a gate?"""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.report.chart import tick_label
from harness.report.gate.plot import RatioAxis, SpanAxis
from harness.units import BYTES, SECONDS


def test_a_ratio_and_its_inverse_lie_as_far_from_the_middle() -> None:
    """Twice as fast and half as fast look alike."""
    axis = RatioAxis.over([0.8, 1.1])

    assert axis.percent(1.0) == 50
    assert axis.percent(1.2) - 50 == pytest.approx(50 - axis.percent(1 / 1.2))


def test_what_is_far_out_is_at_the_edge_and_known_to_be_beyond() -> None:
    """One ratio of ten does not press all others into a stroke."""
    axis = RatioAxis.over([1.02, 10.0])

    assert axis.factor == 2
    assert (axis.percent(10.0), axis.beyond(10.0), axis.beyond(1.5)) == (100, True, False)


@given(st.lists(st.floats(0.01, 100), max_size=12))
def test_a_ratio_axis_always_shows_where_one_is(ratios: list[float]) -> None:
    """And its labels are far enough apart to be read on a phone."""
    axis = RatioAxis.over(ratios)
    places = [axis.percent(tick) for tick in axis.ticks]

    assert 1.0 in axis.ticks
    assert all(0 <= place <= 100 for place in places)
    assert all(b - a >= 15 for a, b in itertools.pairwise(places))


@given(st.lists(st.floats(1e-6, 1e9), min_size=1, max_size=12))
def test_an_axis_of_values_holds_them_all_and_has_labels_that_differ(values: list[float]) -> None:
    """However narrow or wide they lie."""
    axis = SpanAxis.over(values, SECONDS)
    told = [tick_label(tick, SECONDS) for tick in axis.ticks]

    assert all(0 <= axis.percent(value) <= 100 for value in values)
    assert told
    assert len(set(told)) == len(told)


def test_ticks_are_round_in_the_unit_they_are_printed_in() -> None:
    """A mebibyte is no round number of bytes."""
    axis = SpanAxis.over([380 * 2**20, 391 * 2**20], BYTES)

    assert [tick_label(tick, BYTES) for tick in axis.ticks] == ["380 MiB", "385 MiB", "390 MiB"]
