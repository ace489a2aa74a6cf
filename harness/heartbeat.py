"""Was it us?  How late was the client's own event loop while it measured?

A task asks to be woken every 10 ms and notes how much later it was.  A client that could not
read when bytes came has measured itself; such a turn is marked dirty, not thrown away.
"""

from __future__ import annotations

import asyncio
import gc
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from harness.clock import Clock

__all__ = ["Pulse", "heartbeat", "no_garbage_collection"]

BEAT_S = 0.010


class Pulse:
    """The worst lateness so far."""

    lag_ns: int = 0

    def note(self, late_ns: int) -> None:
        """One beat came this late."""
        self.lag_ns = max(self.lag_ns, late_ns)


@asynccontextmanager
async def heartbeat(clock: Clock) -> AsyncIterator[Pulse]:
    """Beat until the block ends; the pulse then holds the block's worst lag."""
    pulse, due_ns = Pulse(), clock.now_ns() + int(BEAT_S * 1e9)

    async def beat() -> None:
        nonlocal due_ns
        while True:
            await asyncio.sleep(BEAT_S)
            now_ns = clock.now_ns()
            pulse.note(now_ns - due_ns)
            due_ns = now_ns + int(BEAT_S * 1e9)

    beating = asyncio.create_task(beat())
    try:
        yield pulse
    finally:
        beating.cancel()
        pulse.note(clock.now_ns() - due_ns)


class _Resting:
    """How many blocks keep the collector out, and whether it was on before the first."""

    blocks = 0
    was_enabled = False


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Keep the collector out of the timed window, until the last of windows side by side."""
    if not _Resting.blocks:
        _Resting.was_enabled = gc.isenabled()
        gc.disable()
    _Resting.blocks += 1
    try:
        yield
    finally:
        _Resting.blocks -= 1
        if not _Resting.blocks and _Resting.was_enabled:
            gc.enable()
