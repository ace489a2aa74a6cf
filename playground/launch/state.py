"""What has a launch started that may outlive it, so that the next one can clean up?

    {"server": {"pid": 71, "began": "…"}, "worker": {"pid": 72, "began": "…"}, …}

Written as soon as a process is there, removed when the launch ends in order. What is found at the
next start was left by one that was killed: the file is only ever read by whoever holds the lock,
and that is nobody but its writer for as long as it lives.
"""

from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING, Any

from playground.launch.processes import Mark, end_left_behind, is_running, mark_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

__all__ = ["LaunchState", "clean_up", "read_marks"]

SERVER = "server"


class LaunchState:
    """The file of one launch; processes are added, and `remove` ends it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._marks: dict[str, Mark] = {}

    def add(self, role: str, pid: int) -> None:
        """Remember a process that runs; one that has ended already is none to clean up."""
        if mark := mark_of(pid):
            self._marks[role] = mark
            _write(self._path, self._marks)

    def remove(self) -> None:
        """Nothing is left."""
        self._path.unlink(missing_ok=True)


def read_marks(path: Path) -> dict[str, Mark]:
    """What was started, by role; empty where there is no file, or it is none of ours."""
    try:
        told: Any = json.loads(path.read_bytes())
        return {
            str(role): Mark(int(entry["pid"]), str(entry["began"])) for role, entry in told.items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return {}


def clean_up(path: Path, tell: Callable[[str], None], *, patience_s: float = 2.0) -> None:
    """End what a launch left that was killed; only for whoever holds the lock of the port.

    A server that lives without its lock is not touched: it is no leftover, and holds the port.
    """
    marks = read_marks(path)
    if (server := marks.pop(SERVER, None)) and is_running(server):
        return
    for role, mark in marks.items():
        if how := end_left_behind(mark, patience_s=patience_s):
            tell(f"the {role} of a launch that was killed (process {mark.pid}): {how}")
    path.unlink(missing_ok=True)


def _write(path: Path, marks: Mapping[str, Mark]) -> None:
    """Whole or not at all."""
    new = path.with_suffix(".new")
    told = {role: {"pid": mark.pid, "began": mark.began} for role, mark in marks.items()}
    with contextlib.suppress(OSError):  # no room; the folder was removed: we serve all the same
        new.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        os.replace(new, path)  # noqa: PTH105 - says what it does
