"""What is there of a file that is being fetched, and whose turn is it?

    NAME.part         its first bytes, as many as have come
    NAME.part.json    where they are from, so that only the rest of the same file is put behind them

Both lie beside the file.  Whoever holds the part's own lock (`flock`) works on it; it ends with
its owner.  The part gets the file's name when it is whole and is on the disk, and never before.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["Origin", "Partial", "Put", "origin_of", "part_of", "part_size", "partial"]

CHUNK = 1 << 20


class Put(Protocol):
    """Writes to a descriptor at an offset, as `os.pwrite`: the seam where tests fill a disk."""

    def __call__(self, descriptor: int, data: memoryview, offset: int, /) -> int:
        """How many bytes were written; raises OSError."""
        ...


@dataclass(frozen=True, slots=True)
class Origin:
    """What a part is the beginning of."""

    url: str
    validator: str = ""
    """What the server calls this version of it; see `web.Answer`."""
    bytes: int | None = None
    """Of the whole file; None where nobody has said."""
    sha256: str = ""
    """Of the whole file, as pinned or published; empty where nobody has said."""


def part_of(target: Path) -> Path:
    """Where a file's part is."""
    return target.with_name(f"{target.name}.part")


def part_size(target: Path) -> int:
    """How many bytes of it are there; 0 where there is no part."""
    try:
        return part_of(target).stat().st_size
    except OSError:
        return 0


def origin_of(target: Path) -> Origin | None:
    """What a file's part is of; None where that is not known."""
    try:
        told = json.loads(_notes(target).read_bytes())
        url, validator, whole, sha256 = (told[each.name] for each in fields(Origin))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return Origin(str(url), str(validator), whole if type(whole) is int else None, str(sha256))


@contextlib.contextmanager
def partial(target: Path, tell: Callable[[str], None], put: Put = os.pwrite) -> Iterator[Partial]:
    """The part of a file, ours as long as the block runs; another process is waited for."""
    path = part_of(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _lock(descriptor, target, tell)
            if not _is_at(descriptor, path):
                continue  # whoever had it has finished it, or thrown it away
            part = Partial(target, descriptor, put)
            try:
                yield part
            finally:
                part.leave()
            return
        finally:
            os.close(descriptor)


class Partial:
    """The first bytes of a file, and their hash as far as they have been read."""

    def __init__(self, target: Path, descriptor: int, put: Put = os.pwrite) -> None:
        self.target = target
        self.origin = origin_of(target)
        self.size = os.fstat(descriptor).st_size
        self._descriptor = descriptor
        self._put = put
        self._hash = hashlib.sha256()
        self._hashed = 0

    @property
    def sha256(self) -> str:
        """Of what is there; reads what has not been written by us."""
        while self._hashed < self.size:
            data = os.pread(self._descriptor, min(CHUNK, self.size - self._hashed), self._hashed)
            if not data:
                self.size = self._hashed
                break
            self._hash.update(data)
            self._hashed += len(data)
        return self._hash.hexdigest()

    def begin(self, origin: Origin) -> None:
        """Have nothing yet, of a file that is from there."""
        self._empty()
        self.note(origin)

    def note(self, origin: Origin) -> None:
        """Keep where the part is from."""
        if origin != self.origin:
            notes = _notes(self.target)
            fresh = notes.with_suffix(".new")
            fresh.write_text(json.dumps(asdict(origin), indent=2) + "\n", encoding="utf-8")
            fresh.replace(notes)
            self.origin = origin

    def write(self, data: bytes) -> None:
        """Put data behind what is there; raises OSError with the part kept as far as it came."""
        left = memoryview(data)
        while left:
            count = self._put(self._descriptor, left, self.size)
            if self._hashed == self.size:
                self._hash.update(left[:count])
                self._hashed += count
            self.size += count
            left = left[count:]

    def finish(self) -> None:
        """Give the file its name, when it is on the disk."""
        os.fsync(self._descriptor)
        part_of(self.target).replace(self.target)
        _notes(self.target).unlink(missing_ok=True)
        folder = os.open(self.target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def discard(self) -> None:
        """Throw away what is there."""
        self._empty()
        self.origin = None
        _notes(self.target).unlink(missing_ok=True)

    def leave(self) -> None:
        """Leave no empty part behind."""
        if self.size == 0 and _is_at(self._descriptor, part_of(self.target)):
            _notes(self.target).unlink(missing_ok=True)
            part_of(self.target).unlink()

    def _empty(self) -> None:
        os.ftruncate(self._descriptor, 0)
        self.size = self._hashed = 0
        self._hash = hashlib.sha256()


def _notes(target: Path) -> Path:
    return target.with_name(f"{target.name}.part.json")


def _lock(descriptor: int, target: Path, tell: Callable[[str], None]) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        tell(f"{target.name}: waiting for another process, which is fetching it")
        fcntl.flock(descriptor, fcntl.LOCK_EX)


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether a path still leads to what was opened."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
