"""Which case is sent when, by which leg, and with which body?

A plan is a pure function of the exam, its cases and how much of it was asked for.  Turns are
numbered by the place of their case in the file, from 1, so that a label says which case it was.

    case 1: A B     case 2: B A     case 3: A B     …     and the next repeat the other way round

Warm-ups are repeat 0.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from harness.trace import TurnLabel

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harness.exam.cases import Case
    from harness.exam.scenario import Exam, ExamLeg
    from harness.scenario import Settings

__all__ = ["PlannedCase", "body_of", "chosen", "plan_exam"]


@dataclass(frozen=True, slots=True)
class PlannedCase:
    """One prompt of one leg."""

    label: TurnLabel
    case: Case
    settings: Settings


def plan_exam(
    exam: Exam, cases: Sequence[Case], *, repeat: int | None = None, first: int | None = None
) -> tuple[PlannedCase, ...]:
    """Every turn in the order it is sent; `repeat` and `first` go before what the legs say."""
    return tuple(_turns(exam, cases, repeat, first))


def _turns(
    exam: Exam, cases: Sequence[Case], repeat: int | None, first: int | None
) -> Iterator[PlannedCase]:
    asked = {leg.name: chosen(leg, cases, first) for leg in exam.leg}
    often = {leg.name: repeat or leg.repeat for leg in exam.leg}
    settings = {leg.name: leg.settings.over(exam.settings) for leg in exam.leg}
    for number in range(exam.warm_ups):
        for leg in exam.leg:
            for place in asked[leg.name][number : number + 1]:
                label = TurnLabel(exam.name, 0, leg.name, place + 1)
                yield PlannedCase(label, cases[place], settings[leg.name])
    every = {name: set(places) for name, places in asked.items()}
    for number in range(1, max(often.values()) + 1):
        for at, place in enumerate(sorted(set().union(*every.values()))):
            legs = [leg.name for leg in exam.leg if place in every[leg.name]]
            for name in legs if (at + number) % 2 else reversed(legs):
                if number <= often[name]:
                    label = TurnLabel(exam.name, number, name, place + 1)
                    yield PlannedCase(label, cases[place], _seeded(settings[name], number))


def chosen(leg: ExamLeg, cases: Sequence[Case], first: int | None = None) -> tuple[int, ...]:
    """The places of the cases a leg asks, from 0; of a pair both or neither."""
    most = first or leg.first
    units: Counter[str] = Counter()
    known: dict[tuple[str, str], bool] = {}
    places = []
    for place, case in enumerate(cases):
        if leg.groups and case.skill not in leg.groups:
            continue
        unit = ("case", case.id) if case.pair is None else ("pair", case.pair)
        if unit not in known:
            units[case.skill] += 1
            known[unit] = most is None or units[case.skill] <= most
        if known[unit]:
            places.append(place)
    return tuple(places)


def _seeded(settings: Settings, repeat: int) -> Settings:
    """The same settings with a seed of this repeat's own."""
    return settings if settings.seed is None else replace(settings, seed=settings.seed + repeat - 1)


def body_of(planned: PlannedCase, model: str) -> Mapping[str, Any]:
    """The request body of one case."""
    case, settings = planned.case, planned.settings
    messages = [dict(message) for message in case.messages]
    if case.system is not None:
        messages.insert(0, {"role": "system", "content": case.system})
    if case.strength is not None:
        settings = replace(settings, reasoning_effort=case.strength)
    body = {
        "model": model,
        "messages": messages,
        "stream": True,
        "stream_options": {"include_usage": True},
        **settings.fields(),
    }
    return {**body, "tools": [dict(tool) for tool in case.tools]} if case.tools else body
