"""Does the answer end for the reason it must?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.events import Finish
from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.capabilities import Capabilities
    from harness.played import PlayedTurn

__all__ = ["finishes"]

NAME = "answer.finish"


def finishes(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:  # noqa: ARG001
    """The finish reason is the promised one."""
    promised = turn.promise.finish
    if promised is None:
        return
    told = turn.seen.finish_reason
    at = next((observed.index for observed in turn.seen.of(Finish)), None)
    outcome = Outcome.PASS if told == promised else Outcome.FAIL
    message = f"{told}" if told == promised else f"finished with {told}, promised {promised}"
    yield Verdict(NAME, outcome, message, turn.evidence(at))
