"""Is somebody told now and then, and not all the time?"""

from __future__ import annotations

from bootstrap.running.now_and_then import NowAndThen


def test_the_first_line_is_told_and_then_one_every_few_seconds() -> None:
    """The newest one, when it is time."""
    times = iter([0.0, 1.0, 4.9, 5.0, 6.0, 12.0])
    told: list[str] = []
    now_and_then = NowAndThen(told.append, 5.0, lambda: next(times))

    for line in "abcdef":
        now_and_then(line)

    assert told == ["a", "d", "f"]
