"""Does the stamp change when the page would, and only then?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from playground.page.stamp import STAMP, has_sources, is_current, sources, stamp_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def web(tmp_path: Path) -> Path:
    """Sources of a small page, and what lies beside sources."""
    for name, content in {
        "package.json": "{}",
        "package-lock.json": "{}",
        "index.html": "<p>",
        "src/main.tsx": "1",
        "src/parts/part.css": "p {}",
        "src/main.test.ts": "test",
        "public/theme.js": "2",
        "node_modules/vite/index.js": "3",
        "dist/index.html": "built",
        "README.md": "read me",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return tmp_path


def test_sources_are_what_the_page_is_made_of(web: Path) -> None:
    """Neither packages nor results nor tests, in an order of their own."""
    assert [path.relative_to(web).as_posix() for path in sources(web)] == [
        "index.html",
        "package-lock.json",
        "package.json",
        "public/theme.js",
        "src/main.tsx",
        "src/parts/part.css",
    ]


@pytest.mark.parametrize("name", ["src/main.tsx", "public/theme.js", "package-lock.json"])
def test_a_changed_source_changes_the_stamp(web: Path, name: str) -> None:
    """The lock file and what is copied as it is included."""
    before = stamp_of(web)

    (web / name).write_text("changed")

    assert stamp_of(web) != before


def test_a_source_that_moves_or_comes_changes_the_stamp(web: Path) -> None:
    """Names count like contents."""
    stamps = {stamp_of(web)}
    (web / "src" / "main.tsx").rename(web / "src" / "other.tsx")
    stamps.add(stamp_of(web))
    (web / "src" / "empty.ts").write_text("")
    stamps.add(stamp_of(web))

    assert len(stamps) == 3


@pytest.mark.parametrize(
    "name", ["src/main.test.ts", "node_modules/vite/index.js", "dist/index.html", "README.md"]
)
def test_what_is_no_source_does_not_matter(web: Path, name: str) -> None:
    """A changed test builds nothing anew."""
    before = stamp_of(web)

    (web / name).write_text("changed")

    assert stamp_of(web) == before


def test_a_page_is_current_if_its_stamp_is_that_of_the_sources(web: Path) -> None:
    """Without a stamp, as after `npm run build`, it is not."""
    dist = web / "dist"

    told = [is_current(web, dist)]
    (dist / STAMP).write_text(stamp_of(web))
    told.append(is_current(web, dist))
    (web / "src" / "main.tsx").write_text("changed")
    told.append(is_current(web, dist))

    assert told == [False, True, False]


def test_an_installed_wheel_has_no_sources(tmp_path: Path) -> None:
    """It has the result alone."""
    (tmp_path / "dist").mkdir()

    assert has_sources(tmp_path) is False
