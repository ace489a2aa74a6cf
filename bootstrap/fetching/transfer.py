"""What is told of a file that is on its way? Bytes, rate and what is left, every few seconds."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bootstrap.running.sizes import in_words

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Transfer", "time_text"]

EVERY_S = 5.0
WINDOW = 7
"""Lines that a rate is taken over: half a minute."""


@dataclass(slots=True)
class Transfer:
    """One file, told about at most every `EVERY_S` seconds."""

    name: str
    total: int | None
    tell: Callable[[str], None]
    clock: Callable[[], float]
    """In seconds, from any moment on."""
    _seen: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=WINDOW))

    def at(self, size: int) -> None:
        """That many bytes are there."""
        now = self.clock()
        if not self._seen:
            self._seen.append((now, size))
        if now - self._seen[-1][0] < EVERY_S:
            return
        then, had = self._seen[0]
        self._seen.append((now, size))
        rate = (size - had) / (now - then)
        self.tell(f"{self.name}: {self._part(size)}{self._pace(size, rate)}")

    def _part(self, size: int) -> str:
        if not self.total:
            return in_words(size)
        return f"{in_words(size)} of {in_words(self.total)} ({100 * size // self.total} %)"

    def _pace(self, size: int, rate: float) -> str:
        """`rate` in bytes a second."""
        if rate <= 0:
            return ", nothing came"
        told = f", {in_words(rate)}/s"
        return f"{told}, {time_text((self.total - size) / rate)} left" if self.total else told


def time_text(seconds: float) -> str:
    """A time for people, to the second."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
