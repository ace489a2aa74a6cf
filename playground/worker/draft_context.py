"""Which rows of the target has the draft taken in, and which wait for it?

The draft is conditioned on the target's hidden rows, one a position. It need not take them in when
they are made: they wait here, in order, until the next draft or for ever.

    0 ............................ end
      taken in     waiting

`end` is the target's position. What waits is taken in by chunks, as many rows as one call takes.
A draft that looks back `window` rows at most is not given older ones, and they are not kept. Going
back forgets from the end: first what waits, then what was taken in, which the draft's own masks
then hide.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Rows = NDArray[np.float32]

__all__ = ["DraftContext"]


class DraftContext:
    """The rows that wait, and the position `end` behind them.

    `chunk` is the most rows of a call, `window` how many rows back the draft can look (0: all).
    """

    def __init__(self, *, chunk: int, window: int = 0) -> None:
        self._chunk = chunk
        self._window = window
        self.end = 0
        self._waiting: deque[Rows] = deque()
        self._kept = 0  # rows of all that waits

    def extend(self, rows: Rows) -> None:
        """Add hidden rows `[n, H]` of the positions from `end` on."""
        self._waiting.append(rows)
        self._kept += len(rows)
        self.end += len(rows)
        while self._window and self._kept - len(self._waiting[0]) >= self._window:
            self._kept -= len(self._waiting.popleft())

    def rewind(self, position: int) -> None:
        """Forget the rows from `position` on."""
        left = max(0, self._kept - (self.end - position))
        while self._kept > left:
            last = self._waiting.pop()
            self._kept -= len(last)
            if self._kept < left:
                self._waiting.append(last[: left - self._kept])
                self._kept = left
        self.end = position

    def take(self) -> Iterator[tuple[Rows, int]]:
        """Take what waits, chunk by chunk, each with the position of its first row.

        There is at least one where anything waits.
        """
        if not self._waiting:
            return
        rows = self._waiting[0] if len(self._waiting) == 1 else np.concatenate(self._waiting)
        self._waiting.clear()
        self._kept = 0
        if self._window and len(rows) > self._window:
            rows = rows[-self._window :]
        begin = self.end - len(rows)
        for at in range(0, len(rows), self._chunk):
            yield rows[at : at + self._chunk], begin + at
