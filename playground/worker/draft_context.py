"""Which rows of the target has the draft taken in, and which wait for it?

The draft is conditioned on the target's hidden rows, one a position. It need not take them in when
they are made: they wait here, in order, until the next draft or for ever.

    0 ........ first ........ end
      taken in       waiting

`end` is the target's position. What waits is taken in by chunks, as many rows as one call takes.
A draft that looks back `window` rows at most is not given older ones. Going back forgets from the
end: first what waits, then what was taken in, which the draft's own masks then hide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Rows = NDArray[np.float32]

__all__ = ["DraftContext"]


class DraftContext:
    """The draft's cursor `first` and the rows behind it.

    `chunk` is the most rows of a call, `window` how many rows back the draft can look (0: all).
    """

    def __init__(self, *, chunk: int, window: int = 0) -> None:
        self._chunk = chunk
        self._window = window
        self.first = 0
        self.end = 0
        self._waiting: list[Rows] = []

    def extend(self, rows: Rows) -> None:
        """Add hidden rows `[n, H]` of the positions from `end` on."""
        self._waiting.append(rows)
        self.end += len(rows)

    def rewind(self, position: int) -> None:
        """Forget the rows from `position` on."""
        excess = self.end - max(position, self.first)
        while excess > 0 and self._waiting:
            last = self._waiting.pop()
            if len(last) > excess:
                self._waiting.append(last[: len(last) - excess])
            excess -= len(last)
        self.first = min(self.first, position)
        self.end = position

    def take(self) -> Iterator[tuple[Rows, int]]:
        """Take what waits, chunk by chunk, each with the position of its first row.

        The cursor moves when a chunk is taken. There is at least one where anything waits.
        """
        if len(self._waiting) == 1 and len(self._waiting[0]) <= self._chunk:  # nearly always
            rows = self._waiting.pop()
        elif self._waiting:
            rows = np.concatenate(self._waiting)
            self._waiting = []
        else:
            return
        if self._window and len(rows) > self._window:
            rows = rows[-self._window :]
        begin = self.end - len(rows)
        self.first = self.end
        for at in range(0, len(rows), self._chunk):
            yield rows[at : at + self._chunk], begin + at
