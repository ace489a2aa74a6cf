"""Is there room on the disks for what is to be made?

Each filesystem concerned is looked at once, with the sum of all that goes there: a model may be
meant for another disk than everything else.
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from bootstrap.running.sizes import in_words

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["HEADROOM_BYTES", "Disk", "LookAtDisk", "Room", "look_at_disk", "room_for"]

HEADROOM_BYTES = 2_000_000_000
"""What is to be left free: sizes are said about, and a full disk troubles everybody."""


@dataclass(frozen=True, slots=True)
class Disk:
    """One filesystem."""

    device: int
    free_bytes: int


class LookAtDisk(Protocol):
    """The seam where tests have a small disk."""

    def __call__(self, path: Path) -> Disk:
        """The filesystem that a path is on, or would be on."""
        ...


@dataclass(frozen=True, slots=True)
class Room:
    """What is to go to one filesystem, and what it has."""

    where: Path
    """The first of the folders that are concerned."""
    due_bytes: int
    free_bytes: int

    @property
    def needed_bytes(self) -> int:
        """What has to be free; nothing where nothing is to be made."""
        return self.due_bytes + HEADROOM_BYTES if self.due_bytes else 0

    @property
    def enough(self) -> bool:
        """Whether there is."""
        return self.free_bytes >= self.needed_bytes

    def to_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "where": str(self.where),
            "due_bytes": self.due_bytes,
            "headroom_bytes": HEADROOM_BYTES if self.due_bytes else 0,
            "free_bytes": self.free_bytes,
            "enough": self.enough,
        }

    def __str__(self) -> str:
        told = f"{in_words(self.due_bytes)} to be made, {in_words(self.free_bytes)} free"
        if self.enough:
            return f"{self.where}: {told}"
        missing = in_words(self.needed_bytes - self.free_bytes)
        return (
            f"{self.where}: {told}, {in_words(HEADROOM_BYTES)} of it to stay free;"
            f" make room for {missing} more"
        )


def room_for(due: Iterable[tuple[Path, int]], look: LookAtDisk) -> tuple[Room, ...]:
    """Each filesystem that something is due on, or would be; `due` are folders and bytes."""
    folders: dict[int, list[Path]] = defaultdict(list)
    sums: dict[int, int] = defaultdict(int)
    free: dict[int, int] = {}
    for folder, size in due:
        disk = look(folder)
        folders[disk.device].append(folder)
        sums[disk.device] += size
        free[disk.device] = disk.free_bytes
    return tuple(Room(folders[each][0], sums[each], free[each]) for each in folders)


def look_at_disk(path: Path) -> Disk:
    """The filesystem of the nearest folder that is there."""
    there = next(each for each in (path, *path.parents) if each.exists())
    return Disk(there.stat().st_dev, shutil.disk_usage(there).free)
