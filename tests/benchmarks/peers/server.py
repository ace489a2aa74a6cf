"""A server for as long as a block runs: started on loopback, waited for, and ended by its pid.

    async with serving(argv, port, log) as server: …   server.url, server.ready_s
                                                       server.peak_bytes(), before it ends

Linux only: the memory is the sum over the server's processes of the most each has ever held
(`VmHWM` in /proc), libraries and mapped files included, what two of them share counted twice.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.client import ChatClient
from harness.errors import TargetUnreachable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

__all__ = ["NotReady", "Server", "free_port", "serving"]

READY_TIMEOUT_S = 180.0
ASK_EVERY_S = 0.05
STOP_TIMEOUT_S = 15.0
PROC = Path("/proc")


class NotReady(Exception):
    """A server ended, or was not ready in time; the message says how it was started and its log."""


@dataclass(frozen=True, slots=True)
class Server:
    """One that answers."""

    url: str
    ready_s: float
    pid: int

    def peak_bytes(self) -> int:
        """What it has held at most, over all its processes that still run."""
        return sum(_peak(pid) for pid in family(self.pid))


@contextlib.asynccontextmanager
async def serving(argv: Sequence[str], port: int, log: Path) -> AsyncIterator[Server]:
    """Start it, wait until `/health` says 200, and end it when the block ends.

    Raises:
        NotReady: it does not get that far.
    """
    begun = time.perf_counter()
    with log.open("wb") as words:
        child = await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=words,
            stderr=words,
            env={**os.environ, "HF_HUB_OFFLINE": "1"},
        )
    url = f"http://127.0.0.1:{port}"
    try:
        await _until_healthy(child, url, argv[0], log)
        yield Server(url, time.perf_counter() - begun, child.pid)
    finally:
        await _stop(child)


def free_port() -> int:
    """One that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def family(pid: int) -> list[int]:
    """A process and all that it started, directly or not."""
    children: dict[int, list[int]] = {}
    for folder in PROC.glob("[0-9]*"):
        with contextlib.suppress(OSError):
            after_name = (folder / "stat").read_text().rpartition(")")[2].split()
            children.setdefault(int(after_name[1]), []).append(int(folder.name))
    found = [pid]
    for each in found:  # grows while it is walked
        found += children.get(each, ())
    return found


def _peak(pid: int) -> int:
    with contextlib.suppress(OSError):
        kilobytes = re.search(
            r"^VmHWM:\s+(\d+) kB$", (PROC / str(pid) / "status").read_text(), re.MULTILINE
        )
        return int(kilobytes[1]) * 1024 if kilobytes else 0
    return 0


async def _until_healthy(
    child: asyncio.subprocess.Process, url: str, program: str, log: Path
) -> None:
    try:
        async with ChatClient(url) as client, asyncio.timeout(READY_TIMEOUT_S):
            while not await _healthy(client):
                if child.returncode is not None:
                    raise NotReady(f"{program} ended with {child.returncode}; see {log}")
                await asyncio.sleep(ASK_EVERY_S)
    except TimeoutError:
        raise NotReady(f"{program} was not ready in {READY_TIMEOUT_S:.0f} s; see {log}") from None


async def _healthy(client: ChatClient) -> bool:
    try:
        return (await client.get_json("/health")).status == 200
    except TargetUnreachable:
        return False


async def _stop(child: asyncio.subprocess.Process) -> None:
    if child.returncode is not None:
        return
    child.terminate()
    try:
        async with asyncio.timeout(STOP_TIMEOUT_S):
            await child.wait()
    except TimeoutError:
        child.kill()
        await child.wait()
