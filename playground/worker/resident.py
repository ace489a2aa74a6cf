"""How much memory does another process have, as the system tells it?

    Linux   /proc/PID/status: `VmRSS` now, `VmHWM` at its peak
    macOS   `ps -o rss=` now; its peak is told to nobody but the process itself

In bytes; None where it is not known, or there is no such process. What a GPU driver holds for a
process need not be in it.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

__all__ = ["peak_bytes", "resident_bytes"]

PS_S = 5.0
"""How long `ps` may take to answer."""


def resident_bytes(pid: int, *, platform: str = sys.platform) -> int | None:
    """What is in memory now; may run another program to learn it, so not on an event loop."""
    match platform:
        case "linux":
            return _of_status(pid, "VmRSS")
        case "darwin":
            return _of_ps(pid)
    return None


def peak_bytes(pid: int, *, platform: str = sys.platform) -> int | None:
    """What was in memory at most, so far."""
    return _of_status(pid, "VmHWM") if platform == "linux" else None


def _of_status(pid: int, key: str) -> int | None:
    try:
        told = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    found = re.search(rf"^{key}:\s*(\d+) kB$", told, re.MULTILINE)
    return int(found[1]) * 1024 if found else None


def _of_ps(pid: int) -> int | None:
    try:
        told = subprocess.run(
            ["ps", "-o", "rss=", "-p", str(pid)],
            capture_output=True,
            text=True,
            timeout=PS_S,
            check=False,
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
    return int(told) * 1024 if told.isdecimal() else None
