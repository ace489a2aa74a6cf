"""Is it told how a model comes along that takes long to load?"""

from __future__ import annotations

import asyncio

import pytest

from playground.loading import line_of, tell_of_loading


@pytest.mark.parametrize(
    ("in_memory", "program", "line"),
    [
        (None, None, "loading Muse: 12 s"),
        (None, 21_055_028_608, "loading Muse: 12 s"),
        (8_100_000_000, 21_055_028_608, "loading Muse: 12 s, 8.1 of 21.1 GB in memory"),
        (8_100_000_000, None, "loading Muse: 12 s, 8.1 GB in memory"),
        (220_000_000, 25_333_760, "loading Muse: 12 s, 0.2 GB in memory"),
    ],
)
def test_a_line_says_what_is_known(in_memory: int | None, program: int | None, line: str) -> None:
    """And leaves the rest out."""
    assert line_of("Muse", 12.3, in_memory, program) == line


def test_a_line_comes_every_few_seconds_until_it_is_loaded() -> None:
    """None at once: what loads quickly says nothing."""
    now, told = [0.0], list[str]()

    async def pause(seconds: float) -> None:
        if now[0] >= 6.0:
            raise asyncio.CancelledError
        now[0] += seconds

    async def scenario() -> None:
        await tell_of_loading(
            "Muse",
            7,
            told.append,
            program_bytes=2_000_000_000,
            resident=lambda pid: int(pid * now[0] * 4e7),
            clock=lambda: now[0],
            pause=pause,
        )

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(scenario())

    assert told == [
        "loading Muse: 2 s, 0.6 of 2.0 GB in memory",
        "loading Muse: 4 s, 1.1 of 2.0 GB in memory",
        "loading Muse: 6 s, 1.7 of 2.0 GB in memory",
    ]
