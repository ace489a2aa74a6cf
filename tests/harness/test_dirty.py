"""What spoils a sample is named, kept and counted, and convicts nobody."""

from __future__ import annotations

import pytest

from harness.dirty import excused, is_dirty, stains, told_stains
from harness.testing import trace
from harness.trace import Action
from harness.verdict import Outcome

CLEAN, BUSY, LATE = trace(), trace(marks={"busy": 0.4}), trace(lag_ns=12_000_000)


@pytest.mark.parametrize(
    ("name", "most", "more"),
    [
        ("busy", 0.25, 0.26),
        ("load", 1.0, 1.1),
        ("asleep_s", 0.01, 0.02),
        ("clock_jump_s", -0.1, -0.2),
    ],
)
def test_a_mark_stains_above_its_limit(name: str, most: float, more: float) -> None:
    """Up to it, it is what machines do."""
    assert not stains(trace(marks={name: most}))
    assert set(stains(trace(marks={name: more}))) == {name}


def test_our_own_lateness_is_a_stain_too() -> None:
    """In words for a person."""
    assert stains(LATE) == {"lag": "our own loop was 12 ms late"}
    assert [is_dirty(each) for each in (CLEAN, BUSY, LATE)] == [False, True, True]


def test_in_the_page_a_drawn_frame_is_no_stain() -> None:
    """Its loop draws between two stamps; a long task keeps it from stamping."""
    told = (Action(0, "page"),)

    assert not is_dirty(trace(lag_ns=45_000_000, actions=told))
    assert is_dirty(trace(lag_ns=55_000_000, actions=told))


def test_dirty_turns_are_counted_by_mark() -> None:
    """The most frequent first."""
    both = trace(marks={"busy": 0.4}, lag_ns=12_000_000)

    assert told_stains([CLEAN, BUSY, both]) == "2 of 3 turns dirty (busy 2, lag 1)"


@pytest.mark.parametrize(
    ("outcome", "turns", "expect"),
    [
        (Outcome.FAIL, [CLEAN, CLEAN, CLEAN, BUSY], Outcome.FAIL),
        (Outcome.FAIL, [CLEAN, CLEAN, BUSY], Outcome.INCONCLUSIVE),
        (Outcome.FAIL, [], Outcome.FAIL),
        (Outcome.PASS, [BUSY], Outcome.PASS),
    ],
)
def test_a_failure_stands_on_clean_samples_only(
    outcome: Outcome, turns: list[object], expect: Outcome
) -> None:
    """More than a quarter dirty, and it could not tell."""
    assert excused(outcome, "slow", turns)[0] is expect  # type: ignore[arg-type]


def test_a_failure_that_could_not_be_told_says_why() -> None:
    """With the mark."""
    assert excused(Outcome.FAIL, "slow", [BUSY]) == (
        Outcome.INCONCLUSIVE,
        "slow; 1 of 1 turns dirty (busy 1), so it cannot be told whose",
    )
