"""Where does one of the caller's stop strings end the answer?

Only the visible answer is searched: a stop string can neither hit a header nor the reasoning.
Text is held back only while it may be the beginning of a stop string, so none is ever shown, not
even in part. What is shown does not depend on how the text was cut.

The stop string that is complete first wins; of two complete at the same character, the one that
began first. The worker uses it too, in `playground.worker.safe_text`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["StopMatcher"]


class StopMatcher:
    """Feed it the answer as it comes; it returns what may be shown by now.

    `matched` is the stop string that ended the answer; from then on nothing is returned.
    """

    def __init__(self, stops: Sequence[str] = ()) -> None:
        self.matched: str | None = None
        self._stops = tuple(dict.fromkeys(stops))
        self._beginnings = {stop[:end] for stop in stops for end in range(1, len(stop))}
        self._longest = max(map(len, self._beginnings), default=0)
        self._held = ""

    def feed(self, text: str) -> str:
        """Take the next piece of the answer."""
        if self.matched is not None:
            return ""
        text = self._held + text
        found = [(at + len(stop), at, stop) for stop in self._stops if (at := text.find(stop)) >= 0]
        if found:
            _, at, self.matched = min(found)
            self._held = ""
            return text[:at]
        safe = len(text) - self._length_of_beginning(text)
        self._held = text[safe:]
        return text[:safe]

    def flush(self) -> str:
        """Give what was held back, now that nothing follows."""
        held, self._held = self._held, ""
        return held

    def _length_of_beginning(self, text: str) -> int:
        """How long the longest end of the text is that a stop string begins with."""
        for length in range(min(self._longest, len(text)), 0, -1):
            if text[-length:] in self._beginnings:
                return length
        return 0
