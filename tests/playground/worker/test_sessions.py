"""Who gets a session, who is refused, and what is left after a reset that failed?"""

from __future__ import annotations

import pytest

from playground.worker.errors import RequestRefused
from playground.worker.scripted import Script, ScriptedEngine, ScriptedReply, ScriptedSession
from playground.worker.sessions import SCRATCH, Resident, Sessions

ENGINE = ScriptedEngine(Script(replies=(ScriptedReply("Hello"),)))


class BrokenSession(ScriptedSession):
    """A session that cannot be emptied."""

    def rewind(self, position: int) -> None:
        """Fail."""
        raise RuntimeError("stuck")


def test_one_place_is_kept_for_the_scratch_session() -> None:
    """All named places taken, a request without a name is still served."""
    sessions = Sessions(ENGINE.open, capacity=2)
    sessions.open("a")

    assert sessions.named_capacity == 1
    assert sessions.open(SCRATCH) is sessions.open(SCRATCH)


def test_a_session_keeps_its_place_until_it_is_closed() -> None:
    """Opening again is the same session; after close another name gets the place."""
    sessions = Sessions(ENGINE.open, capacity=2)
    first = sessions.open("a")

    assert sessions.open("a") is first
    with pytest.raises(RequestRefused, match="close one") as refused:
        sessions.open("b")
    assert refused.value.code == "capacity_exhausted"
    sessions.close("a")
    assert sessions.open("b") is not first


def test_without_named_places_names_are_unsupported() -> None:
    """One session in all is the scratch session."""
    sessions = Sessions(ENGINE.open, capacity=1)

    with pytest.raises(RequestRefused) as refused:
        sessions.open("a")

    assert refused.value.code == "unsupported_session"


def test_reset_and_close_of_an_absent_session_are_done_already() -> None:
    """Neither fails nor takes a place."""
    sessions = Sessions(ENGINE.open, capacity=2)

    sessions.reset("ghost")
    sessions.close("ghost")

    assert sessions.open("a").ids == []


def test_reset_empties_and_cleans() -> None:
    """Also a dirty session starts as new."""
    sessions = Sessions(ENGINE.open, capacity=2)
    resident = sessions.open("a")
    resident.session.prefill([1, 2])
    resident.ids, resident.dirty = [1, 2], True

    sessions.reset("a")

    assert (resident.session.position, resident.ids, resident.dirty) == (0, [], False)


def test_a_session_that_cannot_be_emptied_is_dirty() -> None:
    """What its cache holds is not known any more."""
    resident = Resident(BrokenSession(ENGINE), ids=[1])

    with pytest.raises(RuntimeError, match="stuck"):
        resident.clear()

    assert resident.dirty
