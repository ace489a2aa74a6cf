"""What does a page's record say as a trace?

`instruments.js` keeps stamps of the page's own clock, milliseconds; a trace has nanoseconds since
its zero, t_send.  That is when the browser's network side began to send the request, as its
resource timing tells; where it does not, as of a request that was aborted, the page's call of
`fetch`.  That call and the click that led to it lie before, below zero.

What the page did besides reading the reply becomes actions:

    click, key                      the person's last input before the request, and those after it
    fetch                           the page's call that asked for the turn
    cancel, cancel.ack, close       as of the other driver: a cancel posted, answered; an abort
    request                         any other request: `detail` has method, path, status, ms
    dom.reasoning.first, .last      text of that channel was written into the document
    dom.content.first, .last
    dom.first, dom.last             the same of either channel
    dom.quiet                       the answer's last change of any kind
    paint.….first, paint.….last,    a frame was drawn that shows it
    paint.first, paint.last
    phase                           the page called the answer so: `detail` has phase
    page                            `detail`: lag_ms, clock_error_ns (half the shortest round trip
                                    by which the page's clock was set beside ours), zero (`sent`,
                                    or `fetch` where nothing told when it was sent)

Something done in a page that asks for no turn is told by a trace of its own (`look`), whose zero is
when the instruments began to keep, whose method is LOOK, and which has no reply.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.client import SECRET_HEADERS
from harness.trace import Action, Chunk, Trace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harness.trace import TurnLabel

__all__ = ["LOOK", "TURN_PATH", "PageClock", "Step", "bodies_sent", "look", "turn_of"]

TURN_PATH = "/v1/chat/completions"
CANCEL_PATH = "/api/cancel"
LOOK = "LOOK"
"""The method of a trace that is no request."""
NS = 1e6
TEXTS = ("reasoning", "content")


@dataclass(frozen=True, slots=True)
class PageClock:
    """The page's clock beside the harness's."""

    origin_ns: int
    """What the harness's clock said at 0 of the page's."""
    error_ns: int
    """Half the shortest round trip by which that was found."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a step in the page is called."""

    label: TurnLabel
    trace_id: str
    started_at: str
    """ISO 8601 wall time, for people."""


def turn_of(record: Mapping[str, Any], clock: PageClock, step: Step) -> Trace | None:
    """The turn that was asked for in a record; None where there was none.

    Of several the last counts: the others were refused, or given up.
    """
    turns = [each for each in record["requests"] if each["path"] == TURN_PATH]
    if not turns:
        return None
    asked = turns[-1]
    zero = _sent(asked)
    return Trace(
        trace_id=step.trace_id,
        label=step.label,
        started_at=step.started_at,
        method=asked["method"],
        path=asked["path"],
        request=_body(asked),
        request_headers={
            name: value
            for name, value in asked["requestHeaders"]
            if name.lower() not in SECRET_HEADERS
        },
        status=asked["status"],
        headers=tuple((name, value) for name, value in asked["headers"]),
        headers_at_ns=_since(zero, asked["headersAt"]),
        chunks=tuple(Chunk(_ns(at - zero), base64.b64decode(data)) for at, data in asked["chunks"]),
        closed_at_ns=_since(zero, asked["closedAt"]),
        transport_error=asked["error"] if asked["closed"] == "broken" else None,
        actions=_actions(record, clock, zero, asked),
        lag_ns=max(_ns(record["lagMs"]), 0),
        sent_at_ns=clock.origin_ns + _ns(zero),
        marks=record["machine"],
    )


def look(
    record: Mapping[str, Any],
    clock: PageClock,
    step: Step,
    what: str,
    seen: Mapping[str, Any] | None = None,
) -> Trace:
    """Something done in the page that asked for no turn; `seen` becomes the action `saw`."""
    zero = record["at"]
    actions = _actions(record, clock, zero, None)
    if seen is not None:
        actions = (*actions, Action(max((a.at_ns for a in actions), default=0), "saw", dict(seen)))
    return Trace(
        trace_id=step.trace_id,
        label=step.label,
        started_at=step.started_at,
        method=LOOK,
        path=f"#{what}",
        request={},
        request_headers={},
        status=None,
        headers=(),
        headers_at_ns=None,
        chunks=(),
        closed_at_ns=None,
        actions=actions,
        lag_ns=max(_ns(record["lagMs"]), 0),
        sent_at_ns=clock.origin_ns + _ns(zero),
        marks=record["machine"],
    )


