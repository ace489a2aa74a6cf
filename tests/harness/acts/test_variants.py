"""A cell is played once for each combination of the values that it is varied over."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.acts.scenario import parse_acts
from harness.errors import ScenarioError
from harness.rehearsal import Answer
from harness.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from harness.acts.judge import ActsResult
    from harness.rehearsal import RehearsalChat

    Play = Callable[..., ActsResult]
    Make = Callable[..., RehearsalChat]

AXES = """\
[[axis]]
name = "form"
value = [{ name = "streamed" }, { name = "buffered", stream = false }]
[[axis]]
name = "reasoning"
value = [
    { name = "shown", settings.extra.chat_template_kwargs.return_reasoning = true },
    { name = "hidden", settings.extra.chat_template_kwargs.return_reasoning = false },
]
[[axis]]
name = "cap"
caps = [1, 3]
"""

GOES_ON = f"""{AXES}
[[cell]]
name = "goes-on"
varies = ["form", "reasoning"]
act = [{{ do = "ask", says = "What is it?", expect = {{ reset = "exact_prefix", contains = ["{{old}}"], reasons = true }} }}]
"""  # noqa: E501


def thoughtful(messages: Sequence[Mapping[str, str]]) -> Answer:
    """Thinks before it says the number that it was told."""
    number = messages[1]["content"].removesuffix(".").rpartition(" ")[2]
    return Answer(f"It is {number}.", reasoning="I look it up.")


def failed(result: ActsResult) -> set[tuple[str, str]]:
    """What failed, and where."""
    return {
        (j.verdict.check, j.label.leg if j.label else "")
        for j in result.judged
        if j.verdict.outcome is Outcome.FAIL
    }


def test_every_combination_is_played_under_its_own_name(
    play: Play, target: Make, tmp_path: Path
) -> None:
    """The facts are the same each time; session, form and settings are not."""
    chat = target(thoughtful)

    result = play(GOES_ON, tmp_path, chat)

    assert (result.outcome, result.unplayed) == (Outcome.PASS, ())
    assert [turn.label.leg for turn in result.turns][::2] == [
        "goes-on-streamed-shown.ann",
        "goes-on-streamed-hidden.ann",
        "goes-on-buffered-shown.ann",
        "goes-on-buffered-hidden.ann",
    ]
    assert [r.body["stream"] for r in chat.requests] == [True] * 4 + [False] * 4
    assert "stream_options" not in chat.requests[-1].body
    assert len({r.headers["x-executorch-session-id"] for r in chat.requests}) == 4
    assert len({r.body["messages"][1]["content"] for r in chat.requests}) == 1
    thoughts = [turn.seen.usage.reasoning_tokens for turn in result.turns if turn.seen.usage]
    assert thoughts == [4] * 8


def test_a_whole_reply_is_judged_by_the_same_checks(
    play: Play, target: Make, tmp_path: Path
) -> None:
    """A target that keeps nothing of what it did not stream is found out, there and only there."""

    def forgets(body: str) -> str:
        return body.replace('"session_reset_reason": "exact_prefix"', '"session_reset_reason": "x"')

    chat = target(thoughtful)
    chat.spoil = lambda body: body if body.startswith("data: ") else forgets(body)

    assert failed(play(GOES_ON, tmp_path, chat)) == {
        ("resume.reset_reason", "goes-on-buffered-shown.ann"),
        ("resume.reset_reason", "goes-on-buffered-hidden.ann"),
    }


def test_what_is_named_last_goes_before_the_rest(play: Play, target: Make, tmp_path: Path) -> None:
    """An act before a value, a value before its cell, a cell before the scenario."""
    chat = target()
    cell = f"""{AXES}
