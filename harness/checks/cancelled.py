"""Does a turn that was cancelled say so, and count what it sent?

It is neither a success nor a failure: no latency pool holds it, and yet its tokens were computed
and its figures are told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.events import Ending, Finish
from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.capabilities import Capabilities
    from harness.played import PlayedTurn

__all__ = ["cancelled_as_told"]

NAME = "cancel.told"


def cancelled_as_told(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:  # noqa: ARG001
    """It ended as cancelled, with a finish reason and the tokens it took."""
    seen, completion = turn.seen, turn.reuse.completion
    evidence = turn.evidence(turn.reuse.at)
    if not any(action.name == "cancel" for action in seen.trace.actions):
        message = "the answer was over before it was to be cancelled"
        yield Verdict(NAME, Outcome.INCONCLUSIVE, message, evidence)
    elif seen.ending is not Ending.CANCELLED:
        message = f"a cancel was posted, and it ended as {seen.ending.value}: {seen.detail}"
        yield Verdict(NAME, Outcome.FAIL, message.rstrip(": "), evidence)
    elif not any(seen.of(Finish)):
        yield Verdict(NAME, Outcome.FAIL, "cancelled without a finish reason", evidence)
    elif completion is None:
        yield Verdict(NAME, Outcome.FAIL, "cancelled, and its tokens are not counted", evidence)
    else:
        message = f"cancelled, {completion} tokens counted"
        yield Verdict(NAME, Outcome.PASS, message, evidence)
