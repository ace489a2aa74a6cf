"""What time is it?  The only place in the harness that reads a clock.

Durations come from `perf_counter_ns`: monotonic and the finest the platform has.  Wall time is
for people, is read once a turn, and no arithmetic is done on it, but for the one question whether
it was set while a turn went on.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

__all__ = ["Clock", "Instants", "SystemClock", "instants"]

TOGETHER_NS = 500_000
"""Clocks that were read within this were read at once."""

# The clock that goes on while the machine sleeps, where there is one: macOS calls it otherwise.
_BOOT_CLOCK = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", None))


class Clock(Protocol):
    """What the harness asks of a clock; `harness.testing.ManualClock` is the one for tests."""

    def now_ns(self) -> int:
        """Nanoseconds since some fixed instant; never goes back."""
        ...

    def wall_iso(self) -> str:
        """Now as ISO 8601 in UTC, to the millisecond: `2026-01-31T12:00:00.000+00:00`."""
        ...


class SystemClock:
    """The machine's own clocks."""

    def now_ns(self) -> int:
        """Nanoseconds of `time.perf_counter_ns`."""
        return time.perf_counter_ns()

    def wall_iso(self) -> str:
        """Now, in UTC."""
        return datetime.now(UTC).isoformat(timespec="milliseconds")


@dataclass(frozen=True, slots=True)
class Instants:
    """One instant on every clock there is, in ns; only differences mean anything."""

    monotonic_ns: int
    """Stands still while the machine sleeps."""
    wall_ns: int
    """Can be set."""
    boot_ns: int
    """Goes on in sleep; the same as `monotonic_ns` where there is no such clock."""


def instants() -> Instants:
    """Now, on every clock; read again where something came between, for that looks like sleep."""
    for _ in range(9):
        now_ns = time.perf_counter_ns()
        boot_ns = now_ns if _BOOT_CLOCK is None else time.clock_gettime_ns(_BOOT_CLOCK)
        wall_ns = time.time_ns()
        if time.perf_counter_ns() - now_ns < TOGETHER_NS:
            break
    return Instants(now_ns, wall_ns, boot_ns)
