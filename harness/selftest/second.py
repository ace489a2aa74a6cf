"""Another client, which shares nothing with the harness's own but the clock.

One blocking socket in a process of its own: no event loop, no HTTP library, no decoder.  What both
clients find wrong alike is the server's or the kernel's; what only one of them does is its own.

`python -m harness.selftest.second URL` says `ready`, and then for every line it reads sends one
request and prints one line of JSON: `{"sent_ns", "reads": [[at_ns, base64], …]}`, the reads of the
body alone.  It lives until its standard input is closed.
"""

from __future__ import annotations

import base64
import json
import socket
import sys
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from harness.selftest.known import REQUEST
from harness.testing import MS, trace

if TYPE_CHECKING:
    from harness.trace import Trace

__all__ = ["read_turn", "trace_of"]

READ_BYTES = 65_536
SILENCE_S = 30.0


def read_turn(host: str, port: int) -> tuple[int, list[tuple[int, bytes]]]:
    """When the request was sent, and every read of the body: (ns, bytes), all on one clock."""
    body = json.dumps(dict(REQUEST)).encode()
    head = (
        f"POST /v1/chat/completions HTTP/1.1\r\nHost: {host}:{port}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    reads: list[tuple[int, bytes]] = []
    with socket.create_connection((host, port), timeout=SILENCE_S) as line:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        request = head.encode() + body
        sent_ns = time.perf_counter_ns()
        line.sendall(request)
        while data := line.recv(READ_BYTES):
            reads.append((time.perf_counter_ns(), data))
    return sent_ns, _without_head(reads)


def _without_head(reads: list[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
    """The reads of the body; the head may end inside one of them."""
    before = b""
    for number, (at_ns, data) in enumerate(reads):
        before += data
        head, ended, rest = before.partition(b"\r\n\r\n")
        if ended:
            del head
            return [(at_ns, rest), *reads[number + 1 :]] if rest else reads[number + 1 :]
    return []


def trace_of(line: str) -> Trace:
    """A line that this client printed, as the harness's own would have kept the turn."""
    told = json.loads(line)
    script = [
        ((at_ns - told["sent_ns"]) / MS, base64.b64decode(data)) for at_ns, data in told["reads"]
    ]
    return trace(*script, request=REQUEST)


def serve(url: str) -> None:
    """A turn for every line of standard input."""
    address = urlsplit(url)
    print("ready", flush=True)
    for _ in sys.stdin:
        sent_ns, reads = read_turn(address.hostname or "", address.port or 80)
        shown = [[at_ns, base64.b64encode(data).decode("ascii")] for at_ns, data in reads]
        print(json.dumps({"sent_ns": sent_ns, "reads": shown}), flush=True)


if __name__ == "__main__":
    serve(sys.argv[1])
