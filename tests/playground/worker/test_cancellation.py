"""Does a cancellation end the request that it names, and never another?"""

from __future__ import annotations

import pytest

from playground.worker.cancellation import Cancellations, FrameSplitter
from playground.worker.messages import Cancel, GenerateRequest, TextSegment


def generate(request_id: int | None = None, session_id: str = "") -> GenerateRequest:
    """Write a request of which only its names matter."""
    return GenerateRequest(
        (TextSegment("Hi"),), session_id=session_id, cancel_request_id=request_id
    )


def test_a_line_cancels_the_request_it_names() -> None:
    """Others, before and after it, go on."""
    registry = Cancellations()
    tickets = [registry.admit(generate(number)) for number in (1, 2, 3)]

    assert registry.cancel(Cancel(request_id=2))
    assert [ticket.halted for ticket in tickets] == [None, "cancelled", None]


def test_a_line_by_session_cancels_the_newest_of_that_session() -> None:
    """Without a request id the session names its newest unfinished request."""
    registry = Cancellations()
    tickets = [registry.admit(generate(session_id=name)) for name in ("a", "a", "b")]

    assert registry.cancel(Cancel(session_id="a"))
    assert [ticket.halted for ticket in tickets] == [None, "cancelled", None]


def test_a_line_with_both_names_must_be_right_about_both() -> None:
    """The request of one session cannot be cancelled in another's name."""
    registry = Cancellations()
    ticket = registry.admit(generate(1, "a"))

    assert not registry.cancel(Cancel(request_id=1, session_id="b"))
    assert ticket.halted is None


@pytest.mark.parametrize("wanted", [Cancel(), Cancel(session_id="")])
def test_a_line_that_names_nothing_cancels_nothing(wanted: Cancel) -> None:
    """There is no way to cancel whatever happens to run."""
    registry = Cancellations()
    ticket = registry.admit(generate())

    assert not registry.cancel(wanted)
    assert ticket.halted is None


def test_a_line_about_a_finished_request_is_stale() -> None:
    """Neither by id nor by session does it reach the session's next request."""
    registry = Cancellations()
    registry.finish(registry.admit(generate(1, "a")))

    assert not registry.cancel(Cancel(request_id=1))
    assert not registry.cancel(Cancel(session_id="a"))
    assert registry.admit(generate(2, "a")).halted is None


def test_a_line_does_not_wait_for_its_request() -> None:
    """On stdin a cancel comes after its request, so one that comes before it is wrong."""
    registry = Cancellations()

    assert not registry.cancel(Cancel(request_id=5))
    assert registry.admit(generate(5)).halted is None


def test_a_frame_cancels_a_request_that_was_read() -> None:
    """The control descriptor's dialect."""
    registry = Cancellations()
    ticket = registry.admit(generate(4))

    assert registry.cancel_id(4)
    assert ticket.halted == "cancelled"


def test_a_frame_may_overtake_its_request() -> None:
    """It travels on a pipe of its own, so it waits for a request with a newer id than any seen."""
    registry = Cancellations()
    registry.finish(registry.admit(generate(1)))

    assert registry.cancel_id(3)
    assert registry.admit(generate(2)).halted is None
    assert registry.admit(generate(3)).halted == "cancelled"


def test_a_frame_is_used_once() -> None:
    """An id that comes again is another request."""
    registry = Cancellations()
    registry.cancel_id(1)
    registry.finish(registry.admit(generate(1)))

    assert registry.admit(generate(1)).halted is None


def test_a_stale_frame_never_cancels_a_later_request() -> None:
    """Ids grow, so an id that is not the newest and has no unfinished request has had one."""
    registry = Cancellations()
    registry.finish(registry.admit(generate(2)))

    assert not registry.cancel_id(2)
    assert not registry.cancel_id(1)
    assert registry.admit(generate(3)).halted is None


def test_a_frame_whose_request_was_left_out_is_forgotten() -> None:
    """A client may give up an id between cancel and request; the next request is not its heir."""
    registry = Cancellations()
    registry.cancel_id(1)

    assert registry.admit(generate(2)).halted is None
    assert not registry.cancel_id(1)


def test_cancelling_twice_is_cancelling_once() -> None:
    """The second finds the request still unfinished and changes nothing."""
    registry = Cancellations()
    ticket = registry.admit(generate(1))

    assert registry.cancel_id(1)
    assert registry.cancel(Cancel(request_id=1))
    assert ticket.halted == "cancelled"


def test_the_end_of_stdin_halts_everything() -> None:
    """Also what was cancelled already, and what is only now taken from the last bytes read."""
    registry = Cancellations()
    cancelled, running = registry.admit(generate(1)), registry.admit(generate(2))
    registry.cancel_id(1)

    registry.close()

    late = registry.admit(generate(3))
    assert [t.halted for t in (cancelled, running, late)] == ["closed"] * 3


def test_frames_are_little_endian_however_they_are_cut() -> None:
    """Every split of two frames gives the same two ids."""
    data = (1).to_bytes(8, "little") + (2**64 - 1).to_bytes(8, "little")

    for cut in range(len(data) + 1):
        split = FrameSplitter()
        assert split.feed(data[:cut]) + split.feed(data[cut:]) == [1, 2**64 - 1]
