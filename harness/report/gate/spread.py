"""How do the starts of both sides scatter?  A figure a metric: a mark a start, pairs joined.

A start's value is the median of its samples.  The baseline's starts are circles above, the
candidate's diamonds below; the pairs of a fresh block are drawn apart, and named so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.gate.record import Side
from harness.report.chart import number, tick_label
from harness.report.gate.links import link, link_of_start, link_to
from harness.report.gate.plot import SpanAxis, drawing, grid, labels, mark
from harness.report.gate.text import escape
from harness.report.gate.words import better_words, medians, ratio_words
from harness.units import NOTHING, format_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harness.gate.result import Measured, StartValue

__all__ = ["COLORS", "MARKS", "legend", "spread"]

COLORS = {Side.BASELINE: "leg-1", Side.CANDIDATE: "leg-0"}
MARKS = {Side.BASELINE: "circle", Side.CANDIDATE: "diamond"}
SIGNS = {Side.BASELINE: "\N{BLACK CIRCLE}", Side.CANDIDATE: "\N{BLACK DIAMOND}"}
LINES = {Side.BASELINE: 11, Side.CANDIDATE: 45}
HEIGHT = 56


def legend(*more: str) -> str:
    """What the marks mean; `more` is what else is drawn."""
    told = "".join(f'<li class="{COLORS[side]}">{SIGNS[side]} {side.value}</li>' for side in COLORS)
    also = "".join(f"<li>{each}</li>" for each in ("hollow: a machine kept busy by others", *more))
    return f'<ul class="keys">{told}{also}</ul>'


def spread(measured: Measured, anchor: str, started: Mapping[int, str]) -> Iterator[str]:
    """The figure of one metric, and the same as a table; only what was a pair is joined."""
    paired = {each.pair for each in measured.pairs}
    unit = measured.unit
    baseline, candidate = medians(measured)
    yield f'<figure class="spread" id="{escape(anchor)}">'
    yield f"<figcaption>{escape(measured.title)}"
    yield f' <span class="soft">{better_words(unit)}</span></figcaption>'
    yield '<p class="sides">'
    for side, middle in ((Side.BASELINE, baseline), (Side.CANDIDATE, candidate)):
        yield f'<span class="{COLORS[side]}">{SIGNS[side]} {side.value} {escape(middle)}</span>'
    yield f'<span class="soft">ratio {ratio_words(measured)}, n = {measured.n}</span></p>'
    if measured.starts:
        axis = SpanAxis.over([start.value for start in measured.starts], unit)
        told = [s for s in measured.starts if not s.confirms]
        again = [s for s in measured.starts if s.confirms]
        if told:
            yield _drawing(measured, told, axis, measured.title, paired)
        if again:
            yield '<p class="soft small fresh">The fresh block that a fail has to be found in:</p>'
            yield _drawing(measured, again, axis, f"{measured.title}, fresh block", paired)
        yield labels([(axis.percent(tick), tick_label(tick, unit)) for tick in axis.ticks])
        yield from _table(measured, started)
    else:
        yield '<p class="soft small">No start told a value.</p>'
    yield "</figure>"


def _drawing(
    measured: Measured,
    starts: Sequence[StartValue],
    axis: SpanAxis,
    title: str,
    paired: set[int],
) -> str:
    by_pair: dict[int, dict[Side, StartValue]] = {}
    for start in starts:
        by_pair.setdefault(start.pair, {})[start.side] = start
    lines = "".join(
        f'<line class="join" x1="{number(axis.percent(of[Side.BASELINE].value))}%" '
        f'x2="{number(axis.percent(of[Side.CANDIDATE].value))}%" '
        f'y1="{LINES[Side.BASELINE]}" y2="{LINES[Side.CANDIDATE]}"/>'
        for pair, of in by_pair.items()
        if pair in paired and len(of) == len(LINES)
    )
    marks = "".join(
        mark(
            MARKS[start.side],
            axis.percent(start.value),
            LINES[start.side],
            f"{COLORS[start.side]} point{' hollow' if start.dirty else ''}",
            f"{start.side.value}, pair {start.pair}: {format_value(start.value, measured.unit)}",
        )
        for start in starts
    )
    inner = grid(map(axis.percent, axis.ticks), HEIGHT) + lines + marks
    return drawing(HEIGHT, f"{title}, by side", _said(measured, starts), inner)


def _said(measured: Measured, starts: Sequence[StartValue]) -> str:
    told = []
    for side in COLORS:
        values = [start.value for start in starts if start.side is side]
        if values:
            ends = (format_value(end, measured.unit) for end in (min(values), max(values)))
            told.append(f"{side.value} {len(values)} starts from {' to '.join(ends)}")
    return "; ".join(told)


def _table(measured: Measured, started: Mapping[int, str]) -> Iterator[str]:
    pairs = list(dict.fromkeys((start.pair, start.confirms) for start in measured.starts))
    by_place = {(start.pair, start.side): start for start in measured.starts}
    yield "<details><summary>Every value, with its trace</summary>"
    name = escape(f"{measured.title}, every value")
    yield f'<div class="scroll" tabindex="0" role="region" aria-label="{name}"><table>'
    yield '<thead><tr><th scope="col" class="left">pair</th><th scope="col">baseline</th>'
    yield '<th scope="col">candidate</th><th scope="col">ratio</th>'
    yield '<th scope="col" class="left">first started</th></tr></thead><tbody>'
    for pair, confirms in pairs:
        of = [by_place.get((pair, side)) for side in COLORS]
        cells = "".join(f"<td>{_value(start, measured)}</td>" for start in of)
        first = min((start.start for start in of if start), default=0)
        when = escape(_clock(started.get(first, "")))
        fresh = " <small>fresh block</small>" if confirms else ""
        yield f'<tr><th scope="row" class="left">{pair}{fresh}</th>{cells}'
        yield f'<td>{_ratio(of)}</td><td class="left">start {first}{when}</td></tr>'
    yield "</tbody></table></div></details>"


def _ratio(of: Sequence[StartValue | None]) -> str:
    baseline, candidate = of
    if baseline is None or candidate is None or not baseline.value:
        return NOTHING
    return f"{candidate.value / baseline.value:.3f}"


def _value(start: StartValue | None, measured: Measured) -> str:
    if start is None:
        return NOTHING
    told = link(link_of_start(start), format_value(start.value, measured.unit))
    if len(start.samples) > 1:
        of = " ".join(
            link(link_to(sample.trace), format_value(sample.value, measured.unit))
            for sample in start.samples
        )
        told += f"<small>of {of}</small>"
    if start.dirty:
        told += f"<small>{start.dirty} dirty</small>"
    return told


def _clock(stamp: str) -> str:
    return f", {stamp[11:19]}" if len(stamp) >= 19 else ""
