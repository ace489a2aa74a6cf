"""What does the caller get to see of the text that the model writes?

    worker's text ──► HarmonySplitter ──┬─► reasoning ─────────────────► shown as it comes
                                        ├─► content ──► StopMatcher ───► shown up to a stop string
                                        └─► calls ─────────────────────► shown, each when complete

Once a stop string was met nothing more is shown, of any. Whatever was shown is kept, because
the transcript's fingerprint is of what the caller was given.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from playground.events import Call, Content, Reasoning
from playground.harmony import HarmonySplitter
from playground.stops import StopMatcher

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from playground.events import Text

__all__ = ["Answer"]


class Answer:
    """Feed it the worker's texts; it returns what is shown of them.

    `stops` end the content, `controls` are the names of the vocabulary's control tokens, `tools`
    are the functions that may be called, each with the schema of its parameters. `continued` says
    that the model goes on inside a message to the user, of which only what is new is told.
    """

    def __init__(
        self,
        stops: Sequence[str] = (),
        controls: Iterable[str] = (),
        tools: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
        *,
        continued: bool = False,
    ) -> None:
        self._splitter = HarmonySplitter(controls, tools)
        if continued:
            self._splitter.resume()
        self._stops = StopMatcher(stops)
        self._content: list[str] = []
        self._reasoning: list[str] = []
        self._calls: list[Call] = []

    @property
    def content(self) -> str:
        """All content so far."""
        return "".join(self._content)

    @property
    def reasoning(self) -> str:
        """All reasoning so far."""
        return "".join(self._reasoning)

    @property
    def calls(self) -> tuple[Call, ...]:
        """All calls so far, in order."""
        return tuple(self._calls)

    @property
    def malformed(self) -> int:
        """How often the model broke its own grammar."""
        return self._splitter.malformed

    @property
    def stopped(self) -> bool:
        """Whether a stop string was met."""
        return self._stops.matched is not None

    def feed(self, text: str) -> list[Text]:
        """Take the next piece of the model's text."""
        return list(self._shown(self._splitter.feed(text)))

    def flush(self, *, ended: bool = True) -> list[Text]:
        """Give what was held back; `ended` says whether the model itself ended the turn."""
        rest = list(self._shown(self._splitter.flush(ended=ended and not self.stopped)))
        if held := self._stops.flush():
            self._content.append(held)
            rest.append(Content(held))
        return rest

    def _shown(self, pieces: Iterable[Text]) -> Iterator[Text]:
        for piece in pieces:
            if self.stopped:
                return
            match piece:
                case Reasoning(text):
                    self._reasoning.append(text)
                    yield piece
                case Call():
                    self._calls.append(piece)
                    yield piece
                case Content(text):
                    if text := self._stops.feed(text):
                        self._content.append(text)
                        yield Content(text)
