"""Is the page built when it has to be, once, and told plainly where it cannot be?

A few lines of shell stand for npm and Node: they note that they were called, and make a page.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from playground.page.build import PageNotBuilt, build_if_needed, installs_what_is_locked
from playground.page.node import Node
from playground.page.stamp import is_current

if TYPE_CHECKING:
    from pathlib import Path

NPM = """#!/bin/sh
echo "npm $@" >> ../calls
mkdir -p node_modules && cp package-lock.json node_modules/.package-lock.json
"""
VITE = """#!/bin/sh
echo "$(basename $1) $2" >> ../calls
mkdir -p "$4" && echo built > "$4/index.html"
"""


@pytest.fixture
def web(tmp_path: Path) -> Path:
    """Sources of a page that was never built."""
    folder = tmp_path / "web"
    (folder / "src").mkdir(parents=True)
    lock = {"packages": {"": {}, "node_modules/vite": {"version": "8.0.0"}}}
    (folder / "package.json").write_text("{}")
    (folder / "package-lock.json").write_text(json.dumps(lock))
    (folder / "src" / "main.ts").write_text("1")
    return folder


def node_of(tmp_path: Path, *, npm: str = NPM, vite: str = VITE) -> Node:
    """A Node whose two commands are these scripts."""
    folder = tmp_path / "bin"
    folder.mkdir(exist_ok=True)
    for name, script in (("node", vite), ("npm", npm)):
        (folder / name).write_text(script)
        (folder / name).chmod(0o755)
    return Node(folder, (24, 0, 0))


def build(web: Path, node: Node | None) -> list[str]:
    """Build if needed; what was told."""
    told: list[str] = []
    asyncio.run(build_if_needed(web, told.append, node=lambda: node))
    return told


def calls(web: Path) -> list[str]:
    """What was run."""
    path = web.parent / "calls"
    return path.read_text().splitlines() if path.exists() else []


def test_a_page_that_is_missing_is_built(web: Path) -> None:
    """Packages first, then the page, which has its stamp."""
    told = build(web, node_of(web.parent))

    assert calls(web) == ["npm ci --omit=dev --no-audit --no-fund", "vite.js build"]
    assert (web / "dist" / "index.html").read_text() == "built\n"
    assert is_current(web, web / "dist")
    assert [line.partition(" ")[0] for line in told] == ["installing", "building", "the"]


def test_a_page_of_the_same_sources_is_not_built_again(web: Path) -> None:
    """Nothing is run, nothing is told, and no Node is looked for."""
    build(web, node_of(web.parent))
    before = calls(web)

    assert build(web, None) == []
    assert calls(web) == before


def test_a_changed_source_builds_without_installing(web: Path) -> None:
    """What is locked is installed already; the old page gives way to the new one."""
    build(web, node_of(web.parent))
    (web / "src" / "main.ts").write_text("2")
    (web / "dist" / "old.txt").write_text("of the old page")

    build(web, node_of(web.parent))

    assert calls(web)[2:] == ["vite.js build"]
    assert is_current(web, web / "dist")
    assert not (web / "dist" / "old.txt").exists()
    assert sorted(path.name for path in (web / "build").iterdir()) == ["lock", "log.txt"]


def test_without_sources_there_is_nothing_to_build(tmp_path: Path) -> None:
    """An installed wheel is served as it is, and not even a folder is made."""
    assert build(tmp_path, None) == []
    assert list(tmp_path.iterdir()) == []


def test_without_node_it_says_what_to_install(web: Path) -> None:
    """Both ways to one, and the way without a page."""
    with pytest.raises(PageNotBuilt, match=r"Node.js 20.19.*muse-bench\[page\].*--no-ui"):
        build(web, None)


@pytest.mark.parametrize("broken", ["npm", "vite"])
def test_a_failure_tells_the_end_of_what_was_said(web: Path, broken: str) -> None:
    """The page that was there stays, and the log is kept."""
    (web / "dist").mkdir()
    (web / "dist" / "index.html").write_text("old")
    script = "#!/bin/sh\necho no such package\nexit 7\n"
    node = node_of(web.parent, **{broken: script})

    with pytest.raises(PageNotBuilt, match="exit code 7") as caught:
        build(web, node)

    assert "no such package" in str(caught.value)
    assert (web / "dist" / "index.html").read_text() == "old"
    assert "no such package" in (web / "build" / "log.txt").read_text()


def test_a_folder_that_cannot_be_written_is_told(web: Path) -> None:
    """Whatever the reason: here a file is in the way."""
    (web / "build").write_text("in the way")

    with pytest.raises(PageNotBuilt, match="build: File exists"):
        build(web, node_of(web.parent))


def test_of_several_that_start_at_once_one_builds(web: Path) -> None:
    """The others wait for it, say so, and find the page built."""
    told: list[str] = []
    node = node_of(web.parent, npm=NPM + "sleep 0.5\n")

    async def all_at_once() -> None:
        await asyncio.gather(
            *(build_if_needed(web, told.append, node=lambda: node) for _ in range(3))
        )

    asyncio.run(all_at_once())

    assert len(calls(web)) == 2
    assert told.count("another process builds the page") == 2


def test_whoever_gives_up_ends_what_was_started(web: Path) -> None:
    """The whole group of processes: npm starts others."""
    script = "#!/bin/sh\necho started > ../calls\n(sleep 600; echo late >> ../calls) &\nwait\n"
    node = node_of(web.parent, npm=script)

    async def give_up() -> None:
        building = asyncio.create_task(build_if_needed(web, lambda _: None, node=lambda: node))
        async with asyncio.timeout(20):
            while not calls(web):  # noqa: ASYNC110 - nothing announces it
                await asyncio.sleep(0.01)
        building.cancel()
        async with asyncio.timeout(20):
            await asyncio.wait({building})
        assert building.cancelled()

    asyncio.run(give_up())

    assert calls(web) == ["started"]
    build(web, node_of(web.parent))  # and the lock is free again


def lock(**packages: dict[str, Any]) -> dict[str, Any]:
    """A lock file or npm's record."""
    return {"packages": {"": {"version": "0.1.0"}, **packages}}


