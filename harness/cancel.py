"""When, and how, is a turn to be cancelled?

A plan is data; `Countdown` notices its moment while the reply comes.  Sending is the client's.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from harness.events import Channel, Delta, Finish

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.events import Observed

__all__ = ["CancelPlan", "CancelPoint", "Countdown", "Way"]


class CancelPoint(Enum):
    """The moment after which a turn is to be cancelled."""

    SENT = "sent"
    """As soon as the turn begins: it is queued, or in prefill."""
    HEADERS = "headers"
    """The response has begun."""
    REASONING = "reasoning"
    """A frame with reasoning."""
    CONTENT = "content"
    """A frame with visible content."""
    TOKEN = "token"
    """A token-bearing frame of any kind."""
    FINISH = "finish"
    """The finish reason."""


class Way(Enum):
    """How a turn is cancelled."""

    POST = "post"
    """Ask at `CancelPlan.path`; the stream is read to its end."""
    CLOSE = "close"
    """Close the connection."""


@dataclass(frozen=True, slots=True)
class CancelPlan:
    """Cancel `delay_s` after the `count`-th time that `after` was seen, in these ways in turn."""

    after: CancelPoint
    ways: tuple[Way, ...] = (Way.POST,)
    count: int = 1
    delay_s: float = 0.0
    path: str = "/api/cancel"
    body: Mapping[str, Any] | None = None
    """What POST sends; None names the turn: `{"request_id": trace_id}`."""


class Countdown:
    """Counts the moments of a plan; `reached` is done when the last one has come."""

    def __init__(self, plan: CancelPlan) -> None:
        self.plan = plan
        self.reached: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._left = plan.count

    def notice(self, point: CancelPoint) -> None:
        """This moment has come."""
        if point is self.plan.after:
            self._left -= 1
            if self._left == 0:
                self.reached.set_result(None)

    def notice_event(self, seen: Observed) -> None:
        """The moments that an event is."""
        event = seen.event
        if isinstance(event, Finish):
            self.notice(CancelPoint.FINISH)
        elif isinstance(event, Delta):
            self.notice(CancelPoint.TOKEN)
            if event.channel is Channel.REASONING:
                self.notice(CancelPoint.REASONING)
            elif event.channel is Channel.CONTENT:
                self.notice(CancelPoint.CONTENT)
