"""What exactly will be done in each visit, and what must come of it?

A plan is a scenario of visits with its slots filled: a pure function of scenario, seed, number of
repeats and salt.  Turns are labelled by their visit and their place among its turns, from 1; other
steps by `VISIT.looks` and their place among those.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.plan import Promise, draw, draw_fresh
from harness.trace import TurnLabel

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harness.visits.scenario import Step, Visit, Visits

__all__ = ["LOOKS", "PlannedStep", "PlannedVisit", "plan_visits"]

LOOKS = ".looks"


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """One step, its texts filled."""

    step: Step
    says: str
    label: TurnLabel
    promise: Promise


@dataclass(frozen=True, slots=True)
class PlannedVisit:
    """One visit of one repeat."""

    repeat: int
    visit: Visit
    system: str
    steps: tuple[PlannedStep, ...]
    leaving: TurnLabel
    """What the last look is called, before the tab is closed."""


def plan_visits(visits: Visits, *, repeats: int, seed: int, salt: str) -> tuple[PlannedVisit, ...]:
    """Every visit of every repeat, in the order they are made; repeats count from 1."""
    return tuple(
        _visit(visits, visit, repeat, seed, salt)
        for repeat in range(1, repeats + 1)
        for visit in visits.visit
    )


def _visit(visits: Visits, visit: Visit, repeat: int, seed: int, salt: str) -> PlannedVisit:
    told = draw(visits, random.Random(f"{seed}/{repeat}/{visit.name}"))
    fresh = draw_fresh(visits, random.Random(f"{salt}/{repeat}/{visit.name}"))
    filled = {**told, **fresh}
    steps = tuple(_steps(visits.name, visit, repeat, filled))
    looks = sum(not each.step.asks for each in steps)
    return PlannedVisit(
        repeat=repeat,
        visit=visit,
        system=visits.system.format_map(filled),
        steps=steps,
        leaving=TurnLabel(visits.name, repeat, f"{visit.name}{LOOKS}", looks + 1),
    )


def _steps(
    scenario: str, visit: Visit, repeat: int, filled: Mapping[str, str]
) -> Iterator[PlannedStep]:
    counts = {True: 0, False: 0}
    for step in visit.step:
        counts[step.asks] += 1
        leg = visit.name if step.asks else f"{visit.name}{LOOKS}"
        expect = step.expect
        yield PlannedStep(
            step=step,
            says=(step.says or "").format_map(filled),
            label=TurnLabel(scenario, repeat, leg, counts[step.asks]),
            promise=Promise(
                reset=expect.reset,
                contains=tuple(text.format_map(filled) for text in expect.contains),
                excludes=tuple(text.format_map(filled) for text in expect.excludes),
                matches=expect.matches,
            ),
        )
