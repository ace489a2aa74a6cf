"""Which races are run, in which order, and how is each aimed?

A pure function of scenario, cells, number of races and seed.  Races are spread evenly over the
cells; a few of one cell at a time share a session, and these groups come in an order drawn by the
seed, so that whatever one race leaves behind meets others than its own kind.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.trace import TurnLabel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.races.abilities import Cell
    from harness.races.scenario import Races

__all__ = ["Group", "PlannedRace", "plan_races"]

MOST_TEXTS = 8
"""How far into an answer a speculative round is cut."""


@dataclass(frozen=True, slots=True)
class PlannedRace:
    """One race."""

    number: int
    """From 1, in the order of the run."""
    cell: Cell
    flipped: bool
    """Which of two orders, or forms, the way takes."""
    delay_s: float
    """How much later than the moment the stop is sent."""
    depth: float
    """How far into the part of the answer that may be cut, for the point `round`; 0 to 1."""

    def texts(self, pieces: int) -> int:
        """After which piece of content to stop, of so many that the control has."""
        return 1 + round(self.depth * min(MOST_TEXTS, max(0, pieces // 2 - 1)))

    def label(self, scenario: str, role: str) -> TurnLabel:
        """Of one request of this race."""
        leg = f"{self.cell.point.value}.{self.cell.way.value}.{role}"
        return TurnLabel(scenario, self.number, leg, 1)


@dataclass(frozen=True, slots=True)
class Group:
    """Races of one cell that share a session."""

    number: int
    cell: Cell
    races: tuple[PlannedRace, ...]
    last_of_cell: bool


def plan_races(races: Races, cells: Sequence[Cell], *, rounds: int, seed: int) -> tuple[Group, ...]:
    """Every race; none where there is no cell."""
    if not cells:
        return ()
    draw = random.Random(f"{seed}/order")
    order = draw.sample(cells, len(cells))
    share, more = divmod(rounds, len(order))
    parts: list[tuple[Cell, range]] = []
    for place, cell in enumerate(order):
        count = share + (place < more)
        starts = range(0, count, races.together)
        parts += [(cell, range(at, min(at + races.together, count))) for at in starts]
    draw.shuffle(parts)
    last = {cell: place for place, (cell, _) in enumerate(parts)}
    groups: list[Group] = []
    number = 0
    for place, (cell, rows) in enumerate(parts):
        raced = []
        for row in rows:
            number += 1
            raced.append(_race(races, cell, number, random.Random(f"{seed}/{cell.name}/{row}")))
        groups.append(Group(place + 1, cell, tuple(raced), last[cell] == place))
    return tuple(groups)


def _race(races: Races, cell: Cell, number: int, draw: random.Random) -> PlannedRace:
    jitter_s = races.plan_of(cell.point).jitter_ms / 1e3
    return PlannedRace(
        number=number,
        cell=cell,
        flipped=draw.random() < 0.5,
        # Some at the very moment, for that is where the edges are.
        delay_s=0.0 if draw.random() < 0.25 else draw.uniform(0, jitter_s),
        depth=draw.random(),
    )
