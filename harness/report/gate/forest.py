"""How large is each change, and how sure is that? The forest plot: a ratio a row.

Ratios are candidate over baseline on a logarithmic axis with 1.00 in its middle.  The band from
there to the dashed line is the margin, on the side that is worse; a word at that end says so.
A point's shape tells its ruling as its colour does, and so does the word at the end of the row.

On a phone each row becomes a block, the drawing across it, its cells named; roles are spelled out
so that it stays a table for whoever cannot see it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.gate.result import Ruling
from harness.report.chart import number
from harness.report.gate.plot import RatioAxis, drawing, grid, labels, mark
from harness.report.gate.text import escape
from harness.report.gate.words import (
    better_words,
    change_words,
    interval_words,
    limits_of,
    margin_words,
    medians,
    n_words,
    q_words,
    ratio_words,
    ruling_words,
)
from harness.units import Better

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harness.gate.result import Measured

__all__ = ["forest"]

HEIGHT = 36
MIDDLE = 23
"""Where the marks of a row are; above them stands the word of the worse side."""

SHAPE_OF = {
    Ruling.PASS: "circle",
    Ruling.FAIL: "diamond",
    Ruling.INCONCLUSIVE: "square",
    Ruling.REFUSED: "cross",
    None: "circle",
}


def forest(
    metrics: Sequence[Measured], anchors: Mapping[str, str], about: str, *, why: bool = True
) -> Iterator[str]:
    """A table of these metrics with a drawing in each row; `anchors` are their figures' ids.

    With `why` each row has its ruling in words, too.
    """
    axis = RatioAxis.over(_drawn(metrics))
    judged = any(measured.gated for measured in metrics)
    last = ("margin", "n", "ruling") if judged else ("q", "n")
    heads = ("metric", "", "baseline", "candidate", "ratio, interval", *last)
    yield f'<table class="forest" role="table" aria-label="{escape(about)}">'
    yield '<thead role="rowgroup"><tr role="row">'
    for place, head in enumerate(heads):
        side = ' class="left"' if place in {0, 1} or head == "ruling" else ""
        said = head or '<span class="unseen">drawing</span>'
        yield f'<th scope="col" role="columnheader"{side}>{said}</th>'
    yield '</tr></thead><tbody role="rowgroup">'
    for measured in metrics:
        anchor = anchors.get(measured.name, "") if measured.starts else ""
        yield from _row(measured, axis, anchor)
        if why and measured.why:
            yield f'<tr role="row" class="why"><td role="cell" class="left" colspan="{len(heads)}">'
            yield f"{escape(measured.why)}</td></tr>"
    yield "</tbody></table>"


def _drawn(metrics: Sequence[Measured]) -> Iterator[float]:
    for measured in metrics:
        for ratio in (measured.ratio, measured.low, measured.high, *limits_of(measured)):
            if ratio is not None:
                yield ratio


def _row(measured: Measured, axis: RatioAxis, anchor: str) -> Iterator[str]:
    baseline, candidate = medians(measured)
    title = escape(measured.title)
    named = f'<a href="#{escape(anchor)}">{title}</a>' if anchor else title
    ruled = measured.ruling.value if measured.ruling else "soft"
    yield '<tr role="row">'
    yield (
        f'<th scope="row" role="rowheader" class="left">{named}'
        f"<small>{better_words(measured.unit)}</small></th>"
    )
    yield f'<td role="cell" class="drawn">{_drawing(measured, axis)}'
    yield f"{labels([(axis.percent(tick), _tick(tick)) for tick in axis.ticks])}</td>"
    yield _cell("baseline", escape(baseline))
    yield _cell("candidate", escape(candidate))
    change = escape(change_words(measured))
    figures = f"<b>{ratio_words(measured)}</b> {interval_words(measured)}"
    yield _cell("ratio", f'{figures}<small class="change">{change}</small>', "ratio")
    if measured.gated:
        yield _cell("margin", margin_words(measured))
        yield _cell("pairs", n_words(measured))
        yield (
            f'<td role="cell" class="left ruling"><span class="{ruled}">'
            f"{escape(ruling_words(measured))}</span></td>"
        )
    else:
        yield _cell("q", q_words(measured))
        yield _cell("pairs", n_words(measured))
    yield "</tr>"


def _cell(name: str, inner: str, kind: str = "") -> str:
    also = f' class="{kind}"' if kind else ""
    return f'<td role="cell" data-name="{name}"{also}>{inner}</td>'


def _drawing(measured: Measured, axis: RatioAxis) -> str:
    parts = [grid([axis.percent(t) for t in axis.ticks if t != 1.0], HEIGHT)]
    for limit in limits_of(measured):
        ends = sorted((axis.percent(1.0), axis.percent(limit)))
        parts.append(
            f'<rect class="band" x="{number(ends[0])}%" y="0" '
            f'width="{number(ends[1] - ends[0])}%" height="{HEIGHT}"/>'
        )
        parts.append(grid([axis.percent(limit)], HEIGHT, "limit"))
    parts.append(grid([axis.percent(1.0)], HEIGHT, "one"))
    parts.append(_worse(measured))
    ruled = measured.ruling.value if measured.ruling else "shown"
    parts.append(f'<g class="{ruled}">{_interval(measured, axis)}</g>')
    return drawing(
        HEIGHT, f"{measured.title}, candidate over baseline", _said(measured), "".join(parts)
    )


def _interval(measured: Measured, axis: RatioAxis) -> str:
    if measured.ratio is None:
        return '<text class="soft-text" x="51%" y="27">no pair</text>'
    marks = []
    if measured.low is not None and measured.high is not None:
        left, right = axis.percent(measured.low), axis.percent(measured.high)
        marks.append(
            f'<line class="whisker" x1="{number(left)}%" x2="{number(right)}%" '
            f'y1="{MIDDLE}" y2="{MIDDLE}"/>'
        )
        for end, arrow in ((measured.low, "left"), (measured.high, "right")):
            if axis.beyond(end):
                marks.append(mark(arrow, axis.percent(end), MIDDLE, "point"))
            else:
                x = number(axis.percent(end))
                top, foot = MIDDLE - 5, MIDDLE + 5
                marks.append(f'<line class="whisker" x1="{x}%" x2="{x}%" y1="{top}" y2="{foot}"/>')
    if not axis.beyond(measured.ratio):
        shape = SHAPE_OF[measured.ruling]
        hollow = " hollow" if measured.ruling is Ruling.INCONCLUSIVE else ""
        marks.append(mark(shape, axis.percent(measured.ratio), MIDDLE, f"point{hollow}"))
    return "".join(marks)


def _worse(measured: Measured) -> str:
    """The word at the end that is worse."""
    if measured.unit.better is Better.NEITHER:
        return ""
    if measured.higher_is_better:
        return '<text class="soft-text" x="0" y="10">\N{LEFTWARDS ARROW} worse</text>'
    return (
        '<text class="soft-text" x="100%" y="10" text-anchor="end">'
        "worse \N{RIGHTWARDS ARROW}</text>"
    )


def _said(measured: Measured) -> str:
    if measured.ratio is None:
        return "no pair was measured"
    told = [f"ratio {ratio_words(measured)}"]
    if change_words(measured):
        told[0] += f", {change_words(measured)}"
    if interval_words(measured):
        told.append(f"{100 * measured.confidence:g} % interval {interval_words(measured)}")
    if measured.unit.better is not Better.NEITHER:
        told.append(f"worse is {'below' if measured.higher_is_better else 'above'} 1")
    if limits := limits_of(measured):
        told.append(f"the margin ends at {' and '.join(f'{limit:.3f}' for limit in limits)}")
    told.append(f"{measured.n} pairs")
    told.append(ruling_words(measured))
    return "; ".join(told)


def _tick(ratio: float) -> str:
    return f"{ratio:.2f}"
