"""Which cells can a target play?

By what it claims in `/api/runtime`, and by what its controls show.  A cell that it cannot play is
skipped with the reason, and never counts as passed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.capabilities import unclaimed
from harness.events import Channel
from harness.races.bodies import comes_to_its_end
from harness.races.moments import BEFORE_TEXT, Point

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harness.races.bodies import Bodies
    from harness.races.controls import Control, Controls
    from harness.races.scenario import Races
    from harness.races.ways import Way

__all__ = ["Cell", "cells_of", "lacks", "prompts_to_control"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A point and a way."""

    point: Point
    way: Way

    @property
    def name(self) -> str:
        """`prefill, close`."""
        return f"{self.point.value}, {self.way.value}"


def cells_of(races: Races) -> Iterator[Cell]:
    """Every cell of a scenario, in its order."""
    for point in races.point:
        for way in races.way:
            yield Cell(point.at, way.does)


def prompts_to_control(
    races: Races, bodies: Bodies, runtime: Mapping[str, Any] | None
) -> Iterator[Mapping[str, Any]]:
    """The bodies that are stopped in some cell which the target claims to be able to play."""
    for cell in cells_of(races):
        if not _unclaimed(cell, runtime):
            yield bodies.raced(races.prompt_of(cell.point), whole=_whole(cell))


def lacks(
    cell: Cell,
    races: Races,
    bodies: Bodies,
    controls: Controls,
    runtime: Mapping[str, Any] | None,
) -> str:
    """Why a target cannot play a cell; empty where it can."""
    if missing := _unclaimed(cell, runtime):
        return f"the target lacks {missing}"
    control = controls.of(bodies.raced(races.prompt_of(cell.point), whole=_whole(cell)))
    if not control.answered:
        return f"its prompt was not answered where nothing was stopped: {control.why}"
    return _not_shown(cell.point, control)


def _unclaimed(cell: Cell, runtime: Mapping[str, Any] | None) -> str:
    needs = (*cell.point.needs, *cell.way.needs)
    if needs and not runtime:
        return f"an /api/runtime that claims {', '.join(needs)}"
    return "; ".join(unclaimed(needs, runtime))


def _whole(cell: Cell) -> bool:
    return comes_to_its_end(cell.point, cell.way)


def _not_shown(point: Point, control: Control) -> str:
    if point in BEFORE_TEXT and not control.states:
        return "its streams do not tell how a turn stands before its first text"
    if point is Point.VISION and BEFORE_TEXT[point] not in control.states:
        return "its streams do not tell when a picture is encoded"
    if point is Point.REASONING and Channel.REASONING not in control.channels:
        return "its answers show no reasoning"
    if point in {Point.CONTENT, Point.ROUND} and Channel.CONTENT not in control.channels:
        return "its answers show no content"
    if point is Point.ROUND and not control.drafted:
        return "its control took no speculative round"
    return ""
