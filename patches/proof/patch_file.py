"""Which files does a patch touch, and how much of each?"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["PatchWrong", "TouchedFile", "touched_files"]

HEADER = re.compile(r"diff --git a/(?P<old>.+) b/(?P<new>.+)")
HUNK = re.compile(r"@@ -\d+(?:,(?P<old>\d+))? \+\d+(?:,(?P<new>\d+))? @@")


class PatchWrong(Exception):
    """The text is no patch as `git diff` writes it."""


@dataclass(frozen=True, slots=True)
class TouchedFile:
    """One file of a patch."""

    path: str
    is_new: bool
    hunks: int
    added: int
    """Lines."""
    removed: int
    """Lines."""


def touched_files(patch: str) -> tuple[TouchedFile, ...]:
    """The files of a patch, in its order.

    Raises:
        PatchWrong: it renames, deletes, or is cut off.
    """
    lines = patch.split("\n")
    starts = [number for number, line in enumerate(lines) if line.startswith("diff --git ")]
    if not starts:
        raise PatchWrong("no line begins with 'diff --git'")
    ends = [*starts[1:], len(lines)]
    return tuple(_one(lines[start:end]) for start, end in zip(starts, ends, strict=True))


def _one(lines: list[str]) -> TouchedFile:
    header = HEADER.fullmatch(lines[0])
    if header is None or header["old"] != header["new"]:
        raise PatchWrong(f"{lines[0]!r} does not name one file")
    path = header["new"]
    head = next((n for n, line in enumerate(lines) if line.startswith("@@ ")), len(lines))
    if any(line.startswith(("deleted file", "rename ", "old mode")) for line in lines[:head]):
        raise PatchWrong(f"{path} is deleted, renamed, or changes its mode")
    hunks = added = removed = 0
    number = head
    while number < len(lines) and (hunk := HUNK.match(lines[number])):
        hunks += 1
        number += 1
        old, new = int(hunk["old"] or 1), int(hunk["new"] or 1)
        while old > 0 or new > 0:
            if number == len(lines):
                raise PatchWrong(f"hunk {hunks} of {path} is cut off")
            kind = lines[number][:1]
            added += kind == "+"
            removed += kind == "-"
            old -= kind in {" ", "-"}
            new -= kind in {" ", "+"}
            if kind not in {" ", "+", "-", "\\"}:
                raise PatchWrong(f"hunk {hunks} of {path} has a line {lines[number]!r}")
            number += 1
    if not hunks:
        raise PatchWrong(f"{path} has no hunk")
    is_new = any(line.startswith("new file mode") for line in lines[:head])
    return TouchedFile(path, is_new, hunks, added, removed)
