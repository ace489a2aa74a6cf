"""How is a worker driven through its pipes?  One `write` at a time, one line back at a time."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

__all__ = ["Refuted", "WorkerProcess", "generate", "line"]

PATIENCE_S = 120.0
"""Only a bound: what should come at once may take this long on a busy machine."""


SANITIZERS = ("ThreadSanitizer", "AddressSanitizer", "LeakSanitizer", "runtime error:")
"""What a build with sanitizers says on stderr when it has found something."""


class Refuted(Exception):
    """The worker did something else than it should."""


def line(message: object) -> bytes:
    """A message as it goes over the pipe."""
    return json.dumps(message).encode() + b"\n"


def generate(
    number: int | None, prompt: str = "", *, session: str = "", **more: object
) -> dict[str, object]:
    """A request, by the name that a cancel has for it."""
    request: dict[str, object] = {"prompt": prompt or "Hello", "max_new_tokens": -1, **more}
    if session:
        request["session_id"] = session
    if number is not None:
        request["cancel_request_id"] = number
    return request


class WorkerProcess:
    """One worker, from its ready line to its exit."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        stdin: int = subprocess.PIPE,
    ) -> None:
        self._process = subprocess.Popen(
            list(argv),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(environment or {})},
        )
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._complaints: list[bytes] = []
        self._complained = threading.Condition()
        self._readers = [
            threading.Thread(target=self._read_stdout, daemon=True),
            threading.Thread(target=self._read_stderr, daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        try:
            self.ready = self.next()
        except BaseException:
            self._end()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self._end()
        if kind is None and (found := [mark for mark in SANITIZERS if mark in self.complaints()]):
            raise Refuted(f"{found[0]}{self._said()}")

    def send(self, *messages: object) -> None:
        """Messages in one write."""
        self.write(b"".join(map(line, messages)))

    def write(self, data: bytes) -> None:
        """Bytes in one write."""
        assert self._process.stdin is not None
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def hang_up(self) -> None:
        """Close its stdin."""
        assert self._process.stdin is not None
        self._process.stdin.close()

    def next(self) -> dict[str, Any]:
        """The next line of its stdout.

        Raises:
            Refuted: none came, or it is no object.
        """
        try:
            data = self._lines.get(timeout=PATIENCE_S)
        except queue.Empty:
            raise Refuted(f"nothing was said for {PATIENCE_S:g} s{self._said()}") from None
        if not data:
            code = self._process.wait()
            self.complaints()
            raise Refuted(f"it ended with exit code {code}{self._said()}")
        message = json.loads(data)
        if not isinstance(message, dict):
            raise Refuted(f"it said {message!r}")
        return message

    def first_text(self) -> str:
        """Wait until the turn has begun to answer."""
        message = self.next()
        if "token" not in message:
            raise Refuted(f"a turn should have begun with text, not {message}")
        return str(message["token"])

    def end_of_turn(self) -> tuple[str, dict[str, Any]]:
        """The text that is still to come, and the line that ends the turn."""
        text = ""
        while "token" in (message := self.next()):
            text += str(message["token"])
        return text, message

    def heard(self, text: str) -> None:
        """Wait until it has said this on stderr."""
        with self._complained:
            if not self._complained.wait_for(
                lambda: text.encode() in b"".join(self._complaints), PATIENCE_S
            ):
                raise Refuted(f"it never said {text!r}{self._said()}")

    def complaints(self) -> str:
        """What it has said on stderr, once it has ended."""
        for reader in self._readers:
            reader.join(PATIENCE_S)
        return b"".join(self._complaints).decode(errors="replace")

    def exit_code(self) -> int:
        """How it ended, after nothing more was said.

        Raises:
            Refuted: it goes on, or said something.
        """
        try:
            code = self._process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise Refuted("it goes on") from None
        if data := self._lines.get(timeout=PATIENCE_S):
            raise Refuted(f"it said {data!r} before it ended")
        return code

    def _end(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for reader in self._readers:
            reader.join()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()

    def _said(self) -> str:
        said = b"".join(self._complaints[-8:]).decode(errors="replace").strip()
        return f"; on stderr: {said}" if said else ""

    def _read_stdout(self) -> None:
        assert self._process.stdout is not None
        for data in self._process.stdout:
            self._lines.put(data)
        self._lines.put(b"")

    def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        for data in self._process.stderr:
            with self._complained:
                self._complaints.append(data)
                self._complained.notify_all()
