"""Processes of a setup: run to their end, left running, or held at a line that they tell."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import select
import signal
import subprocess
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["LONGEST_S", "Ended", "Started", "Stepped", "alive", "begun_in", "until"]

LONGEST_S = 120.0
"""More than anything here takes, however busy the machine is."""
LOOK_S = 0.02
PAGE = 4096


@dataclass(frozen=True)
class Ended:
    """What came of it."""

    code: int
    out: str
    err: str

    @property
    def begun(self) -> list[str]:
        """The stages that were begun, in order."""
        return begun_in(self.err.splitlines())


def begun_in(told: Sequence[str]) -> list[str]:
    """The stages that were begun, by lines that were told."""
    lines = [line.rstrip().split(": ") for line in told if line.rstrip().endswith(" …")]
    return [line[2] for line in lines if len(line) > 3 and line[0] == "bootstrap"]


class Started:
    """One that is running, alone in a session of its own."""

    def __init__(
        self, command: Sequence[str], cwd: Path, environ: Mapping[str, str], err: int | None = None
    ) -> None:
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if err is None else err,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )

    def end(self) -> Ended:
        """Wait until it has ended."""
        try:
            out, err = self.process.communicate(timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise
        return Ended(self.process.returncode, out, err or "")

    def remove(self) -> None:
        """See that it has ended, and leave nothing of it open."""
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()

    def tell(self, number: signal.Signals) -> None:
        """Send it a signal, and no one else."""
        self.process.send_signal(number)


class Stepped(Started):
    """One that cannot tell a line before the one before was read.

    Its stderr is a pipe that holds one line; the next one waits for a place.
    """

    def __init__(self, command: Sequence[str], cwd: Path, environ: Mapping[str, str]) -> None:
        self._lines, told = os.pipe2(os.O_DIRECT | os.O_CLOEXEC)
        fcntl.fcntl(told, fcntl.F_SETPIPE_SZ, PAGE)
        super().__init__(command, cwd, environ, told)
        os.close(told)
        self.told: list[str] = []

    def hold(self, at: Callable[[str], bool]) -> bool:
        """Let it go on until it has told a line of a kind, and no further; False where it ended.

        It can do what comes behind that line, but tell of nothing.
        """
        while line := self._next():
            self.told.append(line)
            if at(line):
                return True
            os.read(self._lines, PAGE)
        return False

    def kill(self) -> None:
        """End it where it is, without a word to it."""
        self.process.kill()
        self.process.communicate(timeout=LONGEST_S)
        os.close(self._lines)

    def end(self) -> Ended:
        """Let it go on to its end."""
        if self.told:
            os.read(self._lines, PAGE)  # the line that it was held at
        self.hold(lambda _: False)
        os.close(self._lines)
        return replace(super().end(), err="".join(self.told))

    def _next(self) -> str:
        """The line in the pipe, which stays there; empty at the end."""
        ready, _, _ = select.select([self._lines], [], [], LONGEST_S)
        assert ready, f"nothing was told any more after {self.told}"
        copy, into = os.pipe()
        try:
            ctypes.CDLL(None, use_errno=True).tee(self._lines, into, PAGE, 0)
            os.close(into)
            return os.read(copy, PAGE).decode()
        finally:
            os.close(copy)


def until(happened: Callable[[], object], started: Started) -> None:
    """Wait for something that a process that is running will do."""
    deadline = time.monotonic() + LONGEST_S
    while not happened():
        assert started.process.poll() is None, started.process.communicate()
        assert time.monotonic() < deadline
        time.sleep(LOOK_S)


def alive(number: int) -> bool:
    """Whether there is such a process, and it has not ended."""
    try:
        state = Path("/proc", str(number), "stat").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state.rpartition(")")[2].split()[0] not in {"Z", "X"}
