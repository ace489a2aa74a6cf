"""How is an exam played against a target, from the first request to the reports?

    meet the target → does it claim what the exam needs → each turn of the plan: send, record →
    keep what is known, derive the reports

Every turn is on disk when it has ended; whatever stops a run leaves a folder from which
`record.read_exam_run` reads what there is.  Turns are sent one after the other, without a session:
no case may gain from another.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from harness.client import TurnRequest
from harness.exam.judge import judge_exam, lacking
from harness.exam.marking import mark
from harness.exam.plan import body_of, plan_exam
from harness.exam.record import read_exam_run
from harness.report import render_exam_reports
from harness.results import CasesRun, RunRecord
from harness.runner import Progress, see, why_stopped
from harness.scenario import digest
from harness.target import meet, runtime_facts

if TYPE_CHECKING:
    from harness.clock import Clock
    from harness.exam.cases import CaseFile
    from harness.exam.judge import ExamResult
    from harness.exam.marking import MarkedTurn
    from harness.exam.plan import PlannedCase
    from harness.exam.scenario import Exam
    from harness.fingerprint import Fingerprint
    from harness.results import RunFolder
    from harness.runner import Chat
    from harness.target import Target

__all__ = ["ExamOrder", "ExamProgress", "play_exam", "rederive_exam"]


class ExamProgress(Progress, Protocol):
    """Who is told while an exam is played; told nothing inside a turn."""

    def noted(self, said: str, wrong: str = "") -> None:
        """How it goes so far, in a phrase, and what was wrong with the last turn, if anything."""
        ...


class _Tally:
    """How many answers of each leg were right so far."""

    def __init__(self) -> None:
        self._played: Counter[str] = Counter()
        self._right: Counter[str] = Counter()
        self._broken = 0

    def add(self, turn: MarkedTurn) -> None:
        if turn.label.repeat == 0:  # a warm-up, in no figure
            return
        self._played[turn.label.leg] += 1
        self._right[turn.label.leg] += turn.right
        self._broken += bool(turn.broken)

    def __str__(self) -> str:
        told = [f"{leg} {self._right[leg]} of {n} right" for leg, n in self._played.items()]
        return ", ".join([*told, f"{self._broken} broken"] if self._broken else told)


@dataclass(frozen=True, slots=True)
class ExamOrder:
    """What is to be run."""

    exam: Exam
    text: str
    """The scenario file, as it is."""
    cases: CaseFile
    salt: str
    """Makes the ids of this run's turns its own."""
    fingerprint: Fingerprint
    repeat: int | None = None
    """Every case so often, whatever the legs say."""
    first: int | None = None
    """So many cases of each group, whatever the legs say."""


async def play_exam(
    order: ExamOrder,
    target: Target,
    chat: Chat,
    folder: RunFolder,
    *,
    clock: Clock,
    progress: ExamProgress,
) -> ExamResult:
    """Play every turn; the result, which is on disk too.

    Raises:
        TargetError: the target cannot be met, or died; what was played before is on disk.
    """
    exam, cases = order.exam, order.cases.cases
    planned = plan_exam(exam, cases, repeat=order.repeat, first=order.first)
    record = RunRecord(
        scenario=exam.name,
        scenario_sha256=digest(order.text),
        repeats=max(order.repeat or leg.repeat for leg in exam.leg),
        seed=exam.seed,
        salt=order.salt,
        started_at=clock.wall_iso(),
        fingerprint=order.fingerprint,
        target=await see(target, chat),
        promised=(),
        cases=CasesRun(order.cases.path.name, order.cases.sha256, order.repeat, order.first),
    )
    folder.keep_scenario(order.text)
    folder.keep_cases(order.cases.text)
    folder.keep_record(record)
    if lacking(exam, record.target.runtime):
        planned = ()
    tally = _Tally()
    progress.started(record, len(planned))
    try:
        for each in planned:
            await _play(each, record, chat, folder, progress, tally)
        if record.target.runtime is not None:
            after = await runtime_facts(chat.get_json)
            record = replace(record, target=replace(record.target, runtime_after=after))
    except BaseException as problem:
        record = replace(record, stopped=why_stopped(problem))
        raise
    finally:
        folder.keep_record(replace(record, ended_at=clock.wall_iso()))
    return rederive_exam(folder)


def rederive_exam(folder: RunFolder) -> ExamResult:
    """Judge what is on disk, and keep the reports of it beside it."""
    result = judge_exam(*read_exam_run(folder.path))
    folder.keep_reports(render_exam_reports(result))
    return result


async def _play(
    planned: PlannedCase,
    record: RunRecord,
    chat: Chat,
    folder: RunFolder,
    progress: ExamProgress,
    tally: _Tally,
) -> None:
    label = planned.label
    progress.turn_started(label)
    trace = await chat.turn(
        TurnRequest(
            label=label,
            body=body_of(planned, record.target.model),
            trace_id=f"{record.salt}-r{label.repeat}-{label.leg}-c{label.turn}",
        )
    )
    folder.append(trace)
    turn = mark(planned.case, trace)
    tally.add(turn)
    progress.noted(str(tally), "" if turn.right else f"{turn.case.id}: {'; '.join(turn.wrong)}")
    progress.turn_ended(turn.turn)
    if not turn.turn.answered:  # was it the turn, or is the target gone?
        await meet(chat.get_json, record.target.url, record.target.model)
