"""What do the turns under way wait for?  Told for whoever watches, and in no figure.

    first token        sent, and nothing has come
    queued, prefill    the same, and the server says why
    thought, answer    reasoning comes, content comes
    stop               asked to stop, and not over yet

It is read from the bytes as they come by looking for a few words in them; nothing is decoded, so
that watching costs a turn next to nothing.  `wire.observe` says afterwards what really came.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.clock import Clock

__all__ = ["Waiting"]

SHOWS = re.compile(
    rb'(?P<thought>"reasoning(?:_content)?": ?"[^"])'
    rb'|(?P<answer>"content": ?"[^"])'
    rb"|(?P<queued>^: queued|\"state\": ?\"queued\")"
    rb"|(?P<prefill>^: prefill|\"state\": ?\"prefill\")",
    re.MULTILINE,
)
"""What in a piece of a reply shows what is waited for from then on, by the name of its group."""
FIRST = "first token"


class Waiting:
    """The turns under way, by their id."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._turns: dict[str, str] = {}
        self._since: dict[str, int] = {}

    def sent(self, turn: str) -> None:
        """A turn was sent."""
        self._turns[turn] = FIRST
        self._since[turn] = self._clock.now_ns()

    def received(self, turn: str, data: bytes) -> None:
        """Bytes of its reply came."""
        if self._turns.get(turn) == "stop":
            return
        for found in SHOWS.finditer(data):
            self._turns[turn] = str(found.lastgroup)

    def stopping(self, turn: str) -> None:
        """It was asked to stop."""
        if turn in self._turns:
            self._turns[turn] = "stop"

    def over(self, turn: str) -> None:
        """It has ended."""
        self._turns.pop(turn, None)
        self._since.pop(turn, None)

    @property
    def longest_s(self) -> float:
        """How long the turn that was sent first has been under way; 0 where there is none."""
        since = min(list(self._since.values()), default=None)
        return 0.0 if since is None else (self._clock.now_ns() - since) / 1e9

    def __str__(self) -> str:
        found = Counter(list(self._turns.values()))
        if found.total() == 1:
            return next(iter(found))
        return ", ".join(f"{number} {what}" for what, number in found.items())
