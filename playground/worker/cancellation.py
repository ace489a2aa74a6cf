"""Which generate requests shall end early, whoever says so and whenever.

Every generate gets a `Ticket` when its line is read, long before it runs; the loop looks at
`ticket.halted` before each step. A cancellation marks the ticket of an *unfinished* request, so
it works for a request still queued, and one for a finished request finds no ticket and does
nothing. Two dialects lead here:

- a frame on the control descriptor, eight bytes little-endian, the request's `cancel_request_id`.
  It travels on a pipe of its own and may be read before the request that it names (`control`
  reads it). Ids grow, so
  a frame with an id larger than any seen is kept for its request; any other is stale.
- a cancel line on stdin, in order with the requests, so one that names nothing is stale.

End of file on stdin halts every request, those to come included.

The thread that reads stdin and the loop meet here, under one lock.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from playground.worker.messages import Cancel, GenerateRequest

__all__ = ["Cancellations", "FrameSplitter", "Ticket"]

FRAME_BYTES = 8


@dataclass(slots=True, eq=False)
class Ticket:
    """One generate request, from the reading of its line to its last reply.

    halted
        None: go on. "cancelled": end with a done line that says so. "closed": nobody listens.
    """

    session_id: str
    request_id: int | None
    halted: Literal["cancelled", "closed"] | None = None


class Cancellations:
    """The tickets of all unfinished requests, oldest first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._unfinished: list[Ticket] = []
        self._early: set[int] = set()
        self._newest_id = -1
        self._closed = False

    @property
    def closed(self) -> bool:
        """Whether stdin has ended."""
        return self._closed

    def admit(self, request: GenerateRequest) -> Ticket:
        """Give a request its ticket, when its line was read."""
        request_id = request.cancel_request_id
        with self._lock:
            ticket = Ticket(request.session_id, request_id)
            if request_id is not None:
                if request_id in self._early:
                    ticket.halted = "cancelled"
                self._newest_id = max(self._newest_id, request_id)
                self._early = {early for early in self._early if early > self._newest_id}
            if self._closed:
                ticket.halted = "closed"
            self._unfinished.append(ticket)
            return ticket

    def finish(self, ticket: Ticket) -> None:
        """Take a ticket away, after the last reply to its request."""
        with self._lock:
            self._unfinished.remove(ticket)

    def cancel_id(self, request_id: int) -> bool:
        """Cancel by a control frame; tell whether it named a request, or one to come."""
        with self._lock:
            if self._halt_newest(request_id=request_id):
                return True
            if request_id > self._newest_id:
                self._early.add(request_id)
                return True
            return False

    def cancel(self, wanted: Cancel) -> bool:
        """Cancel by a line on stdin; tell whether it named an unfinished request."""
        if wanted.request_id is None and not wanted.session_id:
            return False
        with self._lock:
            return self._halt_newest(request_id=wanted.request_id, session_id=wanted.session_id)

    def close(self) -> None:
        """Halt everything: stdin has ended."""
        with self._lock:
            self._closed = True
            for ticket in self._unfinished:
                ticket.halted = "closed"

    def _halt_newest(self, *, request_id: int | None, session_id: str | None = None) -> bool:
        for ticket in reversed(self._unfinished):
            if request_id is not None and ticket.request_id != request_id:
                continue
            if session_id is not None and ticket.session_id != session_id:
                continue
            ticket.halted = ticket.halted or "cancelled"
            return True
        return False


class FrameSplitter:
    """Bytes of the control descriptor, however they were cut, to request ids."""

    def __init__(self) -> None:
        self._partial = b""

    def feed(self, data: bytes) -> list[int]:
        """Take some bytes; return the ids of the frames that are complete by now."""
        data = self._partial + data
        whole = len(data) - len(data) % FRAME_BYTES
        self._partial = data[whole:]
        return [
            int.from_bytes(data[at : at + FRAME_BYTES], "little")
            for at in range(0, whole, FRAME_BYTES)
        ]
