"""What becomes of an answer, and of what was computed, when its server ends and starts again?

An answer that was coming is broken off, so that its reader can tell: an error in the stream, or a
connection that closes before a finish reason.  A server that lets answers end before it does may
send the whole of it; what it may not do is to pass off a part as the whole.

What was resident is so again where the server claims a cache that outlives it, to the token; where
it does not, the prompt is computed anew, as that of a new session.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from harness.checks.answer import shortfalls
from harness.events import Ending
from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.capabilities import Capabilities
    from harness.played import PlayedTurn

__all__ = ["RESTART", "RESTORED", "cut_or_whole", "restored", "with_reset"]

CUT, NAME = "stream.cut", "resume.restored"
RESTORED = "restored"
"""Promised as a reset reason: what it is depends on what the server claims."""
RESTART = "restart"
"""The action in a trace that says when the server was ended."""

BROKEN = frozenset({Ending.IN_BAND_ERROR, Ending.TRANSPORT_ERROR, Ending.TRUNCATED})


def cut_or_whole(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:  # noqa: ARG001
    """It broke, or it is whole, which only what was promised of it can show."""
    seen, promise = turn.seen, turn.promise
    ended = f"{seen.ending.value}: {seen.detail}" if seen.detail else f"{seen.finish_reason}"
    evidence = turn.evidence(seen.events[-1].index if seen.events else None)
    if not any(action.name == RESTART for action in seen.trace.actions):
        message = f"the answer never began ({ended}), so that nothing was cut"
        yield Verdict(CUT, Outcome.INCONCLUSIVE, message, evidence)
    elif seen.ending in BROKEN:
        yield Verdict(CUT, Outcome.PASS, f"broken off as {ended}", evidence)
    elif not turn.answered or not promise.contains:
        message = f"its server was ended in the middle, and it ended as {ended}"
        yield Verdict(CUT, Outcome.FAIL, message, evidence)
    else:
        lacks = list(shortfalls(seen.text(), promise.contains, promise.excludes, promise.matches))
        message = f"a part is passed off as the whole: it {'; '.join(lacks)}, and ended as {ended}"
        outcome = Outcome.FAIL if lacks else Outcome.PASS
        yield Verdict(CUT, outcome, message if lacks else f"whole, ended as {ended}", evidence)


def restored(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:
    """After a restart something is reused, where that is claimed."""
    if turn.promise.reset != RESTORED:
        return
    if can.forgets:
        yield Verdict(NAME, Outcome.SKIP, f"unsupported: {can.forgets}")
        return
    evidence, reused = turn.evidence(turn.reuse.at), turn.reuse.reused
    outcome = Outcome.PASS if reused else Outcome.FAIL
    yield Verdict(NAME, outcome, f"{reused or 'no'} tokens were still there", evidence)


def with_reset(turn: PlayedTurn, can: Capabilities) -> PlayedTurn:
    """The turn with the reset reason that a restart promises of this server."""
    if turn.promise.reset != RESTORED:
        return turn
    reset = "new" if can.forgets else "exact_prefix"
    return replace(turn, promise=replace(turn.promise, reset=reset))
