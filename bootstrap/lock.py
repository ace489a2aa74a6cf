"""Who may work on a folder? One process at a time; the others wait.

The lock is the kernel's (`flock`), so it ends with its owner, however that ended, and nobody has
to judge whether a lock is stale.  The commands of a stage inherit it: where bootstrap was killed
and its pip lives on, the next run waits for that pip, and does not write beside it.
The file holds the owner's process id, for the message only.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["held"]


@contextlib.contextmanager
def held(path: Path, tell: Callable[[str], None]) -> Iterator[int]:
    """Hold the lock for as long as the block runs; yields its descriptor, for child processes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
            tell(f"waiting for process {owner or '?'}, which works on {path.parent}")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield descriptor
    finally:
        os.close(descriptor)
