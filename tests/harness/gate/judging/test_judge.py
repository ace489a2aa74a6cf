"""A gate is judged from its folder, by what there is of it, and every time alike."""

from __future__ import annotations

import asyncio
import io
import json
import shutil
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from harness.cli import main
from harness.errors import TargetUnreachable
from harness.fingerprint import Fingerprint
from harness.gate.judge import judge_gate
from harness.gate.pins import Pin
from harness.gate.record import (
    GateRecord,
    Side,
    StartRecord,
    keep_gate,
    keep_policy_text,
    keep_start,
    start_path,
    suite_path,
)
from harness.gate.result import Ruling
from harness.kinds import load_scenario
from harness.playing import Asked
from harness.rehearsal import Answer, RehearsalChat
from harness.report.console import open_console
from harness.report.suite import SuiteLines
from harness.results import RunFolder
from harness.scenario import digest
from harness.suite.plan import plan_suite
from harness.suite.runner import play_suite
from harness.target import Target

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from harness.client import TurnRequest
    from harness.gate.result import GateResult

TALK = """\
name = "talk"
question = "Does it answer?"
answer = "whether it does"
repeat = 1
[[turn]]
user = "Where does Ada live?"
expect.contains = ["Oslo"]
[[turn]]
user = "And Bo?"
expect.contains = ["Oslo"]
[[leg]]
name = "warm"
session = "kept"
resets = ["new", "exact_prefix"]
"""

FLIGHT = """\
name = "flight"
question = "Can it fly?"
answer = "whether it can"
[[cell]]
name = "up"
about = "leaves the ground"
needs = ["wings"]
act = [{ do = "ask", says = "Fly!" }]
"""

SUITE = """\
name = "small"
question = "Is it good?"
[[part]]
scenario = "talk.toml"
[[part]]
scenario = "flight.toml"
"""

POLICY = """\
name = "small"
question = "Is it as good?"
scenarios = ["talk"]
pairs = 4
least = 2
[[metric]]
name = "ready"
title = "time to ready"
measure = "start.ready"
margin = 0.1
gated = true
"""

MACHINE = Fingerprint("Some 1", "arch", "Processor", 2, 2**30, "Python 3", {"httpx": "0"}, None)
TARGET = Target("url", "http://rehearsal", ready_ns=None)
NOW = "2026-01-01T00:00:00.000+00:00"
RECORD = GateRecord(
    policy="small",
    policy_sha256=digest(POLICY),
    baseline=Pin("old", "pin", "a" * 64, {"executorch": "1.5.0"}),
    candidate=Pin("new", "pin", "b" * 64, {"executorch": "1.5.1"}),
    pairs=4,
    budget_min=5.0,
    seed=7,
    salt="s",
    started_at=NOW,
    fingerprint=MACHINE,
    machine={},
    scenarios={"talk": "c" * 64},
    ended_at=NOW,
)


def right(_messages: Sequence[Mapping[str, Any]]) -> Answer:
    """Knows where everybody lives."""
    return Answer("In Oslo.")


def wrong(_messages: Sequence[Mapping[str, Any]]) -> Answer:
    """Does not."""
    return Answer("In Rome.")


def lying(_messages: Sequence[Mapping[str, Any]]) -> Answer:
    """Counts tokens that nobody sees."""
    return Answer("In Oslo.", metrics={"reused_prompt_tokens": 9_000})


def die(_request: TurnRequest) -> None:
    """Takes the target along."""
    raise TargetUnreachable("http://rehearsal", "gone")


def target(
    answer: Callable[..., Answer] = right,
    *supports: str,
    before_turn: Callable[[TurnRequest], None] = lambda _request: None,
) -> RehearsalChat:
    """A rehearsed target that claims so."""
    claims = dict.fromkeys(("reuseMetrics", *supports), True)
    runtime = {"model": "Rehearsal", "supports": claims}
    return RehearsalChat(answer, runtime=runtime, before_turn=before_turn)


