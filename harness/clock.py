"""What time is it?  The only place in the harness that reads a clock.

Durations come from `perf_counter_ns`: monotonic and the finest the platform has.  Wall time is
for people, is read once a turn, and no arithmetic is done on it.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol

__all__ = ["Clock", "SystemClock"]


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
