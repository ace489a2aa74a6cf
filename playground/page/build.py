"""How is the page built, once, where it is missing or its sources have changed?

    lock       one process builds, others wait and find the page built
    node       see `node`; without one nothing is built
    install    `npm ci --omit=dev`, unless what is locked is installed already
    vite       into `web/build/page`
    replace    `web/dist` by it, with its stamp

What npm and Vite say goes to `web/build/log.txt`, which is kept; its end is part of a failure's
message. A page that cannot be built leaves the one that was there as it was.

Asynchronous, so that whoever gives up waiting (Ctrl-C) ends npm and all that it started.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import shutil
import signal
import time
from typing import TYPE_CHECKING

from playground.page.node import find_node, where_node_may_be
from playground.page.stamp import STAMP, has_sources, is_current, stamp_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from pathlib import Path
    from typing import Any

    from playground.page.node import Node

__all__ = ["NoNode", "PageNotBuilt", "build_if_needed", "installs_what_is_locked"]

LONGEST_S = 900.0
"""How long one of the two commands may take."""
LAST_LINES = 15
NO_NODE = (
    'building it needs Node.js 20.19 or newer: install that, or `pip install "muse-bench[page]"`,'
    " which brings one; or start with --no-ui"
)


class PageNotBuilt(Exception):
    """There is no page of these sources; the message says why, and what to do."""


class NoNode(PageNotBuilt):
    """Because nothing here could build it."""


async def build_if_needed(
    web: Path,
    tell: Callable[[str], None],
    *,
    node: Callable[[], Node | None] = lambda: find_node(list(where_node_may_be())),
) -> None:
    """Have `web/dist` be what the sources in `web` make; `tell` is given a line of progress.

    Where there are no sources, as in an installed wheel, nothing is done.

    Raises:
        PageNotBuilt: and `web/dist` is what it was.
    """
    dist = web / "dist"
    if not has_sources(web) or is_current(web, dist):
        return
    workshop = web / "build"
    try:
        workshop.mkdir(exist_ok=True)
        waits = "another process builds the page"
        async with _locked(workshop / "lock", lambda: tell(waits)) as lock:
            if is_current(web, dist):
                return
            found = await asyncio.to_thread(node)
            if found is None:
                raise NoNode(NO_NODE)
            await _build(web, found, tell, lock)
    except OSError as error:
        raise PageNotBuilt(f"{error.filename or workshop}: {error.strerror}") from error


async def _build(web: Path, node: Node, tell: Callable[[str], None], lock: int) -> None:
    """Install, build, and put the result in its place."""
    began = time.monotonic()
    stamp = stamp_of(web)  # before: what changes meanwhile is built next time
    workshop = web / "build"
    made, old, log = workshop / "page", workshop / "old", workshop / "log.txt"
    log.write_bytes(b"")

    async def run(*command: str) -> None:
        await _run(command, web, node, log, lock)

    if not _is_installed(web):
        tell("installing what builds the page (npm ci); the first time this takes a while")
        await run(*node.npm, "ci", "--omit=dev", "--no-audit", "--no-fund")
    tell("building the page (vite build)")
    vite = str(web / "node_modules" / "vite" / "bin" / "vite.js")
    await run(node.node, vite, "build", "--outDir", str(made), "--emptyOutDir")
    (made / STAMP).write_text(stamp, encoding="ascii")
    shutil.rmtree(old, ignore_errors=True)
    if (web / "dist").exists():
        (web / "dist").rename(old)
    made.rename(web / "dist")
    shutil.rmtree(old, ignore_errors=True)
    tell(f"the page is built, in {time.monotonic() - began:.0f} s")


async def _run(command: Sequence[str], web: Path, node: Node, log: Path, lock: int) -> None:
    """Run a command of Node's to its end, in a process group of its own.

    It has the lock too, so that nobody begins beside it where we are killed and it goes on.
    """
    with log.open("ab") as out:
        out.write(f"$ {' '.join(command)}\n".encode())
        out.flush()
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=web,
            env=node.environment(os.environ),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
            pass_fds=(lock,),
        )
        try:
            async with asyncio.timeout(LONGEST_S):
                code = await process.wait()
        except TimeoutError:
            raise PageNotBuilt(f"{command[0]} did not end within {LONGEST_S:g} s; {log}") from None
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
    if code != 0:
        raise PageNotBuilt(f"its build failed with exit code {code}; {log} has it all:{_end(log)}")


def _end(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-LAST_LINES:]
    return "".join(f"\n  {line}" for line in lines)


def _is_installed(web: Path) -> bool:
    try:
        locked = json.loads((web / "package-lock.json").read_bytes())
        installed = json.loads((web / "node_modules" / ".package-lock.json").read_bytes())
        return installs_what_is_locked(locked, installed)
    except (OSError, ValueError, AttributeError, KeyError):
        return False


def installs_what_is_locked(locked: dict[str, Any], installed: dict[str, Any]) -> bool:
    """Whether npm's record of an installation has every package of a lock that the page needs.

    Packages for development may be missing, and optional ones, which are for other systems.
    """
    have = {place: package.get("version") for place, package in installed["packages"].items()}
    return all(
        have.get(place) == package.get("version")
        for place, package in locked["packages"].items()
        if place and not {"dev", "optional", "devOptional"} & package.keys()
    )


@contextlib.asynccontextmanager
async def _locked(path: Path, waits: Callable[[], None]) -> AsyncIterator[int]:
    """Hold a lock that ends with whoever has its descriptor; `waits` is called if others do."""
    with path.open("ab") as file:
        told = False
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not told:
                    waits()
                told = True
                await asyncio.sleep(0.2)
        yield file.fileno()
