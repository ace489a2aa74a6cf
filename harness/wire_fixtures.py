"""Which streams have fooled benchmark tools, and what is the right reading of each?

Every fixture is one reply as bytes with times, and what a client must conclude.  Most of them
were read wrongly, in silence, by at least one published tool: a clock stopped at the role frame,
a frame lost after a keep-alive, text cut at U+2028, an error counted as a success.

Unless a fixture says otherwise: role frame at 0 ms, "Hello" at 150, " world" at 155, finish at
160, usage and `[DONE]` at 310; so TTFT 150 ms and E2E 155 ms, whatever the framing.

`FIXTURES` is data for tests of any client; `script_of` turns one into a reply for `RawServer`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from harness.events import Ending
from harness.testing import DONE, Piece, Script, frame, http_head

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["FIXTURES", "WireFixture", "script_of"]

USAGE = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}
STREAM: Mapping[str, Any] = {"stream": True, "stream_options": {"include_usage": True}}

Timed = tuple[tuple[float, bytes], ...]


@dataclass(frozen=True, slots=True)
class WireFixture:
    """One reply and its right reading; times are in ms after the request was sent."""

    name: str
    lesson: str
    """What a client must do, in one sentence."""
    pieces: Timed
    content: str = "Hello world"
    reasoning: str = ""
    ending: Ending = Ending.OK
    ttft_ms: float | None = 150
    ttfv_ms: float | None = 150
    e2e_ms: float | None = 155
    violations: tuple[str, ...] = ()
    request: Mapping[str, Any] = field(default_factory=lambda: STREAM)
    status: int = 200
    content_type: str = "text/event-stream; charset=utf-8"


def script_of(fixture: WireFixture, *, pace: float = 1.0) -> Script:
    """The same reply for a `RawServer`, its times multiplied by `pace`."""
    head = http_head(f"{fixture.status} Because", fixture.content_type)
    body = (Piece(at_ms * pace, data) for at_ms, data in fixture.pieces)
    return Script((Piece(0, head), *body))


def _plain(**replaced: str) -> Timed:
    """The ordinary stream, with some of its frames replaced by name; an empty one is left out."""
    frames = {
        "role": (0, frame(role="assistant")),
        "hello": (150, frame(content="Hello")),
        "world": (155, frame(content=" world")),
        "finish": (160, frame(finish="stop")),
        "usage": (310, frame(usage=USAGE)),
        "done": (310, DONE),
    }
    told = {name: (at_ms, replaced.get(name, text)) for name, (at_ms, text) in frames.items()}
    return tuple((float(at_ms), text.encode()) for at_ms, text in told.values() if text)


def _rewritten(change: Callable[[bytes], bytes]) -> Timed:
    return tuple((at_ms, change(data)) for at_ms, data in _plain())


def _fields_around(data: bytes) -> bytes:
    return b"event: chunk\nid: 7\nretry: 100\nx-unknown: 1\n" + data


def _cut(timed: Timed, size: int) -> Timed:
    return tuple(
        (at_ms, data[start : start + size])
        for at_ms, data in timed
        for start in range(0, len(data), size)
    )


def _buffered(body: str) -> dict[str, Any]:
    return {
        "pieces": ((200.0, body.encode()),),
        "request": {},
        "content_type": "application/json",
        "ttft_ms": None,
        "ttfv_ms": None,
        "e2e_ms": 200,
    }


_ALL = (
    WireFixture("role_first", "the role frame bears no token and stops no clock", _plain()),
    WireFixture(
        "usage_late", "the answer ends at its last token, not at the usage frame", _plain()
    ),
    WireFixture("crlf", "CRLF ends a line", _rewritten(lambda data: data.replace(b"\n", b"\r\n"))),
    WireFixture(
        "lone_cr", "CR alone ends a line", _rewritten(lambda data: data.replace(b"\n", b"\r"))
    ),
    WireFixture(
        "crlf_across_reads",
        "CR and LF in two reads are one line end",
        tuple(
            piece
            for at_ms, data in _plain()
            for piece in ((at_ms, data[:-2] + b"\r"), (at_ms, b"\n\r"), (at_ms, b"\n"))
        ),
    ),
    WireFixture(
        "no_space",
        "the space after `data:` is optional",
        _rewritten(lambda data: data.replace(b"data: ", b"data:")),
    ),
    WireFixture(
        "two_data_lines",
        "data lines of one event are joined with LF",
        _rewritten(lambda data: data.replace(b', "choices"', b',\ndata: "choices"')),
    ),
    WireFixture(
        "keepalive",
        "a comment is ignored, and only the comment",
        _plain(hello=": keepalive\n\n: again\n" + frame(content="Hello")),
    ),
    WireFixture(
        "unknown_fields", "event, id, retry and others are no data", _rewritten(_fields_around)
    ),
    WireFixture("one_byte_reads", "reads may be of one byte", _cut(_plain(), 1)),
    WireFixture(
        "split_at_space",
        "a read that ends at a space loses nothing",
        tuple(
            (at_ms, part)
            for at_ms, data in _plain()
            for part in re.split(rb"(?<=[ ])(?=world)", data)
        ),
    ),
    WireFixture(
        "raw_u2028",
        "U+2028 and U+0085 are data, not line ends",
        _plain(hello=frame(content="Hel\u2028\u0085lo")),
        content="Hel\u2028\u0085lo world",
    ),
    WireFixture(
        "bom",
        "a byte order mark at the very start is no data",
        ((0.0, b"\xef\xbb\xbf" + _plain()[0][1]), *_plain()[1:]),
    ),
    WireFixture(
        "usage_with_choices",
        "usage counts wherever it appears",
        _plain(finish=frame(finish="stop", usage=USAGE), usage=""),
    ),
    WireFixture(
        "reasoning_first",
        "the first token may be reasoning; the first visible one is another number",
        (
            _plain()[0],
            (105.0, frame(reasoning="hm").encode()),
            (407.0, frame(content="Hello").encode()),
            (410.0, frame(content=" world").encode()),
            *_plain()[3:],
        ),
        reasoning="hm",
        ttft_ms=105,
        ttfv_ms=407,
        e2e_ms=410,
    ),
    WireFixture(
        "reasoning_by_its_other_name",
        "`reasoning` is read like `reasoning_content`",
        _plain(
            role='data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n',
            hello='data: {"choices":[{"index":0,"delta":{"reasoning":"hm"}}]}\n\n',
        ),
        content=" world",
        reasoning="hm",
        ttfv_ms=155,
    ),
    WireFixture(
        "error_after_token",
        "an error inside a 200 is a failure, whatever came before and after it",
        (
            *_plain()[:2],
            (160.0, b'data: {"error":{"message":"out of memory","type":"server_error"}}\n\n'),
            (160.0, DONE.encode()),
        ),
        content="Hello",
        ending=Ending.IN_BAND_ERROR,
        ttft_ms=None,
        ttfv_ms=None,
        e2e_ms=None,
    ),
    WireFixture(
        "cut_short",
        "a stream without finish reason and [DONE] is truncated, not finished",
        _plain()[:3],
        ending=Ending.TRUNCATED,
        ttft_ms=None,
        ttfv_ms=None,
        e2e_ms=None,
        violations=("finish_missing", "done_missing", "usage_missing"),
    ),
    WireFixture(
        "unknown_frame",
        "a frame of another vocabulary is kept as an extension",
        _plain(usage='data: {"muse_metrics":{"prefill_ms":1.5}}\n\n' + frame(usage=USAGE)),
    ),
    WireFixture(
        "done_missing",
        "a clean close may stand for [DONE], and is told",
        _plain(done=""),
        violations=("done_missing",),
    ),
    WireFixture(
        "after_done",
        "nothing may come after [DONE]",
        _plain(done=DONE + frame(content="!")),
        content="Hello world!",
        e2e_ms=310,
        violations=("after_done", "delta_after_finish"),
    ),
    WireFixture(
        "two_finishes",
        "the finish reason is said once",
        _plain(finish=frame(finish="stop") + frame(finish="length")),
        violations=("finish_twice",),
    ),
    WireFixture(
        "changed_id",
        "all chunks of a reply carry one id",
        _plain(world=frame(content=" world", chunk_id="chatcmpl-2")),
        violations=("id_changed", "id_changed"),
    ),
    WireFixture(
        "broken_json",
        "a frame that is no JSON is told, the others are still read",
        _plain(hello='data: {"choices":\n\n' + frame(content="Hello")),
        violations=("json",),
    ),
    WireFixture(
        "broken_utf8",
        "bytes that are no UTF-8 are replaced, and told",
        _rewritten(lambda data: data.replace(b"Hello", b"Hell\xff")),
        content="Hell\ufffd world",
        violations=("utf8",),
    ),
    WireFixture(
        "incomplete_event",
        "what has no empty line after it is no event",
        _plain(done="data: [DONE]\n"),
        violations=("incomplete_event", "done_missing"),
    ),
    WireFixture(
        "wrong_content_type",
        "a stream under another content type is read, and told",
        _plain(),
        content_type="text/plain",
        violations=("content_type",),
    ),
    WireFixture(
        "usage_not_sent",
        "usage that was asked for and did not come is a failure class of its own",
        _plain(usage=""),
        ending=Ending.NO_USAGE,
        violations=("usage_missing",),
    ),
    WireFixture(
        "only_hidden_tokens",
        "no text, but counted tokens: complete, with no first token to time",
        _plain(hello="", world="", finish=frame(finish="length")),
        content="",
        ttft_ms=None,
        ttfv_ms=None,
        e2e_ms=None,
    ),
    WireFixture(
        "nothing",
        "a 200 without any part of a reply is empty, not a success",
        (),
        content="",
        ending=Ending.EMPTY,
        ttft_ms=None,
        ttfv_ms=None,
        e2e_ms=None,
        violations=("finish_missing", "done_missing", "usage_missing"),
    ),
    WireFixture(
        "buffered",
        "a whole JSON reply is observed in the same words, and has no first token",
        **_buffered(
            '{"id":"c","object":"chat.completion","choices":[{"index":0,"message":'
            '{"role":"assistant","reasoning_content":"hm","content":"Hello world"},'
            '"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":3}}'
        ),
        reasoning="hm",
    ),
    WireFixture(
        "buffered_error",
        "a 200 whose body is an error is a failure",
        **(_buffered('{"error":{"message":"no","type":"server_error"}}') | {"e2e_ms": None}),
        content="",
        ending=Ending.IN_BAND_ERROR,
    ),
    WireFixture(
        "refused",
        "a status other than 2xx keeps the server's message",
        **(_buffered('{"error":{"message":"no such field"}}') | {"e2e_ms": None}),
        content="",
        ending=Ending.HTTP_ERROR,
        status=400,
    ),
)

FIXTURES: Mapping[str, WireFixture] = {fixture.name: fixture for fixture in _ALL}
"""Every fixture by name."""
