"""What do all findings of a gate come to, and in which words?

The worst finding decides:

    REFUSED         nothing can be said: the sides are not comparable, were not what was pinned,
                    or an instrument cannot tell
    FAIL            a promise was lost and the loss found again, answers got worse, or a gated
                    metric is worse than its margin, and was so again in a fresh block
    INCONCLUSIVE    a fail that was not confirmed; a check, the answers or a metric that cannot
                    tell; a gate without its suite, without pairs, or stopped before its end
    PASS            none of these
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.gate.change import change
from harness.gate.result import WORST_FIRST, Ruling
from harness.gate.standing import standing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.gate.record import GateRecord
    from harness.gate.result import Answers, CheckRow, Difference, Measured

__all__ = ["Found", "Reason", "conclude", "headline"]


@dataclass(frozen=True, slots=True)
class Reason:
    """One finding that speaks against a pass."""

    ruling: Ruling
    said: str
    short: str = ""
    """The same for a headline; empty where it is short enough as it is."""


@dataclass(frozen=True, slots=True)
class Found:
    """All that was found."""

    record: GateRecord
    checks: Sequence[CheckRow]
    metrics: Sequence[Measured]
    answers: Answers | None
    differences: Sequence[Difference] = ()
    wrong: Sequence[str] = ()
    """What was loaded and not pinned."""
    missing: Sequence[str] = ()
    """What the suites lack: a side that was not asked, or not to the end."""
    pairs: int = 0


def conclude(found: Found) -> tuple[Ruling, tuple[Reason, ...]]:
    """The ruling, and everything that speaks against a pass, the worst first."""
    reasons = sorted(_reasons(found), key=lambda reason: WORST_FIRST.index(reason.ruling))
    return (reasons[0].ruling if reasons else Ruling.PASS), tuple(reasons)


def headline(found: Found, ruling: Ruling, reasons: Sequence[Reason]) -> str:
    """The verdict and why, in one line."""
    if not reasons:
        return f"Pass: {_praise(found)}"
    first, others = reasons[0], sum(reason.ruling is ruling for reason in reasons) - 1
    more = f" (and {others} more)" if others else ""
    return f"{ruling.value.capitalize()}: {first.short or first.said}{more}"


def _reasons(found: Found) -> Iterator[Reason]:
    record = found.record
    if record.refused:
        yield Reason(Ruling.REFUSED, record.refused)
    for said in found.wrong:
        if said not in record.refused:
            yield Reason(Ruling.REFUSED, said)
    for each in found.differences:
        if not (each.under_test or each.allowed or record.refused):
            both = f"{each.baseline} at the baseline, {each.candidate} at the candidate"
            yield Reason(Ruling.REFUSED, f"not comparable: {each.what} is {both}")
    for row in found.checks:
        if row.ruling is not Ruling.PASS:
            yield Reason(row.ruling, f"{row.check} in {row.part}: {row.why}")
    if found.answers is not None and found.answers.ruling is not Ruling.PASS:
        yield Reason(found.answers.ruling, f"answers: {found.answers.why}")
    yield from _of_metrics(found)
    yield from _of_the_gate_itself(found)


def _of_metrics(found: Found) -> Iterator[Reason]:
    for each in found.metrics:
        if not each.gated or each.ruling is Ruling.PASS:
            continue
        said = f"{each.title}: {each.why}"
        if each.first is Ruling.FAIL and each.ruling is Ruling.INCONCLUSIVE:
            # A fresh block that looked and did not find it is told otherwise than none.
            looked = each.confirmed is False
            how = "was not found again in a fresh block" if looked else "is not confirmed yet"
            yield Reason(Ruling.INCONCLUSIVE, said, f"{_point(each)}, which {how}")
        elif each.ruling is Ruling.FAIL:
            margin = "" if each.margin is None else f", and {100 * each.margin:.3g} % is accepted"
            yield Reason(Ruling.FAIL, said, f"{_point(each)}{margin}")
        elif each.ruling is Ruling.REFUSED or each.ratio is None:
            yield Reason(each.ruling or Ruling.INCONCLUSIVE, said)
        else:
            pairs = f"{each.n} pair{'s' * (each.n != 1)}"
            short = f"{each.title} is not decided after {pairs}"
            yield Reason(Ruling.INCONCLUSIVE, said, short)


def _point(metric: Measured) -> str:
    """`Decode rate, plain: 10.2 % worse`."""
    if metric.worse is None:
        return metric.title
    return f"{metric.title}: {change(metric.worse, metric.unit.better)}"


def _of_the_gate_itself(found: Found) -> Iterator[Reason]:
    record = found.record
    for said in found.missing:
        yield Reason(Ruling.INCONCLUSIVE, said)
    if record.stopped:
        yield Reason(Ruling.INCONCLUSIVE, f"it ended before its end: {record.stopped}")
    elif record.ended_at is None:
        yield Reason(Ruling.INCONCLUSIVE, "it has not come to its end")
    if not found.pairs:
        yield Reason(Ruling.INCONCLUSIVE, "no pair of starts was measured")


def _praise(found: Found) -> str:
    gated = [each for each in found.metrics if each.gated]
    margins = f"{len(gated)} of {len(gated)} gated metrics within their margins"
    over = f"over {found.pairs} pair{'s' * (found.pairs != 1)} of starts"
    return f"{margins} {over}, {standing(found.checks)}"
