"""What several outcomes come to."""

from __future__ import annotations

import pytest

from harness.verdict import Outcome, overall, worst_of

FAIL, PASS, SKIP = Outcome.FAIL, Outcome.PASS, Outcome.SKIP
UNSURE, NOTE = Outcome.INCONCLUSIVE, Outcome.NOTE


@pytest.mark.parametrize(
    ("outcomes", "expect"),
    [
        ([PASS, NOTE, SKIP, UNSURE, FAIL], FAIL),
        ([PASS, NOTE, SKIP, UNSURE], UNSURE),
        ([PASS, NOTE, SKIP], NOTE),
        ([SKIP, PASS], PASS),
        ([SKIP], SKIP),
        ([], SKIP),
    ],
)
def test_the_worst_of_a_row_is_told_and_a_skip_hides_nothing(
    outcomes: list[Outcome], expect: Outcome
) -> None:
    """Where nothing was judged there is nothing to tell."""
    assert worst_of(outcomes) is expect


@pytest.mark.parametrize(
    ("outcomes", "whole", "expect"),
    [
        ([PASS, NOTE, SKIP], True, PASS),
        ([PASS], False, UNSURE),
        ([FAIL], False, FAIL),
        ([PASS, UNSURE], True, UNSURE),
        ([SKIP, NOTE], True, UNSURE),
        ([], True, UNSURE),
    ],
)
def test_a_run_passes_where_something_passed_and_nothing_else_is_open(
    outcomes: list[Outcome], *, whole: bool, expect: Outcome
) -> None:
    """Skips and notes alone have shown nothing."""
    assert overall(outcomes, whole=whole) is expect
