"""May this request be answered at all: rules that hold before routing, for pages and API alike.

The server has no authentication.  What keeps other people's web pages out is that a browser tells
where a request comes from, and that we listen:

    rule                                                               else  keeps out
    exactly one Host header                                             400  ambiguity
    Host names this machine: 127.0.0.1, localhost, [::1]; any port      403  DNS rebinding
    Origin, if sent, is this very server: scheme, host and port         403  other sites
    Sec-Fetch-Site, if sent, is same-origin, or none on a read;         403  other sites, where
      a link that a person follows may come from anywhere                    no Origin is sent
    a body is declared application/json                                 415  "simple" requests
    a body stays within the cap, declared and received                  413  exhaustion

A bodyless POST or DELETE is a "simple" request as well; every browser that sends one across
sites marks it by Origin or Sec-Fetch-Site, and so the rules above cover it.
Programs other than browsers send neither header and are let through: any process of a local user
can use the server, which is a documented limit.  There is no CORS header on any answer.

Every answer carries `RESPONSE_HEADERS`, and what it says itself goes before them (a report has a
policy of its own); one that does not say how it may be cached is not stored.
A body is passed through as it comes, so that streams are not held up.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from playground.errors import (
    APIError,
    BodyTooLarge,
    Forbidden,
    InvalidRequest,
    UnsupportedMediaType,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["RESPONSE_HEADERS", "Gate", "check_request"]

HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})
READS = frozenset({"GET", "HEAD", "OPTIONS"})

RESPONSE_HEADERS = {
    "content-security-policy": (
        "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:;"
        " connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none';"
        " frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}

_RAW_RESPONSE_HEADERS = [
    *((k.encode(), v.encode()) for k, v in RESPONSE_HEADERS.items()),
    (b"cache-control", b"no-store"),
]

Headers = list[tuple[bytes, bytes]]


class Gate:
    """ASGI middleware, outermost: refuses what `check_request` refuses, and caps bodies.

    A body that turns out too large as it is read raises `BodyTooLarge` in whoever reads it; the
    app answers that as it answers every `APIError`.
    """

    def __init__(self, app: ASGIApp, *, max_body_bytes: int) -> None:
        self._app = app
        self._max_body_bytes = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or hand it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # an ASGI server answers a WebSocket that nobody accepts with 403
        guarded_send = _with_headers(send)
        try:
            check_request(scope["method"], scope["headers"], self._max_body_bytes)
        except APIError as error:
            await _refuse(error, guarded_send)
            return
        await self._app(scope, _capped(receive, self._max_body_bytes), guarded_send)


def check_request(method: str, headers: Headers, max_body_bytes: int) -> None:
    """Hold the rules that can be judged from the request's head.

    Raises:
        APIError: the first rule that it breaks.
    """
    host = _only(headers, b"host")
    if _hostname(host) not in HOSTS:
        raise Forbidden(f"Host {host!r} is not this machine; use 127.0.0.1, localhost or [::1]")
    for origin in _values(headers, b"origin"):
        if origin.lower() != f"http://{host.lower()}":
            raise Forbidden(f"Origin {origin!r} may not use this server")
    _check_fetch_metadata(method, headers)
    if _has_body(headers):
        _check_body(headers, max_body_bytes)


def _check_fetch_metadata(method: str, headers: Headers) -> None:
    sites = _values(headers, b"sec-fetch-site")
    allowed = {"same-origin", "none"} if method in READS else {"same-origin"}
    if set(sites) <= allowed:
        return
    followed_a_link = (
        method == "GET"
        and _values(headers, b"sec-fetch-mode") == ["navigate"]
        and _values(headers, b"sec-fetch-dest") == ["document"]
    )
    if not followed_a_link:
        raise Forbidden(f"requests from another site ({', '.join(sites)}) are not answered")


def _check_body(headers: Headers, max_body_bytes: int) -> None:
    kinds = [value.partition(";")[0].strip().lower() for value in _values(headers, b"content-type")]
    if kinds != ["application/json"]:
        shown = ", ".join(kinds) or "nothing"
        raise UnsupportedMediaType(
            f"the body is declared as {shown}; send Content-Type: application/json"
        )
    for length in _values(headers, b"content-length"):
        if not (length.isascii() and length.isdigit()):
            raise InvalidRequest(f"Content-Length {length!r} is not a number")
        if int(length) > max_body_bytes:
            raise BodyTooLarge(max_body_bytes)


def _has_body(headers: Headers) -> bool:
    lengths = _values(headers, b"content-length")
    return bool(_values(headers, b"transfer-encoding")) or any(n.strip("0") for n in lengths)


def _hostname(host: str) -> str:
    """The name in a Host header: lower case, without port and final dot, brackets kept."""
    if host.startswith("["):
        name, _, port = host.partition("]")
        return f"{name.lower()}]" if not port or _is_port(port) else host
    name, colon, port = host.partition(":")
    return name.lower().removesuffix(".") if not colon or _is_port(colon + port) else host


def _is_port(text: str) -> bool:
    return text.startswith(":") and text[1:].isascii() and text[1:].isdigit()


def _values(headers: Sequence[tuple[bytes, bytes]], name: bytes) -> list[str]:
    return [value.decode("latin-1").strip() for key, value in headers if key.lower() == name]


def _only(headers: Headers, name: bytes) -> str:
    match _values(headers, name):
        case [value] if value:
            return value
        case values:
            raise InvalidRequest(f"a request has exactly one {name.decode()} header, not {values}")


def _capped(receive: Receive, limit: int) -> Receive:
    received = 0

    async def counted() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > limit:
            raise BodyTooLarge(limit)
        return message

    return counted


def _with_headers(send: Send) -> Send:
    async def adorned(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", ()))
            own = {name.lower() for name, _ in headers}
            headers += [header for header in _RAW_RESPONSE_HEADERS if header[0] not in own]
            message = {**message, "headers": headers}
        await send(message)

    return adorned


async def _refuse(error: APIError, send: Send) -> None:
    body = json.dumps(error.body).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
