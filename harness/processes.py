"""How much processor time has a process used, with all that it has started?

Read from /proc, so on Linux; elsewhere, and of a process that is gone, the answer is None.
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["cpu_seconds", "parse_stat"]

PROC = Path("/proc")


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
        family |= {child for child, (parent, _) in stats.items() if parent in family}
    return sum(stats[each][1] for each in family) / os.sysconf("SC_CLK_TCK")


def parse_stat(text: str) -> tuple[int, int]:
    """Parent and ticks of `/proc/PID/stat`; the name in it may hold spaces and brackets.

    Raises:
        ValueError: it is no such line.
    """
    fields = text.rpartition(")")[2].split()
    if len(fields) < 13:
        raise ValueError("not a line of /proc/PID/stat")
    return int(fields[1]), int(fields[11]) + int(fields[12])
