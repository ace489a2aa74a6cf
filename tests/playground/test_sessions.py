"""Does the book of sessions promise only the places there are, and keep what it promised?"""

from __future__ import annotations

from datetime import date
from itertools import product
from typing import TYPE_CHECKING

import pytest

from playground.errors import SessionCapacity, UnsupportedSession
from playground.sessions import BECOMES, SessionEvent, Sessions, SessionState

if TYPE_CHECKING:
    from collections.abc import Callable

MONDAY, TUESDAY = date(2026, 11, 30), date(2026, 12, 1)


class Calendar:
    """A day that a test turns over."""

    def __init__(self) -> None:
        self.today = MONDAY

    def __call__(self) -> date:
        """Today, as the test has it."""
        return self.today


def book(capacity: int = 1) -> Sessions:
    """An empty book on a Monday."""
    return Sessions(capacity, today=Calendar())


def test_the_table_answers_every_event_in_every_state_that_can_see_it() -> None:
    """An absent session can only be admitted; for the others every event has an answer."""
    expected = {(SessionState.ABSENT, SessionEvent.ADMITTED)} | set(
        product([SessionState.RESERVED, SessionState.OPEN], SessionEvent)
    )

    assert set(BECOMES) == expected


def test_a_second_id_finds_no_place_and_leaves_nothing_behind() -> None:
    """The refusal is immediate; the refused id takes no place when one gets free."""
    sessions = book()
    first = sessions.admit("a")

    with pytest.raises(SessionCapacity):
        sessions.admit("b")
    sessions.leave(first)

    assert sessions.admit("c").state is SessionState.RESERVED


def test_the_same_id_is_the_same_session() -> None:
    """A second turn of a session needs no second place."""
    sessions = book()

    assert sessions.admit("a") is sessions.admit("a")


def test_named_sessions_need_a_worker_that_keeps_them() -> None:
    """Where there is no place at all, waiting for one would not help."""
    with pytest.raises(UnsupportedSession):
        book(capacity=0).admit("a")


def test_anonymous_turns_take_no_place() -> None:
    """Each has a session of its own, in no book."""
    sessions = book(capacity=0)

    one, other = sessions.admit(None), sessions.admit(None)

    assert one is not other


def test_a_turn_that_never_began_gives_the_place_back() -> None:
    """A session that the worker never opened is not worth its place once nobody waits for it."""
    sessions = book()
    first, second = sessions.admit("a"), sessions.admit("a")

    sessions.leave(first)
    kept = sessions.admit("a")
    for turn in (second, kept):
        sessions.leave(turn)

    assert sessions.admit("b").session_id == "b"


def test_an_open_session_keeps_its_place_between_turns() -> None:
    """That is what it was opened for."""
    sessions = book()
    session = sessions.admit("a")
    sessions.opened(session)
    sessions.leave(session)

    with pytest.raises(SessionCapacity):
        sessions.admit("b")


def test_closing_frees_the_place() -> None:
    """The next id gets it."""
    sessions = book()
    session = sessions.admit("a")
    sessions.opened(session)
    sessions.leave(session)

    sessions.closed("a")

    assert sessions.admit("b").session_id == "b"


def test_closing_does_not_take_the_place_of_turns_that_wait() -> None:
    """A turn that was admitted before the close came finds its place reserved still."""
    sessions = book()
    session = sessions.admit("a")
    sessions.opened(session)

    sessions.closed("a")

    assert session.state is SessionState.RESERVED
    with pytest.raises(SessionCapacity):
        sessions.admit("b")


@pytest.mark.parametrize("forget", [Sessions.reset, Sessions.closed])
def test_forgetting_a_session_begins_its_transcript_and_its_date_anew(
    forget: Callable[[Sessions, str], None],
) -> None:
    """While it lasts, midnight changes nothing; after a reset or close it is a new conversation."""
    calendar = Calendar()
    sessions = Sessions(1, today=calendar)
    session = sessions.admit("a")
    session.transcript = session.transcript.record("Hello", [1, 2])
    calendar.today = TUESDAY
    before = sessions.admit("a").pinned_date

    forget(sessions, "a")

    assert (before, session.pinned_date) == (MONDAY, TUESDAY)
    assert session.transcript.records == ()


@pytest.mark.parametrize("forget", [Sessions.reset, Sessions.closed])
def test_forgetting_an_absent_session_is_no_error(forget: Callable[[Sessions, str], None]) -> None:
    """Both may be repeated."""
    forget(book(), "never seen")
