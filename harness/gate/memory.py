"""How much memory does a process hold right now?

Its resident bytes: of Linux from /proc, of macOS as `ps` tells it, which has not run on a Mac.
"""

from __future__ import annotations

import os
import platform
from pathlib import Path

from harness.gate.machine_facts import said

__all__ = ["parse_ps", "parse_statm", "resident_bytes"]


def resident_bytes(pid: int, proc: Path = Path("/proc")) -> int | None:
    """Resident bytes of a process; None where it is gone, or nobody tells."""
    if platform.system() == "Darwin":
        return parse_ps(said("ps", "-o", "rss=", "-p", str(pid)))
    try:
        text = (proc / str(pid) / "statm").read_text(encoding="utf-8")
    except OSError:
        return None
    return parse_statm(text, os.sysconf("SC_PAGE_SIZE"))


def parse_statm(text: str, page_bytes: int) -> int | None:
    """Resident bytes, of `/proc/PID/statm`, which counts pages: size, resident, shared, …"""
    fields = text.split()
    resident = int(fields[1]) if len(fields) > 1 and fields[1].isdecimal() else 0
    return resident * page_bytes or None  # a process that has ended and was not waited for has 0


def parse_ps(text: str) -> int | None:
    """The same of `ps -o rss=`, which counts KiB."""
    told = text.strip()
    return int(told) * 1024 if told.isdecimal() and int(told) else None
