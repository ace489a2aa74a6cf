"""What can a scenario of the right shape still get wrong?

Names that nothing carries, counts that do not match, texts that are no templates.  Each mistake is
a key path and what is wrong there; `scenario` tells them with file and line.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from typing import TYPE_CHECKING, Protocol

from harness.metrics import METRICS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from harness.scenario import Leg, Scenario, Slot

    Key = tuple[str | int, ...]

__all__ = [
    "Expects",
    "Slotted",
    "draw_mistakes",
    "expectation_mistakes",
    "mistakes",
    "no_such",
    "placeholders",
    "unknown_names",
]


class Slotted(Protocol):
    """A scenario with slots, of whichever kind."""

    @property
    def lists(self) -> Mapping[str, tuple[str, ...]]:
        """What values are drawn from."""
        ...

    @property
    def slots(self) -> Mapping[str, Slot]:
        """What placeholders stand for."""
        ...


class Expects(Protocol):
    """What an answer must hold, in a scenario of whichever kind."""

    @property
    def contains(self) -> tuple[str, ...]:
        """Facts it says."""
        ...

    @property
    def excludes(self) -> tuple[str, ...]:
        """Facts it does not."""
        ...

    @property
    def matches(self) -> str | None:
        """A regular expression."""
        ...


def placeholders(text: str) -> tuple[str, ...]:
    """The names in `{…}`, in order.

    Raises:
        ValueError: a brace without its partner, or something other than a name between them.
    """
    names = []
    for _, name, spec, conversion in string.Formatter().parse(text):
        if name is None:
            continue
        if spec or conversion or not name.isidentifier():
            raise ValueError(f"{{{name}}} is not a plain name; write {{{{ and }}}} for braces")
        names.append(name)
    return tuple(names)


def mistakes(scenario: Scenario) -> Iterator[tuple[Key, str]]:
    """What a file of the right shape can still get wrong, with the key of each."""
    yield from draw_mistakes(scenario)
    yield from _text_mistakes(scenario)
    yield from _leg_mistakes(scenario)
    yield from _comparison_mistakes(scenario)


def draw_mistakes(scenario: Slotted) -> Iterator[tuple[Key, str]]:
    """What is wrong with the slots of a scenario and the lists they draw from."""
    yield from _slot_mistakes(scenario)
    yield from _list_mistakes(scenario)


def _slot_mistakes(scenario: Slotted) -> Iterator[tuple[Key, str]]:
    single = {name for name, slot in scenario.slots.items() if not (slot.each or slot.fresh)}
    for name, slot in scenario.slots.items():
        key = ("slots", name)
        kinds = [k for k in ("from_", "digits", "number", "each") if getattr(slot, k) is not None]
        if len(kinds) != 1:
            yield key, "needs exactly one of from, digits, number, each"
        if slot.fresh and not (slot.from_ or slot.digits):
            yield (*key, "fresh"), "goes with from or digits"
        if slot.number and slot.number[0] > slot.number[1]:
            yield (*key, "number"), "the lower end comes first"
        yield from _line_mistakes(key, slot, set(scenario.lists), single)


def _line_mistakes(
    key: Key, slot: Slot, lists: set[str], single: set[str]
) -> Iterator[tuple[Key, str]]:
    if (slot.each is None) != (slot.count is None):
        yield key, "count and each go together"
    if slot.each is None and (slot.among or slot.mark):
        yield key, "among and mark go with count and each"
    if len(slot.among) > (slot.count or len(slot.among)):
        yield (*key, "among"), f"has {len(slot.among)} lines of {slot.count}"
    for text in slot.each or ():
        yield from unknown_names((*key, "each"), text, lists, "list")
    for text in slot.among:
        yield from unknown_names((*key, "among"), text, single, "slot of one value")
    yield from unknown_names((*key, "mark"), slot.mark, {"n"}, "mark but {n}")


def _list_mistakes(scenario: Slotted) -> Iterator[tuple[Key, str]]:
    drawn = Counter(slot.from_ for slot in scenario.slots.values() if slot.from_)
    for name, slot in scenario.slots.items():
        if slot.from_ and slot.from_ not in scenario.lists:
            yield ("slots", name, "from"), no_such("list", slot.from_, scenario.lists)
    for name, values in scenario.lists.items():
        if drawn[name] > len(values):
            yield ("lists", name), f"{drawn[name]} slots draw from it, it has {len(values)} values"
        if len(set(values)) != len(values):
            yield ("lists", name), "says a value twice"


def _text_mistakes(scenario: Scenario) -> Iterator[tuple[Key, str]]:
    known = set(scenario.slots)
    yield from unknown_names(("system",), scenario.system, known, "slot")
    for place, turn in enumerate(scenario.turn):
        yield from unknown_names(("turn", place, "user"), turn.user, known, "slot")
        yield from expectation_mistakes(("turn", place, "expect"), turn.expect, known)


def expectation_mistakes(
    key: Key, expect: Expects, known: Collection[str]
) -> Iterator[tuple[Key, str]]:
    """What is wrong with what an answer must hold; `known` are the slots there are."""
    for name in ("contains", "excludes"):
        for text in getattr(expect, name):
            yield from unknown_names((*key, name), text, known, "slot")
    if expect.matches:
        try:
            re.compile(expect.matches)
        except re.error as problem:
            yield (*key, "matches"), f"not a regular expression: {problem}"


def _leg_mistakes(scenario: Scenario) -> Iterator[tuple[Key, str]]:
    if not scenario.leg:
        yield ("leg",), "a scenario has one leg at least"
    before: dict[str, Leg] = {}
    for place, leg in enumerate(scenario.leg):
        key = ("leg", place)
        if leg.name in before:
            yield (*key, "name"), f"two legs are called {leg.name!r}"
        if leg.replays and leg.replays not in before:
            yield (*key, "replays"), no_such("earlier leg", leg.replays, before)
        if leg.replays and before[leg.replays].replays:
            yield (*key, "replays"), f"{leg.replays!r} is itself a replay"
        if leg.replays and leg.session == "kept":
            yield (*key, "session"), "a replay is sent cold: fresh or none"
        if leg.driver == "page" and (leg.replays or leg.session != "kept"):
            yield (*key, "driver"), "the page holds a conversation of its own, on a kept session"
        if leg.resets is not None and len(leg.resets) != len(scenario.turn):
            yield (*key, "resets"), f"has {len(leg.resets)} for {len(scenario.turn)} turns"
        before[leg.name] = leg


def _comparison_mistakes(scenario: Scenario) -> Iterator[tuple[Key, str]]:
    legs = [leg.name for leg in scenario.leg]
    for place, compare in enumerate(scenario.compare):
        if compare.metric not in METRICS:
            yield ("compare", place, "metric"), no_such("metric", compare.metric, METRICS)
        for side in ("baseline", "candidate"):
            if getattr(compare, side) not in legs:
                yield ("compare", place, side), no_such("leg", getattr(compare, side), legs)
        for turn in compare.turns:
            if not 1 <= turn <= len(scenario.turn):
                yield (
                    ("compare", place, "turns"),
                    f"there is no turn {turn}; they count from 1 to {len(scenario.turn)}",
                )


def unknown_names(
    key: Key, text: str, known: Collection[str], what: str
) -> Iterator[tuple[Key, str]]:
    """The placeholders of a text that nothing fills."""
    try:
        names = placeholders(text)
    except ValueError as problem:
        yield key, str(problem)
        return
    for name in names:
        if name not in known:
            yield key, no_such(what, name, known)


def no_such(what: str, name: str, known: Collection[str]) -> str:
    """What is said of a name that nothing carries."""
    return f"no {what} is called {name!r}; there are: {', '.join(sorted(known)) or 'none'}"