def bodies_sent(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The bodies of the turns that were asked for in a record."""
    return [_body(each) for each in record["requests"] if each["path"] == TURN_PATH]


def _actions(
    record: Mapping[str, Any],
    clock: PageClock,
    zero: float,
    asked: Mapping[str, Any] | None,
) -> tuple[Action, ...]:
    told = [
        *_inputs(record["inputs"], zero, asked is not None),
        *_others(record["requests"], zero, asked),
        *_marks(record["marks"], zero),
        *(
            Action(_ns(at - zero), "phase", {"phase": phase})
            for at, phase in record["phases"]
            if asked is None or at >= zero
        ),
    ]
    if asked is not None and asked["closed"] == "aborted":
        told.append(Action(_ns(asked["closedAt"] - zero), "close"))
    if asked is not None:
        told.append(Action(_ns(asked["at"] - zero), "fetch"))
    detail = {
        **({} if asked is None else {"zero": "sent" if asked["sentAt"] else "fetch"}),
        "lag_ms": record["lagMs"],
        "clock_error_ns": clock.error_ns,
    }
    return tuple(sorted([*told, Action(0, "page", detail)], key=lambda action: action.at_ns))


def _sent(asked: Mapping[str, Any]) -> float:
    at: float = asked["sentAt"] or asked["at"]
    return at


def _inputs(
    inputs: Sequence[tuple[float, str, str]],
    zero: float,
    is_turn: bool,  # noqa: FBT001
) -> Iterator[Action]:
    """Of the inputs before a turn's request only the last one led to it."""
    before = [each for each in inputs if each[0] <= zero]
    after = [each for each in inputs if each[0] > zero]
    for at, kind, name in (*(before[-1:] if is_turn else before), *after):
        yield Action(_ns(at - zero), "click" if kind == "click" else "key", {"on": name})


def _others(
    requests: Sequence[Mapping[str, Any]], zero: float, asked: Mapping[str, Any] | None
) -> Iterator[Action]:
    for each in requests:
        if each is asked:
            continue
        at = _ns(each["at"] - zero)
        detail = {"method": each["method"], "path": each["path"], "status": each["status"]}
        if each["path"] == CANCEL_PATH and asked is not None:
            yield Action(at, "cancel", {"path": CANCEL_PATH, "body": dict(_body(each))})
            if each["status"] is not None:
                answered = {"status": each["status"], "body": _reply(each)}
                yield Action(
                    _ns((each["closedAt"] or each["headersAt"]) - zero), "cancel.ack", answered
                )
            else:
                yield Action(at, "cancel.failed", {"reason": each["error"] or "no answer"})
            continue
        took = None if each["closedAt"] is None else each["closedAt"] - each["at"]
        yield Action(at, "request", {**detail, "ms": took, "error": each["error"]})


def _marks(marks: Mapping[str, Sequence[float]], zero: float) -> Iterator[Action]:
    for prefix, of in (("dom", "{}"), ("paint", "paint.{}")):
        texts = {name: marks[of.format(name)] for name in TEXTS if of.format(name) in marks}
        if texts:
            texts[""] = (min(t[0] for t in texts.values()), max(t[1] for t in texts.values()))
        for name, (first, last) in texts.items():
            stem = f"{prefix}.{name}" if name else prefix
            yield Action(_ns(first - zero), f"{stem}.first")
            yield Action(_ns(last - zero), f"{stem}.last")
        if of.format("answer") in marks:
            yield Action(_ns(marks[of.format("answer")][1] - zero), f"{prefix}.quiet")


def _body(request: Mapping[str, Any]) -> Mapping[str, Any]:
    """The JSON body of a request; empty where it has none that is an object."""
    return _object(request["body"] or "")


def _reply(request: Mapping[str, Any]) -> Mapping[str, Any]:
    return _object(b"".join(base64.b64decode(data) for _, data in request["chunks"]))


def _object(text: str | bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _since(zero: float, at: float | None) -> int | None:
    return None if at is None else _ns(at - zero)


def _ns(ms: float) -> int:
    return round(ms * NS)
