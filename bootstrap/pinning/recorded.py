"""What did a model's files turn out to be, when they were fetched first?

    FOLDER/recorded.json    {"schema": 1, "files": {"m.pte": {
        "revision": "…",    of the pin that it was fetched for
        "bytes": 3, "sha256": "…",
        "from": "https://…",   the address, or "found" for one that lay there already
        "seen": [mtime in ns, inode]}}}    when its bytes were last read and found right

A file whose hash no pin knows is trusted once, over https or from a mirror that the user names, and
held to what it was then for as long as the pin names the same revision.  `seen` saves hashing
gigabytes at each run: a file that has been neither written nor replaced since is taken as read.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from bootstrap.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from bootstrap.pinning.pins import Model, PinnedFile

__all__ = [
    "FOUND",
    "RECORDED",
    "Record",
    "record",
    "records",
    "seen_state",
    "vouched",
    "with_recorded",
]

RECORDED = "recorded.json"
FOUND = "found"


@dataclass(frozen=True, slots=True)
class Record:
    """One file, as it turned out."""

    revision: str
    bytes: int
    sha256: str
    origin: str
    """Its address, or `FOUND`."""
    seen: tuple[int, int]
    """When its bytes were read: mtime in ns, inode."""


def records(folder: Path) -> Mapping[str, Record]:
    """What is recorded in a model's folder, by path; nothing where there is no such file.

    Raises:
        UsageError: the file is there, and cannot be read.
    """
    path = folder / RECORDED
    try:
        told = json.loads(path.read_bytes())["files"]
        return {str(name): _record(entry) for name, entry in told.items()}
    except FileNotFoundError:
        return {}
    except OSError as problem:
        raise UsageError(f"{path}: {problem.strerror}") from problem
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise UsageError(
            f"{path} does not say what the files were ({problem!r}); if it is removed, they are "
            "taken as they are"
        ) from problem


def record(folder: Path, path: str, found: Record) -> None:
    """Keep what a file turned out to be."""
    known = {**records(folder), path: found}
    told = {
        "schema": 1,
        "about": "what the first download of each file turned out to be; held from then on",
        "files": {
            path: {
                **{key: value for key, value in asdict(each).items() if key != "origin"},
                "from": each.origin,
            }
            for path, each in sorted(known.items())
        },
    }
    fresh = folder / f"{RECORDED}.new"
    fresh.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    fresh.replace(folder / RECORDED)


def with_recorded(model: Model) -> Model:
    """The model, each file with what is recorded of it where its pin does not say."""
    known = records(model.folder)
    return replace(model, files=tuple(_known(file, model, known) for file in model.files))


def vouched(model: Model, file: PinnedFile) -> bool:
    """Whether a file was read and found right, and is the one that it was then."""
    found = records(model.folder).get(file.path)
    if found is None or found.revision != model.revision:
        return False
    if file.sha256 not in {None, found.sha256}:
        return False
    path = model.folder / file.path
    return path.is_file() and (path.stat().st_size, *seen_state(path)) == (found.bytes, *found.seen)


def seen_state(path: Path) -> tuple[int, int]:
    """What changes when a file is written to or replaced: mtime in ns, inode."""
    state = path.stat()
    return state.st_mtime_ns, state.st_ino


def _known(file: PinnedFile, model: Model, known: Mapping[str, Record]) -> PinnedFile:
    found = known.get(file.path)
    if found is None or found.revision != model.revision or file.sha256 is not None:
        return file
    return replace(file, bytes=file.bytes or found.bytes, sha256=found.sha256)


def _record(entry: dict[str, Any]) -> Record:
    modified_ns, inode = entry["seen"]
    return Record(
        revision=str(entry["revision"]),
        bytes=int(entry["bytes"]),
        sha256=str(entry["sha256"]),
        origin=str(entry["from"]),
        seen=(int(modified_ns), int(inode)),
    )
