"""Are the files that a pin names the ones that are there?

Sizes are compared first, since hashing reads every byte.  A file whose hash the pin does not know
is held against what its first download turned out to be (`recorded`); where that is not known
either, it is only told whether it is there.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING

from bootstrap.errors import FileWrong
from bootstrap.pinning.recorded import vouched, with_recorded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bootstrap.pinning.pins import Pin, PinnedFile

__all__ = ["Finding", "Found", "file_sha256", "findings", "refuse_wrong"]


class Found(Enum):
    """How a file was found."""

    RIGHT = "right"
    """Size and hash are what the pin says."""
    UNKNOWN = "unknown"
    """It is there, and nobody has said its hash."""
    UNFETCHED = "unfetched"
    """It is not there, and is published where it can be fetched from."""
    ABSENT = "absent"
    """It is not there, and belongs there."""
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Finding:
    """One file, looked at."""

    path: Path
    owner: str
    """What it belongs to: `model muse-nano`."""
    found: Found
    problem: str = ""

    def to_json(self) -> dict[str, str]:
        """For `--json`."""
        return {
            "path": str(self.path),
            "owner": self.owner,
            "found": self.found.value,
            "problem": self.problem,
        }


def findings(pin: Pin, *, anew: bool = True) -> Iterator[Finding]:
    """Each file of a pin's model, and its runtime's patch.

    `anew` reads all bytes; else one that is recorded as read, and untouched since, is right.
    """
    owner = f"model {pin.model.name}"
    for pinned, known in zip(pin.model.files, with_recorded(pin.model).files, strict=True):
        by = "the pin says" if known == pinned else "its first download had"
        path = pin.model.folder / pinned.path
        if not anew and vouched(pin.model, pinned):
            yield Finding(path, owner, Found.RIGHT)
            continue
        finding = _look(path, known, owner, by)
        if finding.found is Found.ABSENT and pin.model.url:
            finding = replace(finding, found=Found.UNFETCHED, problem="it was not fetched yet")
        yield finding
    patch, folder = pin.runtime.patch, pin.runtime.folder
    if patch is not None and folder is not None:
        yield _look(folder / patch.path, patch, f"runtime {pin.runtime.name}")


def refuse_wrong(pin: Pin) -> None:
    """Raise FileWrong for the first file that is not what the pin says, or is not there."""
    for finding in findings(pin, anew=False):
        if finding.found in {Found.WRONG, Found.ABSENT, Found.UNFETCHED}:
            raise FileWrong(finding.path, finding.owner, finding.problem)


def file_sha256(path: Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal; read once, for as long as it is unchanged."""
    state = path.stat()
    return _hash(path, state.st_ino, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=256)
def _hash(path: Path, inode: int, size: int, changed_ns: int) -> str:  # noqa: ARG001
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _look(path: Path, pinned: PinnedFile, owner: str, by: str = "the pin says") -> Finding:
    """`by` is who knows what it is to be."""
    if not path.is_file():
        return Finding(path, owner, Found.ABSENT, "there is no such file")
    size = path.stat().st_size
    if pinned.bytes is not None and size != pinned.bytes:
        problem = f"it has {size} bytes, and {by} {pinned.bytes}"
        return Finding(path, owner, Found.WRONG, problem)
    if pinned.sha256 is None:
        return Finding(path, owner, Found.UNKNOWN, "the pin does not say its hash")
    if (found := file_sha256(path)) != pinned.sha256:
        problem = f"its SHA-256 is {found}, and {by} {pinned.sha256}"
        return Finding(path, owner, Found.WRONG, problem)
    return Finding(path, owner, Found.RIGHT)
