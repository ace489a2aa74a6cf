"""A target of ours is ended and started again, between two requests and in the middle of one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from harness.errors import LaunchFailed
from harness.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from harness.acts.judge import ActsResult
    from harness.rehearsal import RehearsalChat
    from harness.trace import Trace

    Play = Callable[..., ActsResult]
    Make = Callable[..., RehearsalChat]

BETWEEN = """\
[[cell]]
name = "resend"
needs = ["restart", "maxNamedSessions=1"]
act = [
    { do = "restart" },
    { do = "ask", says = "What is it?", expect = { reset = "restored", contains = ["{old}"] } },
    { do = "restart", restarts = "kill" },
    { by = "bob", do = "ask", says = "What is it?", expect = { reset = "new", excludes = ["{old}"] } },
]
"""  # noqa: E501

MIDWAY = """\
[[cell]]
name = "midway"
needs = ["restart"]
act = [
    { by = "anonymous", do = "ask", says = "My number is {new}.", restarts = "stop", expect = { contains = ["{new}"] } },
    { do = "ask", says = "What is it?", expect = { reset = "restored", contains = ["{old}"] } },
    { by = "anonymous", do = "ask", says = "What is it?", expect = { reset = "new", excludes = ["{new}"] } },
]
"""  # noqa: E501


def failed(result: ActsResult) -> list[tuple[str, str]]:
    """What failed, and of which request."""
    return [
        (j.verdict.check, j.about.partition(",")[0])
        for j in result.judged
        if j.verdict.outcome is Outcome.FAIL
    ]


def test_a_conversation_goes_on_after_a_restart(play: Play, target: Make, tmp_path: Path) -> None:
    """Cold, as that of a new session; what cannot have lasted is skipped, with the reason."""
    chat = target()

    result = play(BETWEEN, tmp_path, chat)

    skipped = [j.verdict for j in result.judged if j.verdict.outcome is Outcome.SKIP]
    assert (failed(result), result.outcome) == ([], Outcome.PASS)
    assert chat.restarts == ["stop", "kill"]
    assert [(v.check, v.message) for v in skipped] == [
        ("resume.restored", "unsupported: durableCache: /api/runtime does not claim it")
    ]


def test_one_that_claims_a_cache_that_lasts_has_to_have_it(
    play: Play, target: Make, tmp_path: Path
) -> None:
    """And one that has it passes."""
    runtime = target().runtime or {}
    claims = {**runtime, "supports": {**runtime["supports"], "durableCache": True}}
    cell = BETWEEN.partition('    { do = "restart", restarts')[0] + "]\n"

    keeps = play(cell, tmp_path / "keeps", target(runtime=claims, durable=True))
    loses = play(cell, tmp_path / "loses", target(runtime=claims))

    assert (failed(keeps), keeps.outcome) == ([], Outcome.PASS)
    assert ("resume.restored", "resend.ann request 2") in failed(loses)


def test_one_that_keeps_what_it_does_not_claim_to_keep_is_found_out(
    play: Play, target: Make, tmp_path: Path
) -> None:
    """A place that is still taken, a session that goes on."""
    result = play(BETWEEN, tmp_path, target(durable=True))

    assert failed(result) == [
        ("resume.reset_reason", "resend.ann request 2"),
        ("resume.cold", "resend.ann request 2"),
        ("stream.complete", "resend.bob request 1"),
    ]


def test_a_target_that_is_not_ours_is_not_ended(play: Play, target: Make, tmp_path: Path) -> None:
    """The cell is skipped, and says why."""
    chat = target()

    result = play(BETWEEN, tmp_path, chat, kind="url")

    (judged,) = result.judged
    assert (chat.requests, chat.restarts) == ([], [])
    assert judged.verdict.outcome is Outcome.SKIP
    assert "the target was not started here" in judged.verdict.message


def test_an_answer_in_whose_middle_the_target_ends_breaks_off(
    play: Play, target: Make, tmp_path: Path
) -> None:
    """Its question is taken back; who asks on is answered."""
    chat = target()

    result = play(MIDWAY, tmp_path, chat)

    cut = result.turns[1].seen.trace
    assert (failed(result), result.outcome) == ([], Outcome.PASS)
    assert [(a.name, a.detail) for a in cut.actions] == [("restart", {"how": "stop"})]
    assert [m["content"] for m in chat.requests[-1].body["messages"][1:]] == ["What is it?"]


def test_a_part_that_is_passed_off_as_the_whole_is_found_out(
    play: Play, target: Make, tmp_path: Path
) -> None:
    """All frames came but some of the answer."""

    def shortened(whole: Trace) -> Trace:
        return replace(whole, chunks=(*whole.chunks[:2], whole.chunks[-1]))

    result = play(MIDWAY, tmp_path, target(interrupt=shortened))

    assert failed(result)[0] == ("stream.cut", "midway.anonymous request 1")


def test_an_answer_that_comes_whole_before_the_target_ends_is_no_fault(
    play: Play, target: Make, tmp_path: Path
) -> None:
    """It says all that was promised of it."""
    cell = MIDWAY.replace(', expect = { reset = "new", excludes = ["{new}"] }', "")

    result = play(cell, tmp_path, target(interrupt=lambda whole: whole))

    assert failed(result) == []


def test_a_target_that_does_not_start_again_ends_the_run_with_its_own_error(
    play: Play, target: Make, tmp_path: Path
) -> None:
    """Not with one of a group, which nobody would know what to do with."""
    chat = target()

    async def restart(*, kill: bool = False) -> None:
        raise LaunchFailed(["python"], "it ended with code 1")

    chat.restart = restart  # type: ignore[method-assign]

    with pytest.raises(LaunchFailed):
        play(MIDWAY, tmp_path, chat)
