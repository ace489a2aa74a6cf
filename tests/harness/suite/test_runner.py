"""Parts are played one after the other, and what befalls one of them befalls no other."""

from __future__ import annotations

import asyncio
import io
import json
from typing import TYPE_CHECKING

import pytest

from harness.errors import TargetUnreachable, UsageError
from harness.rehearsal import Answer, RehearsalChat
from harness.suite.judge import judge_suite
from harness.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from harness.client import TurnRequest
    from harness.suite.judge import SuiteResult

    Play = Callable[..., SuiteResult]


def outcomes(result: SuiteResult) -> dict[str, str]:
    """What each part came to."""
    return {part.record.name: part.outcome.value for part in result.parts}


def right(_messages: object) -> Answer:
    """Knows where Ada lives."""
    return Answer("In Oslo.")


def upset(at: int, problem: BaseException) -> Callable[[TurnRequest], None]:
    """Raises at the turn of this number."""
    turns = iter(range(1, 100))

    def before_turn(_request: TurnRequest) -> None:
        if next(turns) == at:
            raise problem

    return before_turn


def test_every_part_is_played_into_a_folder_of_its_own(play: Play, tmp_path: Path) -> None:
    """As often as the suite asks; a part that cannot be asked is neither passed nor failed."""
    log = io.StringIO()

    result = play(tmp_path, log=log)

    assert outcomes(result) == {"talk": "pass", "flight": "skip", "again": "pass"}
    assert (result.outcome, result.exit_code) == (Outcome.PASS, 0)
    assert result.parts[1].skips == (
        "not played, the target lacks wings: /api/runtime does not claim it",
    )
    played = {
        name: (tmp_path / "run" / name / "trace.jsonl").read_text().count("\n")
        for name in ("talk", "again")
    }
    assert played == {"talk": 2, "again": 1}
    assert [line.partition(",")[0] for line in log.getvalue().splitlines()] == [
        "small against Rehearsal at http://rehearsal: talk",
        "[1/3] talk: passed",
        "[2/3] flight: skipped",
        "[3/3] again: passed",
    ]


def test_the_quick_run_is_shorter(play: Play, tmp_path: Path) -> None:
    """Fewer repeats, and fewer parts."""
    result = play(tmp_path, quick=True)

    assert outcomes(result) == {"talk": "pass", "again": "pass"}
    assert result.parts[0].record.asked == {"repeat": 1}


def test_what_could_be_asked_nothing_could_not_tell(play: Play, tmp_path: Path) -> None:
    """A suite whose parts were all skipped has shown nothing."""
    result = play(tmp_path, only=["flight"])

    assert (result.outcome, result.exit_code) == (Outcome.INCONCLUSIVE, 3)


def test_one_failed_part_fails_the_suite(play: Play, tmp_path: Path) -> None:
    """And the others are what they are."""
    wrong = RehearsalChat(lambda _: Answer("In Rome."))

    result = play(tmp_path, wrong)

    assert outcomes(result) == {"talk": "fail", "flight": "skip", "again": "fail"}
    assert result.exit_code == 1


def test_a_part_that_breaks_takes_no_other_with_it(play: Play, tmp_path: Path) -> None:
    """It could not tell, says why, and the next is played."""
    chat = RehearsalChat(right, before_turn=upset(2, RuntimeError("out of chalk")))

    result = play(tmp_path, chat)

    assert outcomes(result) == {"talk": "inconclusive", "flight": "skip", "again": "pass"}
    assert result.parts[0].problem == "RuntimeError: out of chalk"
    assert result.exit_code == 3


def test_a_target_that_is_gone_is_not_asked_again(play: Play, tmp_path: Path) -> None:
    """What was left is told as not played, with the reason."""
    chat = RehearsalChat(right)

    def die(_request: TurnRequest) -> None:
        chat.alive = False
        raise TargetUnreachable("http://rehearsal", "gone")

    chat.before_turn = die

    result = play(tmp_path, chat)

    assert set(outcomes(result).values()) == {"inconclusive"}
    assert result.parts[2].problem.startswith("it was not played: the target is gone: no answer")
    assert not (tmp_path / "run" / "again").exists()


def test_a_suite_stopped_by_hand_tells_what_it_has(play: Play, tmp_path: Path) -> None:
    """The part under way is cut short, those behind it were not played."""
    chat = RehearsalChat(right, before_turn=upset(2, asyncio.CancelledError()))

    with pytest.raises(asyncio.CancelledError):
        play(tmp_path, chat)

    result = judge_suite(tmp_path / "run")
    assert [part.problem for part in result.parts] == [
        "stopped by hand",
        "it was not played",
        "it was not played",
    ]
    assert result.record.ended_at


def test_a_part_that_was_killed_could_not_tell(play: Play, tmp_path: Path) -> None:
    """Whoever is killed notes no end; what it had by then may look like all there is."""
    play(tmp_path)
    record = tmp_path / "run" / "suite.json"
    told = json.loads(record.read_text(encoding="utf-8"))
    for part in told["parts"]:
        part["seconds"] = None
    record.write_text(json.dumps(told), encoding="utf-8")

    result = judge_suite(tmp_path / "run")

    assert set(outcomes(result).values()) == {"inconclusive"}
    assert {part.problem for part in result.parts} == {"it was cut short, and nobody could say why"}


def test_a_part_that_is_not_there_is_told_with_those_that_are(play: Play, tmp_path: Path) -> None:
    """Before anything is played."""
    with pytest.raises(UsageError) as caught:
        play(tmp_path, quick=True, only=["flight"])

    assert str(caught.value) == "--only 'flight' is no part of the quick run; it has: talk, again"
    assert not (tmp_path / "run").exists()
