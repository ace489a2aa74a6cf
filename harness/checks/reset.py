"""Does the session say why it was reset, or that it went on from exactly what it held?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.capabilities import ReuseReport
from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.capabilities import Capabilities
    from harness.played import PlayedTurn

__all__ = ["reset_reason"]

NAME = "resume.reset_reason"


def reset_reason(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:
    """The reported reason is the promised one."""
    promised = turn.promise.reset
    if promised is None:
        return
    if can.reuse is not ReuseReport.ACCOUNTS:
        yield Verdict(NAME, Outcome.SKIP, f"no reset reasons to look at: {can.why}")
        return
    told = turn.reuse.reset_reason
    if told == promised:
        yield Verdict(NAME, Outcome.PASS, f"{told}", turn.evidence(turn.reuse.at))
        return
    said = f"reported {told}" if told else "reported none"
    message = f"{said}, promised {promised}"
    yield Verdict(NAME, Outcome.FAIL, message, turn.evidence(turn.reuse.at))
