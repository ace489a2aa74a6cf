r"""How does a turn look on the wire: as a stream of events, or as one JSON body?

A stream is a series of frames `data: JSON\n\n`, in this order:

    1. delta {"role": "assistant"}
    2. delta {"reasoning_content": …}   any number, only if the caller asked for reasoning
    3. delta {"content": …}             any number; 2 and 3 come as the model writes them
    4. delta {"tool_calls": [{…}]}      one for each call, whole, when its message is over
    5. delta {} with finish_reason
    6. {"muse_metrics": {…}}            no completion of OpenAI's, hence without id and choices
    7. choices [] with usage            only if the caller asked for it
    8. [DONE]

A call is not sent in parts: until its last tag has come it may turn out to be none.

While there is nothing to send, comments (`: queued 1`, `: prefill`) keep the connection busy; a
reader of the format skips them. Who asks for `include_status` gets frames in their place, and as
soon as it changes how the turn stands: {"muse_status": {"state": …}}, with `position` while queued,
and `done` and `total` (tokens of the prompt) in prefill.

A failure takes the place of all that is still to come but the last: one frame with the error, then
`[DONE]`, which is sent once and ends every stream.

`id` and `created` are the same in every chunk of a completion, and where usage was asked for every
chunk before the last has one that is null. JSON is compact, in UTF-8, and holds
no line break, whatever the text: so no reader can split a frame in two.

`reply` builds the body of a reply that is not streamed from the very same events.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from playground.errors import ServerError
from playground.events import Call, Content, Finish, Metrics, Reasoning, Status, Usage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from playground.errors import APIError
    from playground.events import Event

__all__ = ["DONE", "Completion", "error_frame", "frame"]

DONE = b"data: [DONE]\n\n"

_to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
LINE_BREAKS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}
"""Line breaks to Unicode that JSON leaves alone; some readers split lines at them."""


def frame(value: object) -> bytes:
    """One `data:` frame."""
    return _data(_to_json(value))


def _data(text: str) -> bytes:
    if not text.isascii():
        text = text.translate(LINE_BREAKS)
    return f"data: {text}\n\n".encode(errors="replace")


def error_frame(error: APIError) -> bytes:
    """The frame that tells a stream's reader what went wrong. `DONE` still has to follow."""
    return frame(error.body)


@dataclass(frozen=True)
class Completion:
    """One chat completion: its identity, and which of its events the caller asked for."""

    id: str
    """`chatcmpl-…`, unique."""
    created: int
    """Unix time in seconds."""
    model: str
    return_reasoning: bool = False
    include_usage: bool = False
    include_status: bool = False

    def opening(self) -> bytes:
        """The frame that begins every stream."""
        return self._chunk({"role": "assistant"})

    def frame(self, event: Event) -> bytes:
        """What a stream says for an event: one frame, one comment, or nothing."""
        match event:
            case Content(text):
                return self._piece("content", text)
            case Reasoning(text):
                return self._piece("reasoning_content", text) if self.return_reasoning else b""
            case Call():
                return self._chunk({"tool_calls": [{"index": event.index, **self._call(event)}]})
            case Status() if self.include_status:
                return frame({"muse_status": event.as_json()})
            case Status(state, position):
                return (
                    f": {state} {position}\n\n".encode() if position else f": {state}\n\n".encode()
                )
            case Finish(reason):
                return self._chunk({}, reason)
            case Metrics():
                return frame({"muse_metrics": event.as_json()})
            case Usage():
                return self._usage(event) if self.include_usage else b""

    def reply(self, events: Iterable[Event]) -> dict[str, Any]:
        """The body of a buffered reply; usage and metrics are always in it.

        Raises:
            ServerError: the turn never finished.
        """
        content: list[str] = []
        reasoning: list[str] = []
        calls: list[dict[str, Any]] = []
        finish: str | None = None
        extra: dict[str, Any] = {}
        for event in events:
            match event:
                case Content(text):
                    content.append(text)
                case Reasoning(text):
                    reasoning.append(text)
                case Call():
                    calls.append(self._call(event))
                case Finish(reason):
                    finish = reason
                case Metrics():
                    extra["muse_metrics"] = event.as_json()
                case Usage():
                    extra["usage"] = event.as_json()
                case Status():
                    pass
        if finish is None:
            raise ServerError("the turn ended without saying why")
        message: dict[str, Any] = {"role": "assistant", "content": "".join(content)}
        if calls:
            message |= {"content": message["content"] or None, "tool_calls": calls}
        if self.return_reasoning:
            message["reasoning_content"] = "".join(reasoning)
        choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
        return {**self._head("chat.completion"), "choices": [choice], **extra}

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model}

    def _call(self, call: Call) -> dict[str, Any]:
        """A call in OpenAI's shape; its id is unique because the completion's is."""
        return {
            "id": f"call_{self.id.removeprefix('chatcmpl-')}_{call.index}",
            "type": "function",
            "function": {"name": call.name, "arguments": _to_json(call.arguments)},
        }

    def _chunk(self, delta: dict[str, Any], finish_reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
        return frame({**self._chunk_head, "choices": [choice]})

    def _piece(self, field: str, text: str) -> bytes:
        """`_chunk` for a piece of text: nearly every frame is one, so the rest is written once."""
        return _data(f'{self._up_to_delta}"{field}":{_to_json(text)}}},"finish_reason":null}}]}}')

    @cached_property
    def _chunk_head(self) -> dict[str, Any]:
        usage = {"usage": None} if self.include_usage else {}
        return {**self._head("chat.completion.chunk"), **usage}

    @cached_property
    def _up_to_delta(self) -> str:
        head = _to_json(self._chunk_head)
        return f'{head[:-1]},"choices":[{{"index":0,"delta":{{'

    def _usage(self, usage: Usage) -> bytes:
        return frame({**self._chunk_head, "choices": [], "usage": usage.as_json()})
