"""A server that keeps every rule, over a real socket, and any part of which can be spoilt."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from harness.testing import DONE, Piece, RawServer, Script

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from harness.testing import Received

    Serve = Callable[..., RawServer]

TEXT = "The answer is nineteen."
LIMIT = 2**20
"""Bytes of a body that are read."""


class Exemplary:
    """Answers as rules ask for; `spoil` changes the bytes of each answer."""

    def __init__(self, spoil: Callable[[Received, bytes], bytes]) -> None:
        self._spoil, self._answered = spoil, 0

    def __call__(self, request: Received) -> Script:
        """The answer as one script, a piece for each frame."""
        self._answered += 1
        head, *pieces = self._answer(request)
        timed = [Piece(float(at), self._spoil(request, data)) for at, data in enumerate(pieces)]
        return Script((Piece(0.0, self._spoil(request, head)), *timed))

    def _answer(self, request: Received) -> Iterator[bytes]:
        if request.path == "/v1/models":
            model = {"id": "some", "object": "model", "created": 1, "owned_by": "me"}
            return _json("200 OK", {"object": "list", "data": [model]})
        if request.path != "/v1/chat/completions":
            return _refusal("404 Not Found", "no such path")
        if request.method != "POST":
            return _refusal("405 Method Not Allowed", "POST it", Allow="POST")
        if len(request.body) > LIMIT:
            return _refusal("413 Content Too Large", "too large")
        try:
            asked = json.loads(request.body)
        except ValueError:
            return _refusal("400 Bad Request", "no JSON")
        if fault := _fault(asked):
            status = "404 Not Found" if fault == "model" else "400 Bad Request"
            return _refusal(status, f"{fault} is wrong", param=fault)
        return self._turn(asked)

    def _turn(self, asked: Mapping[str, Any]) -> Iterator[bytes]:
        words, finish, calls = _said(asked)
        count = len(words)
        usage = {"prompt_tokens": 9, "completion_tokens": count, "total_tokens": 9 + count}
        known = {"id": f"chatcmpl-{self._answered}", "created": 1, "model": "some"}
        if not asked.get("stream"):
            message = {"role": "assistant", "content": "".join(words), "tool_calls": calls}
            choice = {"index": 0, "message": message, "finish_reason": finish}
            body = {**known, "object": "chat.completion", "choices": [choice], "usage": usage}
            yield from _json("200 OK", body)
            return
        told = (asked.get("stream_options") or {}).get("include_usage")
        deltas: list[dict[str, Any]] = [
            {"role": "assistant"},
            *({"content": word} for word in words),
        ]
        deltas += [{"tool_calls": [{"index": 0, **call}]} for call in calls]
        yield _head("200 OK", "text/event-stream", Cache_Control="no-store, no-transform")
        chunks: list[dict[str, Any]] = [
            {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
        ]
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        if told:
            chunks = [{**chunk, "usage": None} for chunk in chunks]
            chunks.append({"choices": [], "usage": usage})
        for chunk in chunks:
            whole = {**known, "object": "chat.completion.chunk", **chunk}
            yield f"data: {json.dumps(whole)}\n\n".encode()
        yield DONE.encode()


def _said(asked: Mapping[str, Any]) -> tuple[list[str], str, list[dict[str, Any]]]:
    """Words, finish reason and calls."""
    if asked.get("tools"):
        function = {"name": "get_weather", "arguments": '{"city": "Lisbon"}'}
        return [], "tool_calls", [{"id": "call_1", "type": "function", "function": function}]
    stops = asked.get("stop") or []
    for stop in [stops] if isinstance(stops, str) else stops:
        if stop in TEXT:
            return [TEXT.partition(stop)[0]], "stop", []
    words = [f" {word}" if at else word for at, word in enumerate(TEXT.split())]
    if "Repeat" in str(asked["messages"]):
        return ["\N{ROCKET} ", "\N{ROCKET}"], "stop", []
    cap = asked.get("max_completion_tokens", asked.get("max_tokens", 100))
    return words[:cap], "stop" if cap >= len(words) else "length", []


def _fault(asked: object) -> str | None:
    """What is wrong with a request."""
    if not isinstance(asked, dict):
        return "body"
    messages = asked.get("messages")
    if not messages or not isinstance(messages, list):
        return "messages"
    if any(message["role"] not in {"user", "assistant", "system"} for message in messages):
        return "role"
    if isinstance(asked.get("temperature"), str):
        return "temperature"
    if asked.get("max_tokens", 1) < 1:
        return "max_tokens"
    if asked.get("n", 1) != 1:
        return "n"
    return "model" if asked.get("model") != "some" else None


def _refusal(
    status: str, message: str, param: str | None = None, **headers: str
) -> Iterator[bytes]:
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": None}
    return _json(status, {"error": error}, **headers)


def _json(status: str, value: object, **headers: str) -> Iterator[bytes]:
    body = json.dumps(value).encode()
    yield _head(status, "application/json", Content_Length=str(len(body)), **headers)
    yield body


def _head(status: str, content_type: str, **headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {content_type}", "Connection: close"]
    lines += ["X-Request-ID: r-1"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


@pytest.fixture(name="serve")
def _serve() -> Serve:
    """Makes a server that keeps every rule, but for what is spoilt."""

    def make(
        spoil: Callable[[Received, bytes], bytes] = lambda _request, data: data,
    ) -> RawServer:
        return RawServer(Exemplary(spoil))

    return make
