"""The client knows when it was late itself."""

from __future__ import annotations

import asyncio
import gc
import time

import pytest

from harness.clock import SystemClock
from harness.heartbeat import heartbeat, no_garbage_collection


def test_a_blocked_loop_is_noticed() -> None:
    """A callback that holds the loop for 40 ms shows as a lag of at least 20."""

    async def block() -> int:
        async with heartbeat(SystemClock()) as pulse:
            await asyncio.sleep(0.015)
            time.sleep(0.040)  # noqa: ASYNC251 - the fault under test
        return pulse.lag_ns

    assert asyncio.run(block()) >= 20_000_000


def test_the_worst_beat_counts() -> None:
    """A later, smaller lag does not hide an earlier one."""

    async def note() -> int:
        async with heartbeat(SystemClock()) as pulse:
            pulse.note(10**12)
            pulse.note(1)
        return pulse.lag_ns

    assert asyncio.run(note()) == 10**12


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_rests_and_is_left_as_it_was(enabled: bool) -> None:  # noqa: FBT001
    """Off inside, and afterwards what it was before."""
    before = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        with no_garbage_collection():
            inside = gc.isenabled()

        assert (inside, gc.isenabled()) == (False, enabled)
    finally:
        (gc.enable if before else gc.disable)()
