"""What follows from a run of visits: a verdict for each promise, and the exit code.

A pure function of what is on disk, so that a result can be derived again from a folder at any time
and comes out the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from harness.capabilities import Capabilities, capabilities, unclaimed
from harness.checks import check_turn
from harness.checks.typed import plays, typed
from harness.judged import Judged, JudgedRun
from harness.played import play_back
from harness.verdict import Outcome, Verdict
from harness.visits.checks import PROMISES, Taken, check_step, clean
from harness.visits.plan import plan_visits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harness.played import PlayedTurn
    from harness.results import RunRecord
    from harness.trace import Trace, TurnLabel
    from harness.visits.scenario import Visits

__all__ = ["VisitsResult", "judge_visits"]


@dataclass(frozen=True, slots=True)
class VisitsResult(JudgedRun):
    """A run of visits, judged."""

    promises: ClassVar[Mapping[str, str]] = PROMISES

    record: RunRecord
    scenario: Visits
    can: Capabilities
    turns: tuple[PlayedTurn, ...]
    """What was asked for, in order."""
    steps: tuple[Taken, ...]
    """Every step that was taken, in order."""


def judge_visits(record: RunRecord, visits: Visits, traces: Sequence[Trace]) -> VisitsResult:
    """Everything that follows from a run."""
    promises = {promised.label: promised.promise for promised in record.promised}
    asked = [trace for trace in traces if trace.method != "LOOK"]
    turns = play_back(promises, asked)
    can = capabilities(record.target.runtime, [turn.reuse for turn in turns])
    steps = tuple(_steps(record, visits, traces, turns))
    leaving = [trace for trace in traces if trace.path == "#leave"]
    played = {trace.label for trace in traces}
    return VisitsResult(
        record=record,
        scenario=visits,
        can=can,
        turns=turns,
        steps=steps,
        judged=(
            *_judge_steps(steps, visits, can),
            *(Judged(clean(trace), trace.label, _about(trace.label)) for trace in leaving),
            *_judge_left_out(record, visits),
        ),
        unplayed=tuple(label for label in promises if label not in played),
    )


def _steps(
    record: RunRecord, visits: Visits, traces: Sequence[Trace], turns: Sequence[PlayedTurn]
) -> Iterator[Taken]:
    planned = plan_visits(visits, repeats=record.repeats, seed=record.seed, salt=record.salt)
    known = {step.label: step for visit in planned for step in visit.steps}
    asked = {turn.label: turn for turn in turns}
    last: dict[tuple[int, str], PlayedTurn] = {}
    for trace in traces:
        step = known.get(trace.label)
        if step is None:
            continue
        visit = (trace.label.repeat, trace.label.leg.partition(".")[0])
        turn = asked.get(trace.label)
        saw = next((a.detail for a in trace.actions if a.name == "saw"), {})
        yield Taken(step, trace, saw, turn, last.get(visit))
        if turn is not None:
            last[visit] = turn


def _judge_steps(steps: Sequence[Taken], visits: Visits, can: Capabilities) -> Iterator[Judged]:
    for taken in steps:
        label = taken.planned.label
        about = f"{_about(label)}, {taken.planned.step.do}"
        for verdict in check_step(taken, visits.limits):
            yield Judged(verdict, label, about)
        if taken.turn is None:
            continue
        # Of a turn that was stopped no whole reply is promised.
        check = typed if taken.planned.step.do == "stop" else check_turn
        for verdict in check(taken.turn, can):
            yield Judged(verdict, label, about)


def _judge_left_out(record: RunRecord, visits: Visits) -> Iterator[Judged]:
    why_not = record.driven.why_not if record.driven else ""
    for visit in visits.visit:
        if why_not:
            yield Judged(plays(f"the page was not visited: {why_not}"), None, visit.name)
        elif missing := unclaimed(visit.needs, record.target.runtime):
            message = f"not played, the target lacks {'; '.join(missing)}"
            yield Judged(Verdict("target.claims", Outcome.SKIP, message), None, visit.name)


def _about(label: TurnLabel) -> str:
    visit, _, looks = label.leg.partition(".")
    which = "look" if looks else "turn"
    return f"{visit} {which} {label.turn}, repeat {label.repeat}"
