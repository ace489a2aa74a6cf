"""Which named conversations have a place, and what does the server remember of each?

The worker keeps a fixed number of named sessions.  The server keeps its own book of them and
decides from it, before a turn is queued, whether there is a place; so a refusal is immediate and a
refused id leaves nothing behind.  A session goes through three states:

    ABSENT     not in the book
    RESERVED   has a place here; the worker has not been asked yet, or has it no more
    OPEN       has a place in the worker too

    state      event     becomes
    ABSENT     admitted  RESERVED    if a place is free, else refused
    RESERVED   admitted  RESERVED
    RESERVED   opened    OPEN
    RESERVED   unopened  ABSENT      the worker would not have it, or its turn never began
    RESERVED   closed    ABSENT
    OPEN       admitted  OPEN
    OPEN       opened    OPEN
    OPEN       unopened  OPEN
    OPEN       closed    ABSENT

with one rule on top: while admitted turns still wait, ABSENT is RESERVED.  They were promised a
place, and whoever closes the session before them cannot take it back.

With its place a session has a date, pinned so that midnight does not change its prompt, and a
transcript of exact token ids.  Both begin anew after a reset or a close.
A turn without a session id gets a session that is in no book and ends with the turn.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from playground.errors import SessionCapacity, UnsupportedSession
from playground.transcript import Transcript

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

__all__ = ["Session", "SessionEvent", "SessionState", "Sessions"]


class SessionState(enum.Enum):
    """Where a session has a place."""

    ABSENT = "absent"
    RESERVED = "reserved"
    OPEN = "open"


class SessionEvent(enum.Enum):
    """What may happen to a session."""

    ADMITTED = "admitted"
    OPENED = "opened"
    UNOPENED = "unopened"
    CLOSED = "closed"


_S, _E = SessionState, SessionEvent

BECOMES = {
    (_S.ABSENT, _E.ADMITTED): _S.RESERVED,
    (_S.RESERVED, _E.ADMITTED): _S.RESERVED,
    (_S.RESERVED, _E.OPENED): _S.OPEN,
    (_S.RESERVED, _E.UNOPENED): _S.ABSENT,
    (_S.RESERVED, _E.CLOSED): _S.ABSENT,
    (_S.OPEN, _E.ADMITTED): _S.OPEN,
    (_S.OPEN, _E.OPENED): _S.OPEN,
    (_S.OPEN, _E.UNOPENED): _S.OPEN,
    (_S.OPEN, _E.CLOSED): _S.ABSENT,
}


@dataclass(slots=True, eq=False)
class Session:
    """One conversation; `session_id` is None for a turn that named none."""

    session_id: str | None
    pinned_date: date
    transcript: Transcript = field(default_factory=Transcript)
    state: SessionState = SessionState.ABSENT
    waiting: int = 0
    """Turns that were admitted and are not over."""
    newest: str | None = None
    """Completion id of the turn that the worker ran last for it; none since it began anew."""

    def begin_anew(self, today: date) -> None:
        """Forget what was said, and take the date again."""
        self.pinned_date = today
        self.transcript = Transcript()
        self.newest = None


class Sessions:
    """The book: at most `capacity` named sessions at a time."""

    def __init__(self, capacity: int, *, today: Callable[[], date]) -> None:
        self._capacity = capacity
        self._today = today
        self._book: dict[str, Session] = {}

    def admit(self, session_id: str | None) -> Session:
        """The session of a turn that is about to be queued; `leave` it when the turn is over.

        Raises:
            UnsupportedSession: a session is named and none can be kept.
            SessionCapacity: every place is taken by another id.
        """
        session = self._book.get(session_id) if session_id is not None else None
        if session is None:
            if session_id is not None:
                self._need_a_place(session_id)
            session = Session(session_id, self._today())
        session.waiting += 1
        self._happen(session, SessionEvent.ADMITTED)
        return session

    def leave(self, session: Session) -> None:
        """A turn of this session is over, however it ended."""
        session.waiting -= 1
        self._happen(session, SessionEvent.UNOPENED)

    def opened(self, session: Session) -> None:
        """The worker has given it a place."""
        self._happen(session, SessionEvent.OPENED)

    def reset(self, session_id: str) -> None:
        """The worker has emptied it, or never had it."""
        if session := self._book.get(session_id):
            session.begin_anew(self._today())

    def closed(self, session_id: str) -> None:
        """The worker has freed its place, or never had it."""
        if session := self._book.get(session_id):
            session.begin_anew(self._today())
            self._happen(session, SessionEvent.CLOSED)

    def _need_a_place(self, session_id: str) -> None:
        if not self._capacity:
            raise UnsupportedSession
        if len(self._book) >= self._capacity:
            places = "the one place" if self._capacity == 1 else f"all {self._capacity} places"
            raise SessionCapacity(
                f"no place for session {session_id!r}: {places} for named sessions taken;"
                " close a session (DELETE /v1/sessions/{id}), or leave session_id out"
            )

    def _happen(self, session: Session, event: SessionEvent) -> None:
        if session.session_id is None:
            return
        state = BECOMES[session.state, event]
        if state is SessionState.ABSENT and session.waiting:
            state = SessionState.RESERVED
        session.state = state
        if state is SessionState.ABSENT:
            del self._book[session.session_id]
        else:
            self._book[session.session_id] = session
