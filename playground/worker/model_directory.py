"""Is a model's folder what its manifest says it is?

`manifest.json` lists every other file of the folder with its size and SHA-256:

    {"schema": 1, ..., "files": {"muse-nano.pte": {"bytes": 19869184, "sha256": "..."}, ...}}

Sizes are compared always, hashes when asked, since hashing reads every byte. What the rest of the
manifest means is told where it is used (`playground.served`). Standard library only.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from playground.worker.errors import EngineError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["MANIFEST", "FileRecord", "check", "read_records", "record", "sha256"]

MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What the manifest knows of one file."""

    bytes: int
    sha256: str

    def to_json(self) -> dict[str, Any]:
        """Return the record as it stands in the manifest."""
        return asdict(self)


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def record(path: Path) -> FileRecord:
    """Measure one file."""
    return FileRecord(path.stat().st_size, sha256(path))


def read_records(folder: Path) -> Mapping[str, FileRecord]:
    """Read the `files` of a folder's manifest; raise EngineError naming what is wrong in it."""
    path = folder / MANIFEST
    try:
        files = json.loads(path.read_bytes())["files"]
        return {
            str(name): FileRecord(int(entry["bytes"]), str(entry["sha256"]))
            for name, entry in files.items()
        }
    except OSError as error:
        raise EngineError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise EngineError(f"{path} has no proper list of files: {error!r}") from error


def check(folder: Path, *, hashes: bool = False) -> Mapping[str, FileRecord]:
    """Return what the manifest lists, which is there.

    Raises:
        EngineError: for the first file that is missing or is not what the manifest says.
    """
    records = read_records(folder)
    for name, expected in sorted(records.items()):
        path = folder / name
        if not path.is_file():
            raise EngineError(f"{path} is missing, though {MANIFEST} lists it")
        if (size := path.stat().st_size) != expected.bytes:
            raise EngineError(f"{path} has {size} bytes; {MANIFEST} says {expected.bytes}")
        if hashes and (found := sha256(path)) != expected.sha256:
            raise EngineError(
                f"{path} has SHA-256 {found}; {MANIFEST} says {expected.sha256}: "
                "fetch it again, or run `python -m bootstrap.nano.export` if it was made anew"
            )
    return records
