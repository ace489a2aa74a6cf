"""How does a broken server stand in front of a sound one?

An ASGI application that passes every request on and every answer back, byte for byte, but for what
its fault changes: frames of a stream one by one, whole bodies of chat replies.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from tests.acceptance.broken.faults import Fault

__all__ = ["Proxy"]

CHAT = "/v1/chat/completions"
HOP = {b"connection", b"keep-alive", b"transfer-encoding", b"content-length", b"host"}
"""Headers of one connection; the length is set anew where a body is whole."""

Json = dict[str, Any]


class Proxy:
    """Serves what `upstream` serves, broken in one way."""

    def __init__(self, fault: Fault, upstream: str) -> None:
        self._fault = fault
        self._client = httpx.AsyncClient(base_url=upstream, timeout=None)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI
        """Answer one request."""
        if scope["type"] != "http":
            return
        body = await _read(receive)
        asked = _parsed(body)
        path = scope["path"]
        if asked is not None and (own := self._fault.answer(path, asked)) is not None:
            await _send_whole(send, 200, [(b"content-type", b"application/json")], own)
            return
        chat = path == CHAT and asked is not None
        if chat and (changed := self._fault.ask(asked or {})) != asked:
            body = json.dumps(changed, ensure_ascii=False).encode()
        request = self._client.build_request(
            scope["method"],
            httpx.URL(path=path, query=scope["query_string"]),
            headers=[pair for pair in scope["headers"] if pair[0] not in HOP],
            content=body,
        )
        change = self._fault.turn(asked or {}) if chat else None
        passing = asyncio.ensure_future(self._pass(request, change, send))
        leaving = asyncio.ensure_future(_left(receive))
        try:
            await asyncio.wait({passing, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not passing.done() and not self._fault.deaf:
                passing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await passing
        finally:
            leaving.cancel()

    async def _pass(
        self,
        request: httpx.Request,
        change: Callable[[Json], Sequence[Json]] | None,
        send: Any,  # noqa: ANN401 - ASGI
    ) -> None:
        response = await self._client.send(request, stream=True)
        try:
            headers = [(k.lower(), v) for k, v in response.headers.raw if k.lower() not in HOP]
            kind = response.headers.get("content-type", "")
            if not kind.startswith("text/event-stream"):
                whole = await response.aread()
                value = _parsed(whole) if change and response.status_code == 200 else None
                if change and value is not None:
                    (value,) = change(value)
                await _send_whole(
                    send, response.status_code, headers, whole if value is None else value
                )
                return
            await send(_start(response.status_code, headers))
            async for piece in _changed(response, change):
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            await response.aclose()


async def _changed(
    response: httpx.Response, change: Callable[[Json], Sequence[Json]] | None
) -> AsyncIterator[bytes]:
    """The frames of a stream; one that is not changed keeps its bytes."""
    rest = b""
    async for data in response.aiter_raw():
        *frames, rest = (rest + data).split(b"\n\n")
        for text in frames:
            value = _parsed(text.removeprefix(b"data: "))
            if change is None or value is None:
                yield text + b"\n\n"
                continue
            changed = list(change(value))
            if changed == [_parsed(text.removeprefix(b"data: "))]:
                yield text + b"\n\n"
                continue
            for each in changed:
                yield b"data: " + json.dumps(each, ensure_ascii=False).encode() + b"\n\n"
    if rest:
        yield rest


async def _read(receive: Any) -> bytes:  # noqa: ANN401 - ASGI
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            return bytes(body)


async def _left(receive: Any) -> None:  # noqa: ANN401 - ASGI
    """Return when the caller has left, or has got all of the answer."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _send_whole(
    send: Any,  # noqa: ANN401 - ASGI
    status: int,
    headers: list[tuple[bytes, bytes]],
    body: bytes | Json,
) -> None:
    data = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
    length = (b"content-length", str(len(data)).encode())
    await send(_start(status, [*headers, length]))
    await send({"type": "http.response.body", "body": data})


def _start(status: int, headers: list[tuple[bytes, bytes]]) -> Json:
    return {"type": "http.response.start", "status": status, "headers": headers}


def _parsed(data: bytes) -> Json | None:
    try:
        value = json.loads(data)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
