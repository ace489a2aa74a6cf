"""The two figures of the page: one repeat in time, and how far the repeats scatter.

timeline    a bar a turn of one repeat (`harness.report.timeline`)
scatter     a strip a turn and metric: a dot a repeat, the median, its interval
strips      the same of any samples
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from harness.metrics import METRICS
from harness.report.chart import Axis, Strip, axis_svg, strip_svg, tick_label
from harness.report.timeline import Line, timelines
from harness.units import format_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.exam.judge import ExamResult
    from harness.judge import Cell, Result
    from harness.units import Unit

__all__ = ["SCATTERED", "Samples", "leg_class", "scatter", "strips", "timeline"]

SCATTERED = ("client.ttft", "client.e2e", "client.decode_rate")
"""The metrics whose repeats are drawn."""


def leg_class(result: Result | ExamResult, leg: str) -> str:
    """The CSS class of a leg's colour."""
    names = [each.name for each in result.scenario.leg]
    return f"leg-{names.index(leg) % 4}"


def timeline(result: Result) -> Iterator[str]:
    """The turns of the typical repeat, each as a bar from the moment its request was sent."""
    turns = sorted(result.typical, key=lambda turn: turn.label.turn)
    repeat = turns[0].label.repeat
    yield (
        f'<p class="soft small">Repeat {repeat}, whose turns took the median time in all. '
        "Each bar starts as the request is sent.</p>"
    )
    yield from timelines(
        [
            Line(
                name=f"turn {turn.label.turn}, {turn.label.leg}",
                seen=turn.seen,
                color=leg_class(result, turn.label.leg),
                group=str(turn.label.turn),
            )
            for turn in turns
        ]
    )


@dataclass(frozen=True, slots=True)
class Samples:
    """Everything that was measured of one thing, to be drawn as a strip."""

    name: str
    values: tuple[float, ...]
    dirty: tuple[bool, ...] = ()
    """Which of them are of a dirty turn."""
    low: float | None = None
    high: float | None = None
    """The interval of the median, where there is one."""
    color: str = "leg-0"
    """A CSS class."""
    group: str = ""
    """A gap is left where it changes."""
    reason: str = ""
    """Why there is no value, where there is none."""

    @property
    def median(self) -> float | None:
        """The middle of the values."""
        return statistics.median(self.values) if self.values else None


def strips(title: str, unit: Unit, rows: Sequence[Samples]) -> Iterator[str]:
    """Samples under each other on one axis: a dot each, hollow where dirty, the median a stroke."""
    axis = Axis.to(max((value for row in rows for value in row.values), default=0.0))
    yield f"<figure><figcaption>{escape(title)}</figcaption>"
    yield '<div class="chart">'
    before = rows[0].group if rows else ""
    for row in rows:
        if row.group != before:
            yield '<span class="gap"></span>'
            before = row.group
        middle = format_value(row.median, unit)
        yield f'<span class="name {row.color}">{escape(row.name)}</span>'
        yield f'<span class="figure">{escape(middle)}</span>'
        strip = Strip(row.values, row.median, row.low, row.high, row.dirty)
        yield strip_svg(strip, axis, f"{title}, {row.name}: {_said(row, unit)}", row.color)
    yield axis_svg(axis, [tick_label(tick, unit) for tick in axis.ticks])
    yield "</div></figure>"


SPOKEN = 12
"""Of more values than this only the ends are said."""


def _said(row: Samples, unit: Unit) -> str:
    if not row.values:
        return row.reason or "no value"
    shown = [format_value(value, unit) for value in row.values]
    if len(shown) > SPOKEN:
        least, most = (format_value(end, unit) for end in (min(row.values), max(row.values)))
        told = f"{len(shown)} values from {least} to {most}"
    else:
        told = ", ".join(shown)
    dirty = f"; {sum(row.dirty)} dirty" if any(row.dirty) else ""
    return f"median {format_value(row.median, unit)} of {told}{dirty}"


def scatter(result: Result) -> Iterator[str]:
    """The values of every repeat, metric by metric."""
    yield (
        '<p class="soft small">A dot a repeat, hollow where something else kept the machine busy; '
        "a stroke at the median, its interval shaded.</p>"
    )
    for name in SCATTERED:
        cells = [
            result.cell(leg.name, number, name)
            for number in range(1, len(result.scenario.turn) + 1)
            for leg in result.scenario.leg
        ]
        if any(cell.values for cell in cells):
            metric = METRICS[name]
            yield from strips(metric.title, metric.unit, [_samples(result, cell) for cell in cells])


def _samples(result: Result, cell: Cell) -> Samples:
    return Samples(
        name=f"turn {cell.turn}, {cell.leg}",
        values=cell.values,
        dirty=cell.dirty,
        low=cell.summary.low,
        high=cell.summary.high,
        color=leg_class(result, cell.leg),
        group=str(cell.turn),
        reason=cell.reason,
    )
