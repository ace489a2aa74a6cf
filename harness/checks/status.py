"""Is a request answered with the status it must be, and refused before a word was said?

A refusal has to say why in a form that a program can read: the code of its error.  An HTTP status
stands before the first byte of a body, so that a request that is refused by its status has been
neither begun nor paid for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.events import HttpError
from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.capabilities import Capabilities
    from harness.played import PlayedTurn

__all__ = ["answered_with"]

NAME = "request.status"
CHARGED = ("usage", "muse_metrics")
"""What the body of a refusal has no place for: nothing was computed."""


def answered_with(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:  # noqa: ARG001
    """The promised status, the error's code where one was promised, and nothing charged for."""
    promise, trace = turn.promise, turn.seen.trace
    error = next(turn.seen.of(HttpError), None)
    code = error.event.code if error and isinstance(error.event, HttpError) else None
    told = "no status" if trace.status is None else f"{trace.status}{f' {code}' if code else ''}"
    wanted = f"{promise.status}{f' {promise.code}' if promise.code else ''}"
    charged = [key for key in CHARGED if error and f'"{key}"'.encode() in trace.body]
    kept = trace.status == promise.status and promise.code in {None, code} and not charged
    if charged:
        wanted = f"{wanted} without {charged[0]}"
    said = f": {error.event}" if error else f": {turn.seen.detail}" if trace.status is None else ""
    yield Verdict(
        NAME,
        Outcome.PASS if kept else Outcome.FAIL,
        f"answered {told}" if kept else f"answered {told}, promised {wanted}{said}",
        turn.evidence(error.index) if error else turn.evidence(),
    )
