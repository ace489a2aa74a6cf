"""Does what arrives on stdin keep its order, and is a cancel in it taken at once?"""

from __future__ import annotations

import os
import queue

from playground.worker.cancellation import Cancellations
from playground.worker.errors import MessageError
from playground.worker.inbox import Arrival, Inbox, LineSplitter, follow
from playground.worker.messages import (
    Cancel,
    GenerateRequest,
    SessionOp,
    TextSegment,
    dump_request,
)

GENERATE = GenerateRequest((TextSegment("Hi"),), cancel_request_id=1)


def an_inbox(max_line_bytes: int = 1000) -> Inbox:
    """Make an inbox whose clock shows 5."""
    return Inbox(Cancellations(), clock_ns=lambda: 5, max_line_bytes=max_line_bytes)


def taken(inbox: Inbox) -> Arrival:
    """Take an arrival that must be there."""
    arrival = inbox.take()
    assert arrival is not None
    return arrival


def test_requests_come_out_in_order() -> None:
    """However many lines one read brings, each is an arrival with the time it was read."""
    inbox = an_inbox()
    inbox.feed(dump_request(SessionOp("open", "a")) + dump_request(GENERATE))

    assert taken(inbox) == Arrival(SessionOp("open", "a"), 5)
    second = taken(inbox)
    assert (second.request, second.read_at_ns) == (GENERATE, 5)
    assert second.ticket is not None
    assert second.ticket.request_id == 1


def test_a_cancel_read_together_with_its_request_is_not_lost() -> None:
    """One write may hold both; the ticket is cancelled before the loop sees the request."""
    inbox = an_inbox()
    inbox.feed(dump_request(GENERATE) + dump_request(Cancel(request_id=1)))

    ticket = taken(inbox).ticket

    assert ticket is not None
    assert ticket.halted == "cancelled"


def test_a_cancel_needs_no_reply_and_so_is_no_arrival() -> None:
    """A stray reply would put every later reply in the wrong place."""
    inbox = an_inbox()
    inbox.feed(dump_request(Cancel(request_id=9)) + dump_request(SessionOp("open", "a")))

    assert taken(inbox).request == SessionOp("open", "a")


def test_a_wrong_line_keeps_its_place_and_its_number() -> None:
    """Its error reply comes between those of its neighbours; blank lines count as lines."""
    inbox = an_inbox()
    inbox.feed(dump_request(SessionOp("open", "a")) + b" \n\r\n{]\n" + dump_request(GENERATE))

    first, wrong, last = (taken(inbox).request for _ in range(3))

    assert (first, last) == (SessionOp("open", "a"), GENERATE)
    assert isinstance(wrong, MessageError)
    assert wrong.line_number == 4


def test_a_line_over_the_limit_is_one_wrong_line() -> None:
    """It is told once, and the next line is read as ever."""
    inbox = an_inbox(max_line_bytes=100)
    inbox.feed(b"x" * 250)
    inbox.feed(b"x\n" + dump_request(SessionOp("open", "a")))

    wrong = taken(inbox).request

    assert isinstance(wrong, MessageError)
    assert wrong.reason == "the line is longer than 100 bytes"
    assert taken(inbox).request == SessionOp("open", "a")


def test_the_end_of_stdin_overtakes_what_is_queued() -> None:
    """Nobody waits for the replies, so nothing is served any more."""
    inbox = an_inbox()
    inbox.feed(dump_request(GENERATE))

    inbox.close()

    assert inbox.take() is None


def test_lines_are_the_same_however_they_are_cut() -> None:
    """Every split in three of the same bytes gives the same lines; an unfinished one waits."""
    data, expected = b"ab\n\ncdefgh\nij\nk", [b"ab", b"", None, b"ij"]

    for one in range(len(data) + 1):
        for two in range(one, len(data) + 1):
            split = LineSplitter(limit=5)
            pieces = [data[:one], data[one:two], data[two:]]
            assert expected == [line for piece in pieces for line in split.feed(piece)]


def test_a_descriptor_is_followed_to_its_end() -> None:
    """Its bytes and then its end reach the reader, from a thread of their own."""
    heard: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    readable, writable = os.pipe()

    thread = follow(readable, heard.put, lambda: heard.put(None), name="test")
    os.write(writable, b"one")
    first = heard.get(timeout=10)
    os.close(writable)
    last = heard.get(timeout=10)

    thread.join(timeout=10)
    os.close(readable)
    assert (first, last, thread.daemon) == (b"one", None, True)
