"""What is said while a worker loads its model, which may take minutes?

A line every few seconds, for a person and for whoever started us:

    loading Muse Glimmer 30B: 12 s
    loading Muse Glimmer 30B: 14 s, 8.1 of 21.1 GB in memory

The second figure is the program's size, the first what the worker has in memory, where the system
tells it (see `playground.worker.resident`): a program that is mapped comes in as it is touched, and
what a GPU driver holds need not count, so it is a sign of life and no promise of when it ends.
The first line comes after the first few seconds, so that what loads at once says nothing.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from playground.worker.resident import resident_bytes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

__all__ = ["line_of", "tell_of_loading"]

EVERY_S = 2.0
GB = 1e9


async def tell_of_loading(
    name: str,
    pid: int,
    tell: Callable[[str], object],
    *,
    program_bytes: int | None = None,
    resident: Callable[[int], int | None] = resident_bytes,
    clock: Callable[[], float] = time.monotonic,
    pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> None:
    """Say it until cancelled."""
    began_at = clock()
    while True:
        await pause(EVERY_S)
        in_memory = await asyncio.to_thread(resident, pid)
        tell(line_of(name, clock() - began_at, in_memory, program_bytes))


def line_of(name: str, seconds: float, in_memory: int | None, program_bytes: int | None) -> str:
    """One line, without who says it."""
    line = f"loading {name}: {seconds:.0f} s"
    if in_memory is None:
        return line
    # What else a worker has in memory may be more than its whole program.
    of = f" of {program_bytes / GB:.1f}" if program_bytes and in_memory < program_bytes else ""
    return f"{line}, {in_memory / GB:.1f}{of} GB in memory"
