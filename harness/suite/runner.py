"""How is a suite played against a target, from the first request to the reports?

    meet the target → does it claim what the suite needs → each turn of the plan: send, record →
    keep what is known, derive the reports

Every turn is on disk when it has ended; whatever stops a run leaves a folder from which
`record.read_suite_run` reads what there is.  Turns are sent one after the other, without a session:
no case may gain from another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from harness.client import TurnRequest
from harness.report import render_suite_reports
from harness.results import CasesRun, RunRecord
from harness.runner import see, why_stopped
from harness.scenario import digest
from harness.suite.judge import judge_suite, lacking
from harness.suite.marking import mark
from harness.suite.plan import body_of, plan_suite
from harness.suite.record import read_suite_run
from harness.target import meet, runtime_facts

if TYPE_CHECKING:
    from harness.clock import Clock
    from harness.fingerprint import Fingerprint
    from harness.results import RunFolder
    from harness.runner import Chat
    from harness.suite.cases import CaseFile
    from harness.suite.judge import SuiteResult
    from harness.suite.marking import MarkedTurn
    from harness.suite.plan import PlannedCase
    from harness.suite.scenario import Suite
    from harness.target import Target

__all__ = ["SuiteOrder", "SuiteProgress", "play_suite", "rederive_suite"]


class SuiteProgress(Protocol):
    """Who is told while a suite is played; told nothing inside a turn."""

    def suite_started(self, record: RunRecord, turns: int) -> None:
        """The target was met; so many turns will be played."""
        ...

    def case_ended(self, turn: MarkedTurn) -> None:
        """A turn has ended and is on disk."""
        ...


@dataclass(frozen=True, slots=True)
class SuiteOrder:
    """What is to be run."""

    suite: Suite
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


async def play_suite(
    order: SuiteOrder,
    target: Target,
    chat: Chat,
    folder: RunFolder,
    *,
    clock: Clock,
    progress: SuiteProgress,
) -> SuiteResult:
    """Play every turn; the result, which is on disk too.

    Raises:
        TargetError: the target cannot be met, or died; what was played before is on disk.
    """
    suite, cases = order.suite, order.cases.cases
    planned = plan_suite(suite, cases, repeat=order.repeat, first=order.first)
    record = RunRecord(
        scenario=suite.name,
        scenario_sha256=digest(order.text),
        repeats=max(order.repeat or leg.repeat for leg in suite.leg),
        seed=suite.seed,
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
    if lacking(suite, record.target.runtime):
        planned = ()
    progress.suite_started(record, len(planned))
    try:
        for each in planned:
            await _play(each, record, chat, folder, progress)
        if record.target.runtime is not None:
            after = await runtime_facts(chat.get_json)
            record = replace(record, target=replace(record.target, runtime_after=after))
    except BaseException as problem:
        record = replace(record, stopped=why_stopped(problem))
        raise
    finally:
        folder.keep_record(replace(record, ended_at=clock.wall_iso()))
    return rederive_suite(folder)


def rederive_suite(folder: RunFolder) -> SuiteResult:
    """Judge what is on disk, and keep the reports of it beside it."""
    result = judge_suite(*read_suite_run(folder.path))
    folder.keep_reports(render_suite_reports(result))
    return result


async def _play(
    planned: PlannedCase,
    record: RunRecord,
    chat: Chat,
    folder: RunFolder,
    progress: SuiteProgress,
) -> None:
    label = planned.label
    trace = await chat.turn(
        TurnRequest(
            label=label,
            body=body_of(planned, record.target.model),
            trace_id=f"{record.salt}-r{label.repeat}-{label.leg}-c{label.turn}",
        )
    )
    folder.append(trace)
    turn = mark(planned.case, trace)
    progress.case_ended(turn)
    if not turn.turn.answered:  # was it the turn, or is the target gone?
        await meet(chat.get_json, record.target.url)
