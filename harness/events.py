"""What can be observed in one turn, whatever the framing it came in.

A streamed reply and a buffered one are told in the same words.  These are values: nothing here
parses (see `wire`) or counts (see `metrics`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harness.trace import Trace

__all__ = [
    "Channel",
    "Comment",
    "Delta",
    "Done",
    "Ending",
    "Event",
    "Extension",
    "Finish",
    "HttpError",
    "InBandError",
    "Observation",
    "Observed",
    "Role",
    "UsageSeen",
    "Violation",
]


class Channel(Enum):
    """Where a piece of the answer belongs."""

    REASONING = "reasoning"
    CONTENT = "content"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class Role:
    """The reply said who speaks.  Carries no token, so it stops no clock."""

    role: str


@dataclass(frozen=True, slots=True)
class Delta:
    """A non-empty piece of the answer: the only event that bears tokens."""

    channel: Channel
    text: str
    """The text as sent; of a tool call, the compact JSON of its fragment."""


@dataclass(frozen=True, slots=True)
class Finish:
    """The reply said why it ends."""

    reason: str


@dataclass(frozen=True, slots=True)
class UsageSeen:
    """Token counts the server sent; None is what it did not say."""

    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Extension:
    """A top-level key outside the OpenAI shape, kept as it came: `muse_metrics`, `timings`."""

    name: str
    payload: Any


@dataclass(frozen=True, slots=True)
class InBandError:
    """The server reported a failure inside an HTTP 200."""

    message: str
    type: str | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class HttpError:
    """The server refused, with a status other than 2xx."""

    status: int
    message: str
    type: str | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """The stream said `[DONE]`, or the buffered body was whole."""


@dataclass(frozen=True, slots=True)
class Comment:
    """A line the protocol ignores: the keep-alive of a server that is still busy."""

    text: str


@dataclass(frozen=True, slots=True)
class Violation:
    """The server broke a rule of the wire; `wire.RULES` says what each one asks."""

    rule: str
    detail: str


Event = (
    Role
    | Delta
    | Finish
    | UsageSeen
    | Extension
    | InBandError
    | HttpError
    | Done
    | Comment
    | Violation
)


class Ending(Enum):
    """How a turn ended.  Only OK is a success; CANCELLED is neither success nor failure."""

    OK = "ok"
    """2xx, no error in band, a finish reason, `[DONE]` or a clean close, usage if asked for."""
    HTTP_ERROR = "http_error"
    """A status other than 2xx."""
    IN_BAND_ERROR = "in_band_error"
    """An error object inside an HTTP 200."""
    TRUNCATED = "truncated"
    """The reply ended without a finish reason."""
    TRANSPORT_ERROR = "transport_error"
    """No connection, or one that broke or fell silent before the reply was over."""
    EMPTY = "empty"
    """A 2xx with neither text nor a count of tokens that were hidden."""
    NO_USAGE = "no_usage"
    """Complete but for the token counts that were asked for."""
    CANCELLED = "cancelled"
    """We asked for the end, and it came of that."""


@dataclass(frozen=True, slots=True)
class Observed:
    """One event, when it was complete, and where it came from."""

    index: int
    """Position in `Observation.events`; what `verdict.Evidence` points at."""
    at_ns: int
    """The stamp of the read that completed it, on the trace's time line."""
    frame: int | None
    """Which frame of the stream it came from; events of one frame share the number.
    None where it came from no frame: a judgement on the whole reply."""
    event: Event


@dataclass(frozen=True, slots=True)
class Observation:
    """Everything that was seen in one trace, in order, and how the turn ended."""

    trace: Trace
    events: tuple[Observed, ...]
    ending: Ending
    detail: str
    """Why it ended so, in words for a person; empty for OK."""

    @property
    def succeeded(self) -> bool:
        """Whether this turn belongs into a pool of latencies."""
        return self.ending is Ending.OK

    def of(self, *kinds: type[Event]) -> Iterator[Observed]:
        """The events of these kinds, in order."""
        return (seen for seen in self.events if isinstance(seen.event, kinds))

    def text(self, channel: Channel = Channel.CONTENT) -> str:
        """All text of one channel, joined."""
        return "".join(
            seen.event.text
            for seen in self.events
            if isinstance(seen.event, Delta) and seen.event.channel is channel
        )

    @property
    def usage(self) -> UsageSeen | None:
        """The last token counts the server sent."""
        return next(
            (e.event for e in reversed(self.events) if isinstance(e.event, UsageSeen)), None
        )

    @property
    def finish_reason(self) -> str | None:
        """The first finish reason."""
        return next((e.event.reason for e in self.events if isinstance(e.event, Finish)), None)

    @property
    def violations(self) -> tuple[Violation, ...]:
        """Every rule of the wire that was broken, in the order it showed."""
        return tuple(e.event for e in self.events if isinstance(e.event, Violation))

    def extension(self, name: str) -> Mapping[str, Any] | None:
        """The last extension object of this name; None when there is none that is an object."""
        for seen in reversed(self.events):
            event = seen.event
            if isinstance(event, Extension) and event.name == name:
                return event.payload if isinstance(event.payload, dict) else None
        return None
