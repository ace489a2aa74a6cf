r"""Which server-sent events do these bytes make, and when was each one complete?

The grammar is WHATWG HTML, "9.2.6 Interpreting an event stream"
(https://html.spec.whatwg.org/multipage/server-sent-events.html):

    stream  = [BOM] *event
    event   = *( comment / field ) end-of-line         ; the empty line dispatches
    comment = ":" *any-char end-of-line
    field   = name [ ":" [space] *any-char ] end-of-line
    end-of-line = CRLF / LF / CR                        ; nothing else: U+2028 and U+0085 are data

- `data` fields of one event are joined with LF; an event without a `data` field is not dispatched.
- `event` names the type (else "message"), `id` holds until it is set again (one with NUL is
  ignored), `retry` counts only when it is all digits, every other name is ignored.
- The stream is UTF-8; bytes that are not are read as U+FFFD, and the event says so.
- What follows the last empty line is no event and is dropped; `flush` tells what it was.

Reads may cut the stream anywhere, between CR and LF or inside a character too, and the events
are the same.  An event bears the stamp of the read that completed it: its empty line.  Where that
line ends in CR, the event is complete at the CR, and an LF that follows belongs to it.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CommentLine", "EventStreamDecoder", "ServerEvent"]

BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One dispatched event."""

    at_ns: int
    data: str
    type: str = "message"
    last_id: str = ""
    """The last `id` seen, in this event or an earlier one."""
    retry_ms: int | None = None
    """The reconnection time, where this event carried one."""
    damaged: bool = False
    """Whether bytes that are no UTF-8 were replaced in `data`."""


@dataclass(frozen=True, slots=True)
class CommentLine:
    """A line that began with a colon; a browser would not show it, a keep-alive is made of it."""

    at_ns: int
    text: str


class EventStreamDecoder:
    """Bytes in, events out; `decode` as often as there are reads, then `flush` once."""

    def __init__(self) -> None:
        self._line: list[bytes] = []  # the pieces of the line that has no end yet
        self._first_line = True
        self._after_cr = False
        self._data: list[bytes] = []
        self._type = b""
        self._last_id = ""
        self._retry_ms: int | None = None

    def decode(self, data: bytes, at_ns: int) -> list[ServerEvent | CommentLine]:
        """The events and comments that this read completed, in order."""
        if self._after_cr and data:
            self._after_cr = False
            if data.startswith(b"\n"):
                data = data[1:]
        if b"\r" in data:
            self._after_cr = data.endswith(b"\r")
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if b"\n" not in data:
            self._line.append(data)
            return []
        self._line.append(data)
        *lines, rest = b"".join(self._line).split(b"\n")
        self._line = [rest]
        if self._first_line:
            self._first_line = False
            lines[0] = lines[0].removeprefix(BOM)
        return self._interpret(lines, at_ns)

    def flush(self) -> str:
        """What the end of the stream left without its empty line, for the report; else empty."""
        rest = [b"data: " + value for value in self._data]
        return _text(b"\n".join([*rest, b"".join(self._line)]))

    def _interpret(self, lines: list[bytes], at_ns: int) -> list[ServerEvent | CommentLine]:
        seen: list[ServerEvent | CommentLine] = []
        for line in lines:
            if line[:5] == b"data:":  # nearly every line there is
                self._data.append(line[6:] if line[5:6] == b" " else line[5:])
            elif not line:
                if self._data:
                    seen.append(self._dispatch(at_ns))
                self._type, self._retry_ms = b"", None
            elif line[:1] == b":":
                seen.append(CommentLine(at_ns, _text(line[1:].removeprefix(b" "))))
            else:
                name, _, value = line.partition(b":")
                self._field(name, value.removeprefix(b" "))
        return seen

    def _field(self, name: bytes, value: bytes) -> None:
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._type = value
        elif name == b"id" and b"\0" not in value:
            self._last_id = _text(value)
        elif name == b"retry" and value.isdigit():
            self._retry_ms = int(value)

    def _dispatch(self, at_ns: int) -> ServerEvent:
        raw = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
        self._data = []
        damaged = False
        try:
            data = raw.decode("utf-8")
        except UnicodeDecodeError:
            data, damaged = _text(raw), True
        return ServerEvent(
            at_ns, data, _text(self._type) or "message", self._last_id, self._retry_ms, damaged
        )


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
