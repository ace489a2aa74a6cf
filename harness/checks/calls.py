"""Are the functions called that must be, and no others?

What a model only thinks of calling is no call: markup in its reasoning, or in what a person wrote.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.events import Channel, Delta
from harness.tool_calls import calls_in
from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.capabilities import Capabilities
    from harness.played import PlayedTurn

__all__ = ["calls_as_promised"]

NAME = "answer.calls"


def calls_as_promised(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:  # noqa: ARG001
    """The promised functions are called, in order; the finish reason says whether any is."""
    promised = turn.promise.calls
    if promised is None:
        return
    calls = calls_in(turn.seen)
    at = [
        observed.index
        for observed in turn.seen.of(Delta)
        if isinstance(observed.event, Delta) and observed.event.channel is Channel.TOOL
    ]
    evidence = turn.evidence(at[0], last=at[-1]) if at else turn.evidence()
    told = ", ".join(map(str, calls)) or "nothing"
    wrong = []
    if tuple(call.name for call in calls) != promised:
        wrong.append(f"called {told}, promised {', '.join(promised) or 'nothing'}")
    if (turn.seen.finish_reason == "tool_calls") != bool(calls):
        wrong.append(f"called {told} and finished with {turn.seen.finish_reason}")
    if wrong:
        yield Verdict(NAME, Outcome.FAIL, "; ".join(wrong), evidence)
    else:
        yield Verdict(NAME, Outcome.PASS, f"called {told}", evidence)
