"""What was seen becomes figures: frames, delays, lines and slowdowns."""

from __future__ import annotations

import pytest

from tests.benchmarks.page.figures import (
    delays,
    fit,
    intervals,
    percentile_of,
    share_within,
    slowdown,
    within,
)
from tests.benchmarks.page.record import Pair


def test_intervals_lie_between_frames() -> None:
    """One fewer than there are frames."""
    assert intervals([10.0, 26.0, 43.0]) == (16.0, 17.0)


def test_a_stretch_of_time_has_both_its_ends() -> None:
    """A frame at the first or last text counts."""
    assert within([1.0, 2.0, 3.0, 4.0], 2.0, 3.0) == (2.0, 3.0)


def test_a_share_counts_the_limit_itself() -> None:
    """A frame of exactly 50 ms is no longer than 50 ms."""
    assert share_within([16.0, 50.0, 51.0, 200.0], 50.0) == 0.5


def test_a_percentile_needs_no_order() -> None:
    """Linear between ranks."""
    assert percentile_of([40.0, 10.0, 30.0, 20.0], 50) == 25.0


@pytest.mark.parametrize("figure", [share_within, percentile_of])
def test_nothing_has_no_figures(figure: object) -> None:
    """A run without frames says so, and does not pass."""
    with pytest.raises(ValueError, match="no values"):
        figure([], 50.0)  # type: ignore[operator]


def test_a_delay_is_from_the_last_character_to_the_first_paint() -> None:
    """A mark that arrives in two pieces has arrived with the second."""
    arrivals = [(100.0, 3), (104.0, 7), (108.0, 20)]
    paints = [(110.0, 0), (130.0, 1)]

    assert delays(arrivals, paints, [5, 12]) == ((6.0, 22.0), 0)


def test_a_paint_shows_all_marks_before_its_own() -> None:
    """What comes within one frame is painted at once."""
    arrivals = [(100.0, 10), (105.0, 20), (110.0, 30)]

    assert delays(arrivals, [(116.0, 2)], [10, 20, 30]) == ((16.0, 11.0, 6.0), 0)


def test_a_mark_that_is_never_painted_is_counted() -> None:
    """It has no delay, and is not forgotten."""
    arrivals = [(100.0, 10), (105.0, 20)]

    assert delays(arrivals, [(116.0, 0)], [10, 20]) == ((16.0,), 1)


def test_a_mark_that_never_arrived_is_not_waited_for() -> None:
    """A turn that ended early ends the list."""
    assert delays([(100.0, 10)], [(116.0, 0)], [10, 20]) == ((16.0,), 0)


def test_points_on_a_line_are_not_off_it() -> None:
    """Slope and start are the line's."""
    line = fit([(0.0, 5.0), (10.0, 25.0), (20.0, 45.0)])

    assert (line.slope, line.start, line.off) == pytest.approx((2.0, 5.0, 0.0))


def test_growth_with_the_square_is_off_the_line() -> None:
    """For the squares of 1 to 5 the farthest is 2 off, and 24 were gained."""
    line = fit([(float(n), float(n * n)) for n in range(1, 6)])

    assert line.off == pytest.approx(2 / 24)


def test_a_line_needs_three_points_and_a_gain() -> None:
    """Two are always on one."""
    with pytest.raises(ValueError, match="2 points"):
        fit([(0.0, 0.0), (1.0, 1.0)])
    with pytest.raises(ValueError, match="nothing was gained"):
        fit([(0.0, 3.0), (1.0, 4.0), (2.0, 3.0)])


def test_a_slowdown_is_a_mean_of_pairs() -> None:
    """Geometric, so that a pair and its reverse cancel."""
    slow = slowdown([Pair(490.0, 500.0), Pair(500.0, 490.0), Pair(500.0, 500.0)])

    assert slow.share == pytest.approx(0.0)
    assert slow.low is not None
    assert slow.high is not None
    assert slow.low <= 0.0 <= slow.high


def test_two_pairs_make_no_interval() -> None:
    """But a value."""
    slow = slowdown([Pair(99.0, 100.0), Pair(99.0, 100.0)])

    assert slow.share == pytest.approx(0.01)
    assert slow.low is None
    assert slow.high is None
