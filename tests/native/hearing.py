"""What does the patched worker hear on stdin, and what of it ends a turn?

A thread reads the descriptor and keeps what comes in a buffer of its own, so that no line is lost
however it was cut. A line is a cancel, which takes effect at once, or waits its turn.
A generate can be cancelled from the moment its line is there, before it runs and while it does: by
the `cancel_request_id` that it carries, or as the newest of its session that is not over. A cancel
that names nothing of the kind says and does nothing.
When stdin ends, what runs ends at its next step and what waits is dropped.
"""

from __future__ import annotations

import json
import os
import threading
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

READ_BYTES = 2**16


@dataclass(slots=True, eq=False)
class Heard:
    """A line that is to be answered, and whether its turn was told to end."""

    line: bytes
    request_id: int | None = None
    session_id: str = ""
    cancelled: bool = False


class Hearing:
    """Lines in, one by one; cancels beside them."""

    def __init__(self) -> None:
        self._waiting: SimpleQueue[Heard | None] = SimpleQueue()
        self._buffer = b""
        self._lock = threading.Lock()
        self._unfinished: list[Heard] = []
        self.ended = False
        """Whether stdin has ended."""

    def listen(self, read: Callable[[], bytes]) -> None:
        """Take in what `read` gives until it gives nothing."""
        while data := read():
            self.feed(data)
        self.end()

    def feed(self, data: bytes) -> None:
        """Take in some bytes."""
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        for line in lines:
            self._take(line)

    def end(self) -> None:
        """Stdin has ended."""
        with self._lock:
            self.ended = True
            for heard in self._unfinished:
                heard.cancelled = True
        self._waiting.put(None)

    def next(self) -> Heard | None:
        """The next line that is to be answered; None where stdin has ended."""
        heard = self._waiting.get()
        return None if self.ended else heard

    def finished(self, heard: Heard) -> None:
        """It is answered, and can be cancelled no more."""
        with self._lock:
            if heard in self._unfinished:
                self._unfinished.remove(heard)

    def _take(self, line: bytes) -> None:
        if not line:
            return
        told = _object(line)
        op, session_id = told.get("op"), told.get("session_id")
        if op == "cancel":
            self._cancel(told.get("request_id"), session_id)
            return
        name = session_id if isinstance(session_id, str) else ""
        heard = Heard(line, _id(told.get("cancel_request_id")), name)
        if op not in {"open", "close", "reset"}:
            with self._lock:
                self._unfinished.append(heard)
        self._waiting.put(heard)

    def _cancel(self, request_id: object, session_id: object) -> None:
        if request_id is None and not session_id:
            return
        with self._lock:
            for heard in reversed(self._unfinished):
                if request_id is not None and heard.request_id != _id(request_id):
                    continue
                if session_id is not None and heard.session_id != session_id:
                    continue
                heard.cancelled = True
                return


def _id(told: object) -> int | None:
    return told if type(told) is int and told >= 0 else None


def start_listening(hearing: Hearing, descriptor: int) -> None:
    """Listen to a descriptor in a thread."""
    read = threading.Thread(
        target=hearing.listen, args=[lambda: os.read(descriptor, READ_BYTES)], daemon=True
    )
    read.start()


def _object(line: bytes) -> dict[str, Any]:
    """The object of a line; an empty one where it is none, which is for the loop to say."""
    try:
        told = json.loads(line)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}
