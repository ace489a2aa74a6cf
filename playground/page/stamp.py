"""Is the built page the one that its sources make?

The stamp of a folder of sources is the SHA-256 over the relative path and the content of every file
that the page is made of, the lock file included. A build leaves it beside its result, in `STAMP`.
Tests and what only checks them are not part of the page, so a changed test builds nothing anew.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["STAMP", "has_sources", "is_current", "sources", "stamp_of"]

STAMP = ".stamp"
FILES = (
    ".npmrc",
    "index.html",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "vite.config.ts",
)
FOLDERS = ("public", "src")
TESTS = (".test.ts", ".test.tsx")


def sources(web: Path) -> Iterator[Path]:
    """The files that the page is made of, in an order that does not depend on the system."""
    found = [web / name for name in FILES]
    for folder in FOLDERS:
        found += (path for path in (web / folder).rglob("*") if not path.name.endswith(TESTS))
    yield from sorted(
        (path for path in found if path.is_file()),
        key=lambda path: path.relative_to(web).as_posix(),
    )


def stamp_of(web: Path) -> str:
    """The stamp of a folder of sources, 64 hexadecimal digits."""
    digest = hashlib.sha256()
    for path in sources(web):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(web).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def has_sources(web: Path) -> bool:
    """Whether there is something to build from; an installed wheel has only the result."""
    return (web / "package.json").is_file()


def is_current(web: Path, dist: Path) -> bool:
    """Whether `dist` was built from what is in `web` now."""
    try:
        built = (dist / STAMP).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return False
    return built == stamp_of(web)
