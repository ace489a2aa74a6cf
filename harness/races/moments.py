"""When in the life of a turn is it stopped, how is that noticed, and was it hit?

    point       the turn …                                  is noticed by
    queued      waits for another                           a status frame `queued`
    prefill     computes its prompt                         a status frame `prefill`
    vision      encodes a picture                           a status frame `encoding`
    reasoning   has begun to think                          the first reasoning
    content     has begun to answer                         the first content
    round       is in the middle of a speculative round     content, some way into the answer
    last        has said its last token, not its finish     as much text as its control has
    done        is over                                     `[DONE]`

`Watch` notices a moment while the reply comes; `hit` looks at the trace afterwards, and tells
whether the turn was still there when the stop was sent.  They differ: a frame that left the socket
while the stop was being sent counts against it.
"""

from __future__ import annotations

import asyncio
from enum import Enum
from typing import TYPE_CHECKING

from harness.events import Channel, Delta, Done, Extension, Finish

if TYPE_CHECKING:
    from harness.events import Observation, Observed

__all__ = ["BEFORE_TEXT", "Point", "Watch", "hit", "length_of", "status_of"]


class Point(Enum):
    """A moment in the life of a turn."""

    QUEUED = "queued"
    PREFILL = "prefill"
    VISION = "vision"
    REASONING = "reasoning"
    CONTENT = "content"
    ROUND = "round"
    LAST = "last"
    DONE = "done"

    @property
    def needs(self) -> tuple[str, ...]:
        """What a target must claim to come to it."""
        return ("vision",) if self is Point.VISION else ()


BEFORE_TEXT = {Point.QUEUED: "queued", Point.PREFILL: "prefill", Point.VISION: "encoding"}
"""The points of a turn that has said nothing yet, and the state by which each is known."""


def status_of(seen: Observed) -> str | None:
    """The state that a status frame tells; None of every other event."""
    event = seen.event
    if isinstance(event, Extension) and event.name == "muse_status":
        state = event.payload.get("state") if isinstance(event.payload, dict) else None
        return str(state)
    return None


def length_of(observation: Observation) -> int:
    """Characters of all text of a reply, reasoning included."""
    return sum(len(d.event.text) for d in observation.of(Delta) if isinstance(d.event, Delta))


class Watch:
    """Waits for one point of one turn; `reached` is done when it has come.

    `whole` is the length of the control's text, for the point `last`; `texts` is how many pieces of
    content make the point `round`.
    """

    def __init__(self, point: Point, *, whole: int = 0, texts: int = 1) -> None:
        loop = asyncio.get_running_loop()
        self.reached: asyncio.Future[None] = loop.create_future()
        self.begun: asyncio.Future[None] = loop.create_future()
        """Done with the first event of the reply, so that whoever comes now comes later."""
        self.passed: asyncio.Future[None] = loop.create_future()
        """Done when the turn has gone on beyond its point without it."""
        self._point, self._whole, self._texts = point, whole, texts
        self._said = 0

    def notice(self, seen: Observed) -> None:
        """Look at an event as it is seen."""
        _set(self.begun)
        event = seen.event
        if self.reached.done():
            return
        if self._is_it(seen):
            _set(self.reached)
        elif self._point in BEFORE_TEXT and isinstance(event, Delta):
            _set(self.passed)

    def _is_it(self, seen: Observed) -> bool:
        event, point = seen.event, self._point
        if point in BEFORE_TEXT:
            return status_of(seen) == BEFORE_TEXT[point]
        if point is Point.DONE:
            return isinstance(event, Done)
        if not isinstance(event, Delta):
            return False
        if point is Point.REASONING:
            return event.channel is Channel.REASONING
        if point is Point.LAST:
            self._said += len(event.text)
            return self._said >= self._whole
        self._said += event.channel is Channel.CONTENT
        return self._said >= (self._texts if point is Point.ROUND else 1)


def hit(point: Point, observation: Observation, at_ns: int, *, whole: int = 0) -> bool:
    """Whether a turn was at its point at an instant of its own time line."""
    before = [seen for seen in observation.events if seen.at_ns <= at_ns]
    if point is Point.DONE:
        return any(isinstance(seen.event, Done) for seen in before)
    if any(isinstance(seen.event, Finish | Done) and seen.at_ns < at_ns for seen in before):
        return False
    texts = [seen for seen in before if isinstance(seen.event, Delta)]
    if point in BEFORE_TEXT:
        states = [state for state in map(status_of, before) if state]
        spoken = any(text.at_ns < at_ns for text in texts)
        return not spoken and states[-1:] == [BEFORE_TEXT[point]]
    said = [text.event for text in texts if isinstance(text.event, Delta)]
    if point is Point.LAST:
        return sum(len(text.text) for text in said) >= whole
    channel = Channel.REASONING if point is Point.REASONING else Channel.CONTENT
    return any(text.channel is channel for text in said)


def _set(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
