"""On which line of a TOML text does a key stand?

`tomllib` gives values without positions, but an error message without a line sends its reader
searching.  This finds the line of a key path such as `("leg", 1, "resets")` by reading the
headers and the `key =` of each line; it is exact for the TOML that scenarios are written in
(one key a line, tables with headers), and falls back to the nearest parent that it can see.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["line_of"]

Path = tuple[str | int, ...]

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"\s*([A-Za-z0-9_\-.\"']+)\s*=")
_FENCE = re.compile(r'"""|' + "'''")


def line_of(text: str, path: Sequence[str | int]) -> int | None:
    """The 1-based line of the deepest part of `path` that the text shows; None for none."""
    places = dict(_places(text))
    for length in range(len(path), 0, -1):
        line = places.get(tuple(path[:length]))
        if line is not None:
            return line
    return None


def _places(text: str) -> Iterator[tuple[Path, int]]:
    """Every key path that stands on a line of its own, with that line; the last of equals wins."""
    seen: Counter[Path] = Counter()
    table: Path = ()
    fence = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if fence:
            fence = _fence_after(line, fence)
            continue
        if header := _HEADER.match(line):
            table = _table(header[1] == "[[", _parts(header[2]), seen)
            yield table, number
        elif key := _KEY.match(line):
            yield (*table, *_parts(key[1])), number
        if not line.lstrip().startswith("#"):
            fence = _fence_after(line, "")


def _table(array: bool, parts: Path, seen: Counter[Path]) -> Path:  # noqa: FBT001
    """The full path of a header: each array of tables it passes through stands at its latest."""
    path: Path = ()
    for place, part in enumerate(parts):
        path = (*path, part)
        last = place == len(parts) - 1
        if last and array:
            seen[path] += 1
        if seen[path]:
            path = (*path, seen[path] - 1)
    return path


def _parts(dotted: str) -> Path:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))


def _fence_after(line: str, fence: str) -> str:
    """Which triple quote is open after this line, when `fence` was open before it."""
    for found in _FENCE.findall(line):
        if not fence:
            fence = found
        elif found == fence:
            fence = ""
    return fence
