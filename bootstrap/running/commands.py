"""How is a command run? Its output goes to a log, and the end of it into the error.

A command that is running when we are stopped is stopped with us, and so is what it has started: it
runs in a session of its own.  There it has no terminal to ask a question on, and Ctrl-C reaches it
through us alone.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shlex
import signal
import subprocess
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

__all__ = ["CommandFailed", "Commands", "Run", "clean_environment", "what_to_do"]

LAST_LINES = 8
PATIENCE_S = 10.0
LOOK_S = 0.02
MISLEADING = {
    *("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "__PYVENV_LAUNCHER__"),
    *("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_PYTHON", "PIP_DRY_RUN"),
    "HF_TOKEN",
}
"""Variables by which an environment would see another one's packages, or pip install elsewhere; and
the one that is for the publisher of a model alone."""
INSTALLED_HERE = {"PIP_USER": "0"}
"""Some have pip configured to install for the user, which it refuses to in an environment."""


class CommandFailed(Exception):
    """It ended with another code than 0, or could not be run."""

    def __init__(
        self, argv: Sequence[str], reason: str, tail: Sequence[str], code: int | None = None
    ) -> None:
        self.argv, self.reason, self.tail = tuple(argv), reason, tuple(tail)
        self.code = code  # None where it could not be run
        said = "".join(f"\n    {line}" for line in tail)
        super().__init__(f"{shlex.join(argv)}: {reason}{said}")


def what_to_do(problem: CommandFailed, otherwise: str) -> str:
    """Make room, where the disk is full; or else what is usual for this command."""
    full = os.strerror(errno.ENOSPC)
    return "make room on the disk" if any(full in line for line in problem.tail) else otherwise


class Run(Protocol):
    """Runs a command to its end: the seam where tests have no pip."""

    def __call__(self, argv: Sequence[str], *, on_line: Callable[[str], None]) -> None:
        """`on_line` hears each line of its output; raises CommandFailed."""
        ...


@dataclass(frozen=True, slots=True)
class Commands:
    """Runs commands one after the other, with one log."""

    log: Path
    environ: Mapping[str, str]
    inherit: tuple[int, ...] = ()
    """Descriptors that they get: the lock's, so that it lasts as long as they do."""
    cwd: Path | None = None
    """The folder that they run in; None for our own."""

    def __call__(self, argv: Sequence[str], *, on_line: Callable[[str], None]) -> None:
        """See `Run`."""
        tail: deque[str] = deque(maxlen=LAST_LINES)
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("a", encoding="utf-8") as log:
            where = f"cd {shlex.quote(str(self.cwd))} && " if self.cwd else ""
            log.write(f"$ {where}{shlex.join(argv)}\n")
            log.flush()
            try:
                child = subprocess.Popen(
                    argv,
                    env=dict(self.environ),
                    cwd=self.cwd,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    pass_fds=self.inherit,
                    encoding="utf-8",
                    errors="replace",
                    start_new_session=True,
                )
            except OSError as problem:
                raise CommandFailed(argv, f"cannot be run: {problem.strerror}", ()) from problem
            with child:
                try:
                    assert child.stdout is not None
                    for line in child.stdout:
                        log.write(line)
                        log.flush()
                        tail.append(line.rstrip())
                        on_line(line.rstrip())
                    code = child.wait()
                except BaseException:
                    _end(child)
                    raise
        if code:
            reason = f"ended with code {code}" if code > 0 else f"ended by signal {-code}"
            raise CommandFailed(argv, reason, tail, code)


def clean_environment(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a command of another environment gets: pip's settings, but those of where to."""
    given = os.environ if environ is None else environ
    kept = {key: value for key, value in given.items() if key not in MISLEADING}
    return {**kept, **INSTALLED_HERE}


def _end(child: subprocess.Popen[str]) -> None:
    """End a command and all it has started; whoever does not go is made to."""
    try:
        _signal(child.pid, signal.SIGTERM)
        deadline = time.monotonic() + PATIENCE_S
        while _signal(child.pid, 0) and time.monotonic() < deadline:
            child.poll()
            time.sleep(LOOK_S)
    finally:
        _signal(child.pid, signal.SIGKILL)
        child.wait()


def _signal(group: int, number: int) -> bool:
    """Whether there was anybody in the group to be told."""
    with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS, of zombies
        os.killpg(group, number)
        return True
    return False
