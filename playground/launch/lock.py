"""Who launches on a port? One process at a time, for as long as it serves.

The lock is the kernel's (`flock`), so it ends with its owner, however that ended, and nobody has
to judge whether it is stale. No child of ours inherits it. The file holds the owner's process id,
for messages only.
"""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["LaunchLock"]


class LaunchLock:
    """The lock of one port; `take` it, and `release` it or end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def take(self) -> bool:
        """Have the lock, or say that another process has it.

        Raises:
            OSError: there can be no lock.
        """
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        except OSError:
            os.close(descriptor)
            raise
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        self._descriptor = descriptor
        return True

    def owner(self) -> str:
        """The process that wrote itself in, or `?`."""
        try:
            said = self._path.read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError):
            return "?"
        return said if said.isdecimal() else "?"

    def release(self) -> None:
        """Let another have it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *how: object) -> None:
        self.release()