class GateFolder:
    """A gate that is filled step by step."""

    def __init__(self, path: Path) -> None:
        self._beside = path
        for name, text in (("talk", TALK), ("flight", FLIGHT), ("suite", SUITE)):
            (path / f"{name}.toml").write_text(text, encoding="utf-8")
        self.run = RunFolder.create(path / "gate")
        keep_policy_text(self.run, POLICY)
        self.record()

    @property
    def path(self) -> Path:
        """Where it is."""
        return self.run.path

    def record(self, **changed: Any) -> None:  # noqa: ANN401 - fields of GateRecord
        """Keep the record, with some of it changed."""
        keep_gate(self.run, replace(RECORD, **changed))

    def suite(self, side: Side, chat: RehearsalChat, *, again: bool = False) -> None:
        """Play the suite against a side."""
        path = self.path / suite_path(side, again=again)
        path.mkdir(parents=True)
        quiet = Console(file=io.StringIO(), quiet=True)
        order = plan_suite(SUITE, self._beside / "suite.toml", quiet)
        order = replace(order, fingerprint=MACHINE)
        lines = SuiteLines(open_console(io.StringIO()))
        asyncio.run(
            play_suite(order, TARGET, chat, RunFolder(path), clock=chat.clock, progress=lines)
        )

    def start(
        self,
        index: int,
        side: Side,
        chat: RehearsalChat | None = None,
        **changed: Any,  # noqa: ANN401 - fields of StartRecord
    ) -> None:
        """One start of a side, in which the scenario is played."""
        pair = (index + 1) // 2
        ready_s = 1 + index / 1000
        start = StartRecord(index, side, 1, pair, False, NOW, "s", ready_s, ended_at=NOW)
        start = replace(start, **changed)
        keep_start(self.run, start)
        if chat is not None:
            self._play(self.path / start_path(start) / "talk", chat)

    def pair(self, number: int, baseline: RehearsalChat, candidate: RehearsalChat) -> None:
        """Two starts, one of each side."""
        self.start(2 * number - 1, Side.BASELINE, baseline)
        self.start(2 * number, Side.CANDIDATE, candidate)

    def _play(self, folder: Path, chat: RehearsalChat) -> None:
        path = self._beside / "talk.toml"
        kind, scenario, text = load_scenario(path)
        quiet = Console(file=io.StringIO(), quiet=True)

        async def play() -> None:
            with ExitStack() as stack:
                player = kind.player(Asked(), scenario, text, path, quiet, stack)
                await player(TARGET, chat, RunFolder.create(folder), clock=chat.clock)

        asyncio.run(play())


@pytest.fixture(name="gate")
def _gate(tmp_path: Path) -> GateFolder:
    """An empty gate."""
    return GateFolder(tmp_path)


def sound(gate: GateFolder) -> GateFolder:
    """Both sides pass the suite, and two pairs were played."""
    for side in Side:
        gate.suite(side, target())
    gate.pair(1, target(), target())
    gate.pair(2, target(), target())
    return gate


def rows(result: GateResult, ruling: Ruling) -> list[tuple[str, str]]:
    """Which checks say this against the candidate."""
    return [(row.part, row.check) for row in result.checks if row.ruling is ruling]


def test_two_sides_that_keep_their_promises_pass(gate: GateFolder) -> None:
    """With the measured starts among what was checked."""
    result = judge_gate(sound(gate).path)

    assert (result.ruling, result.exit_code) == (Ruling.PASS, 0)
    assert result.headline.startswith("Pass: 1 of 1 gated metrics within their margins")
    assert (result.pairs, result.confirming) == (2, 0)
    assert {row.part for row in result.checks} == {"talk", "flight", "starts"}
    assert ("starts", "start.played") in rows(result, Ruling.PASS)


def test_the_judgement_depends_on_the_folder_alone(gate: GateFolder) -> None:
    """So a report can be derived again at any time, wherever the folder was carried."""
    sound(gate)
    elsewhere = gate.path.with_name("elsewhere")
    shutil.copytree(gate.path, elsewhere)

    assert judge_gate(elsewhere) == judge_gate(gate.path)


def test_a_promise_that_was_lost_fails_the_candidate(gate: GateFolder) -> None:
    """When it was played again, and lost again."""
    gate.suite(Side.BASELINE, target())
    gate.suite(Side.CANDIDATE, target(wrong))
    before = judge_gate(gate.path)
    gate.suite(Side.CANDIDATE, target(wrong), again=True)

    result = judge_gate(gate.path)

    assert before.ruling is Ruling.INCONCLUSIVE
    assert (result.ruling, result.exit_code) == (Ruling.FAIL, 1)
    assert rows(result, Ruling.FAIL) == [("talk", "answer.expected")]
    (row,) = [row for row in result.checks if row.ruling is Ruling.FAIL]
    assert row.promise == "the answer holds the facts it must"
    assert row.evidence[0].startswith("suites/candidate/talk#")
    assert result.headline.startswith("Fail: answer.expected in talk: fails, and again")


