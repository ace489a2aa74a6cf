"""What tests stand on stands."""

from __future__ import annotations

import asyncio
import contextlib
import json

import pytest

from harness.testing import (
    DONE,
    ManualClock,
    Piece,
    Received,
    Script,
    every_split,
    frame,
    http_head,
    json_script,
    run_in_no_time,
    scripted_server,
    sse_script,
    trace,
)


def test_a_manual_clock_moves_only_when_told() -> None:
    """Two readings are equal until time is let pass."""
    clock = ManualClock()
    readings = [clock.now_ns(), clock.now_ns()]
    clock.advance_ms(1_500)

    assert [*readings, clock.now_ns()] == [0, 0, 1_500_000_000]
    assert clock.wall_iso() == "2026-01-01T00:00:01.500+00:00"


def test_a_split_is_whole_single_bytes_and_every_cut() -> None:
    """Joined, each is the data again."""
    splits = list(every_split(b"abc"))

    assert splits == [[b"abc"], [b"a", b"b", b"c"], [b"a", b"bc"], [b"ab", b"c"]]


def test_a_frame_is_an_openai_chunk() -> None:
    """Only what is given is in it."""
    said = json.loads(frame(content="x", finish="stop", muse_metrics={}).removeprefix("data: "))

    assert said == {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": {"content": "x"}, "finish_reason": "stop"}],
        "muse_metrics": {},
    }


def test_a_trace_is_made_of_its_script() -> None:
    """Reads in ms, closed with the last one unless told otherwise."""
    made = trace((1.5, "a"), (2, b"b"))

    assert [(chunk.at_ns, chunk.data) for chunk in made.chunks] == [
        (1_500_000, b"a"),
        (2_000_000, b"b"),
    ]
    assert (made.closed_at_ns, made.streamed) == (2_000_000, True)
    assert trace(closed_at_ms=9).closed_at_ns == 9_000_000


def test_a_server_sends_the_script_byte_for_byte() -> None:
    """Even what is no HTTP at all."""

    async def ask(script: Script) -> tuple[bytes, list[Received]]:
        async with scripted_server(script) as server:
            host, port = server.url.removeprefix("http://").split(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(b"POST /x HTTP/1.1\r\nContent-Length: 2\r\nX-A: 1\r\n\r\n{}")
            said = await reader.read()
            writer.close()
            return said, server.received

    said, received = asyncio.run(ask(Script((Piece(0, b"\x00no"), Piece(1, b"nsense\r")))))

    assert said == b"\x00nonsense\r"
    assert received == [Received("POST", "/x", {"content-length": "2", "x-a": "1"}, b"{}")]


def test_scripts_are_played_in_turn_and_the_last_again() -> None:
    """One request, one script."""

    async def ask_thrice() -> list[bytes]:
        said = []
        one, two = (Script((Piece(0, text),)) for text in (b"one", b"two"))
        async with scripted_server(one, two) as server:
            host, port = server.url.removeprefix("http://").split(":")
            for _ in range(3):
                reader, writer = await asyncio.open_connection(host, int(port))
                writer.write(b"GET / HTTP/1.1\r\n\r\n")
                said.append(await reader.read())
                writer.close()
        return said

    assert asyncio.run(ask_thrice()) == [b"one", b"two", b"two"]


def test_scripts_are_spelled_as_http() -> None:
    """Head and body, with the length of a whole reply."""
    stream, whole = sse_script((5, DONE)), json_script({"a": 1}, status="400 Bad Request")

    assert stream.pieces == (Piece(0, http_head()), Piece(5, DONE.encode()))
    assert whole.pieces[0].data == (
        b"HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n"
        b'Connection: close\r\nContent-Length: 8\r\n\r\n{"a": 1}'
    )


def test_what_waits_takes_no_time_but_the_clocks() -> None:
    """An hour of sleeping and a timeout in between, in order and at once."""
    clock = ManualClock()
    told: list[float] = []

    async def late() -> None:
        await asyncio.sleep(3600)
        told.append(clock.now_ns())

    async def main() -> str:
        task = asyncio.create_task(late())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1.5):
                await asyncio.Event().wait()
        told.append(clock.now_ns())
        await task
        return "done"

    assert run_in_no_time(main(), clock) == "done"
    assert told == pytest.approx([1.5e9, 3600e9])


def test_where_nothing_is_going_to_happen_it_is_told() -> None:
    """A test that would hang says so."""

    async def main() -> None:
        await asyncio.Event().wait()

    with pytest.raises(RuntimeError, match="everybody waits"):
        run_in_no_time(main(), ManualClock())
