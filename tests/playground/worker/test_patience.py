"""Is a worker that says nothing for too long noticed, and no other?"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from playground.worker.patience import Patience, Silence

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(slots=True)
class Call:
    """A call that is still to come."""

    callback: Callable[[], None] | None

    def cancel(self) -> None:
        """It is not to come any more."""
        self.callback = None


@dataclass(slots=True)
class Time:
    """A clock that is moved by hand, and calls by it."""

    now_s: float = 100.0
    waiting: list[tuple[float, int, Call]] = field(default_factory=list)
    set_timers: int = 0

    def time(self) -> float:
        """Now."""
        return self.now_s

    def call_at(self, when: float, callback: Callable[[], None]) -> Call:
        """Call it when it is time."""
        self.set_timers += 1
        call = Call(callback)
        heapq.heappush(self.waiting, (when, self.set_timers, call))
        return call

    def passes(self, seconds: float) -> None:
        """Let time go by, and what is due come."""
        until = self.now_s + seconds
        while self.waiting and self.waiting[0][0] <= until:
            self.now_s, _, call = heapq.heappop(self.waiting)
            if call.callback is not None:
                call.callback()
        self.now_s = until


def watch(limit_s: float) -> tuple[Time, Silence, list[float]]:
    """A watch, its clock, and where it writes the silences that were too long."""
    time, hung = Time(), list[float]()
    return time, Silence(time, limit_s, hung.append), hung


def test_a_long_prompt_is_given_the_time_that_it_takes() -> None:
    """On top of a fixed allowance, at the slowest rate that is believed."""
    patience = Patience(first_text_s=60.0, prefill_floor=20.0, next_text_s=60.0)

    assert patience.first_text(0) == 60.0
    assert patience.first_text(131_072) == 60.0 + 6553.6


def test_who_says_nothing_is_found_once_when_the_time_is_over() -> None:
    """Not a moment before."""
    time, _, hung = watch(10.0)

    time.passes(9.9)
    assert hung == []
    time.passes(0.2)
    time.passes(100.0)

    assert hung == [10.0]


def test_every_word_begins_the_time_anew() -> None:
    """However many there are; and the timer is set again only when it had come too soon."""
    time, silence, hung = watch(10.0)
    for _ in range(1000):
        time.passes(0.05)
        silence.heard(10.0)

    assert (hung, time.set_timers < 10) == ([], True)
    time.passes(10.1)

    assert hung == [10.0]


def test_a_shorter_time_is_kept_though_a_longer_one_was_running() -> None:
    """After a prefill of an hour the next text has a minute."""
    time, silence, hung = watch(3600.0)
    time.passes(5.0)
    silence.heard(60.0)

    time.passes(59.0)
    assert hung == []
    time.passes(2.0)

    assert hung == [60.0]


def test_a_longer_time_is_given_though_a_shorter_one_was_running() -> None:
    """The timer comes, sees that it is too soon, and waits on."""
    time, silence, hung = watch(10.0)
    time.passes(5.0)
    silence.heard(100.0)

    time.passes(99.0)
    assert hung == []
    time.passes(2.0)

    assert hung == [100.0]


def test_what_is_over_is_not_watched() -> None:
    """Nor is it again, whatever is still heard of it."""
    time, silence, hung = watch(10.0)
    silence.over()
    silence.heard(1.0)
    silence.over()

    time.passes(1000.0)

    assert hung == []