def test_a_promise_that_both_break_does_not(gate: GateFolder) -> None:
    """It is shown, and stands among the doubts."""
    for side in Side:
        gate.suite(side, target(wrong))
    for number in (1, 2):
        gate.pair(number, target(), target())

    result = judge_gate(gate.path)

    assert result.ruling is Ruling.PASS
    assert [doubt for doubt in result.doubts if "both sides" in doubt] == [
        "fails on both sides, and so says nothing of the candidate: answer.expected in talk"
    ]


def test_figures_that_cannot_be_true_refuse_the_gate(gate: GateFolder) -> None:
    """Before all that fails."""
    gate.suite(Side.BASELINE, target())
    for again in (False, True):
        gate.suite(Side.CANDIDATE, target(lying), again=again)

    result = judge_gate(gate.path)

    assert (result.ruling, result.exit_code) == (Ruling.REFUSED, 2)
    assert ("talk", "resume.accounts") in rows(result, Ruling.REFUSED)


def says_of_memory(gate: GateFolder, start: int, side: Side, claim: int) -> None:
    """A start of which twice as much was seen as resident memory of the worker."""
    runtime = {"memory": {"workerPeakBytes": claim}}
    gate.start(start, side, target(), runtime=runtime, worker_peak_bytes=2 * 2**30)


def test_a_worker_that_takes_more_memory_than_it_says_refuses_the_gate(gate: GateFolder) -> None:
    """Where two starts of a side do, whichever side it is; in one alone it may be anything."""
    sound(gate)
    says_of_memory(gate, 5, Side.BASELINE, 2 * 2**30)
    says_of_memory(gate, 6, Side.CANDIDATE, 2**30)
    once = judge_gate(gate.path)
    says_of_memory(gate, 7, Side.CANDIDATE, 2**30)

    result = judge_gate(gate.path)

    assert once.ruling is Ruling.INCONCLUSIVE
    assert (result.ruling, result.exit_code) == (Ruling.REFUSED, 2)
    assert rows(result, Ruling.REFUSED) == [("starts", "memory.believable")]
    assert "its worker held more memory than it says" in result.headline


def test_a_loss_in_the_measured_starts_counts_as_well(gate: GateFolder) -> None:
    """Where two of them have it."""
    sound(gate)
    gate.pair(3, target(), target(wrong))
    once = judge_gate(gate.path)
    gate.pair(4, target(), target(wrong))

    result = judge_gate(gate.path)

    assert once.ruling is Ruling.INCONCLUSIVE
    assert rows(result, Ruling.FAIL) == [("starts", "answer.expected")]


def test_a_candidate_that_breaks_twice_fails(gate: GateFolder) -> None:
    """Once may be anything; and one that was cut by hand says nothing."""
    sound(gate)
    gate.start(5, Side.CANDIDATE, ended_at=None)
    cut = judge_gate(gate.path)
    gate.start(6, Side.CANDIDATE, stopped="LaunchFailed: it ended with code 1")
    once = judge_gate(gate.path)
    gate.start(7, Side.CANDIDATE, stopped="LaunchFailed: it ended with code 1")

    result = judge_gate(gate.path)

    assert (cut.ruling, once.ruling) == (Ruling.PASS, Ruling.INCONCLUSIVE)
    assert rows(result, Ruling.FAIL) == [("starts", "start.played")]
    assert "LaunchFailed" in result.headline


def test_a_start_whose_turns_were_not_all_played_is_not_a_whole_one(gate: GateFolder) -> None:
    """Though every scenario of it has something to be judged."""
    sound(gate)
    for path in gate.path.glob("starts/*-candidate/talk/trace.jsonl"):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(lines[:-1]), encoding="utf-8")

    result = judge_gate(gate.path)

    (row,) = [row for row in result.checks if row.check == "start.played"]
    assert (row.ruling, row.why) == (
        Ruling.FAIL,
        "fails in 2 starts, never at the baseline: 1 turns were not played",
    )


