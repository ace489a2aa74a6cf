"""What is not the same on both sides, and was each of them what its pin says?

What the pins say apart is what is being asked.  What the processes had loaded is the proof: it may
differ where the pins do, and has to be one and the same in every start of a side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.gate.loaded import mismatch
from harness.gate.record import Side
from harness.gate.result import Difference
from harness.units import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harness.gate.pins import Loaded, Pin
    from harness.gate.record import GateRecord, StartRecord

__all__ = ["differences", "not_as_pinned", "pinned_apart"]

SHOWN = 12
"""Characters of a hash that are told."""


def differences(record: GateRecord, starts: Sequence[StartRecord]) -> tuple[Difference, ...]:
    """What the pins say apart, what was found loaded apart, and what else the record tells."""
    pins = tuple(pinned_apart(record.baseline, record.candidate))
    told = {each.what for each in pins}
    loaded = (each for each in _loaded(record, starts) if each.what not in told)
    return (*pins, *loaded, *record.differences)


def not_as_pinned(record: GateRecord, starts: Sequence[StartRecord]) -> tuple[str, ...]:
    """What was loaded and not pinned, a sentence each; empty where all is as it should be."""
    return tuple(
        said for side in Side for said in _wrong(side, _expected(record, side), _of(starts, side))
    )


def pinned_apart(baseline: Pin, candidate: Pin) -> Iterator[Difference]:
    """What two pins say apart."""
    for name in dict.fromkeys([*baseline.facts, *candidate.facts]):
        ours, theirs = baseline.facts.get(name, NOTHING), candidate.facts.get(name, NOTHING)
        if ours != theirs:
            yield Difference(name, ours, theirs, under_test=True)
    if baseline.url != candidate.url:
        yield Difference("address", baseline.url or "", candidate.url or "", under_test=True)


def _loaded(record: GateRecord, starts: Sequence[StartRecord]) -> Iterator[Difference]:
    ours, theirs = (_merged(_of(starts, side)) for side in Side)
    one_pin = record.baseline.digest == record.candidate.digest
    for name in dict.fromkeys([*ours, *theirs]):
        if ours and theirs and ours.get(name) != theirs.get(name):
            yield Difference(
                name,
                _shown(ours.get(name, NOTHING)),
                _shown(theirs.get(name, NOTHING)),
                under_test=not one_pin,
            )


def _wrong(side: Side, expected: Loaded, found: Sequence[Loaded]) -> Iterator[str]:
    for name, values in _values(found).items():
        if len(values) > 1:
            told = " and ".join(_shown(value) for value in values)
            yield f"the {side.value} was not one thing in all its starts: {name} {told}"
    said = (each for loaded in found for each in mismatch(expected, loaded))
    yield from (f"the {side.value} is not as pinned: {each}" for each in dict.fromkeys(said))


def _expected(record: GateRecord, side: Side) -> Loaded:
    return (record.baseline if side is Side.BASELINE else record.candidate).expected


def _of(starts: Sequence[StartRecord], side: Side) -> list[Loaded]:
    return [start.loaded for start in starts if start.side is side and start.loaded is not None]


def _merged(found: Sequence[Loaded]) -> Mapping[str, str]:
    return {name: values[0] for name, values in _values(found).items()}


def _values(found: Sequence[Loaded]) -> Mapping[str, list[str]]:
    """By name, each value that it had in some start, in the order met."""
    values: dict[str, list[str]] = {}
    for loaded in found:
        for name, value in _flat(loaded).items():
            known = values.setdefault(name, [])
            if value not in known:
                known.append(value)
    return values


def _flat(loaded: Loaded) -> Mapping[str, str]:
    program = {"program SHA-256": loaded.artifact_sha256} if loaded.artifact_sha256 else {}
    return {**loaded.versions, **program, **loaded.libraries}


def _shown(value: str) -> str:
    return value[:SHOWN] if len(value) == 64 else value
