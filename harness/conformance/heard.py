"""What did a probe ask, and what came, as the rules look at it?

`wire` reads what a reply says and passes over how it was said; a rule asks for the latter too: the
head, the lines, the keys of every chunk.  The events come from `sse`, the observation from `wire`,
and nothing is parsed here but JSON.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from harness.events import Channel, Ending, Violation
from harness.sse import EventStreamDecoder, ServerEvent
from harness.wire import is_event_stream, observe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harness.conformance.scenario import Probe
    from harness.events import Observation
    from harness.trace import Trace

__all__ = ["Frame", "Heard", "hear"]

DONE = "[DONE]"


@dataclass(frozen=True, slots=True)
class Frame:
    """One event of a stream."""

    number: int
    """Its place, comments counted, as in `Observed.frame`."""
    text: str
    value: Any
    """Its JSON; None where it is `[DONE]`, or no JSON."""

    @property
    def done(self) -> bool:
        """Whether it ends the stream."""
        return self.text.strip() == DONE


@dataclass(frozen=True)
class Heard:
    """A probe, and what came of it."""

    probe: Probe
    seen: Observation
    frames: tuple[Frame, ...]
    """Of a stream; none where the reply was one body."""
    json: Any
    """Of a reply that was one body; None where that was no JSON."""
    beside: Heard | None
    """The probe that this one is compared with."""

    @property
    def trace(self) -> Trace:
        """The evidence itself."""
        return self.seen.trace

    @property
    def status(self) -> int:
        """The HTTP status; 0 where none came."""
        return self.trace.status or 0

    @property
    def replied(self) -> bool:
        """Whether there is a reply to judge: a 2xx, read to its end, without an error inside."""
        bad = {Ending.HTTP_ERROR, Ending.IN_BAND_ERROR, Ending.TRANSPORT_ERROR}
        return 200 <= self.status < 300 and self.seen.ending not in bad

    @property
    def text(self) -> str:
        """The content that was answered; half a surrogate pair, which is no text, reads `?`."""
        return self.seen.text(Channel.CONTENT).encode("utf-8", "replace").decode()

    @cached_property
    def chunks(self) -> tuple[tuple[Frame, Mapping[str, Any]], ...]:
        """The frames that are chunks of a completion: JSON objects with choices."""
        return tuple(
            (frame, frame.value)
            for frame in self.frames
            if isinstance(frame.value, dict) and "choices" in frame.value
        )

    def choices(self) -> Iterator[tuple[Frame | None, Mapping[str, Any]]]:
        """Every choice that is an object, with its frame; of a body, those of the body."""
        sources: list[tuple[Frame | None, Any]] = [*self.chunks] or [(None, self.json)]
        for frame, value in sources:
            listed = value.get("choices") if isinstance(value, dict) else None
            for choice in listed if isinstance(listed, list) else ():
                if isinstance(choice, dict):
                    yield frame, choice

    def header(self, name: str) -> str:
        """The value of a header, several joined by commas; empty where there is none."""
        return ", ".join(value for key, value in self.trace.headers if key.lower() == name)

    def violation(self, *rules: str) -> tuple[int | None, str] | None:
        """Frame and detail of the first broken rule of the wire among these."""
        for seen in self.seen.of(Violation):
            if isinstance(seen.event, Violation) and seen.event.rule in rules:
                return seen.frame, f"{seen.event.rule}: {seen.event.detail}"
        return None


def hear(probe: Probe, trace: Trace, beside: Heard | None = None) -> Heard:
    """Read what came of a probe."""
    content_type = next((v for n, v in trace.headers if n.lower() == "content-type"), "")
    streamed = is_event_stream(trace.request, trace.status, content_type)
    return Heard(
        probe=probe,
        seen=observe(trace),
        frames=tuple(_frames(trace)) if streamed else (),
        json=None if streamed else _parsed(trace.body.decode("utf-8", "replace")),
        beside=beside,
    )


def _frames(trace: Trace) -> Iterator[Frame]:
    decoder = EventStreamDecoder()
    items = (item for chunk in trace.chunks for item in decoder.decode(chunk.data, chunk.at_ns))
    for number, item in enumerate(items):
        if isinstance(item, ServerEvent):
            yield Frame(number, item.data, _parsed(item.data))


def _parsed(text: str) -> Any:  # noqa: ANN401 - JSON
    try:
        return json.loads(text)
    except ValueError:
        return None
