"""How is somebody told of what goes on for minutes, and not in thousands of lines?"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["NowAndThen"]


@dataclass(slots=True)
class NowAndThen:
    """Passes on one of its lines every few seconds: the first, and then the newest."""

    tell: Callable[[str], None]
    every_s: float = 5.0
    clock: Callable[[], float] = time.monotonic
    _due: float = field(default=float("-inf"), init=False)

    def __call__(self, line: str) -> None:
        """Tell it, if it is time to."""
        now = self.clock()
        if now >= self._due:
            self._due = now + self.every_s
            self.tell(line)
