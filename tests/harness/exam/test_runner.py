"""An exam is played as planned, kept turn by turn, and judged from what is on disk."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness.errors import TargetUnreachable, TraceError
from harness.exam.cases import CaseFile, parse_cases
from harness.exam.judge import ExamResult, judge_exam
from harness.exam.record import read_exam_run
from harness.exam.runner import ExamOrder, play_exam
from harness.exam.scenario import parse_exam
from harness.fingerprint import Fingerprint
from harness.kinds import derive, reports_of
from harness.rehearsal import Answer, RehearsalChat
from harness.results import RunFolder
from harness.target import Target
from harness.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness.client import TurnRequest
    from harness.judge import Result
    from harness.played import PlayedTurn
    from harness.results import RunRecord
    from harness.trace import TurnLabel

EXAM = """\
name = "some"
question = "does it add, and see?"
answer = "how often it is right"
warm_ups = 1
needs = ["dflash"]
cases.file = "some.jsonl"
settings.max_tokens = 20
[[leg]]
name = "plain"
about = "one token a step"
settings = { extra = { muse = { dflash = false } } }
[[leg]]
name = "dflash"
about = "drafted"
[[goal]]
leg = "plain"
of = "overall"
at_least = 0.5
[[goal]]
leg = "plain"
of = "pairs"
at_least = 0.9
[[goal]]
leg = "dflash"
of = "malformed"
at_most = 0
[[compare]]
name = "rate"
metric = "client.e2e_rate"
baseline = "plain"
candidate = "dflash"
at_least = 1.5
[[identical]]
legs = ["plain", "dflash"]
at_least = 0.9
"""
MACHINE = Fingerprint("Some 1", "arch", "Processor", 2, 2**30, "Python 3", {"httpx": "0"}, None)
TARGET = Target("url", "http://rehearsal")
PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAA"
    "AElFTkSuQmCC"
)


def _picture(half: str, colour: str, other: str) -> Mapping[str, Any]:
    parts = [
        {"type": "image_url", "image_url": {"url": PIXEL}},
        {"type": "text", "text": f"What colour is picture {half}?"},
    ]
    expect = {"contains": [colour], "excludes": [other]}
    messages = [{"role": "user", "content": parts}]
    return {
        "id": f"c{half}",
        "skill": "colours",
        "pair": "c",
        "messages": messages,
        "expect": expect,
    }


CASES = "".join(
    json.dumps(case) + "\n"
    for case in (
        *(
            {
                "id": f"sums-{n}",
                "skill": "sums",
                "strength": "high" if n % 2 else "low",
                "messages": [{"role": "user", "content": f"{n} + {n}?"}],
                "expect": {"contains": [str(2 * n)]},
            }
            for n in range(1, 7)
        ),
        _picture("a", "red", "blue"),
        _picture("b", "blue", "red"),
        {
            "id": "call-1",
            "skill": "calls",
            "messages": [{"role": "user", "content": "Book a room for 2 | <b>."}],
            "tools": [{"type": "function", "function": {"name": "book"}}],
            "expect": {"calls": [{"name": "book", "arguments": {"size": 2}}]},
        },
    )
)


class Model:
    """Adds right but for 4 + 4, takes every picture for a red one; twice as fast if drafted."""

    def __init__(self, **runtime: Any) -> None:  # noqa: ANN401 - JSON
        supports = {"reuseMetrics": True, "dflash": True}
        self.drafted = False
        self.chat = RehearsalChat(
            self.answer, runtime={"model": "Rehearsal", "supports": supports, **runtime}
        )
        self.chat.before_turn = self.look

    def look(self, request: TurnRequest) -> None:
        """Before each turn: is it drafted?"""
        self.drafted = request.body.get("muse") != {"dflash": False}
        self.chat.step_ms = 1.0 if self.drafted else 2.0

    def answer(self, messages: Sequence[Mapping[str, Any]]) -> Answer:
        """What is said."""
        content = messages[-1]["content"]
        rounds = {"dflash": "on", "dflash_rounds": 3, "dflash_accepted": 4}
        rows = {"dflash_attempts_by_row": [3, 2, 2], "dflash_accepts_by_row": [2, 1, 1]}
        told: dict[str, Any] = {**rounds, **rows} if self.drafted else {"dflash": "off"}
        if isinstance(content, list):
            return Answer("It is red, as far as I can see.", "Let me look.", metrics=told)
        if content.startswith("Book"):
            calls = (("book", '{"size": 2}'),)
            return Answer("", "A room is due.", calls, metrics=told)
        number = int(content.split()[0])
        said = 9 if number == 4 else 2 * number
        words = "That is" if self.drafted and number == 5 else "It is"
        broken = {"malformed": 1} if self.drafted and number == 6 else {"malformed": 0}
        return Answer(f"{words} {said}, I think.", "I add both numbers.", metrics=told | broken)


class Counter:
    """A progress that only counts, and keeps what was noted last."""

    def __init__(self) -> None:
        self.planned = self.begun = self.ended = 0
        self.notes: list[str] = []
        self.wrong = ""

    def started(self, record: RunRecord, turns: int) -> None:
        """Note how many."""
        self.planned = turns

    def turn_started(self, label: TurnLabel) -> None:
        """Count it."""
        self.begun += 1

    def turn_ended(self, turn: PlayedTurn) -> None:
        """Count it."""
        self.ended += 1

    def noted(self, said: str, wrong: str = "") -> None:
        """Keep it."""
        self.notes.append(said)
        self.wrong = wrong or self.wrong

    def repeat_ended(self, result: Result) -> None:
        """Never told of an exam."""


def run(model: Model, path: Path, progress: Counter | None = None, **asked: int) -> ExamResult:
    """Play the exam against a rehearsed target."""
    exam = parse_exam(EXAM, Path("some.toml"))
    file = CaseFile(Path("some.jsonl"), CASES, parse_cases(CASES, Path("some.jsonl")))
    order = ExamOrder(exam, EXAM, file, "salt", MACHINE, **asked)
    folder = RunFolder.create(path)
    chat = model.chat
    seen = progress or Counter()
    return asyncio.run(play_exam(order, TARGET, chat, folder, clock=chat.clock, progress=seen))


def outcomes(result: ExamResult) -> dict[str, Outcome]:
    """What came of each goal."""
    return {judged.about: judged.verdict.outcome for judged in result.judged}


def test_every_goal_is_judged_from_what_was_said(tmp_path: Path) -> None:
    """One wrong sum passes, blindness and a broken turn do not; drafts are faster."""
    result = run(Model(), tmp_path)

    assert outcomes(result) == {
        "plain, all groups": Outcome.PASS,
        "plain, pairs of colours": Outcome.FAIL,
        "dflash, malformed": Outcome.FAIL,
        "dflash against plain": Outcome.FAIL,
        "rate": Outcome.PASS,
    }
    assert (result.outcome, result.exit_code) == (Outcome.FAIL, 1)
    tally = result.tally("plain")
    assert tally is not None
    assert (tally.rate.right, tally.rate.n, tally.pairs.right, tally.pairs.n) == (7, 9, 0, 1)
    assert [turn.case.id for turn in tally.failing] == ["sums-4", "cb"]


def test_a_comparison_is_how_many_times_better_paired_by_case(tmp_path: Path) -> None:
    """More tokens a second are better, so the candidate stands above."""
    (rate,) = run(Model(), tmp_path).compared

    assert rate.found.n == 9
    assert rate.found.ratio is not None
    assert 1.5 < rate.found.ratio < 2.0


def test_turns_come_in_order_and_each_is_on_disk_when_it_ended(tmp_path: Path) -> None:
    """Warm-ups first; they are in no figure."""
    model, progress = Model(), Counter()

    result = run(model, tmp_path, progress)

    sent = [(r.label.leg, r.label.turn, r.label.repeat) for r in model.chat.requests]
    assert sent[:6] == [
        ("plain", 1, 0),
        ("dflash", 1, 0),
        ("plain", 1, 1),
        ("dflash", 1, 1),
        ("dflash", 2, 1),
        ("plain", 2, 1),
    ]
    assert (progress.planned, progress.begun, progress.ended) == (20, 20, 20)
    assert len(result.turns) == 18
    assert progress.notes[0] == ""  # warm-ups are on the way, and not in the score
    assert progress.notes[-1] == "plain 7 of 9 right, dflash 7 of 9 right, 1 broken"
    assert progress.wrong == "cb: does not say 'blue'; says 'red'"
    assert (tmp_path / "trace.jsonl").read_text().count("\n") == 20
    assert all("x-executorch-session-id" not in r.headers for r in model.chat.requests)


def test_the_same_result_is_derived_again_from_the_folder(tmp_path: Path) -> None:
    """Byte for byte, without the file that the cases came from."""
    result = run(Model(), tmp_path)

    again = derive(tmp_path)

    assert isinstance(again, ExamResult)
    assert again.judged == result.judged
    for name, text in reports_of(again).items():
        assert (tmp_path / name).read_text(encoding="utf-8") == text


@pytest.mark.parametrize("name", ["scenario.toml", "cases.jsonl"])
def test_what_was_changed_since_is_not_what_was_run(tmp_path: Path, name: str) -> None:
    """The hashes in the record say so."""
    run(Model(), tmp_path)
    with (tmp_path / name).open("a", encoding="utf-8") as file:
        file.write("\n")

    with pytest.raises(TraceError, match=rf"{name}: is not what was run"):
        read_exam_run(tmp_path)


@pytest.mark.parametrize(
    ("runtime", "why"),
    [
        ({"supports": {"dflash": False}}, "/api/runtime says supports.dflash is false"),
        ({"supports": {}}, "/api/runtime does not claim it"),
    ],
)
def test_a_target_that_lacks_what_is_needed_is_not_played(
    tmp_path: Path, runtime: dict[str, Any], why: str
) -> None:
    """It could not be told, and why."""
    model = Model(**runtime)

    result = run(model, tmp_path)

    assert model.chat.requests == []
    assert (result.outcome, result.exit_code) == (Outcome.INCONCLUSIVE, 3)
    assert [judged.verdict.message for judged in result.judged] == [
        f"the target lacks dflash: {why}; nothing was played"
    ]
    assert "Could not tell" in (tmp_path / "report.html").read_text()


def test_a_target_that_dies_leaves_what_was_played(tmp_path: Path) -> None:
    """The rest is missing, so nothing passes."""
    model = Model()

    def die(request: TurnRequest) -> None:
        model.look(request)
        model.chat.alive = len(model.chat.requests) < 7

    model.chat.before_turn = die

    with pytest.raises(TargetUnreachable):
        run(model, tmp_path)

    result = derive(tmp_path)
    assert isinstance(result, ExamResult)
    assert (len(result.turns), len(result.unplayed)) == (6, 12)
    assert result.record.stopped.startswith("the target is gone")
    assert outcomes(result)["plain, all groups"] is Outcome.INCONCLUSIVE
    assert outcomes(result)["rate"] is Outcome.INCONCLUSIVE


def test_a_smoke_test_asks_the_first_of_each_group_and_says_so(tmp_path: Path) -> None:
    """How much was asked is part of the record, and so of the result."""
    result = run(Model(), tmp_path, first=1)

    assert [t.case.id for t in result.turns if t.label.leg == "plain"] == [
        "sums-1",
        "ca",
        "cb",
        "call-1",
    ]
    assert result.record.cases is not None
    assert result.record.cases.first == 1
    assert "Only the first 1 of each group were asked." in (tmp_path / "report.md").read_text()


def test_a_pair_without_a_value_is_not_counted_as_measured_late(tmp_path: Path) -> None:
    """Of the pairs that make the ratio some were late; the others are told as missing."""
    run(Model(), tmp_path)
    record, exam, cases, traces = read_exam_run(tmp_path)
    (asked,) = exam.compare
    silent = replace(exam, compare=(replace(asked, metric="server.decode_rate"),))

    late = [replace(trace, lag_ns=10**9) for trace in traces]
    (found,) = judge_exam(record, silent, cases, late).compared

    assert [doubt.message for doubt in found.found.doubts] == [
        "9 of 9 turns had no value",
        "0 pairs; 5 make an interval to trust",
    ]
