"""What exactly will be said in each turn of a run, and what was promised of it?

A plan is a scenario with its slots filled, for every repeat: a pure function of scenario, seed,
number of repeats and salt.  The seed decides the facts of the conversation, so that two runs with
one seed say the same; the salt decides the `fresh` slots, so that no two runs, and no two prompts
meant to be cold, begin alike.

A prompt that continues a kept session repeats what was said before letter for letter.
A prompt on a new session, or on none, has `fresh` slots of its own throughout.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.scenario import placeholders
from harness.trace import TurnLabel

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harness.scenario import Expectation, Leg, Scenario, Slot
    from harness.scenario_rules import Slotted

__all__ = ["PlannedLeg", "PlannedTurn", "Promise", "draw", "draw_fresh", "plan"]


@dataclass(frozen=True, slots=True)
class Promise:
    """What one turn has to show, with its slots filled."""

    reset: str | None = None
    """The session reset reason it must report; None where nothing is promised."""
    contains: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    matches: str | None = None
    status: int | None = None
    """The HTTP status it must be answered with; None: any 2xx with a whole reply."""
    code: str | None = None
    """The code of the error it must be refused with."""
    finish: str | None = None
    """The finish reason it must give."""
    cut: bool = False
    """Whether its server is ended while it comes: then it must be broken off, or whole."""
    encodes: bool | None = None
    """Whether a picture must be encoded for it, or must not; None where nothing is promised."""
    cancelled: bool = False
    """Whether it is cancelled while it comes."""
    calls: tuple[str, ...] | None = None
    """The functions it must call, in order."""
    reasons: bool = False
    """Whether it must have reasoned, shown or not."""
    grows: int | None = None
    """How many tokens longer its prompt must be than that of the request before."""
    same_as: int | None = None
    """The request of the same leg whose answer it must give again."""
    begins: int | None = None
    """The request of the same leg whose answer it must give a beginning of."""


@dataclass(frozen=True, slots=True)
class PlannedTurn:
    """One prompt: everything the person has said by then, and what the answer must show."""

    label: TurnLabel
    system: str
    said: tuple[str, ...]
    """The person's texts up to and with this turn, as this prompt says them."""
    promise: Promise


@dataclass(frozen=True, slots=True)
class PlannedLeg:
    """One leg of one repeat."""

    repeat: int
    leg: Leg
    turns: tuple[PlannedTurn, ...]


def plan(scenario: Scenario, *, repeats: int, seed: int, salt: str) -> tuple[PlannedLeg, ...]:
    """Every leg of every repeat, in the order they are played; repeats and turns count from 1.

    Warm-ups are the repeats before the first: 0, and -1 before it where there are two.
    """
    return tuple(
        PlannedLeg(repeat, leg, tuple(_turns(scenario, leg, repeat, values, salt)))
        for repeat in range(1 - scenario.warm_ups, repeats + 1)
        for values in [draw(scenario, random.Random(f"{seed}/{repeat}"))]
        for leg in scenario.leg
    )


def _turns(
    scenario: Scenario, leg: Leg, repeat: int, values: Mapping[str, str], salt: str
) -> Iterator[PlannedTurn]:
    for number in range(1, len(scenario.turn) + 1):
        prompt = "all" if leg.session == "kept" else number
        fresh = draw_fresh(scenario, random.Random(f"{salt}/{repeat}/{leg.name}/{prompt}"))
        filled = {**values, **fresh}
        expect = scenario.turn[number - 1].expect
        yield PlannedTurn(
            label=TurnLabel(scenario.name, repeat, leg.name, number),
            system=scenario.system.format_map(filled),
            said=tuple(turn.user.format_map(filled) for turn in scenario.turn[:number]),
            promise=_promise(expect, leg.resets[number - 1] if leg.resets else None, filled),
        )


def _promise(expect: Expectation, reset: str | None, filled: Mapping[str, str]) -> Promise:
    return Promise(
        reset=reset,
        contains=tuple(text.format_map(filled) for text in expect.contains),
        excludes=tuple(text.format_map(filled) for text in expect.excludes),
        matches=expect.matches,
    )


def draw(scenario: Slotted, rng: random.Random) -> dict[str, str]:
    """A value for each slot that is not fresh; lines last, from what the others left over."""
    decks = {name: rng.sample(values, len(values)) for name, values in scenario.lists.items()}
    lasting = {name: slot for name, slot in scenario.slots.items() if not slot.fresh}
    values = {
        name: decks[slot.from_].pop() if slot.from_ else _number(slot, rng)
        for name, slot in lasting.items()
        if slot.each is None
    }
    lines = {
        name: _lines(slot, slot.each, decks, values, rng)
        for name, slot in lasting.items()
        if slot.each is not None
    }
    return {**values, **lines}


def draw_fresh(scenario: Slotted, rng: random.Random) -> dict[str, str]:
    """A value for each slot that is."""
    return {
        name: rng.choice(scenario.lists[slot.from_]) if slot.from_ else _number(slot, rng)
        for name, slot in scenario.slots.items()
        if slot.fresh
    }


def _number(slot: Slot, rng: random.Random) -> str:
    if slot.number is not None:
        return str(rng.randint(*slot.number))
    digits = slot.digits or 1
    return str(rng.randint(10 ** (digits - 1), 10**digits - 1))


def _lines(
    slot: Slot,
    each: Sequence[str],
    decks: Mapping[str, Sequence[str]],
    values: Mapping[str, str],
    rng: random.Random,
) -> str:
    """The slot's lines; a list is gone through whole, in a random order, before a value returns."""
    left: dict[str, list[str]] = {name: [] for name in decks}
    lines = [text.format_map(values) for text in slot.among]
    while len(lines) < (slot.count or 0):
        text = rng.choice(each)
        drawn = {}
        for name in dict.fromkeys(placeholders(text)):
            if not left[name]:
                left[name] = rng.sample(decks[name], len(decks[name]))
            drawn[name] = left[name].pop()
        lines.append(text.format_map(drawn))
    rng.shuffle(lines)
    return "\n".join(f"{slot.mark.format(n=n)}{line}" for n, line in enumerate(lines, start=1))
