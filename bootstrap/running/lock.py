"""Who may work on a folder? One process at a time; the others wait.

The lock is the kernel's (`flock`), so it ends with its owner, however that ended, and nobody has
to judge whether a lock is stale.  The commands of a stage inherit it: where bootstrap was killed
and its pip lives on, the next run waits for that pip, and does not write beside it.
The file holds the owner's process id, for the message only.  A lock file that was removed while we
waited for it, by an uninstall, is no lock any more: the one that is there now is taken.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["held", "held_if_free", "owner_of"]


@contextlib.contextmanager
def held(
    path: Path, tell: Callable[[str], None], flock: Callable[[int, int], None] = fcntl.flock
) -> Iterator[int]:
    """Hold the lock for as long as the block runs; yields its descriptor, for child processes.

    `flock` is the kernel's: the seam where tests have a disk without locks.
    """
    descriptor = _opened(path)
    try:
        while True:
            if not _taken(path, descriptor, flock):
                tell(f"waiting for process {owner_of(path)}, which works on {path.parent}")
                flock(descriptor, fcntl.LOCK_EX)
            if _is(path, descriptor):
                break
            os.close(descriptor)
            descriptor = _opened(path)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def held_if_free(path: Path) -> Iterator[bool]:
    """Hold a lock that is there for as long as the block runs; False where another one does."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        yield _taken(path, descriptor, fcntl.flock)
    finally:
        os.close(descriptor)


def owner_of(path: Path) -> str:
    """The process id that a lock file names, or `?`."""
    try:
        return path.read_bytes()[:32].decode("ascii", "replace").strip() or "?"
    except OSError:
        return "?"


def _opened(path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)


def _taken(path: Path, descriptor: int, flock: Callable[[int, int], None]) -> bool:
    try:
        flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as problem:  # as of a disk of the network
        reason = f"{problem.strerror}: its disk has no locks; MUSE_RUNTIME_DIR can name another"
        raise OSError(problem.errno, reason, str(path)) from problem
    return True


def _is(path: Path, descriptor: int) -> bool:
    """Whether the file at a path is still the one that was opened."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return False
    opened = os.fstat(descriptor)
    return (found.st_dev, found.st_ino) == (opened.st_dev, opened.st_ino)
