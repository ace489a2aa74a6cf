"""What arrived on stdin, in order, for the loop to serve one after the other.

A thread of its own reads stdin, so that a cancel, or the end of the file, is noticed while the
loop is inside a generation: `feed` and `close` are that thread's, `take` is the loop's. Every line
is parsed as it arrives. Cancels take effect at once and are not queued; every generate gets its
ticket at once, so a cancel that came in the same read as its request finds it. A line that is no
request keeps its place in the queue, because its error reply must keep its place among replies.
"""

from __future__ import annotations

import os
import sys
import threading
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING

from playground.worker.errors import MessageError
from playground.worker.messages import Cancel, GenerateRequest, SessionOp, parse_request

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.worker.cancellation import Cancellations, Ticket

__all__ = ["Arrival", "Inbox", "LineSplitter", "follow"]

MAX_LINE_BYTES = 64 * 2**20
"""Room for a prompt that fills any context, and for an image of 20 MiB in base64."""

READ_BYTES = 2**16


@dataclass(frozen=True, slots=True)
class Arrival:
    """One line of stdin that wants a reply; `ticket` is there for a generate only."""

    request: GenerateRequest | SessionOp | MessageError
    read_at_ns: int
    ticket: Ticket | None = None


class Inbox:
    """Bytes in, arrivals out; the one place where the two threads meet."""

    def __init__(
        self,
        cancellations: Cancellations,
        *,
        clock_ns: Callable[[], int],
        max_line_bytes: int = MAX_LINE_BYTES,
    ) -> None:
        self._cancellations = cancellations
        self._clock_ns = clock_ns
        self._split = LineSplitter(max_line_bytes)
        self._line_number = 0
        self._arrivals: SimpleQueue[Arrival | None] = SimpleQueue()

    def take(self) -> Arrival | None:
        """Wait for the next arrival; None when stdin has ended, whatever is still queued."""
        arrival = self._arrivals.get()
        return None if self._cancellations.closed else arrival

    def feed(self, data: bytes) -> None:
        """Take bytes read from stdin."""
        for line in self._split.feed(data):
            self._line_number += 1
            try:
                self._take_line(line)
            except MessageError as error:
                self._arrivals.put(Arrival(error, self._clock_ns()))

    def close(self) -> None:
        """Note the end of stdin: running work halts, and `take` returns None."""
        self._cancellations.close()
        self._arrivals.put(None)

    def _take_line(self, line: bytes | None) -> None:
        if line is None:
            raise MessageError(
                f"the line is longer than {self._split.limit} bytes", line_number=self._line_number
            )
        if not line or line.isspace():
            return
        match parse_request(line, self._line_number):
            case Cancel() as wanted:
                if not self._cancellations.cancel(wanted):
                    print(f"ignored: no unfinished request for {wanted}", file=sys.stderr)
            case GenerateRequest() as request:
                ticket = self._cancellations.admit(request)
                self._arrivals.put(Arrival(request, self._clock_ns(), ticket))
            case SessionOp() as request:
                self._arrivals.put(Arrival(request, self._clock_ns()))


class LineSplitter:
    r"""Bytes, however they were cut, to lines without their `\n`."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._partial: list[bytes] = []
        self._length = 0

    def feed(self, data: bytes) -> list[bytes | None]:
        """Take some bytes; return the lines that are complete by now, None for one over `limit`.

        The bytes of a line over the limit are dropped as they come.
        """
        *ends, rest = data.split(b"\n")
        lines: list[bytes | None] = []
        for end in ends:
            self._add(end)
            lines.append(b"".join(self._partial) if self._length <= self.limit else None)
            self._partial.clear()
            self._length = 0
        self._add(rest)
        return lines

    def _add(self, data: bytes) -> None:
        self._length += len(data)
        if self._length > self.limit:
            self._partial.clear()
        elif data:
            self._partial.append(data)


def follow(
    descriptor: int, feed: Callable[[bytes], object], end: Callable[[], object], *, name: str
) -> threading.Thread:
    """Start a thread that reads a descriptor to its end; it does not keep the process alive."""

    def read() -> None:
        try:
            while data := os.read(descriptor, READ_BYTES):
                feed(data)
        except OSError as error:
            print(f"{name}: {error}", file=sys.stderr)
        finally:
            end()

    thread = threading.Thread(target=read, name=name, daemon=True)
    thread.start()
    return thread
