"""What does a reply say, event by event, and which rules of the wire does it break?

The OpenAI chat dialect as a tolerant client reads it.  Unknown keys are kept as `Extension`s,
`reasoning` is read like `reasoning_content`, usage is taken wherever it appears.  What is wrong
is never repaired in silence: it becomes a `Violation` of one of `RULES`.

A streamed reply (`text/event-stream`) is a sequence of frames, `data: {chunk}` and at last
`data: [DONE]`.  A buffered reply is one JSON object, and is observed in the same words: `Role`,
`Delta`s, `Finish`, `UsageSeen`, `Extension`s, `Done`, all stamped with its last read.
Within one frame events come in this order too, whatever the order of its keys.

How the turn ended is concluded in `ending`, numbers are made in `metrics`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from harness.ending import ending_of
from harness.events import (
    Channel,
    Comment,
    Delta,
    Done,
    Ending,
    Event,
    Extension,
    Finish,
    HttpError,
    InBandError,
    Observation,
    Observed,
    Role,
    UsageSeen,
    Violation,
)
from harness.sse import CommentLine, EventStreamDecoder, ServerEvent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harness.trace import Chunk, Trace

__all__ = ["RULES", "Observer", "is_event_stream", "observe"]

RULES: Mapping[str, str] = {
    "content_type": "a stream comes as text/event-stream, a buffered reply as application/json",
    "utf8": "the body is UTF-8",
    "json": "every frame but [DONE], and every buffered body, is JSON",
    "shape": "the parts of a chunk have the types of the OpenAI schema",
    "choice_index": "choices other than 0 were not asked for",
    "id_changed": "every chunk of one reply carries the same id",
    "finish_twice": "the finish reason is said once",
    "delta_after_finish": "no text comes after the finish reason",
    "after_done": "nothing comes after [DONE]",
    "incomplete_event": "the last frame ends with an empty line",
    "finish_missing": "a reply says why it ends",
    "done_missing": "a stream ends with [DONE]",
    "usage_missing": "usage is sent when stream_options.include_usage asks for it",
    "broken_after_done": "the connection stays whole until the body has ended by its own framing",
}
"""Every rule a `Violation` can name, and what it asks."""

ENVELOPE = frozenset(
    {"id", "object", "created", "model", "choices", "usage", "error", "system_fingerprint"}
    | {"service_tier"}
)
"""The top-level keys of the OpenAI schema; every other one is an extension."""


def observe(trace: Trace) -> Observation:
    """Read a whole trace: its events with indices and stamps, and how it ended."""
    observer = Observer(trace.request, trace.status, trace.headers)
    for chunk in trace.chunks:
        observer.feed(chunk)
    return observer.finish(trace)


class Observer:
    """Reads a reply while it comes; `feed` each chunk, then `finish` with the whole trace."""

    def __init__(
        self,
        request: Mapping[str, Any],
        status: int | None,
        headers: Sequence[tuple[str, str]],
    ) -> None:
        self._request = request
        self._status = status
        self._content_type = next((v for n, v in headers if n.lower() == "content-type"), "")
        streamed = is_event_stream(request, status, self._content_type)
        self._decoder = EventStreamDecoder() if streamed else None
        self._body = bytearray()
        self._events: list[Observed] = []
        self._frame = -1
        self._id: str | None = None
        self._done = False
        self._seen: set[type[Event]] = set()

    def feed(self, chunk: Chunk) -> list[Observed]:
        """The events this chunk completed; of a buffered reply there are none before `finish`."""
        before = len(self._events)
        if self._decoder is None:
            self._body += chunk.data
        else:
            for item in self._decoder.decode(chunk.data, chunk.at_ns):
                self._read_frame(item)
        return self._events[before:]

    def finish(self, trace: Trace) -> Observation:
        """Add what only the end shows, and judge the whole."""
        at_ns = trace.chunks[-1].at_ns if trace.chunks else trace.closed_at_ns or 0
        if self._decoder is not None:
            if rest := self._decoder.flush():
                self._add(at_ns, None, Violation("incomplete_event", _excerpt(rest)))
        elif self._body:
            self._read_body(bytes(self._body), at_ns)
        if trace.status is not None and 200 <= trace.status < 300:
            self._check_content_type(trace.headers_at_ns or 0)
        ending, detail = ending_of(trace, self._events, asked_usage=self._asked_usage)
        for rule, what in self._omissions(trace, ending):
            self._add(trace.closed_at_ns or at_ns, None, Violation(rule, what))
        return Observation(trace, tuple(self._events), ending, detail)

    # -- what kind of reply this is

    @property
    def _streamed(self) -> bool:
        return bool(self._request.get("stream"))

    @property
    def _asked_usage(self) -> bool:
        options = self._request.get("stream_options")
        return self._streamed and isinstance(options, dict) and bool(options.get("include_usage"))

    def _check_content_type(self, at_ns: int) -> None:
        expected = "text/event-stream" if self._streamed else "application/json"
        if self._content_type.partition(";")[0].strip().lower() != expected:
            said = self._content_type or "no content type"
            self._add(at_ns, None, Violation("content_type", f"expected {expected}, got {said}"))

    # -- reading

    def _read_frame(self, item: ServerEvent | CommentLine) -> None:
        self._frame += 1
        frame, at_ns = self._frame, item.at_ns
        if isinstance(item, CommentLine):
            self._add(at_ns, frame, Comment(item.text))
            return
        if item.damaged:
            self._add(at_ns, frame, Violation("utf8", _excerpt(item.data)))
        if self._done:
            self._add(at_ns, frame, Violation("after_done", _excerpt(item.data)))
        if item.data.strip() == "[DONE]":
            self._done = True
            self._add(at_ns, frame, Done())
            return
        try:
            reply = json.loads(item.data)
        except ValueError as problem:
            self._add(at_ns, frame, Violation("json", f"{problem}: {_excerpt(item.data)}"))
            return
        for event in read_reply(reply, "delta"):
            self._add(at_ns, frame, event)
        self._check_id(reply, at_ns, frame)

    def _read_body(self, body: bytes, at_ns: int) -> None:
        text = body.decode("utf-8", "replace")
        refused = self._status is not None and not 200 <= self._status < 300
        try:
            reply = json.loads(text)
        except ValueError as problem:
            if refused:
                self._add(at_ns, 0, HttpError(self._status or 0, _excerpt(text)))
            else:
                self._add(at_ns, 0, Violation("json", f"{problem}: {_excerpt(text)}"))
            return
        if refused:
            message, kind, code = _error_parts(reply)
            self._add(at_ns, 0, HttpError(self._status or 0, message, kind, code))
            return
        for event in read_reply(reply, "message"):
            self._add(at_ns, 0, event)
        self._done = True
        self._add(at_ns, 0, Done())

    def _check_id(self, reply: object, at_ns: int, frame: int) -> None:
        said = reply.get("id") if isinstance(reply, dict) else None
        if not isinstance(said, str):
            return
        if self._id is not None and said != self._id:
            self._add(at_ns, frame, Violation("id_changed", f"{self._id} became {said}"))
        self._id = said

    def _add(self, at_ns: int, frame: int | None, event: Event) -> None:
        broken = None
        if isinstance(event, Finish) and Finish in self._seen:
            broken = Violation("finish_twice", event.reason)
        elif isinstance(event, Delta) and Finish in self._seen:
            broken = Violation("delta_after_finish", _excerpt(event.text))
        for each in (event, broken):
            if each is not None:
                self._seen.add(type(each))
                self._events.append(Observed(len(self._events), at_ns, frame, each))

    def _omissions(self, trace: Trace, ending: Ending) -> Iterator[tuple[str, str]]:
        """What a reply that was let run to its end should have said and did not."""
        if ending not in {Ending.OK, Ending.NO_USAGE, Ending.TRUNCATED, Ending.EMPTY}:
            return
        if Finish not in self._seen:
            yield "finish_missing", "the reply ended without a finish reason"
        if self._streamed and not self._done:
            yield "done_missing", "the stream ended without [DONE]"
        if self._asked_usage and UsageSeen not in self._seen:
            yield "usage_missing", "stream_options.include_usage was true, no usage came"
        if trace.transport_error:
            yield "broken_after_done", trace.transport_error


def is_event_stream(request: Mapping[str, Any], status: int | None, content_type: str) -> bool:
    """By its content type; a stream under a wrong one is still read as what was asked for."""
    if status is None or not 200 <= status < 300:
        return False
    media = content_type.partition(";")[0].strip().lower()
    return media == "text/event-stream" or (
        bool(request.get("stream")) and media != "application/json"
    )


def read_reply(reply: object, part: str) -> Iterator[Event]:
    """The events of one JSON object; `part` is "delta" in a stream, "message" in a whole reply."""
    if not isinstance(reply, dict):
        yield Violation("shape", f"a JSON {type(reply).__name__} where an object belongs")
        return
    if reply.get("error") is not None:
        yield InBandError(*_error_parts(reply))
    choices = reply.get("choices")
    if choices is not None and not isinstance(choices, list):
        yield Violation("shape", f"choices is a {type(choices).__name__}")
        choices = None
    for choice in choices or ():
        yield from _read_choice(choice, part)
    if reply.get("usage") is not None:
        yield from _read_usage(reply["usage"])
    for name, payload in reply.items():
        if name not in ENVELOPE and payload is not None:
            yield Extension(name, payload)


def _read_choice(choice: object, part: str) -> Iterator[Event]:
    if not isinstance(choice, dict) or not isinstance(choice.get(part) or {}, dict):
        yield Violation("shape", f"a choice without an object in {part}")
        return
    if choice.get("index", 0) != 0:
        yield Violation("choice_index", f"index {choice.get('index')}")
        return
    said: Mapping[str, Any] = choice.get(part) or {}
    if said.get("role") is not None:
        yield Role(str(said["role"]))
    # Two names for one thing; a server that sends both sends the same text twice.
    name = "reasoning_content" if said.get("reasoning_content") else "reasoning"
    yield from _read_text(Channel.REASONING, name, said.get(name))
    yield from _read_text(Channel.CONTENT, "content", said.get("content"))
    calls = said.get("tool_calls")
    if calls is not None and not isinstance(calls, list):
        yield Violation("shape", f"tool_calls is a {type(calls).__name__}")
        calls = None
    for call in calls or ():
        if call:
            yield Delta(Channel.TOOL, json.dumps(call, ensure_ascii=False, separators=(",", ":")))
    if choice.get("finish_reason") is not None:
        yield Finish(str(choice["finish_reason"]))


def _read_text(channel: Channel, name: str, text: object) -> Iterator[Event]:
    if isinstance(text, str):
        if text:
            yield Delta(channel, text)
    elif text is not None:
        yield Violation("shape", f"{name} is a {type(text).__name__}")


def _read_usage(usage: object) -> Iterator[Event]:
    if not isinstance(usage, dict):
        yield Violation("shape", f"usage is a {type(usage).__name__}")
        return
    prompt, completion = usage.get("prompt_tokens_details"), usage.get("completion_tokens_details")
    yield UsageSeen(
        prompt_tokens=_count(usage, "prompt_tokens"),
        completion_tokens=_count(usage, "completion_tokens"),
        cached_tokens=_count(prompt, "cached_tokens"),
        reasoning_tokens=_count(completion, "reasoning_tokens"),
    )


def _count(holder: object, name: str) -> int | None:
    value = holder.get(name) if isinstance(holder, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _error_parts(reply: object) -> tuple[str, str | None, str | None]:
    """Message, type and code of `{"error": {…}}`, `{"error": "…"}` or `{"detail": …}`."""
    error = reply
    if isinstance(reply, dict):
        error = reply.get("error", reply.get("detail", reply))
    if not isinstance(error, dict) or "message" not in error:
        text = error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
        return _excerpt(text), None, None
    kind, code = (None if error.get(key) is None else str(error[key]) for key in ("type", "code"))
    return str(error["message"]), kind, code


def _excerpt(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:119]}…"
