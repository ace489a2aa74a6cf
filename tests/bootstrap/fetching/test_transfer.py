"""Is what is told of a download short, rare and right?"""

from __future__ import annotations

import pytest

from bootstrap.fetching.transfer import Transfer, time_text


class Clock:
    """A clock that is set by hand, in seconds."""

    now = 100.0

    def __call__(self) -> float:
        """The time."""
        return self.now


def told(total: int | None, *steps: tuple[float, int]) -> list[str]:
    """What is told of a file that has so many bytes at such times."""
    lines: list[str] = []
    clock = Clock()
    transfer = Transfer("m.pte", total, lines.append, clock)
    for now, size in steps:
        clock.now = now
        transfer.at(size)
    return lines


def test_bytes_rate_and_what_is_left_are_told() -> None:
    """The rate is of what came now, not of what was there before."""
    lines = told(21_000_000_000, (0, 1_000_000_000), (10, 2_000_000_000))

    assert lines == ["m.pte: 2.0 GB of 21.0 GB (9 %), 100 MB/s, 3 min 10 s left"]


def test_lines_are_seconds_apart() -> None:
    """However many pieces come."""
    steps = [(second / 10, second * 1000) for second in range(301)]

    assert len(told(10**9, *steps)) == 6


def test_the_rate_is_of_the_last_half_minute() -> None:
    """A slow beginning is forgotten."""
    slow = [(5.0 * step, 0) for step in range(9)]
    fast = [(45 + 5.0 * step, 5_000_000 * (step + 1)) for step in range(7)]

    assert told(10**9, *slow, *fast)[-1].endswith(" 1.0 MB/s, 16 min 5 s left")


def test_a_file_whose_length_nobody_knows_is_told_without_it() -> None:
    """Its bytes, and how fast they come."""
    assert told(None, (0, 0), (10, 500_000)) == ["m.pte: 500 kB, 50.0 kB/s"]


def test_one_that_does_not_come_says_so() -> None:
    """Instead of a time that is for ever."""
    assert told(1000, (0, 10), (10, 10)) == ["m.pte: 10 B of 1.0 kB (1 %), nothing came"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59.6, "1 min 0 s"), (200, "3 min 20 s"), (7260, "2 h 1 min")],
)
def test_times_are_in_the_units_that_matter(seconds: float, text: str) -> None:
    """Nobody reads the seconds of hours."""
    assert time_text(seconds) == text
