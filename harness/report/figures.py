"""The two figures of the page: one repeat in time, and how far the repeats scatter.

timeline    a bar a turn: waiting (prefill within it), thinking, answering, closing
scatter     a strip a turn and metric: a dot a repeat, the median, its interval
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from harness.metrics import METRICS
from harness.report.chart import Axis, Phase, Strip, axis_svg, strip_svg, timeline_svg
from harness.units import SECONDS, format_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.judge import Cell, Result
    from harness.played import PlayedTurn
    from harness.units import Unit

__all__ = ["leg_class", "scatter", "timeline"]

SCATTERED = ("client.ttft", "client.e2e", "client.decode_rate")
"""The metrics whose repeats are drawn."""

PHASES = {
    "wait": "waiting for the first token",
    "prefill": "of which prefill, by the server's clock",
    "think": "thinking",
    "say": "answering",
    "close": "closing frames",
}
"""What the colours of the timeline mean, in order."""


def leg_class(result: Result, leg: str) -> str:
    """The CSS class of a leg's colour."""
    names = [each.name for each in result.scenario.leg]
    return f"leg-{names.index(leg) % 4}"


def timeline(result: Result) -> Iterator[str]:
    """The turns of the typical repeat, each as a bar from the moment its request was sent."""
    turns = sorted(result.typical, key=lambda turn: turn.label.turn)
    ends = [turn.measurements["client.to_done"].value or 0.0 for turn in turns]
    axis = Axis.to(max(ends, default=0.0))
    repeat = turns[0].label.repeat
    yield (
        f'<p class="soft small">Repeat {repeat}, whose turns took the median time in all. '
        "Each bar starts as the request is sent.</p>"
    )
    yield '<figure><div class="chart">'
    before = turns[0].label.turn
    for turn, end in zip(turns, ends, strict=True):
        if turn.label.turn != before:
            yield '<span class="gap"></span>'
            before = turn.label.turn
        name = f"turn {turn.label.turn}, {turn.label.leg}"
        yield f'<span class="name {leg_class(result, turn.label.leg)}">{escape(name)}</span>'
        yield f'<span class="figure">{escape(format_value(end or None, SECONDS))}</span>'
        yield timeline_svg(list(_phases(turn)), axis, f"{name}: {_told(turn)}")
    yield axis_svg(axis, [_tick(tick, SECONDS) for tick in axis.ticks])
    yield "</div>"
    keys = "".join(
        f'<li><span class="key {kind}"></span>{meaning}</li>' for kind, meaning in PHASES.items()
    )
    yield f'<ul class="keys">{keys}</ul></figure>'


def _phases(turn: PlayedTurn) -> Iterator[Phase]:
    at = {name: found.value for name, found in turn.measurements.items()}
    first, visible, last, done = (
        at[f"client.{name}"] for name in ("ttft", "ttfv", "e2e", "to_done")
    )
    if first is None or last is None:
        return
    yield Phase("wait", 0.0, first)
    prefill = at["server.prefill"]
    if prefill is not None:
        start = (at["server.queue"] or 0.0) + (at["server.prompt"] or 0.0)
        yield Phase("prefill", min(start, first), min(start + prefill, first))
    if at["client.think"] is not None:
        yield Phase("think", first, visible if visible is not None else last)
    if visible is not None:
        yield Phase("say", visible, last)
    if done is not None:
        yield Phase("close", last, done)


def _told(turn: PlayedTurn) -> str:
    names = ("client.ttft", "server.prefill", "client.think", "client.e2e", "client.to_done")
    said = [
        f"{METRICS[name].title} {format_value(turn.measurements[name].value, METRICS[name].unit)}"
        for name in names
        if turn.measurements[name].value is not None
    ]
    return ", ".join(said)


def _tick(value: float, unit: Unit) -> str:
    """A round number without the zeros that say how exact a measurement is."""
    return "0" if value == 0 else re.sub(r"\.0+(?=\s|$)", "", format_value(value, unit))


def scatter(result: Result) -> Iterator[str]:
    """The values of every repeat, metric by metric."""
    yield '<p class="soft small">A dot a repeat, a stroke at the median, its interval shaded.</p>'
    for name in SCATTERED:
        cells = [
            result.cell(leg.name, number, name)
            for number in range(1, len(result.scenario.turn) + 1)
            for leg in result.scenario.leg
        ]
        if any(cell.values for cell in cells):
            yield from _strips(result, cells)


def _strips(result: Result, cells: Sequence[Cell]) -> Iterator[str]:
    metric = cells[0].metric
    axis = Axis.to(max(value for cell in cells for value in cell.values))
    yield f"<figure><figcaption>{escape(metric.title)}</figcaption>"
    yield '<div class="chart">'
    before = cells[0].turn
    for cell in cells:
        if cell.turn != before:
            yield '<span class="gap"></span>'
            before = cell.turn
        color = leg_class(result, cell.leg)
        name = f"turn {cell.turn}, {cell.leg}"
        middle = format_value(cell.summary.median, metric.unit)
        strip = Strip(cell.values, cell.summary.median, cell.summary.low, cell.summary.high)
        values = ", ".join(format_value(value, metric.unit) for value in cell.values)
        said = f"{metric.title}, {name}: median {middle} of {values or cell.reason}"
        yield f'<span class="name {color}">{escape(name)}</span>'
        yield f'<span class="figure">{escape(middle)}</span>'
        yield strip_svg(strip, axis, said, color)
    yield axis_svg(axis, [_tick(tick, metric.unit) for tick in axis.ticks])
    yield "</div></figure>"
