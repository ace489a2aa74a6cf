"""Time is monotonic for arithmetic and ISO for people."""

from __future__ import annotations

from datetime import UTC, datetime

from harness.clock import SystemClock


def test_the_clock_never_goes_back() -> None:
    """A later reading is no smaller."""
    clock = SystemClock()
    readings = [clock.now_ns() for _ in range(100)]

    assert readings == sorted(readings)


def test_wall_time_is_iso_in_utc() -> None:
    """It parses, and says its zone."""
    said = datetime.fromisoformat(SystemClock().wall_iso())

    assert said.tzinfo == UTC
