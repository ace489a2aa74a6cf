"""A moment is noticed when it comes, and whether it was hit is read from the trace."""

from __future__ import annotations

import asyncio

import pytest

from harness.races.moments import Point, Watch, hit
from harness.testing import DONE, MS, frame, trace
from harness.wire import observe


def status(state: str) -> str:
    """A status frame."""
    return f'data: {{"muse_status": {{"state": "{state}"}}}}\n\n'


SCRIPT = (
    (1.0, frame(role="assistant")),
    (2.0, status("queued")),
    (10.0, status("encoding")),
    (20.0, status("prefill")),
    (30.0, frame(reasoning="hm")),
    (40.0, frame(content="one ")),
    (50.0, frame(content="two")),
    (60.0, frame(finish="stop")),
    (61.0, DONE),
)
SEEN = observe(trace(*SCRIPT))
WHOLE = len("hmone two")


@pytest.mark.parametrize(
    ("point", "first_ms", "last_ms"),
    [
        (Point.QUEUED, 2, 10),
        (Point.VISION, 10, 20),
        (Point.PREFILL, 20, 30),
        (Point.REASONING, 30, 60),
        (Point.CONTENT, 40, 60),
        (Point.ROUND, 40, 60),
        (Point.LAST, 50, 60),
        (Point.DONE, 61, 1000),
    ],
)
def test_a_stop_hits_from_the_moment_until_the_turn_has_gone_on(
    point: Point, first_ms: int, last_ms: int
) -> None:
    """Not before, and not after."""
    for at_ms in range(1001):
        expected = first_ms <= at_ms < last_ms
        if at_ms != last_ms:  # at one instant both are true
            assert hit(point, SEEN, at_ms * MS, whole=WHOLE) is expected, at_ms


@pytest.mark.parametrize(
    ("point", "at_ms"),
    [
        (Point.QUEUED, 2),
        (Point.VISION, 10),
        (Point.PREFILL, 20),
        (Point.REASONING, 30),
        (Point.CONTENT, 40),
        (Point.ROUND, 50),
        (Point.LAST, 50),
        (Point.DONE, 61),
    ],
)
def test_a_moment_is_noticed_with_its_event(point: Point, at_ms: int) -> None:
    """By whoever watches the stream; the second piece of content is a round here."""

    async def watch() -> list[float]:
        watched, told = Watch(point, whole=WHOLE, texts=2), []
        for seen in SEEN.events:
            watched.notice(seen)
            if watched.reached.done():
                told.append(seen.at_ns / MS)
        return told

    assert asyncio.run(watch())[0] == at_ms


@pytest.mark.parametrize("point", [Point.QUEUED, Point.PREFILL, Point.VISION])
def test_a_turn_that_speaks_has_passed_what_was_before(point: Point) -> None:
    """Nobody waits for a queue that the turn never stood in."""

    async def watch() -> tuple[bool, bool]:
        watched = Watch(point)
        for seen in observe(trace((1.0, frame(content="a")))).events:
            watched.notice(seen)
        return watched.reached.done(), watched.passed.done()

    assert asyncio.run(watch()) == (False, True)
