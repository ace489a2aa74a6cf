"""A file server on this machine that can misbehave, and says what it was asked and has sent."""

from __future__ import annotations

import contextlib
import http.server
import re
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterator, Mapping

__all__ = ["Asked", "FileServer", "Published", "Reply", "serving"]

RANGE = re.compile(r"bytes=(\d+)-")


@dataclass(frozen=True)
class Published:
    """A file, and what the server calls this version of it."""

    data: bytes
    etag: str = '"one"'
    modified: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Reply:
    """How one request is answered; as it should be, where nothing is said."""

    status: int = 0
    """An answer without the file."""
    headers: Mapping[str, str] = field(default_factory=dict)
    ranges: bool = True
    """Whether it sends the rest alone, where that is asked for."""
    if_range: bool = True
    """Whether it looks at If-Range."""
    chunked: bool = False
    length: bool = True
    """Whether it says how long the answer is."""
    after: int | None = None
    """Stop after that many bytes, and close; or wait first, where there is a `gate`."""
    gate: threading.Event | None = None
    then_cut: bool = True
    """Whether it closes when the gate opens, or sends the rest."""
    data: bytes | None = None
    """Other bytes than the file's."""
    part: str | None = None
    """Another Content-Range than is true."""


@dataclass
class Asked:
    """One request, and how much of the file was sent for it."""

    path: str
    start: int
    if_range: str
    authorization: str
    sent: int = 0


@dataclass
class FileServer:
    """What is published, how the next requests are answered, and what was asked."""

    url: str
    files: dict[str, Published] = field(default_factory=dict)
    replies: list[Reply] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    reached: threading.Event = field(default_factory=threading.Event)
    """Set when a reply has sent its `after` bytes, and before its gate is waited for."""


@contextlib.contextmanager
def serving(
    host: str = "127.0.0.1", *, context: ssl.SSLContext | None = None
) -> Iterator[FileServer]:
    """A server for as long as the block runs; by https where there is a context."""
    state = FileServer("")
    ended = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Nothing on stderr."""

        def do_GET(self) -> None:
            with contextlib.suppress(ConnectionError):
                _answer(self, state, ended)
            self.close_connection = True

    server = http.server.ThreadingHTTPServer((host, 0), Handler)
    server.daemon_threads = False
    scheme = "http"
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        scheme = "https"
    state.url = f"{scheme}://{host}:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield state
    finally:
        ended.set()
        server.shutdown()
        thread.join()
        server.server_close()


def _answer(
    handler: http.server.BaseHTTPRequestHandler, state: FileServer, ended: threading.Event
) -> None:
    reply = state.replies.pop(0) if state.replies else Reply()
    ranged = RANGE.fullmatch(handler.headers.get("Range", ""))
    start = int(ranged[1]) if ranged else 0
    asked = Asked(
        handler.path,
        start,
        handler.headers.get("If-Range", ""),
        handler.headers.get("Authorization", ""),
    )
    state.asked.append(asked)
    file = state.files.get(handler.path)
    if reply.status or file is None:
        handler.send_response(reply.status or 404)
        for name, value in reply.headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", "0")
        handler.end_headers()
        return
    version = file.etag or file.modified
    if not reply.ranges or (reply.if_range and asked.if_range not in {"", version}):
        start = 0
    data = file.data if reply.data is None else reply.data
    if start >= len(data) > 0:
        handler.send_response(416)
        handler.send_header("Content-Range", f"bytes */{len(data)}")
        handler.send_header("Content-Length", "0")
        handler.end_headers()
        return
    _head(handler, file, reply, start, len(data))
    _body(handler, state, asked, reply, data[start:], ended)


def _head(
    handler: http.server.BaseHTTPRequestHandler,
    file: Published,
    reply: Reply,
    start: int,
    total: int,
) -> None:
    handler.send_response(206 if start else 200)
    if start:
        true = f"bytes {start}-{total - 1}/{total}"
        handler.send_header("Content-Range", true if reply.part is None else reply.part)
    if reply.chunked:
        handler.send_header("Transfer-Encoding", "chunked")
    elif reply.length:
        handler.send_header("Content-Length", str(total - start))
    if file.etag:
        handler.send_header("ETag", file.etag)
    if file.modified:
        handler.send_header("Last-Modified", file.modified)
    for name, value in {**file.headers, **reply.headers}.items():
        handler.send_header(name, value)
    handler.end_headers()


def _body(
    handler: http.server.BaseHTTPRequestHandler,
    state: FileServer,
    asked: Asked,
    reply: Reply,
    data: bytes,
    ended: threading.Event,
) -> None:
    first = data if reply.after is None else data[: reply.after]
    rest = data[len(first) :]
    _send(handler, asked, first, chunked=reply.chunked)
    if reply.after is not None:
        state.reached.set()
        if reply.gate is not None:
            while not (reply.gate.wait(0.02) or ended.is_set()):
                pass
        if reply.gate is None or reply.then_cut:
            return
        _send(handler, asked, rest, chunked=reply.chunked)
    if reply.chunked:
        handler.wfile.write(b"0\r\n\r\n")


def _send(
    handler: http.server.BaseHTTPRequestHandler, asked: Asked, data: bytes, *, chunked: bool
) -> None:
    for begin in range(0, len(data), 4096):
        piece = data[begin : begin + 4096]
        handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece)
        asked.sent += len(piece)
    handler.wfile.flush()
