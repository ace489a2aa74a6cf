"""How long may a worker say nothing before it is taken for hung?

    over a session request      `next_text_s`
    before a turn's first text  `first_text_s`, and its prompt's tokens at `prefill_floor` a second
    between two texts           `next_text_s`

A worker that computes a long prompt is silent for as long as that takes, and need not be one that
tells its progress; so what it is allowed grows with the prompt, at the slowest rate that anybody
would put up with. All of the prompt counts, pictures and what is in the cache included: only the
worker knows what it can leave out. Every line that it says, progress too, begins the time anew.

`Silence` is the watch itself. It is set anew by one number, which costs a token nothing: when its
timer fires it looks how long ago that was, and sleeps on for the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Patience", "Silence", "Timer", "Timers"]


@dataclass(frozen=True, slots=True)
class Patience:
    """How long is waited for what; see the module."""

    first_text_s: float = 60.0
    prefill_floor: float = 20.0
    """Tokens a second."""
    next_text_s: float = 60.0

    def first_text(self, prompt_tokens: int) -> float:
        """Seconds for a prompt of so many tokens."""
        return self.first_text_s + prompt_tokens / self.prefill_floor


class Timer(Protocol):
    """A call that is still to come."""

    def cancel(self) -> None:
        """It is not to come any more."""


class Timers(Protocol):
    """A clock, and calls by it; an event loop is one."""

    def time(self) -> float:
        """Seconds, from anywhere on."""

    def call_at(self, when: float, callback: Callable[[], None]) -> Timer:
        """Call it once at that time."""


class Silence:
    """A watch over one request; `on_hung` is called once with the seconds of silence."""

    def __init__(self, timers: Timers, limit_s: float, on_hung: Callable[[float], None]) -> None:
        self._timers, self._on_hung = timers, on_hung
        self._limit_s = limit_s
        self._since = timers.time()
        self._timer: Timer | None = timers.call_at(self._since + limit_s, self._look)

    def heard(self, limit_s: float) -> None:
        """Something came; so long may pass before the next."""
        if self._timer is None:
            return
        sooner = limit_s < self._limit_s
        self._since, self._limit_s = self._timers.time(), limit_s
        if sooner:  # the timer that runs would look too late
            self._timer.cancel()
            self._timer = self._timers.call_at(self._since + limit_s, self._look)

    def over(self) -> None:
        """Nothing more has to come."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        due = self._since + self._limit_s
        if self._timers.time() < due:
            self._timer = self._timers.call_at(due, self._look)
        else:
            self._timer = None
            self._on_hung(self._limit_s)
