"""How did a turn end, and was that our doing, the server's, or the line's?

Asked in this order; the first that holds decides:

    CANCELLED        we closed the connection before the reply was over; or the server says it
                     stopped on request (its metrics, finish reason, error text or HTTP 499);
                     or we posted a cancel, the server did not deny it, and the finish came
                     after it or not at all
    TRANSPORT_ERROR  no status line ever came
    HTTP_ERROR       the status is not 2xx
    IN_BAND_ERROR    an error object came inside the 2xx
    TRANSPORT_ERROR  the connection broke before both finish reason and [DONE] were seen
    EMPTY            no part of a chat reply came; or it finished with no text and no token count
    TRUNCATED        no finish reason came
    NO_USAGE         usage was asked for and did not come
    OK               none of these

A missing `[DONE]` after a finish reason and a clean close is a violation, not a failure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.events import (
    Delta,
    Done,
    Ending,
    Extension,
    Finish,
    HttpError,
    InBandError,
    Role,
    UsageSeen,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.events import Event, Observed
    from harness.trace import Action, Trace

__all__ = ["ending_of"]

CANCEL_WORDS = ("cancel", "abort")
"""What finish reasons and error texts call a turn that was stopped on request."""


def ending_of(trace: Trace, events: Sequence[Observed], *, asked_usage: bool) -> tuple[Ending, str]:
    """The ending of the turn and, unless it is OK, why, in words for a person."""
    if why := _cancelled(trace, events):
        return Ending.CANCELLED, why
    return _broken(trace, events) or _lacking(trace, events) or _counted(events, asked=asked_usage)


def _broken(trace: Trace, events: Sequence[Observed]) -> tuple[Ending, str] | None:
    """What the line or the server itself called a failure."""
    if trace.status is None:
        return Ending.TRANSPORT_ERROR, trace.transport_error or "no response came"
    if not 200 <= trace.status < 300:
        refusal = next((e.event.message for e in events if isinstance(e.event, HttpError)), "")
        return Ending.HTTP_ERROR, f"HTTP {trace.status}{f': {refusal}' if refusal else ''}"
    for seen in events:
        if isinstance(seen.event, InBandError):
            return Ending.IN_BAND_ERROR, seen.event.message or "an error without a message"
    if trace.transport_error and not {Finish, Done} <= _kinds(events):
        return Ending.TRANSPORT_ERROR, trace.transport_error
    return None


def _lacking(trace: Trace, events: Sequence[Observed]) -> tuple[Ending, str] | None:
    """What a reply that looked well left out."""
    kinds = _kinds(events)
    if Finish in kinds:
        if Delta not in kinds and not _counted_tokens(events):
            return Ending.EMPTY, "the reply finished without any text"
        return None
    if kinds & {Role, Delta, UsageSeen}:
        return Ending.TRUNCATED, "the reply ended without a finish reason"
    return Ending.EMPTY, f"HTTP {trace.status} without any part of a chat reply"


def _counted(events: Sequence[Observed], *, asked: bool) -> tuple[Ending, str]:
    if asked and UsageSeen not in _kinds(events):
        return Ending.NO_USAGE, "usage was asked for and did not come"
    return Ending.OK, ""


def _kinds(events: Sequence[Observed]) -> set[type[Event]]:
    return {type(seen.event) for seen in events}


def _counted_tokens(events: Sequence[Observed]) -> bool:
    """Whether the server counted tokens of an answer: then text was hidden, not missing."""
    return any(
        isinstance(seen.event, UsageSeen) and seen.event.completion_tokens for seen in events
    )


def _cancelled(trace: Trace, events: Sequence[Observed]) -> str:
    """Why the turn counts as cancelled; empty when it does not."""
    finish = next((e for e in events if isinstance(e.event, Finish)), None)
    over = finish is not None and any(isinstance(e.event, Done) for e in events)
    if _action(trace, "close") and not over:
        return "we closed the connection"
    if finish is not None and isinstance(finish.event, Finish) and _says(finish.event.reason):
        return f"the finish reason is {finish.event.reason}"
    if trace.status == 499 or any(_says(text) for text in _error_texts(events)):
        return "the server answered with an error that says so"
    said = _server_says_cancelled(events)
    if said:
        return "the server says so"
    asked = _action(trace, "cancel")
    if asked is None or said is False or _denied(trace) or _failed(trace, events):
        return ""
    if finish is None or finish.at_ns >= asked.at_ns:
        return "we posted a cancel and the end came after it"
    return ""


def _action(trace: Trace, name: str) -> Action | None:
    return next((action for action in trace.actions if action.name == name), None)


def _says(text: str) -> bool:
    return any(word in text.lower() for word in CANCEL_WORDS)


def _error_texts(events: Sequence[Observed]) -> list[str]:
    return [
        f"{seen.event.message} {seen.event.type} {seen.event.code}"
        for seen in events
        if isinstance(seen.event, InBandError | HttpError)
    ]


def _failed(trace: Trace, events: Sequence[Observed]) -> bool:
    return bool(trace.transport_error or _error_texts(events))


def _server_says_cancelled(events: Sequence[Observed]) -> bool | None:
    """The `cancelled` of the server's metrics; None when it says nothing of the kind."""
    for seen in events:
        if isinstance(seen.event, Extension) and isinstance(seen.event.payload, dict):
            said = seen.event.payload.get("cancelled")
            if isinstance(said, bool):
                return said
    return None


def _denied(trace: Trace) -> bool:
    """Whether the server answered our cancel with "there was nothing to cancel"."""
    ack = _action(trace, "cancel.ack")
    body = ack.detail.get("body") if ack else None
    return isinstance(body, dict) and body.get("cancelled") is False
