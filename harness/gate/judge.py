"""What does a gate come to?  A pure function of what is on disk.

The starts give numbers, which are paired and ruled on; the suites, and the runs of the starts,
give checks; `ruling` makes one verdict of all of it.  A gate that is under way, or was stopped, is
judged by what there is of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.gate.answers import compare_answers
from harness.gate.checks import Sides, check_rows
from harness.gate.differences import differences, not_as_pinned
from harness.gate.doubts import doubts
from harness.gate.extract import read_start
from harness.gate.false_discovery import with_q
from harness.gate.measured import judge_metric
from harness.gate.record import Side, is_gate, read_gate, read_starts
from harness.gate.result import GateResult
from harness.gate.ruling import Found, conclude, headline
from harness.gate.sequence import Design
from harness.gate.tally import Looked, of_starts, of_suite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from harness.gate.extract import StartSeen
    from harness.gate.policy import Policy
    from harness.gate.record import GateRecord, StartRecord
    from harness.gate.result import CheckRow, Difference, Measured

    MetricsOf = Callable[[GateRecord, Policy, Sequence[StartSeen]], tuple[Measured, ...]]

__all__ = ["is_gate", "judge_gate", "measured"]


def judge_gate(folder: Path, metrics_of: MetricsOf | None = None) -> GateResult:
    """Everything that follows from a gate; `metrics_of` makes the metrics in place of `measured`.

    Raises:
        TraceError: its record, a start's or a suite's is missing or cannot be read.
        ScenarioError: what was kept is nothing that this version can read.
    """
    record, policy = read_gate(folder)
    starts = read_starts(folder)
    seen = [read_start(folder, start, policy) for start in starts if start.ended_at is not None]
    whole = [each for each in seen if each.start.whole]
    apart = differences(record, starts)
    checks, missing = _checks(folder, record, policy, seen, apart)
    metrics = (metrics_of or measured)(record, policy, whole)
    found = Found(
        record=record,
        checks=checks,
        metrics=metrics,
        answers=compare_answers(record, policy, whole),
        differences=apart,
        wrong=not_as_pinned(record, starts),
        missing=missing,
        pairs=_pairs(whole, confirms=False),
    )
    ruling, reasons = conclude(found)
    return GateResult(
        record=record,
        question=policy.question,
        ruling=ruling,
        headline=headline(found, ruling, reasons),
        reasons=tuple(reason.said for reason in reasons),
        baseline=record.baseline,
        candidate=record.candidate,
        differences=apart,
        metrics=metrics,
        checks=checks,
        answers=found.answers,
        anchors=tuple(_anchors(starts)),
        started={start.index: start.started_at for start in starts},
        pairs=found.pairs,
        confirming=_pairs(whole, confirms=True),
        doubts=doubts(found, starts, whole),
    )


def measured(
    record: GateRecord, policy: Policy, whole: Sequence[StartSeen]
) -> tuple[Measured, ...]:
    """Every metric of the policy over all starts that have a number of it, the gated first."""
    design = Design.of(policy, record.pairs)
    return with_q(
        [
            judge_metric(
                metric,
                metric.unit,
                [each.values[metric.name] for each in whole if metric.name in each.values],
                design,
            )
            for metric in sorted(policy.metric, key=lambda metric: not metric.gated)
        ]
    )


def _checks(
    folder: Path,
    record: GateRecord,
    policy: Policy,
    starts: Sequence[StartSeen],
    apart: Sequence[Difference],
) -> tuple[tuple[CheckRow, ...], tuple[str, ...]]:
    """Every check on both sides, and what is missing of the suites."""
    baseline, candidate = of_suite(folder, Side.BASELINE), of_suite(folder, Side.CANDIDATE)
    asked = frozenset(each.what for each in apart if each.under_test)
    none = Looked({}, whole=False)
    suites = Sides(
        baseline or none,
        candidate or none,
        of_suite(folder, Side.CANDIDATE, again=True),
        of_suite(folder, Side.BASELINE, again=True),
        asked,
    )
    sides = Sides(
        of_starts(starts, policy.scenarios, Side.BASELINE),
        of_starts(starts, policy.scenarios, Side.CANDIDATE),
        asked=asked,
    )
    missing = _missing(record, baseline, candidate)
    return check_rows(suites, sides), tuple(missing)


def _missing(
    record: GateRecord, baseline: Looked | None, candidate: Looked | None
) -> Iterator[str]:
    if not record.suite:
        yield "the acceptance suite was left out, so that little correctness was looked at"
        return
    for side, looked in zip(Side, (baseline, candidate), strict=True):
        if looked is None:
            yield f"the acceptance suite was not played at the {side.value}"
        elif not looked.whole:
            yield f"the acceptance suite of the {side.value} did not come to its end"


def _pairs(whole: Sequence[StartSeen], *, confirms: bool) -> int:
    """How many pairs have both of their starts."""
    sides = [
        {
            each.start.pair
            for each in whole
            if each.start.side is side and each.start.confirms is confirms
        }
        for side in Side
    ]
    return len(sides[0] & sides[1])


def _anchors(starts: Sequence[StartRecord]) -> Iterator[tuple[int, float]]:
    for start in starts:
        if start.anchor_before_s is not None:
            yield start.index, start.anchor_before_s
        if start.anchor_after_s is not None:
            yield start.index + 1, start.anchor_after_s
