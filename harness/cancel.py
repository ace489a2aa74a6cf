"""When, and how, is a turn to be stopped from outside?

A `Grip` is what the client gives of a turn under way to whoever would stop it: all that is done
with it is noted in the turn's trace, on the trace's own time line.  A `CancelPlan` is the usual
way of using it, as data; `Countdown` notices its moment while the reply comes.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

from harness.events import Channel, Delta, Finish

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from harness.events import Observed

    Meddle = Callable[["Grip"], Awaitable[None]]
    """Runs beside a turn and does what it will to it."""

__all__ = ["CANCEL_PATH", "CancelPlan", "CancelPoint", "Countdown", "Grip", "Way", "carry_out"]

CANCEL_PATH = "/api/cancel"


class Grip(Protocol):
    """A turn under way, in the hand of whoever would stop it."""

    @property
    def name(self) -> str:
        """What the turn is called: its X-Request-ID."""
        ...

    @property
    def over(self) -> bool:
        """Whether the exchange has ended."""
        ...

    async def until(self, *moments: asyncio.Future[None], timeout_s: float | None = None) -> None:
        """Return when one of the moments has come, the exchange is over, or the time is."""
        ...

    def note(self, name: str, **detail: Any) -> None:  # noqa: ANN401 - JSON
        """Write an action into the trace, stamped now."""
        ...

    async def cancel(self, body: Mapping[str, Any], path: str = CANCEL_PATH) -> None:
        """Post a cancel; both it and what it was answered are noted."""
        ...

    def hang_up(self) -> None:
        """Close the connection, if the exchange is not over; noted as `close`."""
        ...


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
    path: str = CANCEL_PATH
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


async def carry_out(countdown: Countdown, grip: Grip) -> None:
    """Wait for the plan's moment and do as it says, unless the turn is over before."""
    plan = countdown.plan
    await grip.until(countdown.reached)
    if plan.delay_s and not grip.over:
        await grip.until(timeout_s=plan.delay_s)
    if grip.over:
        return
    body = {"request_id": grip.name} if plan.body is None else plan.body
    for way in plan.ways:
        if way is Way.CLOSE:
            grip.hang_up()
        else:
            await grip.cancel(body, plan.path)
