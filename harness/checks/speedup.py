"""Does a comparison reach what the scenario asks of it?

    PASS          the interval of the ratio lies at or above `at_least`
    FAIL          the interval lies below it
    INCONCLUSIVE  it lies across, or there are too few pairs for an interval, or it lies below and
                  too many of its turns are dirty
    SKIP          the target does not claim to resume, so there is nothing to hold it to

A point estimate alone decides nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.capabilities import ReuseReport
from harness.dirty import excused
from harness.stats import MINIMUM_PAIRS, DoubtKind
from harness.verdict import Evidence, Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.capabilities import Capabilities
    from harness.stats import Comparison
    from harness.trace import Trace

__all__ = ["at_least", "reaches"]

NAME = "compare.at_least"


def at_least(
    limit: float | None, found: Comparison, can: Capabilities, traces: Sequence[Trace]
) -> Iterator[Verdict]:
    """The ratio is at least `limit`, by its interval; nothing where no limit was set."""
    if limit is None:
        return
    evidence = tuple(Evidence(trace.trace_id) for trace in traces)
    if can.reuse is ReuseReport.NOTHING:
        yield Verdict(NAME, Outcome.SKIP, f"shown, not judged: {can.why}", evidence)
    else:
        yield reaches(limit, found, traces, evidence)


def reaches(
    limit: float,
    found: Comparison,
    traces: Sequence[Trace] = (),
    evidence: tuple[Evidence, ...] = (),
) -> Verdict:
    """Whether the interval of a ratio lies at or above a limit; `traces` are the turns it is of."""
    if found.ratio is None or found.low is None or found.high is None:
        message = f"{found.n} pairs make no interval; {_what_helps(found)}"
        return Verdict(NAME, Outcome.INCONCLUSIVE, message, evidence)
    said = f"{found.ratio:.2f} [{found.low:.2f}, {found.high:.2f}], asked for {limit:g} or more"
    if found.low >= limit:
        outcome = Outcome.PASS
    elif found.high < limit:
        outcome = Outcome.FAIL
    else:
        outcome, said = Outcome.INCONCLUSIVE, f"{said}; more repeats would narrow it"
    return Verdict(NAME, *excused(outcome, said, traces), evidence)


def _what_helps(found: Comparison) -> str:
    """More repeats, unless turns without a value are what is missing."""
    for doubt in found.doubts:
        if doubt.kind is DoubtKind.MISSING:
            return f"{doubt.message}: look at the turns that failed"
    return f"try --repeat {MINIMUM_PAIRS} or more"
