"""How do two sides take turns, request by request?

Machines change their speed within seconds: heat, a neighbour on the same host, a clock that rises.
Two starts that are played one after the other meet two different machines.  Where a machine can
hold both sides of a pair at once, each is played by its own player, and an `Alternation` lets
one request through at a time, in the order ABBA: the same request meets both sides within a second
or so, and what the machine does falls on both alike.  (Duet benchmarking, Bulej et al., ICPE 2020,
arXiv:2001.05811, runs both at the same instant; there they would share the processor.)

A request may go when everybody who still plays is waiting with one.  So no side is served while
the player of the other still writes down what came, and both rest where one does.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from harness.client import Reply, TurnRequest
    from harness.gate.record import Side
    from harness.runner import Chat
    from harness.trace import Trace

__all__ = ["Alternating", "Alternation"]


class Alternation:
    """Whose request is next: A, B, B, A, and over again, as long as both play."""

    def __init__(self, first: Side, second: Side) -> None:
        self._order = (first, second, second, first)
        self._gone = 0
        """Requests that went."""
        self._playing: set[Side] = {first, second}
        self._waiting: dict[Side, asyncio.Future[None]] = {}

    @contextlib.asynccontextmanager
    async def playing(self, side: Side) -> AsyncIterator[None]:
        """A side plays; when it does no longer, nobody waits for it."""
        try:
            yield
        finally:
            self._playing.discard(side)
            self._let_go()

    async def turn_of(self, side: Side) -> None:
        """Return when the next request of a side may go."""
        mine = self._waiting[side] = asyncio.get_running_loop().create_future()
        self._let_go()
        try:
            await mine
        finally:
            self._waiting.pop(side, None)

    def _let_go(self) -> None:
        """Let the next request go, where everybody who plays is waiting and none was let go."""
        if not self._playing or self._playing - self._waiting.keys():
            return
        if any(waiting.done() for waiting in self._waiting.values()):
            return
        side = self._order[self._gone % len(self._order)]
        if side not in self._playing:
            (side,) = self._playing
        self._gone += 1
        self._waiting[side].set_result(None)


class Alternating:
    """A client whose requests wait for their turn; as `client.ChatClient` otherwise."""

    def __init__(self, chat: Chat, side: Side, turns: Alternation) -> None:
        self._chat, self._side, self._turns = chat, side, turns

    async def turn(self, request: TurnRequest, **how: Any) -> Trace:  # noqa: ANN401 - as the client's
        """Send a request when it is our turn."""
        await self._turns.turn_of(self._side)
        return await self._chat.turn(request, **how)

    async def get_json(self, path: str) -> Reply:
        """GET a path, at once: it is asked between requests."""
        return await self._chat.get_json(path)

    async def delete(self, path: str) -> Reply:
        """DELETE a path, at once."""
        return await self._chat.delete(path)
