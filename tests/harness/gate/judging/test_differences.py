"""What is apart on both sides is told, and what was loaded has to be what was pinned."""

from __future__ import annotations

from dataclasses import replace

from harness.fingerprint import Fingerprint
from harness.gate.differences import differences, not_as_pinned
from harness.gate.pins import Loaded, Pin
from harness.gate.record import GateRecord, Side, StartRecord
from harness.gate.result import Difference

OLD = Pin("old", "pin", "a", {"executorch": "1.5.0", "torch": "2.13"})
NEW = Pin("new", "pin", "b", {"executorch": "1.5.1", "torch": "2.13"})
RECORD = GateRecord(
    policy="small",
    policy_sha256="",
    baseline=OLD,
    candidate=NEW,
    pairs=10,
    budget_min=20.0,
    seed=1,
    salt="s",
    started_at="t",
    fingerprint=Fingerprint("Some 1", "arch", "Processor", 2, None, "Python 3", {}, None),
    machine={},
    scenarios={},
)


def start(index: int, side: Side, loaded: Loaded | None) -> StartRecord:
    """One that had this loaded."""
    return StartRecord(index, side, 1, 1, False, "t", "s", loaded=loaded)


def loaded(version: str, library: str = "1" * 64) -> Loaded:
    """A runtime of this version."""
    return Loaded({"executorch": version}, "f" * 64, {"libruntime.so": library})


def test_what_the_pins_say_apart_is_under_test() -> None:
    """And what they say alike is not told."""
    assert differences(RECORD, []) == (Difference("executorch", "1.5.0", "1.5.1", under_test=True),)


def test_what_was_loaded_apart_is_told_by_its_hash() -> None:
    """Once: a version that the pins tell already is not told again."""
    starts = [
        start(1, Side.BASELINE, loaded("1.5.0")),
        start(2, Side.CANDIDATE, loaded("1.5.1", "2" * 64)),
    ]

    assert differences(RECORD, starts)[1:] == (
        Difference("libruntime.so", "1" * 12, "2" * 12, under_test=True),
    )


def test_a_program_that_the_pins_tell_apart_is_told_once() -> None:
    """By the name that pins call it."""
    old, new = (
        replace(pin, facts={"program SHA-256": letter * 64})
        for pin, letter in ((OLD, "d"), (NEW, "e"))
    )
    starts = [
        start(index, side, Loaded({}, letter * 64, {}))
        for index, (side, letter) in enumerate(zip(Side, "de", strict=True), 1)
    ]

    told = differences(replace(RECORD, baseline=old, candidate=new), starts)

    assert [each.what for each in told] == ["program SHA-256"]


def test_one_pin_on_both_sides_cannot_have_loaded_two_things() -> None:
    """That is no difference that anybody asked about."""
    starts = [
        start(1, Side.BASELINE, loaded("1.5.0")),
        start(2, Side.CANDIDATE, loaded("1.5.0", "2" * 64)),
    ]

    (told,) = differences(replace(RECORD, candidate=OLD), starts)

    assert (told.what, told.under_test) == ("libruntime.so", False)


def test_what_else_the_record_tells_comes_last() -> None:
    """Such as a difference that was allowed by name."""
    power = Difference("power", "mains", "battery", under_test=False, allowed=True)

    assert differences(replace(RECORD, differences=(power,)), [])[-1] == power


def test_a_side_has_to_be_what_its_pin_says() -> None:
    """Where the pin says it; a start of which nobody can tell is not asked."""
    pinned = replace(NEW, expected=Loaded({"executorch": "1.5.1"}))
    starts = [start(1, Side.CANDIDATE, loaded("1.5.0")), start(2, Side.BASELINE, None)]

    assert not_as_pinned(replace(RECORD, candidate=pinned), starts) == (
        "the candidate is not as pinned: it has executorch 1.5.0, and 1.5.1 is pinned",
    )


def test_a_side_has_to_be_one_thing_in_all_its_starts() -> None:
    """Somebody may have installed something in between."""
    starts = [start(1, Side.BASELINE, loaded("1.5.0")), start(3, Side.BASELINE, loaded("1.5.2"))]

    assert not_as_pinned(RECORD, starts) == (
        "the baseline was not one thing in all its starts: executorch 1.5.0 and 1.5.2",
    )


def test_all_is_well_where_nothing_is_apart() -> None:
    """Starts that agree with one another, and with what is expected of them."""
    pinned = replace(OLD, expected=loaded("1.5.0"))
    starts = [start(index, Side.BASELINE, loaded("1.5.0")) for index in (1, 4)]

    assert not_as_pinned(replace(RECORD, baseline=pinned), starts) == ()
