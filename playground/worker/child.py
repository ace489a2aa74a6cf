"""How does the event loop keep a child process: lines in, lines out, and how it ended.

`ChildProcess` knows nothing of what the lines say. It calls `on_line` with each line of stdout,
without its newline and without blank ones, and `on_end` with the reason when the child is no more:
when it has exited *and* its stdout is read to the end, which come in either order. Each waits for
the other for `LAST_WORDS_S` at most; a child that closed its stdout and lives on is killed.

stdout is read whenever something comes. Resting a few milliseconds between reads was tried: it
halves the server's own processor time for each token, and yet the embedded model on two processors
answered 5 to 10 % more slowly, so it is not done.

It leads a process group (`start_new_session`), and is signalled with it: where the command is a
script that starts the worker, the worker is a child of that.

stderr is passed on to ours as it comes, and its last lines are kept.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections import deque
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ChildProcess"]

STDERR_LINES_KEPT = 20
LAST_WORDS_S = 1.0


class ChildProcess(asyncio.SubprocessProtocol):
    """The process and its pipes: lines out, lines in, and how it ended."""

    def __init__(self, on_line: Callable[[bytes], None], on_end: Callable[[str], None]) -> None:
        self._on_line, self._on_end = on_line, on_end
        self._partial = b""
        self._stderr: deque[bytes] = deque(maxlen=STDERR_LINES_KEPT)
        self._stderr_partial = b""
        self._stdout_open = True
        self._exited = asyncio.Event()
        self._drained = asyncio.Event()
        self._transport: asyncio.SubprocessTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It runs."""
        self._transport = cast("asyncio.SubprocessTransport", transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Something came on stdout or stderr."""
        if fd == 2:
            self._keep_stderr(data)
            return
        *lines, self._partial = (self._partial + data).split(b"\n")
        for line in lines:
            if line and not line.isspace():
                self._on_line(line)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002
        """One of its pipes was closed."""
        if fd == 1:
            self._stdout_open = False
            self._half_ended()

    def process_exited(self) -> None:
        """It was reaped."""
        self._exited.set()
        self._half_ended()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        """It was reaped and its pipes are read to the end."""
        self._drained.set()

    @property
    def ended(self) -> bool:
        """Whether it exited, or can say nothing more."""
        return self._exited.is_set() or not self._stdout_open

    @property
    def pid(self) -> int:
        """Its process id."""
        assert self._transport is not None
        return self._transport.get_pid()

    @property
    def stderr_tail(self) -> tuple[str, ...]:
        """The last lines of stderr."""
        lines = [*self._stderr, self._stderr_partial] if self._stderr_partial else self._stderr
        return tuple(line.decode("utf-8", "replace") for line in lines)

    def write(self, line: bytes) -> None:
        """Send a line; what a dead process does not read is dropped."""
        self._stdin().write(line)

    def kill(self) -> None:
        """SIGKILL, if there is still something to kill."""
        self._signal(signal.SIGKILL)

    async def end(self, patience_s: float) -> None:
        """Close stdin, then insist; returns when the process was reaped and its pipes are read."""
        if self._transport is None:
            return
        self._stdin().close()
        for insist in (None, signal.SIGTERM, signal.SIGKILL):
            if insist:
                self._signal(insist)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(patience_s if insist != signal.SIGKILL else None):
                    await self._exited.wait()
                break
        try:
            async with asyncio.timeout(LAST_WORDS_S):
                await self._drained.wait()
        except TimeoutError:  # a child of its own holds them
            self.kill()
        self._transport.close()

    def _stdin(self) -> asyncio.WriteTransport:
        assert self._transport is not None
        return cast("asyncio.WriteTransport", self._transport.get_pipe_transport(0))

    def _signal(self, number: signal.Signals) -> None:
        """To all of its group, as long as one of them runs, or may hold its pipes."""
        if self._exited.is_set() and self._drained.is_set():
            return  # its id may be another one's by now
        with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS: only zombies left
            os.killpg(self.pid, number)

    def _keep_stderr(self, data: bytes) -> None:
        sys.stderr.buffer.write(data)
        sys.stderr.buffer.flush()
        *lines, self._stderr_partial = (self._stderr_partial + data).split(b"\n")
        self._stderr.extend(lines)

    def _half_ended(self) -> None:
        """Exit and the end of stdout come in either order, together unless something is wrong."""
        if self._exited.is_set() and not self._stdout_open:
            self._on_end(self._how_it_ended())
        else:
            asyncio.get_running_loop().call_later(LAST_WORDS_S, self._overdue)

    def _overdue(self) -> None:
        if not self._exited.is_set():
            self.kill()
        elif self._stdout_open:  # a child of its own holds the pipe
            self.kill()
            self._on_end(self._how_it_ended())

    def _how_it_ended(self) -> str:
        assert self._transport is not None
        code = self._transport.get_returncode()
        if code is not None and code < 0:
            return f"the worker was ended by {signal.Signals(-code).name}"
        return f"the worker exited with code {code}"
