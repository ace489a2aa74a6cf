"""What exactly will every client do, and what must come of it?

A plan is a scenario of acts with its slots filled, for every cell of every repeat: a pure function
of scenario, seed, number of repeats and salt.  A request is labelled by its thread, which is one
client in one cell (`edit-first.ann`), and by its place among that client's requests, from 1.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.plan import Promise, draw, draw_fresh
from harness.trace import TurnLabel

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harness.acts.scenario import Act, Acts, Cell, Expected

__all__ = ["ASKS", "SENDS", "PlannedAct", "PlannedCell", "plan_acts"]

ASKS = frozenset({"ask", "again"})
"""What an act must do to be a turn of a chat."""
SENDS = ASKS | {"reset", "close"}
"""What it must do to be a request."""


@dataclass(frozen=True, slots=True)
class PlannedAct:
    """One act, its texts filled."""

    act: Act
    says: str
    label: TurnLabel | None
    """None where nothing is sent."""
    promise: Promise


@dataclass(frozen=True, slots=True)
class PlannedCell:
    """One cell of one repeat."""

    repeat: int
    cell: Cell
    system: str
    acts: tuple[PlannedAct, ...]


def plan_acts(acts: Acts, *, repeats: int, seed: int, salt: str) -> tuple[PlannedCell, ...]:
    """Every cell of every repeat, in the order they are played; repeats count from 1."""
    return tuple(
        _cell(acts, cell, repeat, seed, salt)
        for repeat in range(1, repeats + 1)
        for cell in acts.cell
    )


def _cell(acts: Acts, cell: Cell, repeat: int, seed: int, salt: str) -> PlannedCell:
    told = draw(acts, random.Random(f"{seed}/{repeat}/{cell.name}"))
    fresh = draw_fresh(acts, random.Random(f"{salt}/{repeat}/{cell.name}"))
    filled = {**told, **fresh}
    played = (*(acts.opening if cell.opens else ()), *cell.act)
    return PlannedCell(
        repeat=repeat,
        cell=cell,
        system=acts.system.format_map(filled),
        acts=tuple(_acts(acts.name, cell.name, repeat, played, filled)),
    )


def _acts(
    scenario: str, cell: str, repeat: int, acts: tuple[Act, ...], filled: Mapping[str, str]
) -> Iterator[PlannedAct]:
    sent: Counter[str] = Counter()
    for act in acts:
        label = None
        if act.do in SENDS:
            sent[act.by] += 1
            label = TurnLabel(scenario, repeat, f"{cell}.{act.by}", sent[act.by])
        yield PlannedAct(
            act, (act.says or "").format_map(filled), label, _promise(act.expect, act.do, filled)
        )


def _promise(expect: Expected, do: str, filled: Mapping[str, str]) -> Promise:
    """A reset or a close that says nothing else is to be answered with 200."""
    return Promise(
        reset=expect.reset,
        contains=tuple(text.format_map(filled) for text in expect.contains),
        excludes=tuple(text.format_map(filled) for text in expect.excludes),
        matches=expect.matches,
        status=expect.status or (200 if do in {"reset", "close"} else None),
        code=expect.code,
        finish=expect.finish,
        encodes=expect.encodes,
    )
