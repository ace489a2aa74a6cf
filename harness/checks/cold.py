"""Is a prompt that is meant to be cold really cold?

Without this a fast control leg would prove nothing: it may have been served from a cache.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.capabilities import ReuseReport
from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.capabilities import Capabilities
    from harness.played import PlayedTurn

__all__ = ["cold"]

NAME = "resume.cold"


def cold(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:
    """A turn that promised any reset reason but `exact_prefix` reuses no token."""
    if turn.promise.reset in {None, "exact_prefix"}:
        return
    if can.reuse is ReuseReport.NOTHING:
        yield Verdict(NAME, Outcome.SKIP, f"cannot tell whether it was cold: {can.why}")
        return
    reused = turn.reuse.reused
    evidence = turn.evidence(turn.reuse.at)
    if reused is None:
        yield Verdict(NAME, Outcome.FAIL, "the reply does not tell its reused tokens", evidence)
    elif reused:
        message = f"{reused} tokens were reused on a prompt that should have been cold"
        yield Verdict(NAME, Outcome.FAIL, message, evidence)
    else:
        yield Verdict(NAME, Outcome.PASS, "nothing reused", evidence)