@pytest.mark.parametrize(
    ("locked", "installed", "expected"),
    [
        (lock(a={"version": "1"}), lock(a={"version": "1"}), True),
        (lock(a={"version": "1"}), lock(a={"version": "2"}), False),
        (lock(a={"version": "1"}), lock(), False),
        (lock(a={"version": "1", "dev": True}), lock(), True),
        (lock(a={"version": "1", "optional": True}), lock(), True),
        (lock(), lock(a={"version": "1"}), True),
    ],
)
def test_what_is_locked_may_be_installed_already(
    locked: dict[str, Any],
    installed: dict[str, Any],
    expected: bool,  # noqa: FBT001
) -> None:
    """By version; what only developers or other systems need may be missing."""
    assert installs_what_is_locked(locked, installed) is expected


def test_what_a_killed_build_left_running_is_waited_for(web: Path) -> None:
    """Two at once in one folder would leave neither's packages there."""
    slow = """#!/bin/sh
echo "npm begins" >> ../calls
while [ ! -e ../go ]; do sleep 0.02; done
mkdir -p node_modules && cp package-lock.json node_modules/.package-lock.json
echo "npm ends" >> ../calls
"""
    node = node_of(web.parent, npm=slow)
    program = """
import asyncio, sys
from pathlib import Path
from playground.page.build import build_if_needed
from playground.page.node import Node
node = Node(Path(sys.argv[2]), (24, 0, 0))
asyncio.run(build_if_needed(Path(sys.argv[1]), print, node=lambda: node))
"""
    with subprocess.Popen([sys.executable, "-c", program, str(web), str(node.folder)]) as killed:
        while not calls(web):
            assert killed.poll() is None
            time.sleep(0.02)
        killed.kill()
    told: list[str] = []

    def hear(line: str) -> None:
        told.append(line)
        (web.parent / "go").touch()

    asyncio.run(build_if_needed(web, hear, node=lambda: node))

    assert told[0] == "another process builds the page"
    assert calls(web) == ["npm begins", "npm ends", "vite.js build"]
