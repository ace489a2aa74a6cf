"""How much memory does a process hold right now, and how much did it hold at most?

Its resident bytes: of Linux from /proc, of macOS as `ps` tells it, which has not run on a Mac.  Of
the peak macOS tells no other process: there is only what the server says of its worker.

`believable` holds what the server says against what was seen here.
"""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import TYPE_CHECKING

from harness.gate.machine_facts import said
from harness.units import BYTES, format_value
from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.gate.record import StartRecord

__all__ = [
    "believable",
    "claimed_peak",
    "parse_ps",
    "parse_statm",
    "parse_status",
    "peak_bytes",
    "resident_bytes",
]

SLACK = 0.1
"""By how much a claim may lie below what was seen: both are read one after the other."""


def resident_bytes(pid: int, proc: Path = Path("/proc")) -> int | None:
    """Resident bytes of a process; None where it is gone, or nobody tells."""
    if platform.system() == "Darwin":
        return parse_ps(said("ps", "-o", "rss=", "-p", str(pid)))
    try:
        text = (proc / str(pid) / "statm").read_text(encoding="utf-8")
    except OSError:
        return None
    return parse_statm(text, os.sysconf("SC_PAGE_SIZE"))


def peak_bytes(pid: int, proc: Path = Path("/proc")) -> int | None:
    """The most that a process ever had resident; None where it is gone, or nobody tells."""
    try:
        return parse_status((proc / str(pid) / "status").read_text(encoding="utf-8"))
    except OSError:  # as on macOS, which has no /proc
        return None


def claimed_peak(runtime: Mapping[str, object] | None) -> float | None:
    """What a server says that its worker held at most, in `/api/runtime`."""
    memory = (runtime or {}).get("memory")
    told = memory.get("workerPeakBytes") if isinstance(memory, dict) else None
    return told if type(told) in {int, float} else None


def believable(start: StartRecord) -> Verdict:
    """Whether the peak that the server tells fits what was seen of its worker here."""
    check = "memory.believable"
    claim = claimed_peak(start.runtime)
    seen = [each for each in (start.worker_peak_bytes, start.worker_steady_bytes) if each]
    if claim is None:
        return Verdict(
            check, Outcome.INCONCLUSIVE, "/api/runtime does not tell memory.workerPeakBytes"
        )
    if not seen:
        return Verdict(check, Outcome.INCONCLUSIVE, "the memory of the worker could not be read")
    both = f"the server says {format_value(claim, BYTES)}, {format_value(max(seen), BYTES)} seen"
    outcome = Outcome.FAIL if claim < max(seen) * (1 - SLACK) else Outcome.PASS
    return Verdict(check, outcome, both)


def parse_status(text: str) -> int | None:
    """The peak, of the line `VmHWM:  1234 kB` of `/proc/PID/status`; a zombie has none."""
    for line in text.splitlines():
        name, _, told = line.partition(":")
        if name == "VmHWM":
            return int(told.split()[0]) * 1024 or None
    return None


def parse_statm(text: str, page_bytes: int) -> int | None:
    """Resident bytes, of `/proc/PID/statm`, which counts pages: size, resident, shared, …"""
    fields = text.split()
    resident = int(fields[1]) if len(fields) > 1 and fields[1].isdecimal() else 0
    return resident * page_bytes or None  # a process that has ended and was not waited for has 0


def parse_ps(text: str) -> int | None:
    """The same of `ps -o rss=`, which counts KiB."""
    told = text.strip()
    return int(told) * 1024 if told.isdecimal() and int(told) else None
