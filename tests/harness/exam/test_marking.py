"""An answer is right by what its case expects; a turn is whole by the contract of the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from harness.exam.cases import Call, Case, Expect
from harness.exam.marking import asked_of, mark, picture_of
from harness.testing import DONE, frame, trace

if TYPE_CHECKING:
    from tests.harness.exam.conftest import Answered

URL = "data:image/png;base64,AAAA"


def case(expect: Expect, *messages: dict[str, Any]) -> Case:
    """A case that expects this."""
    return Case("c", "g", messages or ({"role": "user", "content": "?"},), expect)


@pytest.mark.parametrize(
    ("expect", "wrong"),
    [
        (Expect(contains=("red SQUARE",)), ()),
        (Expect(contains=("square", "squ")), ("does not say 'squ'",)),
        (Expect(excludes=("red",)), ("says 'red'",)),
        (Expect(excludes=("blue",), matches=r"^A .*\.$"), ()),
        (Expect(matches="^a"), ("does not match '^a'",)),
        (Expect(calls=(Call("f", {}),)), ("0 calls where 1 were due",)),
    ],
)
def test_all_that_is_expected_must_hold(
    answered: Answered, expect: Expect, wrong: tuple[str, ...]
) -> None:
    """And every lack is named."""
    assert answered("A red  square.", case=case(expect)).wrong == wrong


def test_silence_answers_nothing(answered: Answered) -> None:
    """Who says nothing leaves out what must not be said, and is wrong all the same."""
    assert answered(" \n", case=case(Expect(excludes=("red",)))).wrong == ("says nothing",)


def test_a_call_is_no_answer() -> None:
    """Where an answer is due, the right words beside a call do not make it one."""
    call = [{"index": 0, "id": "1", "function": {"name": "look", "arguments": "{}"}}]
    frames = (frame(content="It is red."), frame(calls=call), frame(finish="tool_calls"), DONE)
    told = trace(*((10.0 * at, text) for at, text in enumerate(frames, start=1)))

    turn = mark(case(Expect(contains=("red",))), told)

    assert turn.wrong == ("calls 'look' where an answer was due",)


@pytest.mark.parametrize(
    ("name", "arguments", "wrong"),
    [
        ("book", '{"size": 7.0, "day": "Monday"}', ()),
        ("cook", '{"size": 7, "day": "Monday"}', ("calls 'cook' instead of 'book'",)),
        ("book", '{"size": 8, "day": "Monday"}', ("calls 'book' with other arguments",)),
        ("book", '{"size": 7', ("calls 'book' with other arguments",)),
    ],
)
def test_calls_are_compared_by_name_and_parsed_arguments(
    name: str, arguments: str, wrong: tuple[str, ...]
) -> None:
    """However the text of the arguments is put, and in however many fragments it came."""
    call = {"index": 0, "id": "call_0", "function": {"name": name, "arguments": arguments[:3]}}
    rest = {"index": 0, "function": {"arguments": arguments[3:]}}
    frames = [frame(calls=[call]), frame(calls=[rest]), frame(finish="tool_calls"), DONE]
    seen = trace(*((float(at), text) for at, text in enumerate(frames)))
    wanted = case(Expect(calls=(Call("book", {"day": "Monday", "size": 7}),)))

    turn = mark(wanted, seen)

    assert turn.wrong == wrong
    assert turn.answer == f"{name}({arguments})"


def test_a_turn_that_failed_is_wrong_and_says_why(answered: Answered) -> None:
    """An empty reply has no answer that could be right."""
    turn = answered("", tokens=0)

    assert turn.wrong[0].startswith("no answer: the turn ended as empty")
    assert turn.broken[0].startswith("stream.complete: ")


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        ({"content": "yes"}, ""),
        ({"content": "yes", "malformed": 0}, ""),
        ({"content": "yes", "malformed": 2}, "muse_metrics.malformed: 2"),
        ({"content": "yes<|eot|>"}, "answer.no_control_text: content holds '<|eot|>'"),
        ({"content": "yes", "end": ""}, "stream.complete: 0 times [DONE]"),
        ({"content": "yes", "end": DONE + DONE}, "stream.complete: 2 times [DONE]"),
    ],
)
def test_a_right_answer_may_stand_in_a_broken_turn(
    answered: Answered, change: dict[str, Any], broken: str
) -> None:
    """The two are told apart."""
    turn = answered(**change)

    assert turn.right
    assert bool(turn.broken) == bool(broken)
    assert "; ".join(turn.broken).startswith(broken)


def test_what_was_asked_is_the_text_of_the_last_message() -> None:
    """And its picture is the last one shown, however long ago; other addresses are no pictures."""
    shown = [
        {"type": "image_url", "image_url": {"url": URL}},
        {"type": "text", "text": "What is this?"},
    ]
    later = {"role": "user", "content": "And its colour?"}
    far = [{"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}]
    first, other = {"role": "user", "content": shown}, {"role": "user", "content": far}

    assert asked_of(case(Expect(), first)) == "What is this?"
    assert asked_of(case(Expect(), first, later)) == "And its colour?"
    assert picture_of(case(Expect(), first, later)) == URL
    assert picture_of(case(Expect(), other)) is None
