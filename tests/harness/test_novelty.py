"""Claims about how much of a prompt was never said before."""

from __future__ import annotations

import pytest

from harness.novelty import new_words, text_of


@pytest.mark.parametrize(
    ("text", "earlier", "words"),
    [
        ("a b c", [], 3),
        ("a b c", ["a b c"], 0),
        ("a b c", ["x y z"], 3),
        ("a b c d", ["a b x"], 1),  # of c a part may be shared, in letters or in tokens
        ("a b c d", ["x", "a b"], 2),
        ("a b c d", ["a b x", "a b c"], 1),
        ("number 12 here", ["number 13 here"], 1),
        ("", ["a"], 0),
    ],
)
def test_words_behind_the_longest_shared_beginning(
    text: str, earlier: list[str], words: int
) -> None:
    """The word in which two texts part is not counted."""
    assert new_words(text, earlier) == words


def test_a_request_says_who_said_what_and_which_picture() -> None:
    """So that two requests that differ in any of it differ as texts."""
    picture = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}]

    said = text_of({"messages": [{"role": "user", "content": "hi"}]})
    seen = text_of({"messages": [{"role": "user", "content": picture}]})

    assert said == "user\nhi\n"
    assert "base64,AA" in seen
    assert text_of({"messages": [{"role": "tool", "content": "hi"}]}) != said
    assert text_of({}) == ""
