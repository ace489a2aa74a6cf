"""What is done to stop a turn?

    way        what is done
    request    a cancel that names the turn
    session    a cancel that names its session
    close      the connection is closed
    both       a cancel that names the turn, and the connection is closed, at once
    twice      two cancels that name the turn, at once or one after the other
    wrong      a cancel that names a session that is not the turn's, with the turn or without
    behind     a cancel that names the turn, and at once the next turn of the session; where the
               target knows no cancel, the connection is closed instead

Where two things are done, `flipped` changes their order, or which of two forms is taken.
"""

from __future__ import annotations

import asyncio
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.cancel import Grip

__all__ = ["STOPS", "Way", "stop"]


class Way(Enum):
    """A way of stopping a turn."""

    REQUEST = "request"
    SESSION = "session"
    CLOSE = "close"
    BOTH = "both"
    TWICE = "twice"
    WRONG = "wrong"
    BEHIND = "behind"

    @property
    def needs(self) -> tuple[str, ...]:
        """What a target must claim to be stopped so."""
        if self in {Way.CLOSE, Way.BEHIND}:  # `behind` closes where it cannot cancel
            return ()
        named = self in {Way.SESSION, Way.WRONG}
        return ("cancel", "maxNamedSessions") if named else ("cancel",)


STOPS = frozenset(Way) - {Way.WRONG}
"""The ways that are to end the turn."""


async def stop(
    grip: Grip,
    way: Way,
    *,
    session: str,
    stranger: str,
    flipped: bool,
    can_cancel: bool,
    send_next: Callable[[], None],
) -> None:
    """Do it; returns when whatever was posted has been answered.

    `send_next` sends the next turn without waiting for it; only `behind` does.
    """
    named = {"request_id": grip.name}
    match way:
        case Way.REQUEST:
            await grip.cancel(named)
        case Way.SESSION:
            await grip.cancel({"session_id": session})
        case Way.CLOSE:
            grip.hang_up()
        case Way.BOTH:
            await _both(grip, flipped=flipped)
        case Way.TWICE if flipped:
            await grip.cancel(named)
            await grip.cancel(named)
        case Way.TWICE:
            await asyncio.gather(grip.cancel(named), grip.cancel(named))
        case Way.WRONG:
            also = named if flipped else {}
            await grip.cancel({**also, "session_id": stranger})
        case Way.BEHIND:
            if flipped:
                send_next()
            if can_cancel:
                await asyncio.gather(grip.cancel(named), _now(send_next, flipped=flipped))
            else:
                grip.hang_up()
                await _now(send_next, flipped=flipped)


async def _both(grip: Grip, *, flipped: bool) -> None:
    if flipped:
        grip.hang_up()
        await grip.cancel({"request_id": grip.name})
        return
    posting = asyncio.ensure_future(grip.cancel({"request_id": grip.name}))
    await asyncio.sleep(0)  # it is on its way
    grip.hang_up()
    await posting


async def _now(send_next: Callable[[], None], *, flipped: bool) -> None:
    if not flipped:
        send_next()
