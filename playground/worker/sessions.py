"""Which sessions the worker holds, and what is in their caches.

`capacity` sessions fit on one weight load. One place is reserved for the scratch session, which
serves requests that name no session and remembers nothing between them; the others are given to
names, first come first served, until they are closed. A session with no place is refused:
`unsupported_session` where there are no named places at all, `capacity_exhausted` where all are
taken.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from playground.worker.errors import RequestRefused

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.worker.engine import Session

__all__ = ["Resident", "Sessions"]

SCRATCH = ""


@dataclass(slots=True)
class Resident:
    """One session and what its cache holds.

    ids
        What each row is called (see `assembly`): `len(ids) == session.position`, unless `dirty`.
    dirty
        The cache is not to be trusted or not to be continued, so the next turn starts from
        nothing. True while a turn runs, so whatever ends a turn badly leaves it true.
    """

    session: Session
    ids: list[int] = field(default_factory=list)
    dirty: bool = False

    def clear(self) -> None:
        """Empty the cache; if that fails the session is dirty."""
        self.dirty = True
        self.session.rewind(0)
        self.ids = []
        self.dirty = False


class Sessions:
    """The scratch session and the named ones, each made when it is first needed."""

    def __init__(self, make: Callable[[], Session], capacity: int) -> None:
        self.capacity = capacity
        self._make = make
        self._residents: dict[str, Resident] = {}

    @property
    def named_capacity(self) -> int:
        """How many named sessions fit."""
        return self.capacity - 1

    def open(self, session_id: str) -> Resident:
        """Return a session, admitting it if need be; raise RequestRefused if it has no place."""
        known = self._residents.get(session_id)
        if known is not None:
            return known
        if session_id != SCRATCH:
            self._check_room(session_id)
        return self._residents.setdefault(session_id, Resident(self._make()))

    def reset(self, session_id: str) -> None:
        """Empty a session and keep its place; nothing to do if it is not open."""
        if session_id in self._residents:
            self._residents[session_id].clear()

    def close(self, session_id: str) -> None:
        """Free a session and its place; nothing to do if it is not open."""
        if session_id in self._residents:
            self._residents.pop(session_id).session.close()

    def _check_room(self, session_id: str) -> None:
        if self.named_capacity == 0:
            raise RequestRefused(
                f"no room for session {session_id!r}: this worker was started with --max_sessions "
                "1, which is the scratch session",
                code="unsupported_session",
            )
        named = [name for name in self._residents if name != SCRATCH]
        if len(named) >= self.named_capacity:
            raise RequestRefused(
                f"no room for session {session_id!r}: {', '.join(map(repr, named))} "
                f"take all {self.named_capacity} places; close one",
                code="capacity_exhausted",
            )