def test_a_candidate_that_dies_in_the_suite_fails(gate: GateFolder) -> None:
    """When it does so again; the parts that it could not be asked are told as such."""
    gate.suite(Side.BASELINE, target())
    for again in (False, True):
        gate.suite(Side.CANDIDATE, target(before_turn=die), again=again)

    result = judge_gate(gate.path)

    assert ("talk", "part.played") in rows(result, Ruling.FAIL)
    assert ("talk", "answer.expected") in rows(result, Ruling.INCONCLUSIVE)


def test_a_claim_that_the_candidate_withdrew_fails_it(gate: GateFolder) -> None:
    """What cannot be asked any more is lost."""
    gate.suite(Side.BASELINE, target(right, "wings"))
    gate.suite(Side.CANDIDATE, target())

    result = judge_gate(gate.path)

    assert result.ruling is Ruling.FAIL
    assert {part for part, _ in rows(result, Ruling.FAIL)} == {"flight"}
    assert "no longer claims wings" in result.headline


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"suite": False}, "the acceptance suite was left out"),
        ({"stopped": "stopped by hand"}, "it ended before its end: stopped by hand"),
        ({"ended_at": None}, "it has not come to its end"),
    ],
)
def test_what_was_not_looked_at_is_no_pass(
    gate: GateFolder, changed: dict[str, Any], said: str
) -> None:
    """However well the rest went."""
    sound(gate).record(**changed)

    result = judge_gate(gate.path)

    assert (result.ruling, result.exit_code) == (Ruling.INCONCLUSIVE, 3)
    assert said in result.headline


def test_a_gate_that_has_just_begun_is_judged_as_well(gate: GateFolder) -> None:
    """It is asked after every step."""
    result = judge_gate(gate.path)

    assert result.ruling is Ruling.INCONCLUSIVE
    assert set(result.reasons) >= {
        "the acceptance suite was not played at the baseline",
        "the acceptance suite was not played at the candidate",
        "no pair of starts was measured",
    }


def test_a_gate_with_one_suite_tells_which_one_is_missing(gate: GateFolder) -> None:
    """And what it was not asked is not held against the candidate as a loss."""
    gate.suite(Side.BASELINE, target())

    result = judge_gate(gate.path)

    assert rows(result, Ruling.FAIL) == []
    assert "the acceptance suite was not played at the candidate" in result.reasons


def test_the_machine_that_drifts_is_a_doubt(gate: GateFolder) -> None:
    """As our own fixed piece of work shows it."""
    gate.start(1, Side.BASELINE, target(), anchor_before_s=0.100)
    gate.start(2, Side.CANDIDATE, target(), anchor_after_s=0.120)

    result = judge_gate(gate.path)

    assert result.anchors == ((1, 0.100), (3, 0.120))
    (doubt,) = [doubt for doubt in result.doubts if "drifted" in doubt]
    assert doubt.endswith("took 0.100 s at best and 0.120 s at worst")


def test_every_report_is_derived_again_byte_for_byte(gate: GateFolder) -> None:
    """Those of the suites and of the starts too, and whatever was changed by hand is found."""
    sound(gate)
    out, err = io.StringIO(), io.StringIO()

    code = main(["report", str(gate.path)], out, err)

    assert (code, err.getvalue()) == (0, "")
    assert out.getvalue().splitlines()[-1].strip().startswith("Pass: ")
    check = ["report", str(gate.path), "--check"]
    assert main(check, out, err) == 0
    for name in (
        "report.html",
        "suites/candidate/talk/report.md",
        "starts/001-baseline/talk/junit.xml",
    ):
        path = gate.path / name
        text = path.read_text(encoding="utf-8")
        path.write_text(f"{text} ", encoding="utf-8")
        assert (main(check, out, err), str(path) in err.getvalue()) == (1, True)
        path.write_text(text, encoding="utf-8")


def test_a_gate_reports_with_its_own_exit_code(gate: GateFolder) -> None:
    """And as JSON where that is asked for."""
    gate.record(refused="on battery")
    out = io.StringIO()

    code = main(["report", str(gate.path), "--json"], out, io.StringIO())

    assert (code, json.loads(out.getvalue())["ruling"]) == (2, "refused")


def test_a_start_without_a_number_says_why(gate: GateFolder) -> None:
    """What is missing is told, and counts as nothing."""
    gate.start(1, Side.BASELINE, target())
    gate.start(2, Side.CANDIDATE, target(), ready_s=None)

    result = judge_gate(gate.path)

    assert "time to ready: no number in 1 of 2 starts: the server was not started here" in (
        result.doubts
    )
