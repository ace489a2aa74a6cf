"""Past answers go back as their own ids exactly where the conversation still has them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.template import Control, Run
from playground.transcript import Ids, Record, Transcript, fingerprint, splice

START, MESSAGE, EOT = Control("<|start|>"), Control("<|message|>"), Control("<|eot|>")


def transcript(*contents: str) -> Transcript:
    """A session in which these answers were generated; the k-th had the id k."""
    told = Transcript()
    for turn, content in enumerate(contents):
        told = told.record(content, [turn])
    return told


def fingerprints(*contents: str) -> list[str]:
    """What a request with these answers in its history shows."""
    return [fingerprint(content) for content in contents]


def test_answers_that_are_still_there_keep_their_ids() -> None:
    """An append-only conversation aligns with all of its records."""
    told = transcript("a", "b")

    assert told.aligned(fingerprints("a", "b")) == told


def test_the_first_answer_that_differs_drops_the_rest() -> None:
    """From there on messages have placeholders, even where a later answer is the same again."""
    aligned = transcript("a", "b", "c").aligned(fingerprints("a", "edited", "c"))

    assert aligned == Transcript(
        (Record(fingerprint("a"), (0,)), Record(fingerprint("edited")), Record(fingerprint("c")))
    )


def test_a_shorter_conversation_forgets_what_came_after() -> None:
    """A regenerated turn takes the place of the one it replaces."""
    aligned = transcript("a", "b").aligned(fingerprints("a")).record("b2", [7])

    assert aligned.records == (Record(fingerprint("a"), (0,)), Record(fingerprint("b2"), (7,)))


def test_a_turn_after_an_edit_lands_at_its_true_place() -> None:
    """Placeholders keep the count, so the turn after the next is spliced again."""
    edited = Transcript().aligned(fingerprints("kept", "edited")).record("new", [9])

    ids = [record.ids for record in edited.aligned(fingerprints("kept", "edited", "new")).records]

    assert ids == [None, None, (9,)]


def test_a_turn_without_ids_is_recorded_but_not_spliced() -> None:
    """A worker that cannot vouch for its ids leaves the text to be rendered."""
    assert Transcript().record("a", None).records == (Record(fingerprint("a")),)


@given(
    told=st.lists(st.sampled_from("abc"), max_size=5),
    asked=st.lists(st.sampled_from("abc"), max_size=5),
)
def test_ids_stand_for_the_common_beginning_and_nothing_else(
    told: list[str], asked: list[str]
) -> None:
    """Alignment gives one record a message, with ids up to the first difference."""
    aligned = transcript(*told).aligned(fingerprints(*asked))

    common = 0
    while common < min(len(told), len(asked)) and told[common] == asked[common]:
        common += 1
    assert [record.fingerprint for record in aligned.records] == fingerprints(*asked)
    assert [record.ids for record in aligned.records] == [
        (turn,) if turn < common else None for turn in range(len(asked))
    ]


def test_fingerprints_tell_apart_what_a_caller_can_see() -> None:
    """Content to the last blank, names of calls and arguments by value."""
    seen = [
        fingerprint("a"),
        fingerprint("a "),
        fingerprint(""),
        fingerprint("", [("f", {"x": 1})]),
        fingerprint("", [("g", {"x": 1})]),
        fingerprint("", [("f", {"x": "1"})]),
        fingerprint("", [("f", {"x": 1}), ("f", {"x": 1})]),
    ]

    assert len(set(seen)) == len(seen)


def test_fingerprints_ignore_what_says_nothing() -> None:
    """Absent content is empty content, and arguments have no order."""
    assert fingerprint(None) == fingerprint("")
    assert fingerprint("", [("f", {"x": 1, "y": 2})]) == fingerprint("", [("f", {"y": 2, "x": 1})])


HISTORY = (
    *(START, Run("user"), MESSAGE, Run("hi"), EOT),
    *(START, Run("assistant to=user"), MESSAGE, Run("@0@"), EOT),
)
PROMPT = (*HISTORY, START, Run("assistant"))


def test_a_splice_goes_back_to_the_bare_header() -> None:
    """The rendered recipient goes, the ids bring their own, and the end of turn stays."""
    expected = (*HISTORY[:5], START, Run("assistant"), Ids((7, 8)), EOT, START, Run("assistant"))

    assert splice(PROMPT, {"@0@": (7, 8)}) == expected


def test_nothing_to_splice_leaves_the_prompt_as_it_is() -> None:
    """A cold conversation has no ids, and its pieces are not touched."""
    assert splice(PROMPT, {}) == PROMPT


@pytest.mark.parametrize(
    ("pieces", "why"),
    [
        ((*HISTORY[:-2], EOT, START, Run("assistant")), "the sentinel is gone"),
        ((*HISTORY, *HISTORY, START, Run("assistant")), "the sentinel is there twice"),
        ((*HISTORY[:-2], Run("'@0@'"), EOT, START, Run("assistant")), "the sentinel is quoted"),
        (HISTORY, "the prompt ends without a header"),
        ((Run("@0@"), START, Run("assistant")), "no message has begun"),
        ((START, MESSAGE, Run("@0@"), START, Run("assistant")), "the message has no header"),
        ((*HISTORY, START, Run("model")), "the header is another one"),
        ((), "there is no prompt"),
    ],
)
def test_a_template_that_does_not_play_along_is_not_spliced(
    pieces: tuple[Control | Run, ...], why: str
) -> None:
    """Rather cold than wrong."""
    assert splice(pieces, {"@0@": (7, 8)}) is None, why


def test_answers_out_of_order_are_not_spliced() -> None:
    """A template that turned the conversation round would get each other's ids."""
    other = tuple(Run("@1@") if piece == Run("@0@") else piece for piece in HISTORY)

    assert splice((*other, *PROMPT), {"@0@": (1,), "@1@": (2,)}) is None
