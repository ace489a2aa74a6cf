"""Is text shown as soon as it is safe, and no part of a stop string or half a character ever?"""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.worker.safe_text import SafeText


def shown(data: list[bytes], stops: tuple[str, ...] = ()) -> tuple[list[str], bool]:
    """Return what was shown for each piece and at the end, and whether a stop string was found."""
    safe = SafeText(stops)
    texts = [safe.feed(piece) for piece in data]
    return [*texts, safe.flush()], safe.stopped


def naive(text: str, stops: tuple[str, ...]) -> str:
    """Show the text up to the stop string that is complete first, character by character."""
    for end in range(1, len(text) + 1):
        found = [end - len(stop) for stop in stops if text[:end].endswith(stop)]
        if found:
            return text[: min(found)]
    return text


@pytest.mark.parametrize("text", ["é", "…", "🙂", "a🙂é…b"])
def test_characters_are_shown_whole_at_every_split(text: str) -> None:
    """A token may hold part of a character; its text waits for the rest and no longer."""
    data = text.encode()

    for cut in range(len(data) + 1):
        safe = SafeText()
        first = safe.feed(data[:cut])
        assert first == data[:cut].decode(errors="ignore")
        assert first + safe.feed(data[cut:]) + safe.flush() == text


def test_a_character_byte_by_byte_is_shown_at_its_last_byte() -> None:
    """Nothing before it, nothing later."""
    assert shown([bytes([byte]) for byte in "🙂".encode()]) == (["", "", "", "🙂", ""], False)


def test_bytes_that_are_no_text_become_replacement_characters() -> None:
    """A model may say anything; its reader gets text all the same."""
    assert shown([b"a\xff", b"b\xc3"]) == (["a\ufffd", "b", "\ufffd"], False)


def test_without_stop_strings_nothing_waits() -> None:
    """Each token is shown with its own bytes."""
    assert shown([b"Hel", b"lo"]) == (["Hel", "lo", ""], False)


@pytest.mark.parametrize("cut", range(12))
def test_a_stop_string_is_never_shown_wherever_it_is_cut(cut: int) -> None:
    """What comes before it is, and nothing after it."""
    data = b"one<|x|>two."

    texts, stopped = shown([data[:cut], data[cut:]], ("<|x|>",))

    assert ("".join(texts), stopped) == ("one", True)


def test_only_what_may_become_a_stop_string_is_held_back() -> None:
    """Held text is shown as soon as it cannot be the beginning of one."""
    texts, stopped = shown([b"a ", b"<", b"|", b"y", b"<", b"|"], ("<|x|>",))

    assert (texts, stopped) == (["a ", "", "", "<|y", "", "", "<|"], False)


def test_after_a_stop_string_nothing_is_shown() -> None:
    """Not even by more tokens of the same round."""
    safe = SafeText(("END",))

    assert [safe.feed(b"aENDb"), safe.feed(b"c"), safe.flush()] == ["a", "", ""]


def test_the_stop_string_that_is_complete_first_wins() -> None:
    """It may have begun later than another that is not complete yet."""
    assert shown([b"xabcd"], ("abcd", "bc")) == (["xa", ""], True)


def test_of_two_complete_at_once_the_longer_wins() -> None:
    """The one that began first, so less is shown."""
    assert shown([b"xabc"], ("bc", "abc")) == (["x", ""], True)


def test_a_stop_string_may_end_in_a_flushed_replacement_character() -> None:
    """The end of the turn completes the last, broken character, and so the stop string."""
    assert shown([b"a!\xc3"], ("!\ufffd",)) == (["a", ""], True)


@given(
    text=st.text("abé", max_size=12),
    stops=st.lists(st.text("abé", min_size=1, max_size=4), max_size=4).map(tuple),
    cuts=st.lists(st.integers(0, 24), max_size=6),
)
def test_what_is_shown_does_not_depend_on_the_tokens(
    text: str, stops: tuple[str, ...], cuts: list[int]
) -> None:
    """Any cut of the same bytes shows the same text, that of the plain rule."""
    data = text.encode()
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]

    texts, stopped = shown([data[a:b] for a, b in pairwise(edges)], stops)

    assert "".join(texts) == naive(text, stops)
    assert stopped == (naive(text, stops) != text)
