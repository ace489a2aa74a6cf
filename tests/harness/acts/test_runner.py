"""Acts are played as they are told, each request is kept, and a wrong target is found out."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.acts.plan import plan_acts
from harness.acts.runner import rederive_acts
from harness.acts.scenario import parse_acts
from harness.errors import TargetNotReady, TargetUnreachable
from harness.kinds import derive, reports_of
from harness.rehearsal import Answer
from harness.results import RunFolder
from harness.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from harness.acts.judge import ActsResult
    from harness.rehearsal import RehearsalChat

    Play = Callable[..., ActsResult]
    Make = Callable[..., RehearsalChat]

CLOSES = """
[[cell]]
name = "closes"
act = [{ do = "ask", says = "What is it?" }, { do = "close" }]
"""

EDIT = """\
[[cell]]
name = "edit"
act = [
    { do = "edit", message = 1, says = "My number is {new}.", cut = true },
    { do = "again", expect = { reset = "mismatch" } },
    { do = "ask", says = "What is it?", expect = { reset = "exact_prefix", contains = ["{new}"], excludes = ["{old}"] } },
]
"""  # noqa: E501

STRANGER = """\
[[cell]]
name = "places"
needs = ["maxNamedSessions=1"]
act = [
    { by = "bob", do = "ask", says = "Hello?", expect = { status = 429, code = "capacity_exhausted" } },
    { do = "ask", says = "What is it?", expect = { reset = "exact_prefix", contains = ["{old}"] } },
    { do = "close" },
    { by = "bob", do = "ask", says = "What is it?", expect = { reset = "new", excludes = ["{old}"] } },
]
"""  # noqa: E501


def failed(result: ActsResult) -> list[tuple[str, str]]:
    """What failed, and of which request."""
    return [
        (j.verdict.check, j.about.partition(",")[0])
        for j in result.judged
        if j.verdict.outcome is Outcome.FAIL
    ]


def said(chat: RehearsalChat, place: int) -> list[str]:
    """The messages of a request, the system message left out."""
    return [message["content"] for message in chat.requests[place].body["messages"][1:]]


def test_an_edit_is_sent_as_it_reads_now(play: Play, target: Make, tmp_path: Path) -> None:
    """What stood behind a cut is gone, and the new answer stands in its place."""
    chat = target()

    result = play(EDIT, tmp_path, chat)

    old, new = (re.findall(r"\d+", said(chat, place)[0])[0] for place in (0, 1))
    assert (result.outcome, result.unplayed) == (Outcome.PASS, ())
    assert said(chat, 0) == [f"My number is {old}."]
    assert said(chat, 1) == [f"My number is {new}."]
    assert said(chat, 2) == [f"My number is {new}.", f"It is {new}.", "What is it?"]


def test_an_edit_without_a_cut_keeps_what_followed(
    play: Play, target: Make, tmp_path: Path
) -> None:
    """And an answer can be changed as a question can."""
    chat = target()
    cell = """\
[[cell]]
name = "answer"
act = [
    { do = "edit", message = 2, says = "Your number is {new}." },
    { do = "ask", says = "What is it?", expect = { reset = "mismatch", contains = ["{new}"] } },
]
"""

    result = play(cell, tmp_path, chat)

    first, second, third = said(chat, 1)
    assert result.outcome is Outcome.PASS
    assert (first, third) == (said(chat, 0)[0], "What is it?")
    assert re.fullmatch(r"Your number is \d+\.", second)


def test_a_stale_answer_is_found_out(play: Play, target: Make, tmp_path: Path) -> None:
    """A target that answers from what it first heard fails where the edited fact is asked for."""
    heard: list[str] = []

    def stubborn(messages: Sequence[Mapping[str, str]]) -> Answer:
        heard.extend(re.findall(r"number is (\d+)", messages[1]["content"]))
        return Answer(f"It is {heard[0]}.")

    result = play(EDIT, tmp_path, target(stubborn))

    assert failed(result) == [("answer.expected", "edit.ann request 3")]
    (judged,) = (j for j in result.judged if j.verdict.outcome is Outcome.FAIL)
    assert judged.verdict.evidence[0].excerpt == f"It is {heard[0]}."


def test_an_edit_that_was_answered_warm_is_found_out(
    play: Play, target: Make, tmp_path: Path
) -> None:
    """The reset reason is wrong, and tokens were reused that are said no more."""
    chat = target(
        lambda _messages: Answer(
            "It is 99.",
            metrics={"session_reset_reason": "exact_prefix", "reused_prompt_tokens": 3},
        )
    )

    result = play(EDIT, tmp_path, chat)

    assert {
        ("resume.reset_reason", "edit.ann request 2"),
        ("resume.cold", "edit.ann request 2"),
    } < {*failed(result)}


def test_every_request_rests_before_it_as_long_as_the_file_says(
    play: Play, target: Make, tmp_path: Path
) -> None:
    """A pause lies before each request, a close among them, and in no turn's time."""
    chat = target()
    happened: list[object] = []
    chat.before_turn = lambda request: happened.append(request.label.turn)

    async def pause(seconds: float) -> None:
        happened.append(seconds)

    play(CLOSES, tmp_path, chat, top="pause_s = 0.25\n", pause=pause)

    assert happened == [0.25, 1, 0.25, 2, 0.25, 3]


