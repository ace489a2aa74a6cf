"""Did the machine change while it was measured?  Values by the order of the starts.

One figure a metric, the starts from left to right as they were played; below them the anchor, a
fixed piece of work of our own, measured before and after each block: what it does is the machine's
doing, and no side's.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from harness.gate.record import Side
from harness.report.chart import number
from harness.report.gate.plot import SpanAxis, drawing, grid, labels, mark
from harness.report.gate.spread import COLORS, MARKS
from harness.report.gate.text import escape
from harness.report.gate.words import block_edges
from harness.units import SECONDS, format_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.gate.result import GateResult, Measured, StartValue
    from harness.units import Unit

__all__ = ["drift"]

HEIGHT, EDGE = 84, 9


def drift(result: GateResult) -> Iterator[str]:
    """The figures, and the anchor's."""
    last = max((s.start for m in result.metrics for s in m.starts), default=0)
    last = max([last, *(place - 1 for place, _ in result.anchors)])
    if not last:
        yield '<p class="soft">Nothing was started.</p>'
        return
    yield '<div class="figures-in-a-row">'
    for measured in result.metrics:
        if measured.starts:
            yield from _metric(measured, last, result)
    if result.anchors:
        yield from _anchors(result, last)
    yield "</div>"


def _metric(measured: Measured, last: int, result: GateResult) -> Iterator[str]:
    values = [start.value for start in measured.starts]
    axis = SpanAxis.over(values, measured.unit)
    parts = [_blocks(last, result), _fresh(measured.starts, last)]
    for side in (Side.BASELINE, Side.CANDIDATE):
        of = sorted((s for s in measured.starts if s.side is side), key=lambda s: s.start)
        places = [(_x(start.start, last), _y(start.value, axis)) for start in of]
        parts.append(f'<g class="{COLORS[side]}">{_joined(places)}</g>')
        parts += [
            mark(
                MARKS[side],
                x,
                y,
                f"{COLORS[side]} point{' hollow' if start.dirty else ''}",
                f"start {start.start}, {side.value}: {format_value(start.value, measured.unit)}",
            )
            for start, (x, y) in zip(of, places, strict=True)
        ]
    yield from _figure(
        measured.title, measured.unit, values, "".join(parts), _moved(measured), (last, result)
    )


def _anchors(result: GateResult, last: int) -> Iterator[str]:
    values = [seconds for _, seconds in result.anchors]
    axis = SpanAxis.over(values, SECONDS)
    places = [(_between(place, last), _y(value, axis)) for place, value in result.anchors]
    marks = "".join(
        mark(
            "square", x, y, "point anchor", f"before start {place}: {format_value(value, SECONDS)}"
        )
        for (place, value), (x, y) in zip(result.anchors, places, strict=True)
    )
    inner = f'{_blocks(last, result)}<g class="anchor">{_joined(places)}</g>{marks}'
    first, final = values[0], values[-1]
    said = (
        f"{len(values)} measurements, the first {format_value(first, SECONDS)}, the last "
        f"{format_value(final, SECONDS)}, {100 * (final / first - 1):+.1f} %" if first else ""
    )  # fmt: skip
    title = "The anchor: a fixed piece of work of our own"
    yield from _figure(title, SECONDS, values, inner, said, (last, result))


def _figure(
    title: str, unit: Unit, values: Sequence[float], inner: str, said: str,
    over: tuple[int, GateResult],
) -> Iterator[str]:  # fmt: skip
    last, result = over
    yield f'<figure class="drift"><figcaption>{escape(title)}</figcaption>'
    yield f'<p class="soft small">{escape(said)}</p>' if said else ""
    yield '<div class="plotted"><span class="ends" aria-hidden="true">'
    yield f"<span>{escape(format_value(max(values), unit))}</span>"
    yield f"<span>{escape(format_value(min(values), unit))}</span></span>"
    yield drawing(HEIGHT, f"{title}, by order of start", said or "one value", inner)
    yield labels([(0.0, f"start 1{_at(1, result)}"), (100.0, f"start {last}{_at(last, result)}")])
    yield "</div></figure>"


def _moved(measured: Measured) -> str:
    """How far each side was, at its end, from where it began."""
    told = []
    for side in (Side.BASELINE, Side.CANDIDATE):
        of = [s for s in sorted(measured.starts, key=lambda s: s.start) if s.side is side]
        if len(of) > 1 and of[0].value:
            told.append(f"{side.value} {100 * (of[-1].value / of[0].value - 1):+.1f} %")
    return f"From the first start to the last: {', '.join(told)}" if told else ""


def _at(start: int, result: GateResult) -> str:
    stamp = result.started.get(start, "")
    return f", {stamp[11:16]}" if len(stamp) >= 16 else ""


def _x(start: int, last: int) -> float:
    return 100 * (start - 0.5) / last


def _between(place: int, last: int) -> float:
    """Where something stands that was done before a start."""
    return min(max(100 * (place - 1) / last, 0.0), 100.0)


def _y(value: float, axis: SpanAxis) -> float:
    return EDGE + (HEIGHT - 2 * EDGE) * (1 - axis.share(value))


def _joined(places: Sequence[tuple[float, float]]) -> str:
    return "".join(
        f'<line class="run" x1="{number(x)}%" y1="{number(y)}" x2="{number(to_x)}%" '
        f'y2="{number(to_y)}"/>'
        for (x, y), (to_x, to_y) in itertools.pairwise(places)
    )


def _blocks(last: int, result: GateResult) -> str:
    """Lines where blocks begin and end: an anchor was measured there."""
    return grid([_between(edge, last) for edge in block_edges(result)], HEIGHT)


def _fresh(starts: Sequence[StartValue], last: int) -> str:
    """What was measured to find a fail again."""
    of = [start.start for start in starts if start.confirms]
    if not of:
        return ""
    left, right = 100 * (min(of) - 1) / last, 100 * max(of) / last
    return (
        f'<rect class="fresh" x="{number(left)}%" y="0" width="{number(right - left)}%" '
        f'height="{HEIGHT}"/>'
    )
