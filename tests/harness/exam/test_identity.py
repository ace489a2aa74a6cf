"""Two legs say the same, or it is said where they part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.exam.identity import compare_texts, difference, identity
from harness.exam.scenario import Identical

if TYPE_CHECKING:
    from tests.harness.exam.conftest import Answered

ASKED = Identical(("a", "b"), 0.99)


def test_cases_of_both_legs_are_compared_repeat_by_repeat(answered: Answered) -> None:
    """What only one leg was asked is not compared."""
    turns = [
        answered("yes", leg="a", place=1),
        answered("yes", leg="b", place=1),
        answered("yes", leg="b", place=2),
        answered("yes it is", leg="a", place=2),
        answered("no", leg="a", place=3),
        answered("yes", leg="b", place=1, repeat=2),
        answered("yes", leg="c", place=3),
    ]

    found = identity(ASKED, turns, 0.9)

    assert (found.rate.right, found.rate.n) == (1, 2)
    (parted,) = found.differing
    assert (parted.one.label.leg, parted.other.label.leg) == ("a", "b")
    assert parted.what == "answer parts at character 3: 'yes it is' against 'yes'"


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({}, None),
        ({"reasoning": "hmm"}, "reasoning parts at character 0: '' against 'hmm'"),
        ({"finish": "length"}, "finish reason stop against length"),
        ({"tokens": 4}, "the same text from 3 tokens against 4"),
        ({"end": ""}, None),
    ],
)
def test_the_same_is_text_reason_and_count(
    answered: Answered, change: dict[str, str], what: str | None
) -> None:
    """To the letter and to the token; a missing [DONE] is another matter."""
    assert difference(answered(), answered(**change)) == what


def test_a_turn_that_was_not_answered_is_equal_to_nothing(answered: Answered) -> None:
    """Two empty replies are no agreement."""
    empty = answered("", tokens=0)

    assert difference(empty, empty) == "a was not answered: empty"


def test_long_texts_are_shown_around_the_place() -> None:
    """Not whole."""
    one, other = "x" * 100 + "A" + "y" * 100, "x" * 100 + "B"

    said = compare_texts(one, other)

    assert said == f"parts at character 100: '{'x' * 24}A{'y' * 23}' against '{'x' * 24}B'"
