"""What does the caller get to see of the text that the model writes?

    worker's text ──► HarmonySplitter ──┬─► reasoning ─────────────────► shown as it comes
                                        └─► content ──► StopMatcher ───► shown up to a stop string

Once a stop string was met nothing more is shown, of either. Whatever was shown is kept, because
the transcript's fingerprint is of what the caller was given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.events import Content, Reasoning
from playground.harmony import HarmonySplitter
from playground.stops import StopMatcher

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from playground.events import Text

__all__ = ["Answer"]


class Answer:
    """Feed it the worker's texts; it returns what is shown of them.

    `stops` end the content, `controls` are the names of the vocabulary's control tokens.
    """

    def __init__(self, stops: Sequence[str] = (), controls: Iterable[str] = ()) -> None:
        self._splitter = HarmonySplitter(controls)
        self._stops = StopMatcher(stops)
        self._content: list[str] = []
        self._reasoning: list[str] = []

    @property
    def content(self) -> str:
        """All content so far."""
        return "".join(self._content)

    @property
    def reasoning(self) -> str:
        """All reasoning so far."""
        return "".join(self._reasoning)

    @property
    def stopped(self) -> bool:
        """Whether a stop string was met."""
        return self._stops.matched is not None

    def feed(self, text: str) -> list[Text]:
        """Take the next piece of the model's text."""
        return list(self._shown(self._splitter.feed(text)))

    def flush(self) -> list[Text]:
        """Give what was held back, now that nothing follows."""
        rest = list(self._shown(self._splitter.flush()))
        if held := self._stops.flush():
            self._content.append(held)
            rest.append(Content(held))
        return rest

    def _shown(self, pieces: Iterable[Text]) -> Iterator[Text]:
        for piece in pieces:
            if self.stopped:
                return
            if isinstance(piece, Reasoning):
                self._reasoning.append(piece.text)
                yield piece
            elif text := self._stops.feed(piece.text):
                self._content.append(text)
                yield Content(text)
