"""Whose turn is it: one worker, one thing at a time, first come first served.

Turns and session requests wait in one queue.  A driver task takes the first, runs it to the last
line of the worker's answer, and only then takes the next; so a turn that was cancelled, or whose
caller went away, is over in the worker before another begins.

    QUEUED ──► PREFILL ──► DECODE ──► OVER
       │     sent       first text     ▲
       └───────────────────────────────┘  cancelled before it was sent, or the worker died

The driver never waits for a caller: texts go into the turn's own inbox, and a caller who reads
slowly delays nobody.  A cancel names a turn.  A queued one leaves the queue at once; the running
one is over as soon as the worker has said so.

A reset or close waits for its place like a turn, but no longer than `session_wait_s`; then it
leaves the queue and is refused, and nothing has been changed.  It does not cancel a running turn
of its session: whoever wants that cancels first.
"""

from __future__ import annotations

import asyncio
import contextlib
import enum
import logging
import secrets
from collections import deque
from typing import TYPE_CHECKING

from playground.errors import (
    GenerationFailed,
    SessionBusy,
    SessionCapacity,
    Unavailable,
    UnsupportedSession,
)
from playground.sessions import SessionState
from playground.worker.client import WorkerDied, WorkerRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from playground.errors import APIError
    from playground.sessions import Session, Sessions
    from playground.worker.client import WorkerClient
    from playground.worker.messages import Done, GenerateRequest, Progress

__all__ = ["SessionRuntime", "Turn", "TurnState", "as_api_error"]

LOG = logging.getLogger(__name__)


class TurnState(enum.Enum):
    """How far a turn has come."""

    QUEUED = "queued"
    """Waiting for others."""
    PREFILL = "prefill"
    """With the worker, which has said nothing yet."""
    DECODE = "decode"
    """Text has come."""
    OVER = "over"


class Turn:
    """One generation, from the queue to its last line.

    Stamps are seconds on the clock that is passed in; None means not yet, or never.
    """

    def __init__(
        self,
        request_id: str,
        session: Session,
        request: GenerateRequest,
        clock: Callable[[], float],
        *,
        watched: bool = False,
        prompt_tokens: int = 0,
    ) -> None:
        self.request_id = request_id
        """What the caller calls it."""
        self.completion_id = f"chatcmpl-{secrets.token_hex(16)}"
        """What the reply calls it."""
        self.session = session
        self.request = request
        self.prompt_tokens = prompt_tokens
        """How long its prompt is, pictures included."""
        self.watched = watched
        """Whether its reader wants to know at once how it stands, and not only of texts."""
        self.state = TurnState.QUEUED
        self.progress: Progress | None = None
        """How far it has come before its first text, where the worker says so."""
        self.cancelled = False
        """Whether it was asked to end early; by a stop string is not."""
        self.cut = False
        """Whether it ends early because the server does, which nobody asked of it."""
        self.done: Done | None = None
        self.error: APIError | None = None
        self.sent_at: float | None = None
        self.shown_at: float | None = None
        """When the first text that the caller is to see was there."""
        self.over_at: float | None = None
        self._clock = clock
        self._inbox: list[str] = []
        self._news = False
        self._reader: asyncio.Future[None] | None = None

    async def texts(self) -> list[str]:
        """What has arrived since the last call; waits for something to arrive.

        Empty when the turn is over, and when `nudge` or, for a watched one, `changed` was called.
        """
        if not self._inbox and not self._news and self.state is not TurnState.OVER:
            self._reader = asyncio.get_running_loop().create_future()
            await self._reader
        self._news = False
        arrived, self._inbox = self._inbox, []
        return arrived

    def nudge(self) -> None:
        """Let the reader return without a text."""
        if self._reader and not self._reader.done():
            self._reader.set_result(None)

    def changed(self) -> None:
        """It stands otherwise than before."""
        if self.watched:
            self._news = True
            self.nudge()

    def sent(self) -> None:
        """The worker has it now."""
        self.state = TurnState.PREFILL
        self.sent_at = self._clock()
        self.changed()

    def progressed(self, progress: Progress) -> None:
        """The worker has come so far with it."""
        self.progress = progress
        self.changed()

    def arrived(self, text: str) -> None:
        """Another text from the worker."""
        self.state = TurnState.DECODE
        self._inbox.append(text)
        self.nudge()

    def shown(self) -> None:
        """The caller is given a text."""
        if self.shown_at is None:
            self.shown_at = self._clock()

    def over(self, done: Done | None, error: APIError | None) -> None:
        """No more will come."""
        self.state = TurnState.OVER
        self.over_at = self._clock()
        self.done, self.error = done, error
        self.nudge()