def test_a_place_is_refused_and_freed(play: Play, target: Make, tmp_path: Path) -> None:
    """A refusal costs the one who holds the place nothing; every session is closed in the end."""
    chat = target()

    result = play(STRANGER, tmp_path, chat)

    assert result.outcome is Outcome.PASS
    assert [t.seen.trace.status for t in result.turns] == [200, 429, 200, 200, 200]
    assert [r.method for r in chat.requests] == ["POST", "POST", "POST", "DELETE", "POST"]
    assert chat.closed == ["/v1/sessions/bench-salt-r1-places-bob"]


def test_a_stranger_who_is_let_in_is_found_out(play: Play, target: Make, tmp_path: Path) -> None:
    """Status and code are promises; a cell ends where one is broken, and that is told."""
    result = play(STRANGER, tmp_path, target(places=None))

    assert failed(result) == [("request.status", "places.bob request 1")]
    assert [(label.leg, label.turn) for label in result.unplayed] == [
        ("places.ann", 2),
        ("places.ann", 3),
        ("places.bob", 2),
    ]


def test_what_a_target_does_not_claim_is_skipped_and_says_why(
    play: Play, target: Make, tmp_path: Path
) -> None:
    """A cell that was not played never passes."""
    chat = target(runtime={"maxNamedSessions": 4, "supports": {}})

    result = play(STRANGER, tmp_path, chat)

    (judged,) = result.judged
    assert chat.requests == []
    assert judged.verdict.outcome is Outcome.SKIP
    assert "maxNamedSessions is 4" in judged.verdict.message
    assert (result.outcome, result.exit_code) == (Outcome.INCONCLUSIVE, 3)


def test_reuse_that_is_not_told_is_skipped(play: Play, target: Make, tmp_path: Path) -> None:
    """Answers are judged all the same."""
    result = play(EDIT, tmp_path, target(runtime=None))

    outcomes = {j.verdict.check: j.verdict.outcome for j in result.judged}
    assert outcomes["resume.reset_reason"] is Outcome.SKIP
    assert outcomes["answer.expected"] is Outcome.PASS
    assert result.outcome is Outcome.PASS


def test_forgetting_keeps_the_id(play: Play, target: Make, tmp_path: Path) -> None:
    """A page loaded again: a short history on a session that holds a longer one."""
    chat = target()
    cell = """\
[[cell]]
name = "reload"
act = [
    { do = "forget" },
    { do = "ask", says = "What is it?", expect = { reset = "mismatch", excludes = ["{old}"] } },
    { by = "anonymous", do = "ask", says = "What is it?", expect = { reset = "new" } },
    { do = "reset" },
    { do = "again", expect = { reset = "new" } },
]
"""

    result = play(cell, tmp_path, chat)

    sessions = [r.headers.get("x-executorch-session-id", "") for r in chat.requests]
    assert result.outcome is Outcome.PASS
    assert said(chat, 1) == ["What is it?"]
    assert sessions == ["bench-salt-r1-reload-ann"] * 2 + [""] + [sessions[0]] * 2
    assert chat.requests[3].path == f"/v1/sessions/{sessions[0]}/reset"


def test_a_window_is_filled_and_a_cap_is_named_by_it(
    play: Play, target: Make, tmp_path: Path
) -> None:
    """A refused message is taken back, so that the next prompt is warm."""
    chat = target()
    cell = """\
[[cell]]
name = "full"
needs = ["contextLength"]
act = [
    { do = "ask", repeats = 1.0, says = "Hello?", expect = { status = 400, code = "context_length_exceeded" } },
    { do = "ask", max_tokens = "window+1", says = "Hello?", expect = { status = 400 } },
    { do = "ask", max_tokens = "window", says = "Hello?", expect = { reset = "exact_prefix", finish = "stop" } },
]
"""  # noqa: E501

    result = play(cell, tmp_path, chat)

    assert result.outcome is Outcome.PASS
    assert len(said(chat, 1)[-1].split()) == 201
    assert [r.body.get("max_tokens") for r in chat.requests] == [None, None, 201, 200]
    assert said(chat, 3)[2:] == ["Hello?"]


NEARLY = """\
[[cell]]
name = "nearly"
needs = ["contextLength"]
opens = false
act = [{ do = "ask", leaves = 20, max_tokens = "window", says = "Hello?" }]
"""


