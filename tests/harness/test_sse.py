"""The event-stream grammar, at every cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.sse import CommentLine, EventStreamDecoder, ServerEvent
from harness.testing import every_split


def decode(*reads: bytes) -> list[ServerEvent | CommentLine]:
    """Everything the reads make; each read is stamped with its number, from 1."""
    decoder = EventStreamDecoder()
    return [
        item for number, data in enumerate(reads, start=1) for item in decoder.decode(data, number)
    ]


def data_of(*reads: bytes) -> list[str]:
    """The data of the events, comments left out."""
    return [item.data for item in decode(*reads) if isinstance(item, ServerEvent)]


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (b"data: a\n\ndata: b\n\n", ["a", "b"]),
        (b"data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]),
        (b"data: a\r\rdata: b\r\r", ["a", "b"]),
        (b"data: a\r\ndata: b\r\r\n", ["a\nb"]),
        (b"data:a\n\n", ["a"]),
        (b"data:  a\n\n", [" a"]),
        (b"data: a: b\n\n", ["a: b"]),
        (b"data: a\ndata\ndata: b\n\n", ["a\n\nb"]),
        (b"data\n\n", [""]),
        (b"data:\n\n", [""]),
        (b"\n\n\ndata: a\n\n\n\n", ["a"]),
        (b"event: x\n\ndata: a\n\n", ["a"]),
        (b"datax: b\nDATA: c\ndata : d\n\n", []),
        (b"\xef\xbb\xbfdata: a\n\n", ["a"]),
        (b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\ndata: b\n\n", ["b"]),
        (b"data: a\n\n\xef\xbb\xbfdata: b\n\n", ["a"]),
        ("data: a\u2028b\u0085c\u000bd\n\n".encode(), ["a\u2028b\u0085c\u000bd"]),
        (b"data: a", []),
        (b"data: a\n", []),
        (b"", []),
    ],
)
def test_the_grammar_is_obeyed_at_every_cut(stream: bytes, expected: list[str]) -> None:
    """A stream makes the events that WHATWG says, whatever the reads.

    durable-streams PR#118: U+2028 is no line end.
    """
    for reads in every_split(stream):
        assert expected == data_of(*reads)


def test_an_event_has_the_stamp_of_the_read_that_completed_it() -> None:
    """The empty line completes an event, not its data."""
    events = decode(b"data: a\n", b"\ndata: b\n\n", b"data: c", b"\n\n")

    assert [event.at_ns for event in events] == [2, 2, 4]


def test_a_carriage_return_completes_an_event_at_once() -> None:
    """rexxars/eventsource-parser#17: the LF that belongs to a CR, read later, ends no line."""
    events = decode(b"data: a\r\n\r", b"\ndata: b\r\n\r\n")

    assert [(e.at_ns, e.data) for e in events if isinstance(e, ServerEvent)] == [(1, "a"), (2, "b")]


def test_a_comment_leaves_the_event_around_it_whole() -> None:
    """A keep-alive directly before data loses neither."""
    items = decode(b": keep\n:alive\ndata: a\n\n")

    assert [CommentLine(1, "keep"), CommentLine(1, "alive"), ServerEvent(1, "a")] == items


def test_type_and_retry_hold_for_one_event_and_id_until_it_is_set_again() -> None:
    """The fields beside data are kept as the grammar says."""
    items = decode(b"event: x\nid: 7\nretry: 20\ndata: a\n\ndata: b\n\nid\ndata: c\n\n")

    assert [
        ServerEvent(1, "a", "x", "7", 20),
        ServerEvent(1, "b", "message", "7"),
        ServerEvent(1, "c", "message", ""),
    ] == items


@pytest.mark.parametrize("field", [b"retry: 1s", b"retry: -1", b"retry:", b"id: 7\x00"])
def test_values_that_are_none_are_ignored(field: bytes) -> None:
    """A retry with other than digits and an id with NUL are as if not sent."""
    assert [ServerEvent(1, "a")] == decode(field + b"\ndata: a\n\n")


def test_bytes_that_are_no_utf8_are_replaced_and_told() -> None:
    """U+FFFD stands for them, and the event says so."""
    whole, damaged = decode("data: é\n\n".encode(), b"data: \xff\xc3\n\n")

    assert ServerEvent(1, "é") == whole
    assert ServerEvent(2, "\ufffd\ufffd", damaged=True) == damaged


def test_a_character_cut_in_two_is_whole_again() -> None:
    """A read may end inside a character."""
    assert data_of(*("data: 日本\n\n".encode()[at : at + 1] for at in range(14))) == ["日本"]


def test_flush_tells_what_was_dropped() -> None:
    """Without its empty line the last event is none; what it would have been is reported."""
    decoder = EventStreamDecoder()
    decoder.decode(b"data: a\n\ndata: b\ndata: c", 0)

    assert decoder.flush() == "data: b\ndata: c"


def test_flush_is_empty_when_nothing_was_dropped() -> None:
    """A stream that ended in order leaves nothing."""
    decoder = EventStreamDecoder()
    decoder.decode(b"data: a\n\n", 0)

    assert decoder.flush() == ""


LINES = st.sampled_from(
    [b"data: a", b"data:b", b"data", b": c", b"event: e", b"id: 1", b"retry: 5", b"x: y", b"", b""]
)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])


@given(
    st.lists(st.tuples(LINES, ENDS), max_size=20).map(lambda ls: b"".join(a + b for a, b in ls)),
    st.data(),
)
def test_any_rechunking_gives_the_same_events(stream: bytes, draw: st.DataObject) -> None:
    """Wherever the reads are cut, and with empty ones too, the events are the same."""
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(stream)), max_size=12)))
    edges = [0, *cuts, len(stream)]
    reads = [stream[a:b] for a, b in pairwise(edges)]

    def contents(*parts: bytes) -> list[object]:
        return [
            item.text if isinstance(item, CommentLine) else (item.data, item.type, item.last_id)
            for item in decode(*parts)
        ]

    assert contents(stream) == contents(*reads)


@given(st.binary(max_size=80))
def test_any_bytes_are_survived_and_cut_alike(stream: bytes) -> None:
    """Whatever comes, nothing raises, and one-byte reads make the same events."""
    assert data_of(stream) == data_of(*(stream[at : at + 1] for at in range(len(stream))))
