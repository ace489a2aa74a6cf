"""What does a gate come to?  A pure function of what is on disk.

The starts give numbers, which are paired and ruled on; the suites, and the runs of the starts,
give checks; `ruling` makes one verdict of all of it.  A gate that is under way, or was stopped, is
judged by what there is of it.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Protocol

from harness.gate.checks import Sides, check_rows
from harness.gate.differences import differences, not_as_pinned
from harness.gate.doubts import doubts
from harness.gate.record import Side, is_gate, read_gate, read_starts
from harness.gate.result import GateResult
from harness.gate.ruling import Found, conclude, headline
from harness.gate.tally import Looked, of_starts, of_suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from harness.gate.policy import Policy
    from harness.gate.record import GateRecord, StartRecord
    from harness.gate.result import Answers, CheckRow, Difference, Measured

__all__ = ["Figures", "is_gate", "judge_gate"]


class Figures(Protocol):
    """Where the numbers and the answers of the measured starts come from."""

    def metrics(
        self, folder: Path, starts: Sequence[StartRecord], record: GateRecord, policy: Policy
    ) -> tuple[Measured, ...]:
        """Every metric of the policy, over all starts that were played to their end."""
        ...

    def answers(
        self, folder: Path, starts: Sequence[StartRecord], policy: Policy
    ) -> Answers | None:
        """Both sides' answers to the same prompts; None where there is nothing to compare."""
        ...


def judge_gate(folder: Path, figures: Figures | None = None) -> GateResult:
    """Everything that follows from a gate.

    Raises:
        TraceError: its record, a start's or a suite's is missing or cannot be read.
        ScenarioError: what was kept is nothing that this version can read.
    """
    record, policy = read_gate(folder)
    starts = read_starts(folder)
    whole = [start for start in starts if start.whole]
    apart = differences(record, starts)
    checks, missing = _checks(folder, record, policy, starts, apart)
    metrics = figures.metrics(folder, whole, record, policy) if figures else ()
    found = Found(
        record=record,
        checks=checks,
        metrics=metrics,
        answers=figures.answers(folder, whole, policy) if figures else None,
        differences=apart,
        wrong=not_as_pinned(record, starts),
        missing=(*missing, *_unmeasured(policy, metrics)),
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
        metrics=tuple(sorted(metrics, key=lambda each: not each.gated)),
        checks=checks,
        answers=found.answers,
        anchors=tuple(_anchors(starts)),
        started={start.index: start.started_at for start in starts},
        pairs=found.pairs,
        confirming=_pairs(whole, confirms=True),
        doubts=doubts(found, starts),
    )


def _checks(
    folder: Path,
    record: GateRecord,
    policy: Policy,
    starts: Sequence[StartRecord],
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
    of_side = functools.partial(of_starts, folder, starts, policy.scenarios)
    measured = Sides(of_side(Side.BASELINE), of_side(Side.CANDIDATE), asked=asked)
    missing = _missing(record, baseline, candidate)
    return check_rows(suites, measured), tuple(missing)


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


def _unmeasured(policy: Policy, metrics: Sequence[Measured]) -> Iterator[str]:
    """Every metric of the policy is ruled on, or said not to be."""
    ruled = {each.name for each in metrics if each.ruling is not None}
    for metric in policy.metric:
        if metric.gated and metric.name not in ruled:
            yield f"{metric.title}: it was not measured"


def _pairs(whole: Sequence[StartRecord], *, confirms: bool) -> int:
    """How many pairs have both of their starts."""
    sides = [
        {start.pair for start in whole if start.side is side and start.confirms is confirms}
        for side in Side
    ]
    return len(sides[0] & sides[1])


def _anchors(starts: Sequence[StartRecord]) -> Iterator[tuple[int, float]]:
    for start in starts:
        if start.anchor_before_s is not None:
            yield start.index, start.anchor_before_s
        if start.anchor_after_s is not None:
            yield start.index + 1, start.anchor_after_s
