"""Is this still the process that was meant, and how is one that was left behind ended?

A process id is given anew when its process is gone, so an id alone is never signalled: a `Mark` is
the id with the instant at which its process began, as the system tells it.

- Linux: `/proc/PID/stat`, in ticks since the machine started, and the id of that start.
- elsewhere (macOS): `ps`, to the second.

A zombie is gone: it runs nothing, and whose child it is will take its exit code or not.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Mark", "command_of", "end_left_behind", "is_running", "mark_of", "name_in"]

PROC = Path("/proc")
BOOT_ID = PROC / "sys" / "kernel" / "random" / "boot_id"
LOOK_EVERY_S = 0.02
ASKED_S = 10.0
"""How long `ps` may take."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A process, not to be mistaken for a later one with its id."""

    pid: int
    began: str
    """When it began, in the system's words: to be compared, not to be read."""


def mark_of(pid: int, proc: Path = PROC) -> Mark | None:
    """The process that has this id now; None where there is none, or it cannot be seen."""
    began = _began_by_proc(pid, proc) if (proc / "self" / "stat").exists() else _began_by_ps(pid)
    return None if began is None else Mark(pid, began)


def is_running(mark: Mark) -> bool:
    """Whether that process, and not another one with its id, still runs."""
    return mark_of(mark.pid) == mark


def command_of(pid: int, proc: Path = PROC) -> str | None:
    """What a process is called, for people; None where that cannot be seen."""
    try:
        words = (proc / str(pid) / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
        return name_in([word for word in words if word]) or _comm(pid, proc)
    except OSError:
        said = _ps(pid, "command=")
        return name_in(said.split()) if said else None


def name_in(words: list[str]) -> str | None:
    """A program's name in its command line; of Python's also what it runs.

    Nothing more of the command line: it may hold what is nobody's business.
    """
    if not words:
        return None
    name = Path(words[0]).name
    if not name.lower().startswith("python"):
        return name
    rest = words[1:]
    while rest and rest[0].startswith("-") and rest[0] not in {"-m", "-c"}:
        rest = rest[2 if rest[0] in {"-W", "-X"} else 1 :]
    match rest:
        case ["-m", module, *_]:
            return f"{name} -m {module}"
        case ["-c", *_] | []:
            return name
        case [script, *_]:
            return f"{name} {Path(script).name}"
    return name


def end_left_behind(mark: Mark, *, patience_s: float = 2.0) -> str | None:
    """End a process whose parent is gone; says how, None where there was nothing to end.

    It has `patience_s` to end by itself, as a worker does whose stdin has ended, and as long after
    SIGTERM; then it is killed. What leads a process group is ended with its group.
    """
    if not is_running(mark):
        return None
    if _gone_within(mark, patience_s):
        return "it ended by itself"
    for number in (signal.SIGTERM, signal.SIGKILL):
        _signal(mark, number)
        if _gone_within(mark, patience_s):
            return f"ended by {number.name}"
    return "it cannot be ended"


def _signal(mark: Mark, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if is_running(mark):
            if os.getpgid(mark.pid) == mark.pid:
                os.killpg(mark.pid, number)
            else:
                os.kill(mark.pid, number)


def _gone_within(mark: Mark, patience_s: float) -> bool:
    deadline = time.monotonic() + patience_s
    while is_running(mark):
        if time.monotonic() > deadline:
            return False
        time.sleep(LOOK_EVERY_S)
    return True


def _began_by_proc(pid: int, proc: Path) -> str | None:
    """Fields 3 and 22 of the line; the name in it may hold spaces and brackets."""
    try:
        line = (proc / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
        fields = line.rpartition(")")[2].split()
        state, started = fields[0], fields[19]
        boot = BOOT_ID.read_text(encoding="ascii").strip()
    except (OSError, IndexError):
        return None
    return None if state in "ZX" else f"{started} ticks after boot {boot}"


def _began_by_ps(pid: int) -> str | None:
    state, _, began = (_ps(pid, "stat=,lstart=") or "").partition(" ")
    return None if not state or state.startswith("Z") else " ".join(began.split())


def _comm(pid: int, proc: Path) -> str | None:
    return (proc / str(pid) / "comm").read_text(encoding="utf-8", errors="replace").strip() or None


def _ps(pid: int, columns: str) -> str | None:
    """What `ps` says of a process; the same words whatever language and place are set."""
    try:
        asked = subprocess.run(
            ["ps", "-p", str(pid), *(f"-o{column}" for column in columns.split(","))],
            capture_output=True,
            text=True,
            errors="replace",  # a command line holds whatever bytes it was given
            timeout=ASKED_S,
            check=False,
            env={**os.environ, "LC_ALL": "C", "TZ": "UTC"},
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return asked.stdout.strip() or None
