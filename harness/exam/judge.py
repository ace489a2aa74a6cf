"""What follows from a run of an exam: shares, verdicts, comparisons, and the exit code.

A pure function of what `record.read_exam_run` reads, so that a result can be derived again from a
folder at any time and comes out the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from harness.capabilities import unclaimed
from harness.checks.speedup import reaches
from harness.dirty import is_dirty
from harness.exam.goals import GOALS, judge_goal, judge_identity
from harness.exam.identity import identity
from harness.exam.marking import mark_all
from harness.exam.plan import plan_exam
from harness.exam.rates import tallies
from harness.judge import CONFIDENCE
from harness.judged import Judged, JudgedRun
from harness.metrics import METRICS
from harness.stats import compare_paired
from harness.units import Better, format_value
from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from harness.exam.cases import Case
    from harness.exam.identity import Identity
    from harness.exam.marking import MarkedTurn
    from harness.exam.rates import Tally
    from harness.exam.scenario import Exam, Ratio
    from harness.results import RunRecord
    from harness.stats import Comparison
    from harness.trace import Trace, TurnLabel
    from harness.verdict import Evidence

__all__ = ["ComparedLegs", "ExamResult", "judge_exam", "lacking", "values_of"]

LEAST = 3
"""Cases that the verdict of a comparison names."""


@dataclass(frozen=True, slots=True)
class ComparedLegs:
    """One comparison of the exam."""

    asked: Ratio
    found: Comparison


@dataclass(frozen=True, slots=True)
class ExamResult(JudgedRun):
    """A run of an exam, judged."""

    promises: ClassVar[Mapping[str, str]] = GOALS

    record: RunRecord
    scenario: Exam
    groups: tuple[str, ...]
    """Of the cases that were planned, in the order of the file."""
    turns: tuple[MarkedTurn, ...]
    """In the order they were sent; warm-ups are not among them."""
    tallies: tuple[Tally, ...]
    compared: tuple[ComparedLegs, ...]
    identities: tuple[Identity, ...]

    def tally(self, leg: str, group: str = "") -> Tally | None:
        """Of a leg in a group; None where it was asked nothing of it."""
        found = (t for t in self.tallies if (t.leg, t.group) == (leg, group))
        return next(found, None)

    def of(self, leg: str, group: str = "") -> tuple[MarkedTurn, ...]:
        """The turns of a leg in a group, or in all."""
        own = (turn for turn in self.turns if turn.label.leg == leg)
        return tuple(turn for turn in own if group in {"", turn.case.skill})


def judge_exam(
    record: RunRecord, exam: Exam, cases: Sequence[Case], traces: Sequence[Trace]
) -> ExamResult:
    """Everything that follows from a run."""
    assert record.cases is not None
    planned = plan_exam(exam, cases, repeat=record.cases.repeat, first=record.cases.first)
    asked = [each.label for each in planned if each.label.repeat >= 1]
    turns = tuple(t for t in mark_all(cases, traces) if t.label.repeat >= 1)
    played = {turn.label for turn in turns}
    missing = lacking(exam, record.target.runtime)
    unplayed = () if missing else tuple(label for label in asked if label not in played)
    groups = tuple(dict.fromkeys(case.skill for case in cases))
    compared = tuple(ComparedLegs(a, _compare(a, turns, exam.seed)) for a in exam.compare)
    identities = tuple(identity(each, turns, CONFIDENCE) for each in exam.identical)
    judged = (
        tuple(_judge_claims(missing))
        if missing
        else (
            *_judge_goals(exam, turns, groups, unplayed),
            *_judge_identities(identities, unplayed),
            *_judge_comparisons(compared, turns, unplayed),
        )
    )
    return ExamResult(
        record=record,
        scenario=exam,
        groups=groups,
        turns=turns,
        tallies=tallies(turns, [leg.name for leg in exam.leg], groups, CONFIDENCE),
        compared=compared,
        identities=identities,
        judged=judged,
        unplayed=unplayed,
    )


def lacking(exam: Exam, runtime: Mapping[str, Any] | None) -> tuple[str, ...]:
    """What the exam needs and the target does not claim, each with how that is known."""
    return unclaimed(exam.needs, runtime)


def values_of(turns: Iterable[MarkedTurn], metric: str) -> tuple[float, ...]:
    """The values these turns have of a metric; those without one are left out."""
    found = (turn.turn.measurements[metric].value for turn in turns)
    return tuple(value for value in found if value is not None)


def _judge_claims(missing: Sequence[str]) -> Iterator[Judged]:
    for each in missing:
        need = each.partition(":")[0]
        message = f"the target lacks {each}; nothing was played"
        yield Judged(Verdict("target.claims", Outcome.SKIP, message), None, need)


def _judge_goals(
    exam: Exam,
    turns: Sequence[MarkedTurn],
    groups: Sequence[str],
    unplayed: Sequence[TurnLabel],
) -> Iterator[Judged]:
    for goal in exam.goal:
        missing = sum(label.leg == goal.leg for label in unplayed)
        for about, verdict in judge_goal(goal, turns, groups, missing, CONFIDENCE):
            yield Judged(verdict, None, about)


def _judge_identities(
    identities: Sequence[Identity], unplayed: Sequence[TurnLabel]
) -> Iterator[Judged]:
    for found in identities:
        missing = sum(label.leg in found.asked.legs for label in unplayed)
        about, verdict = judge_identity(found, missing)
        yield Judged(verdict, None, about)


def _judge_comparisons(
    compared: Sequence[ComparedLegs], turns: Sequence[MarkedTurn], unplayed: Sequence[TurnLabel]
) -> Iterator[Judged]:
    for each in compared:
        asked = each.asked
        if asked.at_least is None:
            continue
        legs = {asked.baseline, asked.candidate}
        missing = sum(label.leg in legs for label in unplayed)
        traces = [turn.turn.seen.trace for turn in turns if turn.label.leg in legs]
        verdict = reaches(asked.at_least, each.found, traces, _least(asked, turns))
        if missing:
            message = f"{missing} turns were not played; {verdict.message}"
            verdict = Verdict(verdict.check, Outcome.INCONCLUSIVE, message, verdict.evidence)
        yield Judged(verdict, None, asked.name)


def _pairs(asked: Ratio, turns: Sequence[MarkedTurn]) -> list[tuple[MarkedTurn, MarkedTurn]]:
    """The turns of one case each: of the baseline, of the candidate."""
    sides: dict[tuple[int, int], dict[str, MarkedTurn]] = {}
    for turn in turns:
        if turn.label.leg in {asked.baseline, asked.candidate}:
            sides.setdefault((turn.label.repeat, turn.label.turn), {})[turn.label.leg] = turn
    return [(s[asked.baseline], s[asked.candidate]) for s in sides.values() if len(s) == 2]


def _least(asked: Ratio, turns: Sequence[MarkedTurn]) -> tuple[Evidence, ...]:
    """Both turns of the cases on which the candidate won the least."""
    metric = METRICS[asked.metric]
    found = []
    for place, pair in enumerate(_pairs(asked, turns)):
        one, other = (turn.turn.measurements[asked.metric].value for turn in pair)
        if one and other:
            won = other / one if metric.better is Better.HIGHER else one / other
            both = " against ".join(format_value(value, metric.unit) for value in (other, one))
            found.append((won, place, pair, f"{pair[0].case.id}: {won:.2f} times, {both}"))
    return tuple(
        each
        for _, _, pair, said in sorted(found, key=lambda one: one[:2])[:LEAST]
        for turn in pair
        for each in turn.turn.evidence(excerpt=said)
    )


def _compare(asked: Ratio, turns: Sequence[MarkedTurn], seed: int) -> Comparison:
    """How many times better the candidate is, by cases of which both turns have a value."""
    pairs = _pairs(asked, turns)
    numbers = [tuple(t.turn.measurements[asked.metric].value for t in pair) for pair in pairs]
    whole = [(a, b) for a, b in numbers if a and b]
    told = [pair for pair, (a, b) in zip(pairs, numbers, strict=True) if a and b]
    more = METRICS[asked.metric].better is Better.HIGHER
    return compare_paired(
        [b if more else a for a, b in whole],
        [a if more else b for a, b in whole],
        seed,
        confidence=CONFIDENCE,
        dirty=sum(any(is_dirty(t.turn.seen.trace) for t in pair) for pair in told),
        missing=len(pairs) - len(whole),
    )
