"""A share comes with an interval that says how far so many cases can speak."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.exam.rates import rate, tallies, tally, wilson

if TYPE_CHECKING:
    from tests.harness.exam.conftest import Answered


@pytest.mark.parametrize(
    ("right", "n", "low", "high"),
    [
        (10, 10, 0.7224672, 1.0),
        (0, 10, 0.0, 0.2775328),
        (81, 263, 0.2552820, 0.3661868),
    ],
)
def test_wilson_is_wilson(right: int, n: int, low: float, high: float) -> None:
    """Against published figures (the last is Newcombe's 1998 example)."""
    assert wilson(right, n, 0.95) == pytest.approx((low, high), abs=5e-4)


@given(st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_an_interval_holds_the_share_and_stays_a_share(drawn: tuple[int, int]) -> None:
    """Whatever the counts."""
    right, n = drawn
    low, high = wilson(right, n, 0.90)

    assert 0 <= low <= right / n <= high <= 1


def test_of_nothing_there_is_no_share() -> None:
    """And no 0 %."""
    found = rate([], 0.9)

    assert (found.share, found.low, found.high) == (None, 0.0, 1.0)


def test_a_tally_counts_its_leg_and_group(answered: Answered) -> None:
    """The wrong ones are kept, in order."""
    turns = [
        answered("yes", place=1),
        answered("no", place=2),
        answered("no", place=3, group="words"),
        answered("no", place=1, leg="b"),
    ]

    found = tally(turns, "a", "sums", 0.9)

    assert (found.rate.right, found.rate.n) == (1, 2)
    assert [turn.case.id for turn in found.failing] == ["case-2"]
    assert [(t.leg, t.group, t.rate.n) for t in tallies(turns, "ab", ("sums", "words"), 0.9)] == [
        ("a", "", 3),
        ("a", "sums", 2),
        ("a", "words", 1),
        ("b", "", 1),
        ("b", "sums", 1),
    ]


def test_a_pair_is_right_if_both_are_in_the_same_repeat(answered: Answered) -> None:
    """One half alone is no pair, and halves of different repeats are none either."""
    turns = [
        answered("yes", place=1, pair="p"),
        answered("yes", place=2, pair="p"),
        answered("yes", place=1, pair="p", repeat=2),
        answered("no", place=2, pair="p", repeat=2),
        answered("yes", place=3, pair="q"),
    ]

    found = tally(turns, "a", "", 0.9)

    assert (found.pairs.right, found.pairs.n) == (1, 2)
    assert (found.rate.right, found.rate.n) == (4, 5)
