"""Does the gate let in who may come in, and nobody else?"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from playground.errors import APIError, BodyTooLarge
from playground.security import RESPONSE_HEADERS, Gate, check_request

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LIMIT = 100
LOCAL = ("host", "127.0.0.1:3939")
JSON_BODY = (("content-type", "application/json"), ("content-length", "2"))

Pairs = tuple[tuple[str, str], ...]


def raw(*headers: tuple[str, str]) -> list[tuple[bytes, bytes]]:
    """Headers as an ASGI server gives them."""
    return [(name.encode(), value.encode("latin-1")) for name, value in headers]


def verdict(method: str, *headers: tuple[str, str]) -> int:
    """200 for a request that is let through, else the status it is refused with."""
    try:
        check_request(method, raw(*headers), LIMIT)
    except APIError as error:
        return error.status
    return 200


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.0.0.1:3939",
        "localhost:1",
        "LocalHost:3939",
        "localhost.:3939",
        "[::1]",
        "[::1]:80",
    ],
)
def test_a_host_that_is_this_machine_is_let_in(host: str) -> None:
    """Any port, any case, with the root dot or in brackets: the name is what counts."""
    assert verdict("GET", ("host", host)) == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:3939",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "evil.example#localhost",
        "localhost@evil.example",
        "localhost:3939@evil.example",
        "localhost:",
        "[::1].evil.example",
        "[::2]",
        "::1",
        "0.0.0.0",
        "192.168.0.2:3939",
        "machine.local",
    ],
)
def test_any_other_host_is_refused(host: str) -> None:
    """A name that a stranger controls may be made to point at us; it is still not our name."""
    assert verdict("GET", ("host", host)) == 403


@pytest.mark.parametrize("headers", [(), (("host", ""),), (LOCAL, LOCAL)])
def test_a_host_must_be_given_once(headers: Pairs) -> None:
    """Without one clear Host there is nothing to judge."""
    assert verdict("GET", *headers) == 400


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("http://127.0.0.1:3939", 200),
        ("HTTP://127.0.0.1:3939", 200),
        ("http://127.0.0.1:4000", 403),
        ("http://localhost:3939", 403),
        ("https://127.0.0.1:3939", 403),
        ("https://evil.example", 403),
        ("null", 403),
        ("", 403),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_an_origin_must_be_this_very_server(method: str, origin: str, expected: int) -> None:
    """Scheme, name and port as in Host, on reads as well as on writes."""
    assert verdict(method, LOCAL, ("origin", origin)) == expected


@pytest.mark.parametrize(
    ("method", "site", "expected"),
    [
        ("GET", "same-origin", 200),
        ("GET", "none", 200),
        ("GET", "same-site", 403),
        ("GET", "cross-site", 403),
        ("POST", "same-origin", 200),
        ("POST", "none", 403),
        ("POST", "same-site", 403),
        ("POST", "cross-site", 403),
        ("DELETE", "cross-site", 403),
    ],
)
def test_fetch_metadata_must_say_same_origin(method: str, site: str, expected: int) -> None:
    """A bodyless POST needs no more than a form on a foreign page; the browser marks it."""
    assert verdict(method, LOCAL, ("sec-fetch-site", site)) == expected


@pytest.mark.parametrize(
    ("method", "mode", "dest", "expected"),
    [
        ("GET", "navigate", "document", 200),
        ("GET", "navigate", "iframe", 403),
        ("GET", "no-cors", "image", 403),
        ("POST", "navigate", "document", 403),
    ],
)
def test_a_link_on_another_site_may_be_followed(
    method: str, mode: str, dest: str, expected: int
) -> None:
    """Navigation to a page is a person's doing; a frame, an image or a form is the page's."""
    fetch = (("sec-fetch-site", "cross-site"), ("sec-fetch-mode", mode), ("sec-fetch-dest", dest))

    assert verdict(method, LOCAL, *fetch) == expected


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        (JSON_BODY, 200),
        ((("content-type", "Application/JSON; charset=utf-8"), ("content-length", "2")), 200),
        ((("content-length", "2"),), 415),
        ((("content-type", "text/plain"), ("content-length", "2")), 415),
        ((("content-type", "text/plain"), ("transfer-encoding", "chunked")), 415),
        ((("content-type", "application/x-www-form-urlencoded"), ("content-length", "2")), 415),
        ((("content-type", "text/plain, application/json"), ("content-length", "2")), 415),
        ((*JSON_BODY, ("content-type", "text/plain")), 415),
        ((("content-length", "0"),), 200),
        ((), 200),
    ],
)
def test_a_body_must_be_declared_as_json(headers: Pairs, expected: int) -> None:
    """Any other type is one that a foreign page could send without asking."""
    assert verdict("POST", LOCAL, *headers) == expected


@pytest.mark.parametrize(
    ("length", "expected"), [("100", 200), ("101", 413), ("9" * 30, 413), ("-1", 400), ("1e3", 400)]
)
def test_a_declared_length_is_held_to_the_cap(length: str, expected: int) -> None:
    """A body that says it is too large is refused before it is read."""
    json_type = ("content-type", "application/json")

    assert verdict("POST", LOCAL, json_type, ("content-length", length)) == expected


def through_gate(app: ASGIApp, headers: list[tuple[bytes, bytes]], *body: bytes) -> list[Message]:
    """What the gate sends for one POST, its body in these pieces."""
    pieces = [
        {"type": "http.request", "body": piece, "more_body": index + 1 < len(body)}
        for index, piece in enumerate(body)
    ]
    sent: list[Message] = []

    async def receive() -> Message:
        return pieces.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "headers": headers}
    asyncio.run(Gate(app, max_body_bytes=LIMIT)(scope, receive, send))
    return sent


async def reads_all_and_answers(scope: Scope, receive: Receive, send: Send) -> None:
    """A minimal app: the body it got is the body it sends, in two pieces."""
    body = b""
    more = True
    while more:
        message = await receive()
        body, more = body + message["body"], message["more_body"]
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


def test_a_body_is_counted_while_it_is_read() -> None:
    """A body without a length cannot grow past the cap."""
    head = raw(LOCAL, ("content-type", "application/json"), ("transfer-encoding", "chunked"))

    with pytest.raises(BodyTooLarge):
        through_gate(reads_all_and_answers, head, b"a" * 60, b"b" * 60)


def test_a_body_within_the_cap_reaches_the_app_whole() -> None:
    """Pieces go in and out unchanged and one by one."""
    head = raw(LOCAL, *JSON_BODY)

    sent = through_gate(reads_all_and_answers, head, b"a" * 50, b"b" * 50)

    assert [m.get("body") for m in sent[1:]] == [b"a" * 50 + b"b" * 50, b""]


def test_every_answer_carries_the_headers() -> None:
    """Refused or not, the browser is told to keep the answer to itself."""
    allowed = through_gate(reads_all_and_answers, raw(LOCAL), b"")
    refused = through_gate(reads_all_and_answers, raw(("host", "evil.example")), b"")

    for start in (allowed[0], refused[0]):
        headers = {name.decode(): value.decode() for name, value in start["headers"]}
        assert headers.items() >= {**RESPONSE_HEADERS, "cache-control": "no-store"}.items()


def test_a_refusal_has_the_one_error_shape() -> None:
    """A refusal by the gate reads like any other error."""
    start, body = through_gate(reads_all_and_answers, raw(("host", "evil.example")), b"")

    assert start["status"] == 403
    assert json.loads(body["body"]) == {
        "error": {
            "message": "Host 'evil.example' is not this machine; use 127.0.0.1, localhost or [::1]",
            "type": "invalid_request_error",
            "param": None,
            "code": "forbidden",
        }
    }