def test_a_window_is_filled_but_for_what_an_act_leaves(
    play: Play, target: Make, tmp_path: Path
) -> None:
    """Two prompts that are not judged find out what a word takes."""
    chat = target()

    result = play(NEARLY, tmp_path, chat)

    sent = [sum(len(m["content"].split()) for m in r.body["messages"]) for r in chat.requests]
    assert (result.outcome, len(result.turns)) == (Outcome.PASS, 1)
    assert sent[-1] == 200 - 20
    assert [r.headers for r in chat.requests[:2]] == [{}, {}]
    assert [r.body["max_tokens"] for r in chat.requests] == [1, 1, 200]


def test_a_target_that_counts_no_tokens_cannot_be_filled(
    play: Play, target: Make, tmp_path: Path
) -> None:
    """Then the act was not played, and nobody can tell."""
    chat = target(spoil=lambda body: body.replace("prompt_tokens", "tokens"))

    result = play(NEARLY, tmp_path, chat)

    assert [label.leg for label in result.unplayed] == ["nearly.ann"]
    assert result.outcome is Outcome.INCONCLUSIVE


def test_a_wrong_finish_is_found_out(play: Play, tmp_path: Path) -> None:
    """The answer came to its own end where it was to be cut."""
    cell = """\
[[cell]]
name = "cut"
act = [{ do = "ask", says = "Hello?", expect = { finish = "length" } }]
"""

    assert failed(play(cell, tmp_path)) == [("answer.finish", "cut.ann request 2")]


CANCEL = """\
[[cell]]
name = "stop"
act = [
    { do = "ask", says = "What is it?", cancel = 2 },
    { do = "ask", says = "What is it?", expect = { reset = "mismatch", contains = ["{old}"] } },
]
"""


def test_a_cancelled_turn_is_taken_back(play: Play, target: Make, tmp_path: Path) -> None:
    """It says so and is counted; what comes next is a question after the opening."""
    chat = target()

    result = play(CANCEL, tmp_path, chat)

    checks = {j.verdict.check for j in result.judged if j.label and j.label.turn == 2}
    assert result.outcome is Outcome.PASS
    assert checks >= {"cancel.told", "counts.agree", "clocks.agree", "resume.accounts"}
    assert result.turns[1].seen.text() == "It is"
    assert said(chat, 2) == [said(chat, 0)[0], result.turns[0].seen.text(), "What is it?"]


def test_a_cancel_that_is_not_told_is_found_out(play: Play, target: Make, tmp_path: Path) -> None:
    """The figures of a turn that was stopped would pass for those of a whole one."""
    chat = target()
    chat.spoil = lambda body: body.replace('"cancelled": true', '"cancelled": false')

    assert failed(play(CANCEL, tmp_path, chat)) == [("cancel.told", "stop.ann request 2")]


def test_a_dead_target_ends_the_run(play: Play, target: Make, tmp_path: Path) -> None:
    """What was played is on disk, with the reason why the rest was not."""
    chat = target()

    def die(_request: object) -> None:
        chat.alive = len(chat.requests) < 2

    chat.before_turn = die

    with pytest.raises((TargetUnreachable, TargetNotReady)):
        play(EDIT, tmp_path, chat)

    result = rederive_acts(RunFolder(tmp_path))
    assert "the target is gone" in result.record.stopped
    assert (result.outcome, len(result.turns)) == (Outcome.FAIL, 3)


def test_reports_are_derived_again_byte_for_byte(play: Play, tmp_path: Path) -> None:
    """From the folder alone, each format tells of every request."""
    play(EDIT, tmp_path)

    reports = reports_of(derive(tmp_path))

    assert {name: (tmp_path / name).read_text(encoding="utf-8") for name in reports} == reports
    told = json.loads(reports["result.json"])
    assert (told["kind"], len(told["turns"]), told["exit_code"]) == ("acts", 3, 0)
    for name in ("report.md", "report.html", "junit.xml"):
        assert "edit.ann" in reports[name]


def test_a_plan_draws_anew_for_each_cell() -> None:
    """A fact of one cell is not that of another, and the same seed says the same."""
    text = """\
name = "some"
question = "does it?"
answer = "whether it does"
[slots]
fact = { digits = 9 }
[[opening]]
do = "ask"
says = "{fact}"
[[cell]]
name = "a"
act = [{ do = "forget" }]
[[cell]]
name = "b"
act = [{ do = "close" }]
"""
    acts = parse_acts(text, Path("some.toml"))

    a, b = plan_acts(acts, repeats=1, seed=1, salt="one")

    assert a.acts[0].says != b.acts[0].says
    assert plan_acts(acts, repeats=1, seed=1, salt="two") == (a, b)
    assert [act.label and act.label.turn for act in (*a.acts, *b.acts)] == [1, None, 1, 2]