[[cell]]
name = "layers"
varies = ["cap"]
stream = false
settings = {{ max_tokens = 50, top_k = 7, extra.a = 1 }}
opens = false
act = [
    {{ do = "ask", says = "Hello?", stream = true, settings = {{ max_tokens = 9, extra.b = 2 }} }},
    {{ do = "again" }},
]
"""

    play(cell, tmp_path, chat)

    bodies = [request.body for request in chat.requests]
    assert [body["max_tokens"] for body in bodies] == [9, 1, 9, 2, 9, 3]
    assert {(body["top_k"], body["a"], body.get("b")) for body in bodies} == {
        (7, 1, 2),
        (7, 1, None),
    }
    assert [body["stream"] for body in bodies[:2]] == [True, False]


CUT = f"""{AXES}
[[cell]]
name = "cut"
varies = ["cap"]
opens = false
act = [
    {{ by = "anonymous", do = "ask", says = "It is 7.", settings.max_tokens = 50 }},
    {{ by = "anonymous", do = "again", expect.begins = true }},
    {{ by = "anonymous", do = "again", stream = false, expect.begins = true }},
]
"""


def test_an_answer_is_cut_at_every_place(play: Play, target: Make, tmp_path: Path) -> None:
    """Each cut is held against the whole answer."""
    result = play(CUT, tmp_path, target(thoughtful))

    told = [turn.promise.begins for turn in result.turns]
    assert (result.outcome, told) == (Outcome.PASS, [None, 1, 1] * 3)


def test_a_cut_that_shows_a_header_is_found_out(play: Play, target: Make, tmp_path: Path) -> None:
    """A target that takes what it did not understand yet for the answer."""

    def leaks(body: str) -> str:
        return body.replace('"reasoning_content": "I look', '"content": "to=self I look')

    chat = target(thoughtful)
    chat.spoil = lambda body: leaks(body) if '"length"' in body else body

    assert failed(play(CUT, tmp_path, chat)) >= {
        ("answer.same", "cut-cap-2.anonymous"),
        ("answer.no_control_text", "cut-cap-2.anonymous"),
    }


THOUGHT = """\
[[cell]]
name = "thought"
act = [
    { do = "edit", message = 2, says = "Noted.", thinks = "It may be {new}." },
    { do = "ask", says = "What is it?", settings.send_reasoning = true, expect.excludes = ["{new}"] },
    { do = "again", expect.same = true },
]
"""  # noqa: E501


def test_a_thought_goes_along_only_where_it_is_asked_to(
    play: Play, target: Make, tmp_path: Path
) -> None:
    """The prompt of a target that passes it over is the same either way."""
    chat = target()

    result = play(THOUGHT, tmp_path, chat)

    echoed, plain = (request.body["messages"][2] for request in chat.requests[1:])
    assert result.outcome is Outcome.PASS
    assert echoed["reasoning_content"].startswith("It may be ")
    assert plain == {"role": "assistant", "content": "Noted."}


def test_a_target_that_reads_old_thoughts_is_found_out(
    play: Play, target: Make, tmp_path: Path
) -> None:
    """It knows what was only thought, and says otherwise without it."""

    def reads(messages: Sequence[Mapping[str, str]]) -> Answer:
        thoughts = [m["reasoning_content"] for m in messages if "reasoning_content" in m]
        return Answer(thoughts[-1] if thoughts else "I don't know.")

    result = play(THOUGHT, tmp_path, target(reads))

    assert failed(result) == {
        ("answer.expected", "thought.ann"),
        ("answer.same", "thought.ann"),
    }


GOOD = f"""\
name = "some"
question = "does it?"
answer = "whether it does"
{AXES}
[[cell]]
name = "one"
varies = ["form"]
act = [{{ do = "ask", says = "Hello?" }}, {{ do = "again", expect.same = true }}]
[[cell]]
name = "two"
act = [{{ do = "ask", says = "Hello?" }}]
"""


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ('varies = ["form"]', 'varies = ["shape"]', r"cell\[1\]\.varies: no axis is called"),
        ("caps = [1, 3]", "caps = [3, 1]", r"axis\[3\]\.caps: the lower end comes first"),
        ("caps = [1, 3]", "", r"axis\[3\]: needs exactly one of value, caps"),
        ('name = "cap"', 'name = "form"', r"axis\[3\]\.name: two axes are called 'form'"),
        ('name = "two"', 'name = "one-buffered"', r"two cells are called 'one-buffered'"),
        ('do = "again"', 'do = "ask", says = "A?"', r"act\[2\]\.expect\.same: goes with again"),
        ('do = "again"', 'do = "close", thinks = "A."', r"act\[2\]\.thinks: goes with edit"),
    ],
)
def test_a_mistake_is_told_with_its_key(right: str, wrong: str, message: str) -> None:
    """A cell that is not varied as it was meant to be proves nothing."""
    parse_acts(GOOD, Path("some.toml"))

    with pytest.raises(ScenarioError, match=message):
        parse_acts(GOOD.replace(right, wrong), Path("some.toml"))
