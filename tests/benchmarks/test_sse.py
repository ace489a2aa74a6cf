"""What does it cost to decode one server-sent event?  The goal is at most 5 µs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from harness.sse import EventStreamDecoder

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

EVENTS = 1_000


def realistic_stream() -> bytes:
    """A thousand frames of the size a chat server sends, one short word in each."""
    frames = []
    for number in range(EVENTS):
        chunk: dict[str, Any] = {
            "id": "chatcmpl-0123456789abcdef",
            "object": "chat.completion.chunk",
            "created": 1_790_000_000,
            "model": "muse-nano",
            "choices": [{"index": 0, "delta": {"content": f" word{number}"}}],
        }
        frames.append(f"data: {json.dumps(chunk, separators=(',', ':'))}\n\n")
    return "".join(frames).encode()


def decode_all(reads: list[bytes]) -> int:
    """How many events the reads make."""
    decoder = EventStreamDecoder()
    return sum(len(decoder.decode(data, 0)) for data in reads)


@pytest.mark.parametrize("read_size", [65_536, 180, 16], ids=["big", "one-event", "16-bytes"])
def test_an_event_is_decoded_in_microseconds(benchmark: BenchmarkFixture, read_size: int) -> None:
    """A stream of 1,000 events decodes wholly, whatever the reads; the time is reported."""
    stream = realistic_stream()
    reads = [stream[start : start + read_size] for start in range(0, len(stream), read_size)]

    decoded = benchmark(decode_all, reads)

    assert decoded == EVENTS
    if benchmark.stats is not None:  # None when benchmarks are disabled
        benchmark.extra_info["µs per event"] = benchmark.stats["median"] / EVENTS * 1e6
