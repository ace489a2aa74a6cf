"""What exactly will every client do, and what must come of it?

A plan is a scenario of acts with its slots filled, for every cell of every repeat: a pure function
of scenario, seed, number of repeats and salt.  A request is labelled by its thread, which is one
client in one cell (`edit-first.ann`), and by its place among that client's requests, from 1.

A cell that is varied is played once for each combination of its values, which its name then tells.
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

    from harness.acts.scenario import Act, Acts, Cell, Value
    from harness.scenario import Settings

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
    thinks: str
    label: TurnLabel | None
    """None where nothing is sent."""
    promise: Promise
    settings: Settings
    stream: bool


@dataclass(frozen=True, slots=True)
class PlannedCell:
    """One cell of one repeat, in one of the ways in which it is played."""

    repeat: int
    cell: Cell
    name: str
    """Its own, and those of the values it is played with."""
    system: str
    acts: tuple[PlannedAct, ...]


def plan_acts(acts: Acts, *, repeats: int, seed: int, salt: str) -> tuple[PlannedCell, ...]:
    """Every cell of every repeat, in the order they are played; repeats count from 1."""
    return tuple(
        _cell(acts, cell, repeat, seed, salt, name, values)
        for repeat in range(1, repeats + 1)
        for cell in acts.cell
        for name, values in acts.variants(cell)
    )


def _cell(
    acts: Acts,
    cell: Cell,
    repeat: int,
    seed: int,
    salt: str,
    name: str,
    values: tuple[Value, ...],
) -> PlannedCell:
    told = draw(acts, random.Random(f"{seed}/{repeat}/{cell.name}"))
    fresh = draw_fresh(acts, random.Random(f"{salt}/{repeat}/{name}"))
    filled = {**told, **fresh}
    layers: tuple[Cell | Value | Act, ...] = (cell, *values)
    return PlannedCell(
        repeat=repeat,
        cell=cell,
        name=name,
        system=acts.system.format_map(filled),
        acts=tuple(
            PlannedAct(
                act=act,
                says=(act.says or "").format_map(filled),
                thinks=(act.thinks or "").format_map(filled),
                label=label,
                promise=_promise(act, filled, first),
                settings=_settings(acts.settings, *layers, act),
                stream=_stream(*layers, act, default=acts.stream),
            )
            for act, label, first in _labelled(acts, cell, repeat, name)
        ),
    )


def _labelled(
    acts: Acts, cell: Cell, repeat: int, name: str
) -> Iterator[tuple[Act, TurnLabel | None, int | None]]:
    """Every act with its label, and which request of its client asked its question first."""
    sent: Counter[str] = Counter()
    asked: dict[str, int] = {}
    for act in (*(acts.opening if cell.opens else ()), *cell.act):
        label = None
        if act.do in SENDS:
            sent[act.by] += 1
            label = TurnLabel(acts.name, repeat, f"{name}.{act.by}", sent[act.by])
        if act.do == "ask":
            asked[act.by] = sent[act.by]
        yield act, label, asked.get(act.by)


def _settings(general: Settings, *layers: Cell | Value | Act) -> Settings:
    """Those of the last layer that says something go before the others."""
    for layer in layers:
        general = layer.settings.over(general)
    return general


def _stream(*layers: Cell | Value | Act, default: bool) -> bool:
    told = [layer.stream for layer in layers if layer.stream is not None]
    return told[-1] if told else default


def _promise(act: Act, filled: Mapping[str, str], first: int | None) -> Promise:
    """A reset or a close that says nothing else is to be answered with 200."""
    expect = act.expect
    return Promise(
        reset=expect.reset,
        contains=tuple(text.format_map(filled) for text in expect.contains),
        excludes=tuple(text.format_map(filled) for text in expect.excludes),
        matches=expect.matches,
        status=expect.status or (200 if act.do in {"reset", "close"} else None),
        code=expect.code,
        finish=expect.finish,
        cut=act.do == "ask" and act.restarts is not None,
        encodes=expect.encodes,
        cancelled=act.cancel is not None,
        calls=expect.calls,
        reasons=expect.reasons,
        grows=expect.grows,
        same_as=first if expect.same else None,
        begins=first if expect.begins else None,
    )
