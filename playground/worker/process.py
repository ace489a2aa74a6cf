"""What the worker asks of its process: a stdout of its own, whole writes, memory used."""

from __future__ import annotations

import os
import re
import resource
import sys
from pathlib import Path

from playground.worker.errors import OutputClosed

__all__ = ["claim_stdout", "peak_rss_bytes", "write_whole"]

STDOUT, STDERR = 1, 2


def claim_stdout() -> int:
    """Return a descriptor of the real stdout, and let everything else that prints reach stderr.

    Native libraries print to descriptor 1 whenever they like, so this comes before they load.
    """
    sys.stdout.flush()
    ours = os.dup(STDOUT)
    os.dup2(STDERR, STDOUT)
    sys.stdout = sys.stderr
    return ours


def write_whole(descriptor: int, data: bytes) -> None:
    """Write all of it, however long; raise OutputClosed if nobody reads there any more."""
    try:
        written = os.write(descriptor, data)
        while written < len(data):
            written += os.write(descriptor, data[written:])
    except BrokenPipeError as error:
        raise OutputClosed from error


def peak_rss_bytes() -> int:
    """Return the largest resident size of this process so far, in bytes.

    Linux counts in `ru_maxrss` what the process was before its exec: the pages of whoever started
    it.  `VmHWM` is of the program alone.
    """
    if sys.platform == "linux":
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        if told := re.search(r"^VmHWM:\s*(\d+) kB$", status, re.MULTILINE):
            return int(told[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