class _SessionRequest:
    """A reset or close in the queue."""

    def __init__(self, carry_out: Callable[[], Coroutine[None, None, None]]) -> None:
        self.carry_out = carry_out
        self.began = asyncio.Event()
        self.answered: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def fail(self, error: APIError) -> None:
        """Tell whoever waits that it was not done."""
        self.began.set()
        if not self.answered.done():
            self.answered.set_exception(error)
            self.answered.exception()  # retrieved: the caller may be gone


class SessionRuntime:
    """The queue in front of one worker."""

    def __init__(
        self, worker: WorkerClient, sessions: Sessions, *, session_wait_s: float = 60.0
    ) -> None:
        self._worker = worker
        self._sessions = sessions
        self._session_wait_s = session_wait_s
        self._queue: deque[Turn | _SessionRequest] = deque()
        self._active: Turn | _SessionRequest | None = None
        self._stopping = False
        self._broken: str | None = None
        self._arrival = asyncio.Event()
        self._idle = asyncio.Event()
        self._driver = asyncio.get_running_loop().create_task(self._drive(), name="runtime")
        self._driver.add_done_callback(self._driver_ended)
        self.worker_peak_bytes = worker.ready.worker.peak_rss_bytes if worker.ready.worker else None
        """The worker's own peak memory, as it said last."""

    @property
    def failure(self) -> str | None:
        """Why this server will never generate again; None while all is well, or it is stopping."""
        if not self._worker.alive:
            return self._worker.exit_reason or "the worker has ended"
        return self._broken

    @property
    def unavailable(self) -> str | None:
        """Why nothing new can be generated; None while it can."""
        return self.failure or ("the server is stopping" if self._stopping else None)

    def submit(self, turn: Turn) -> None:
        """Put a turn at the end of the queue; its session is left when it is over.

        Raises:
            Unavailable: the worker is gone, or the server is stopping.
        """
        self._enqueue(turn)

    def position(self, turn: Turn) -> int:
        """How many others are to end before this turn begins; 0 when it has begun."""
        if turn not in self._queue:
            return 0
        return self._queue.index(turn) + (self._active is not None)

    def unfinished(self) -> list[Turn]:
        """The running turn, if there is one, and then the queued ones in order."""
        return [entry for entry in (self._active, *self._queue) if isinstance(entry, Turn)]

    def cancel(self, turn: Turn) -> bool:
        """End a turn early; False if it is over, or the worker cannot be told."""
        if turn.state is TurnState.OVER:
            return False
        turn.cancelled = True
        return self.stop(turn)

    def stop(self, turn: Turn) -> bool:
        """End a turn that has said enough: as `cancel`, but nobody asked for it."""
        if turn in self._queue:
            self._queue.remove(turn)
            self._end(turn)
            self._moved_up()
            return True
        if turn is self._active:
            # Before it is sent, the driver sees that it is cancelled, and does not send it.
            return turn.sent_at is None or self._worker.cancel()
        return False

    async def reset(self, session_id: str) -> None:
        """Empty a session in the worker, and then in the book.

        Raises:
            SessionBusy: its place in the queue did not come in time; nothing was changed.
            APIError: the worker could not do it; nothing was changed.
        """

        async def carry_out() -> None:
            await self._worker.reset(session_id)
            self._sessions.reset(session_id)

        await self._in_turn(carry_out)

    async def close(self, session_id: str) -> None:
        """Free a session's place in the worker, and then in the book; raises as `reset` does."""

        async def carry_out() -> None:
            await self._worker.close(session_id)
            self._sessions.closed(session_id)

        await self._in_turn(carry_out)

    async def drain(self, grace_s: float, *, to_hear_s: float | None = None) -> None:
        """Take nothing new, let turns end for `grace_s`, cut what is left; returns when idle.

        What was cut fails: a part of an answer is not to be taken for the whole. A worker that has
        not heard of it after `to_hear_s`, the grace of any cancel unless given, is ended.
        """
        self._stopping = True
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(grace_s):
                await self._idle.wait()
        for turn in self.unfinished():
            turn.cut = turn.cut or not turn.cancelled
            if not self.cancel(turn) and turn is self._active:
                self._worker.end("the server was stopped, and its worker hears no cancel")
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(
                self._worker.cancel_grace_s if to_hear_s is None else to_hear_s
            ):
                await self._idle.wait()
                return
        self._worker.end("the server was stopped, and its worker went on")  # in a long prefill
        await self._idle.wait()

    async def aclose(self) -> None:
        """Stop driving; what is unfinished fails."""
        self._driver.cancel()
        await asyncio.wait({self._driver})

    def _enqueue(self, entry: Turn | _SessionRequest) -> None:
        if reason := self.unavailable:
            raise Unavailable(reason)
        self._queue.append(entry)
        self._idle.clear()
        self._arrival.set()

    async def _in_turn(self, carry_out: Callable[[], Coroutine[None, None, None]]) -> None:
        request = _SessionRequest(carry_out)
        self._enqueue(request)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._session_wait_s):
                await request.began.wait()
        if request in self._queue:
            self._queue.remove(request)
            self._moved_up()
            raise SessionBusy(
                f"other turns were still running after {self._session_wait_s:g} s; nothing was"
                " changed; cancel them or try again"
            )
        await request.answered

    async def _drive(self) -> None:
        while True:
            while not self._queue:
                self._idle.set()
                self._arrival.clear()
                await self._arrival.wait()
            self._active = self._queue.popleft()
            self._moved_up()
            if isinstance(self._active, Turn):
                await self._run(self._active)
            else:
                await self._carry_out(self._active)
            self._active = None

    async def _run(self, turn: Turn) -> None:
        try:
            await self._open(turn.session)
            if turn.cancelled:
                self._end(turn)
                return
            turn.sent()
            done = await self._worker.generate(
                turn.request,
                turn.arrived,
                turn.progressed,
                prompt_tokens=turn.prompt_tokens,
            )
        except (WorkerRefused, WorkerDied) as error:
            self._end(turn, error=as_api_error(error))
        else:
            self.worker_peak_bytes = done.peak_rss_bytes or self.worker_peak_bytes
            turn.session.newest = turn.completion_id
            self._end(turn, done)

    def _moved_up(self) -> None:
        """Those who wait have fewer before them."""
        for entry in self._queue:
            if isinstance(entry, Turn):
                entry.changed()

    def _end(self, turn: Turn, done: Done | None = None, *, error: APIError | None = None) -> None:
        if turn.cut and error is None and (done is None or done.cancelled):
            error = Unavailable("the server was stopped before the answer was complete")
        turn.over(done, error)
        self._sessions.leave(turn.session)

    async def _open(self, session: Session) -> None:
        if session.session_id is not None and session.state is not SessionState.OPEN:
            await self._worker.open(session.session_id)
            self._sessions.opened(session)

    async def _carry_out(self, request: _SessionRequest) -> None:
        request.began.set()
        try:
            await request.carry_out()
        except (WorkerRefused, WorkerDied) as error:
            request.fail(as_api_error(error))
        else:
            if not request.answered.done():
                request.answered.set_result(None)

    def _driver_ended(self, driver: asyncio.Task[None]) -> None:
        """Whatever ended the driver, nobody may wait for it for ever."""
        self._stopping = True
        if not driver.cancelled() and (bug := driver.exception()):
            LOG.error("the queue failed", exc_info=bug)
            self._broken = f"the queue failed: {bug!r}"
        error = Unavailable(self.unavailable or "")
        for entry in (self._active, *self._queue):
            if isinstance(entry, Turn):
                self._end(entry, error=error)
            elif entry is not None:
                entry.fail(error)
        self._active = None
        self._queue.clear()
        self._idle.set()


def as_api_error(error: WorkerRefused | WorkerDied) -> APIError:
    """What a caller is told of the worker's words."""
    if isinstance(error, WorkerDied):
        return Unavailable(str(error))
    if error.code == "unsupported_session":
        return UnsupportedSession()
    if error.code == "capacity_exhausted":
        return SessionCapacity(error.message)
    return GenerationFailed(f"the worker could not do it: {error.message}")
