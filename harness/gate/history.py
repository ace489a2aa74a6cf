"""How did the accepted gates of a policy measure over time, machine by machine?

A line is one metric on one machine: the candidate's median of every gate that was accepted there,
in their order.  Results of two machines are never in one line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from harness.gate.changes import LEAST, Change, change_points
from harness.units import UNITS, Better

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.gate.baseline import Accepted
    from harness.units import Unit

__all__ = ["History", "Line", "Point", "history_of"]


@dataclass(frozen=True, slots=True)
class Point:
    """What one accepted gate measured."""

    at: str
    """When the gate began, UTC."""
    pin: str
    digest: str
    value: float
    """In the base unit."""


@dataclass(frozen=True, slots=True)
class Line:
    """One metric on one machine."""

    metric: str
    title: str
    unit: Unit
    gated: bool
    points: tuple[Point, ...]
    """In the order of time, never empty."""
    changes: tuple[Change, ...]
    why_none: str = ""
    """Why no change could be looked for; empty where it was."""

    def worse(self, change: Change) -> bool | None:
        """Whether it is one for the worse; None where neither way is better."""
        if self.unit.better is Better.NEITHER:
            return None
        return (change.ratio > 1) is (self.unit.better is Better.LOWER)


@dataclass(frozen=True, slots=True)
class History:
    """One machine."""

    policy: str
    machine: str
    gates: tuple[Accepted, ...]
    lines: tuple[Line, ...]
    """Gated ones first, as the last gate has them."""


def history_of(policy: str, accepted: Sequence[Accepted]) -> tuple[History, ...]:
    """A policy's accepted gates, in the order of time, by machine."""
    table = _table(accepted)
    machines = dict.fromkeys(each.machine for each in accepted)
    return tuple(
        History(
            policy,
            machine,
            tuple(each for each in accepted if each.machine == machine),
            tuple(_lines(table[table["machine"] == machine])),
        )
        for machine in machines
    )


COLUMNS = ("machine", "metric", "title", "unit", "gated", "at", "pin", "digest", "value")


def _table(accepted: Sequence[Accepted]) -> pd.DataFrame:
    """A row for each metric of each gate that measured it."""
    rows = [
        (each.machine, name, m.title, m.unit, m.gated, each.at, each.pin, each.digest, m.candidate)
        for each in accepted
        for name, m in each.metrics.items()
        if m.candidate is not None and m.unit in UNITS
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _lines(table: pd.DataFrame) -> Iterator[Line]:
    """The lines of one machine; a metric is called as its last gate calls it."""
    whole = {str(name): rows for name, rows in table.groupby("metric", sort=False)}
    lasts = {name: rows.iloc[-1] for name, rows in whole.items()}
    for name in sorted(whole, key=lambda name: not lasts[name]["gated"]):
        # A metric whose unit was changed is another one since then.
        rows = whole[name][whole[name]["unit"] == lasts[name]["unit"]]
        points = tuple(
            Point(str(row["at"]), str(row["pin"]), str(row["digest"]), float(row["value"]))
            for row in rows.to_dict("records")
        )
        changes, why = _changes(points)
        yield Line(
            name,
            str(lasts[name]["title"]),
            UNITS[str(lasts[name]["unit"])],
            bool(lasts[name]["gated"]),
            points,
            changes,
            why,
        )


def _changes(points: Sequence[Point]) -> tuple[tuple[Change, ...], str]:
    values = [point.value for point in points]
    if len(values) < LEAST:
        return (), f"{len(values)} accepted; a change needs {LEAST} to show"
    if min(values) <= 0:
        return (), "a value of 0 has no ratio"
    return change_points(values), ""
