"""Do the durations and rates that the server reports fit what the client saw?

`agreement` states each rule.  The slack is wide, because the purpose is to catch a clock that
measures something else (a TTFT that stops at the role frame, a rate that divides by the wrong
time) and not to measure transport; what our own event loop was late by in a turn comes on top.
Where the machine was marked, and may have caused all that disagrees, it cannot be told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.agreement import COUNTS, disagreements, explained
from harness.dirty import stains
from harness.units import format_value
from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.capabilities import Capabilities
    from harness.played import PlayedTurn

__all__ = ["SLACK_S", "clocks_agree"]

NAME = "clocks.agree"
SLACK_S = 0.05
"""What scheduling may cost on both sides together."""


def clocks_agree(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:  # noqa: ARG001
    """No figure of the server contradicts what the client saw."""
    compared = [
        f"{name.removeprefix('server.')} {format_value(found.value, found.unit)}"
        for name, found in turn.measurements.items()
        if name.startswith("server.") and found.value is not None
    ]
    if not compared:
        yield Verdict(NAME, Outcome.SKIP, "the reply reports no duration to compare with")
        return
    trace = turn.seen.trace
    found = disagreements(turn.seen, slack_s=SLACK_S + trace.lag_ns / 1e9)
    wrong = [each for each in found if not each.rule.startswith(COUNTS)]
    evidence = turn.evidence(turn.reuse.at)
    said = "; ".join(f"{each.rule}: {each.detail}" for each in wrong)
    if wrong and all(explained(each, trace) for each in wrong):
        said = f"{said}; but {', '.join(stains(trace).values())}"
        yield Verdict(NAME, Outcome.INCONCLUSIVE, said, evidence)
    elif wrong:
        yield Verdict(NAME, Outcome.FAIL, said, evidence)
    else:
        message = f"{', '.join(compared)}: nothing the client saw speaks against it"
        yield Verdict(NAME, Outcome.PASS, message, evidence)
