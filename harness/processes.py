"""How much processor time has a process used, with all that it has started?

Read from /proc, so on Linux; elsewhere, and of a process that is gone, the answer is None.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Stat", "cpu_seconds", "parse_stat"]

PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Stat:
    """What is used of the line that the kernel keeps of a process, in its own ticks."""

    parent: int
    ticks: int
    """Taken of the processors, for itself and in the kernel."""
    started: int
    """Since the machine was started."""


def cpu_seconds(pid: int, proc: Path = PROC) -> float | None:
    """Seconds of processor time of a process and its living descendants."""
    stats = {}
    for path in proc.glob("[0-9]*/stat"):
        try:
            stats[int(path.parent.name)] = parse_stat(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):  # it ended while we looked
            continue
    if pid not in stats:
        return None
    family, size = {pid}, 0
    while len(family) > size:
        size = len(family)
        family |= {child for child, stat in stats.items() if stat.parent in family}
    return sum(stats[each].ticks for each in family) / os.sysconf("SC_CLK_TCK")


def parse_stat(text: str) -> Stat:
    """A line of `/proc/PID/stat`; the name in it may hold spaces and brackets.

    Raises:
        ValueError: it is no such line.
    """
    fields = text.rpartition(")")[2].split()
    if len(fields) < 20:
        raise ValueError("not a line of /proc/PID/stat")
    return Stat(int(fields[1]), int(fields[11]) + int(fields[12]), int(fields[19]))
