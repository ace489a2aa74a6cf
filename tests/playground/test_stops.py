"""A stop string ends the answer, however the answer was cut, and is never shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.stops import StopMatcher
from playground.testing import every_split


def shown(pieces: tuple[str, ...], stops: tuple[str, ...]) -> tuple[str, str | None]:
    """What is shown of an answer, and which stop string ended it."""
    matcher = StopMatcher(stops)
    text = "".join(matcher.feed(piece) for piece in pieces)
    return text + matcher.flush(), matcher.matched


@pytest.mark.parametrize(
    ("answer", "stops", "expected"),
    [
        ("one two three", (), ("one two three", None)),
        ("one two three", ("two",), ("one ", "two")),
        ("two", ("two",), ("", "two")),
        ("one tw", ("two",), ("one tw", None)),
        ("aab", ("ab",), ("a", "ab")),
        ("ababac", ("abac",), ("ab", "abac")),
        ("xyz", ("yz", "xyz"), ("", "xyz")),
        ("abcd", ("abcd", "bc"), ("a", "bc")),
        ("a\n\nb", ("\n\n", "\n"), ("a", "\n")),
        ("naïve", ("ï",), ("na", "ï")),
    ],
)
def test_the_stop_string_that_is_complete_first_ends_the_answer(
    answer: str, stops: tuple[str, ...], expected: tuple[str, str | None]
) -> None:
    """At every split the same text is shown, and it ends where that stop string begins."""
    assert {expected} == {shown(pieces, stops) for pieces in every_split(answer)}


@given(
    pieces=st.lists(st.text("ab", max_size=4), max_size=6).map(tuple),
    stops=st.lists(st.text("ab", min_size=1, max_size=4), max_size=3).map(tuple),
)
def test_cuts_do_not_matter(pieces: tuple[str, ...], stops: tuple[str, ...]) -> None:
    """Any pieces give what the whole gives, and no stop string is in it."""
    whole = shown(("".join(pieces),), stops)

    assert whole == shown(pieces, stops)
    assert not any(stop in whole[0] for stop in stops)


def test_text_waits_only_while_it_may_be_a_stop_string() -> None:
    """What can no longer become one is shown at once, what follows a match never."""
    matcher = StopMatcher(("<end>",))
    fed = ["a <", "e", "! <en", "d>b", "c"]

    assert [matcher.feed(piece) for piece in fed] == ["a ", "", "<e! ", "", ""]
