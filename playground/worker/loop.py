"""Who answers what: arrivals in, one by one, replies out, until stdin ends.

The loop owns the sessions and is the only writer. Whatever a request provokes becomes its one
error reply and the worker serves on; it ends when stdin has ended or nobody reads stdout.
"""

from __future__ import annotations

import os
import traceback
from dataclasses import asdict
from typing import TYPE_CHECKING

from playground.worker.assembly import MAX_IMAGES
from playground.worker.errors import MessageError, OutputClosed, RequestRefused, WorkerFault
from playground.worker.messages import (
    Failed,
    GenerateRequest,
    Ready,
    SessionOp,
    SessionReply,
    WorkerInfo,
    dump_reply,
)
from playground.worker.process import peak_rss_bytes
from playground.worker.sessions import Sessions
from playground.worker.turn import Turn

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.worker.cancellation import Cancellations
    from playground.worker.inbox import Arrival, Inbox
    from playground.worker.messages import Reply
    from playground.worker.turn import Model

__all__ = ["Worker"]


class Worker:
    """Serves one parent over one pair of pipes; before each step it looks for cancellations."""

    def __init__(  # noqa: PLR0913 - one collaborator each
        self,
        model: Model,
        *,
        inbox: Inbox,
        cancellations: Cancellations,
        look: Callable[[], None] | None = None,
        write: Callable[[bytes], None],
        clock_ns: Callable[[], int],
        max_sessions: int = 2,
        warm_resume: bool = True,
    ) -> None:
        self._model = model
        self._inbox = inbox
        self._cancellations = cancellations
        self._look = look or _nothing_to_look_at
        self._write = write
        self._clock_ns = clock_ns
        self._warm_resume = warm_resume
        self._sessions = Sessions(model.engine.open, max_sessions)

    def run(self, *, supports_cancel: bool) -> None:
        """Say ready and serve; returns when stdin has ended or stdout was closed."""
        try:
            self._write(dump_reply(self._ready(supports_cancel=supports_cancel)))
            while (arrival := self._inbox.take()) is not None:
                line = self._answer(arrival)
                if line is not None:
                    self._write(line)
                if arrival.ticket is not None:
                    self._cancellations.finish(arrival.ticket)
        except OutputClosed:
            return

    def _ready(self, *, supports_cancel: bool) -> Ready:
        info = asdict(self._model.engine.info)
        return Ready(
            max_sessions=self._sessions.capacity,
            max_named_sessions=self._sessions.named_capacity,
            supports_image=self._model.engine.info.max_image_cells is not None,
            max_images=MAX_IMAGES,
            supports_cancel=supports_cancel,
            cancel_op=True,
            worker=WorkerInfo(
                **info,
                pid=os.getpid(),
                peak_rss_bytes=peak_rss_bytes(),
                max_image_bytes=self._model.max_image_bytes,
            ),
        )

    def _answer(self, arrival: Arrival) -> bytes | None:
        """Return the last line of reply to a line; None if nobody waits for one any more."""
        request = arrival.request
        if isinstance(request, MessageError):
            return dump_reply(Failed(str(request)))
        session_id = request.session_id or None
        try:
            reply = self._serve(request, arrival)
            return None if reply is None else dump_reply(reply)
        except OutputClosed:
            raise
        except RequestRefused as refusal:
            return dump_reply(Failed(str(refusal), refusal.code, session_id))
        except WorkerFault as fault:
            traceback.print_exception(fault)
            return dump_reply(Failed(str(fault), session_id=session_id))
        except Exception as error:  # noqa: BLE001  (one request must not take the worker along)
            traceback.print_exception(error)
            message = f"{type(error).__name__}: {error}"
            return dump_reply(Failed(message, session_id=session_id))

    def _serve(self, request: GenerateRequest | SessionOp, arrival: Arrival) -> Reply | None:
        if isinstance(request, SessionOp):
            return self._change_session(request)
        return self._generate(request, arrival)

    def _change_session(self, request: SessionOp) -> SessionReply:
        match request.op:
            case "open":
                self._sessions.open(request.session_id)
            case "reset":
                self._sessions.reset(request.session_id)
            case "close":
                self._sessions.close(request.session_id)
        return SessionReply(request.op, request.session_id)

    def _generate(self, request: GenerateRequest, arrival: Arrival) -> Reply | None:
        assert arrival.ticket is not None
        turn = Turn(
            request,
            arrival.ticket,
            model=self._model,
            look=self._look,
            write=self._write,
            clock_ns=self._clock_ns,
            read_at_ns=arrival.read_at_ns,
        )
        return turn.run(self._sessions, warm_resume=self._warm_resume)


def _nothing_to_look_at() -> None:
    """Cancellations come on stdin alone."""
