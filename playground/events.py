"""What does a turn tell its reader, in the words of the turn rather than of the wire?

A turn emits, in this order:

    Status*                    where it stands, when nothing else has been said for a while; for a
                               watched turn also at once, and whenever that changes
    (Reasoning | Content)*     text, as it comes
    Call*                      calls of functions, each whole; between texts too
    Finish                     why it ended
    Metrics                    what it cost
    Usage                      the same in OpenAI's few words

or breaks off with an `APIError`. `playground.sse` turns them into frames, or into one JSON body.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "Call",
    "Content",
    "Event",
    "Finish",
    "FinishReason",
    "Metrics",
    "Reasoning",
    "Status",
    "Text",
    "Usage",
]

FinishReason = Literal["stop", "length", "tool_calls"]


@dataclass(frozen=True, slots=True)
class Status:
    """Nothing to show yet, and why."""

    state: Literal["queued", "encoding", "prefill", "decode"]
    position: int = 0
    """Turns ahead of this one while queued: 1 means that it is next."""
    done: int | None = None
    """Tokens of the prompt that are computed, of `total` that have to be; None where unknown."""
    total: int | None = None

    def as_json(self) -> dict[str, Any]:
        """`state`, and of the other keys those that say something."""
        fields: dict[str, Any] = {"state": self.state}
        if self.position:
            fields["position"] = self.position
        if self.total is not None:
            fields |= {"done": self.done, "total": self.total}
        return fields


@dataclass(frozen=True, slots=True)
class Reasoning:
    """A piece of what the model says to itself. Never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class Content:
    """A piece of the answer. Never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a declared function that the caller is to run."""

    index: int
    """Its place among the calls of the turn, from 0."""
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Finish:
    """The turn is over: the model ended it, a stop string or a cancel did, or its room was used."""

    reason: FinishReason


@dataclass(frozen=True, slots=True)
class Metrics:
    """What a turn cost. A value that is not known is None, never 0. Times in milliseconds.

    `prefill_ms`, `decode_ms` and `total_ms` are the worker's own. `ttft_ms` (request accepted to
    the first text that the caller is shown, on either channel) and `wall_ms` (accepted to done) are
    read on the server's clock, and so include `queue_ms` (accepted to sent to the worker), which
    includes `prompt_ms` (render and tokenise).

    `dflash` is "on", "off" (the request or the server wants none), "fallback" (given up for a
    while, being slower) or "unavailable" (the model has no draft, and there are no counts). After
    the first token every step of the model is a round, which proposes tokens, verifies them and
    returns those accepted and one more, or a plain step. `dflash_attempts_by_row` are the rounds
    that proposed an i-th token, `dflash_accepts_by_row` those in which it was accepted.

    `malformed` counts how often the turn broke the model's own grammar (see `playground.harmony`).
    """

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reused_prompt_tokens: int | None = None
    prefilled_prompt_tokens: int | None = None
    resident_tokens: int | None = None
    session_reset_reason: str | None = None
    thinking_tokens: int | None = None
    prefill_ms: float | None = None
    decode_ms: float | None = None
    total_ms: float | None = None
    image_tokens: int | None = None
    vision_encoder_ms: float | None = None
    prefill_tokens_per_second: float | None = None
    decode_tokens_per_second: float | None = None
    dflash: str | None = None
    dflash_rounds: int | None = None
    dflash_proposed: int | None = None
    dflash_accepted: int | None = None
    dflash_attempts_by_row: tuple[int, ...] | None = None
    dflash_accepts_by_row: tuple[int, ...] | None = None
    dflash_plain_steps: int | None = None
    queue_ms: float | None = None
    prompt_ms: float | None = None
    ttft_ms: float | None = None
    wall_ms: float | None = None
    cancelled: bool | None = None
    malformed: int | None = None
    request_id: str | None = None
    session_id: str | None = None

    def as_json(self) -> dict[str, Any]:
        """All keys, always, in the order above."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of a turn as OpenAI counts them."""

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    """Of the prompt, how many were already resident."""
    reasoning_tokens: int
    """Of the completion, how many were reasoning, headers not counted."""

    def as_json(self) -> dict[str, Any]:
        """OpenAI's `usage` object."""
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "total_tokens": self.prompt_tokens + self.completion_tokens,
            "prompt_tokens_details": {"cached_tokens": self.cached_tokens},
            "completion_tokens_details": {"reasoning_tokens": self.reasoning_tokens},
        }


Text = Reasoning | Content | Call
Event = Status | Reasoning | Content | Call | Finish | Metrics | Usage
