"""The server's end of the self-test: streams whose every write is planned, and noted.

`python -m harness.selftest.known` prints its address and lives until its standard input is closed.

    POST /v1/chat/completions   the known stream: role frame first, keep-alive comments, CRLF
                                frames, frames cut between two writes, reasoning before content,
                                one long gap
    POST /flood                 `FLOOD` frames, each a write of its own, `FLOOD_GAP_MS` apart
    GET  /written               when each piece of the last of them was written, and how long the
                                slowest write took
"""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

from harness.testing import (
    DONE,
    Piece,
    RawServer,
    Received,
    Script,
    frame,
    http_head,
    json_script,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.clock import Clock

__all__ = ["REQUEST", "exact_wait", "known_pieces"]

REQUEST: Mapping[str, object] = {"stream": True, "stream_options": {"include_usage": True}}
"""What is asked of it."""

FLOOD, FLOOD_GAP_MS = 2_000, 0.5
"""Frames of the flood, and the time from one to the next."""


def known_pieces() -> tuple[Piece, ...]:
    """The body of the stream that is played: 16 reasoning and 24 content frames."""
    pieces = [
        Piece(2, frame(role="assistant").encode()),
        Piece(20, b": prefill\n\n"),
        Piece(40, b": prefill\r\n\r\n"),
    ]
    at_ms = 60.0
    for number in range(40):
        word = {"reasoning": f"hm {number}"} if number < 16 else {"content": f"word {number} … "}
        data = frame(**word).encode()  # type: ignore[arg-type]
        if number % 5 == 3:
            data = data.replace(b"\n", b"\r\n")
        if number % 4 == 2:  # cut inside the frame: it is complete with the second write
            pieces.append(Piece(at_ms - 2, data[:41]))
            data = data[41:]
        pieces.append(Piece(at_ms, data))
        at_ms += 60 if number == 30 else 5
    usage = {"prompt_tokens": 7, "completion_tokens": 40}
    pieces.append(Piece(at_ms, frame(finish="stop").encode()))
    pieces.append(Piece(at_ms + 10, (frame(usage=usage) + DONE).encode()))
    return tuple(pieces)


def flood_pieces() -> tuple[Piece, ...]:
    """The body of the flood."""
    frames = [frame(content=f"word {number} … ").encode() for number in range(FLOOD)]
    pieces = [Piece(number * FLOOD_GAP_MS, data) for number, data in enumerate(frames)]
    usage = {"prompt_tokens": 7, "completion_tokens": FLOOD}
    end = frame(finish="stop") + frame(usage=usage) + DONE
    return (*pieces, Piece(FLOOD * FLOOD_GAP_MS, end.encode()))


async def serve() -> None:
    """Play a stream to every POST, and tell a GET when the last one was written."""
    head = Piece(0, http_head())
    script = Script((head, *known_pieces()))
    flood = Script((head, *flood_pieces()))
    writes: list[tuple[int, int]] = []

    def answer(request: Received) -> Script:
        if request.method == "POST":
            writes.clear()
            return flood if request.path == "/flood" else script
        slowest_ns = max((end - begin for begin, end in writes), default=0)
        return json_script({"body_ns": [at for at, _ in writes[1:]], "slowest_ns": slowest_ns})

    def on_write(request: Received, begin_ns: int, end_ns: int) -> None:
        if request.method == "POST":
            writes.append((begin_ns, end_ns))

    async with RawServer(answer, wait_until=exact_wait, on_write=on_write) as server:
        print(server.url, flush=True)
        await asyncio.to_thread(sys.stdin.read)


async def exact_wait(clock: Clock, due_ns: int) -> None:
    """Sleep while the event loop is exact enough, then ask the clock until it is time."""
    spare_s = (due_ns - clock.now_ns()) / 1e9 - 0.002
    if spare_s > 0:
        await asyncio.sleep(spare_s)
    while clock.now_ns() < due_ns:  # noqa: ASYNC110 - no event tells the time
        await asyncio.sleep(0)


if __name__ == "__main__":
    asyncio.run(serve())
