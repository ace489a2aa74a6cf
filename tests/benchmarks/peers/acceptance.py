"""What does our acceptance suite say of servers that nobody here wrote?

Each server is started as it is for measuring, `muse-bench run --suite` is run against its address
as anyone would run it, and the server is ended; whatever the suite finds is in its folder.
"""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

from tests.benchmarks.peers.server import NotReady, free_port, serving

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tests.benchmarks.peers.arms import Arm
    from tests.benchmarks.peers.workplace import Workplace

__all__ = ["accept"]

SUITE_TIMEOUT_S = 3600


async def accept(
    arms: Iterable[Arm], suite: str, more: Iterable[str], out: Path, place: Workplace
) -> None:
    """Run a suite against each server in turn, into `out/NAME`; what the suite says is printed."""
    for arm in arms:
        name = arm.label.lower().replace(" ", "-").replace(",", "")
        place.say(f"{arm.label} …")
        port = free_port()
        try:
            async with serving(arm.argv(port), port, place.logs / f"{name}.log") as server:
                named = [*more, "--model", arm.model] if arm.model else more
                code = await _run(server.url, suite, named, out / name)
        except NotReady as problem:
            place.say(str(problem))
        else:
            place.say(f"{arm.label}: exit code {code}")


async def _run(url: str, suite: str, more: Iterable[str], out: Path) -> int | None:
    argv = ["-m", "harness", "run", "--suite", suite, *more, "--target", url, "--out", str(out)]
    child = await asyncio.create_subprocess_exec(sys.executable, *argv)
    try:
        async with asyncio.timeout(SUITE_TIMEOUT_S):
            return await child.wait()
    except TimeoutError:
        child.terminate()
        return await child.wait()
