"""How the accepted gates of a policy measured, as a page with a panel a metric, and as a table.

Gates stand side by side in their order, and not by the calendar: a week in which nothing was
accepted says nothing.  A level is the geometric mean between two changes.
"""

from __future__ import annotations

import math
import statistics
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from harness.report.chart import number
from harness.report.gate.text import escape
from harness.report.page import listed, section, titled_page
from harness.units import NOTHING, format_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from harness.gate.changes import Change
    from harness.gate.history import History, Line, Point

__all__ = ["change_line", "history_page", "show_history"]

STYLE = Path(__file__).with_name("history.css")
HEIGHT, MARGIN = 96, 12
NEWEST = 20
"""Gates that the table on the console has."""
COLUMNS = 6
"""Metrics that it has."""
SIDES = 2.0
"""Percent of the width that is left free on both sides."""
STYLES = {True: "red", False: "green", None: "yellow"}
CLASSES = {True: "fail", False: "pass", None: "inconclusive"}
METHOD = (
    "Change points by energy distance and a t-test on logarithms (as Hunter does it, "
    "arXiv:2301.03034), p corrected for the number of places; at least three gates on each side. "
    "Only accepted gates are drawn, each machine for itself."
)
FOOTER = (
    "<footer>Derived from reports/baselines; "
    "<code>muse-bench history</code> derives it again.</footer>"
)


def change_line(line: Line, change: Change) -> str:
    """A change in a sentence: `TTFT 8.1 % up, for the worse, since 2026-11-30 (embedded)`."""
    point = line.points[change.at]
    way = "up" if change.ratio > 1 else "down"
    judged = {True: ", for the worse", False: ", for the better", None: ""}[line.worse(change)]
    share = abs(change.ratio - 1)
    return (
        f"{line.title} {share:.1%} {way}{judged}, since {_day(point)} ({point.pin}), "
        f"p {_p(change.p)}"
    )


# -- the console


def show_history(histories: Sequence[History], console: Console) -> None:
    """Print each machine's gates, and what changed."""
    for each in histories:
        console.print(Text(f"{each.policy}, {each.machine}", style="bold"))
        console.print(_table(each))
        for line in each.lines:
            for change in line.changes:
                console.print(
                    Text(f"  {change_line(line, change)}", style=STYLES[line.worse(change)])
                )
        for why in _why_none(each):
            console.print(Text(f"  {why}", style="dim"))


def _table(history: History) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    lines = history.lines[:COLUMNS]
    for title in ("accepted", "pin", *(line.title for line in lines)):
        table.add_column(title, justify="left" if title in {"accepted", "pin"} else "right")
    for gate in history.gates[-NEWEST:]:
        cells = [_cell(line, gate.at, gate.pin) for line in lines]
        table.add_row(gate.at[:10], f"{gate.pin} {gate.digest[:7]}", *cells)
    return table


def _cell(line: Line, at: str, pin: str) -> Text:
    for place, point in enumerate(line.points):
        if (point.at, point.pin) == (at, pin):
            found = next((change for change in line.changes if change.at == place), None)
            mark = "" if found is None else " \N{BLACK UP-POINTING TRIANGLE}"
            if found and found.ratio < 1:
                mark = " \N{BLACK DOWN-POINTING TRIANGLE}"
            style = "" if found is None else STYLES[line.worse(found)]
            return Text(f"{format_value(point.value, line.unit)}{mark}", style=style)
    return Text(NOTHING)


# -- the page


def history_page(histories: Sequence[History]) -> str:
    """The text of a page, whole in itself."""
    return titled_page(
        "muse-bench, accepted gates", _body(histories), style=STYLE.read_text(encoding="utf-8")
    )


def _body(histories: Sequence[History]) -> Iterator[str]:
    gates = sum(len(each.gates) for each in histories)
    machines = len({each.machine for each in histories})
    yield "<header><h1>muse-bench, history</h1>"
    told = f"{_number(gates, 'accepted gate')}, {_number(machines, 'machine')}"
    yield f'<p class="verdict">{told}</p>'
    yield f'<p class="soft small">{escape(METHOD)}</p></header><main>'
    for each in histories:
        yield from section(f"{each.policy}, {each.machine}", _machine(each))
    yield f"</main>{FOOTER}"


def _machine(history: History) -> Iterator[str]:
    found = [change_line(line, c) for line in history.lines for c in line.changes]
    yield from listed([*found, *_why_none(history)] or ["No metric changed."])
    yield '<div class="panels">'
    for line in history.lines:
        yield from _panel(line)
    yield "</div>"


def _panel(line: Line) -> Iterator[str]:
    first, last = line.points[0], line.points[-1]
    note = "" if line.gated else ' <span class="soft">not gated</span>'
    yield (
        f"<figure><figcaption>{escape(line.title)}: "
        f"{escape(format_value(last.value, line.unit))}{note}</figcaption>"
    )
    yield _drawing(line)
    low, high = (format_value(pick(_values(line)), line.unit) for pick in (min, max))
    dates = _day(first) if len(line.points) == 1 else f"{_day(first)} to {_day(last)}"
    yield f'<div class="soft small">{escape(f"{dates}; {low} to {high}")}</div></figure>'


def _drawing(line: Line) -> str:
    said = "; ".join(
        [f"{line.title}, {_number(len(line.points), 'accepted gate')}"]
        + [change_line(line, change) for change in line.changes]
    )
    marks = [_step(line, change) for change in line.changes]
    marks += [_level(line, begin, end) for begin, end in _stretches(line)]
    marks += [
        f'<line class="course" x1="{_x(line, at)}%" y1="{_y(line, before.value)}" '
        f'x2="{_x(line, at + 1)}%" y2="{_y(line, behind.value)}"/>'
        for at, (before, behind) in enumerate(pairwise(line.points))
    ]
    marks += [
        f'<circle class="sample" cx="{_x(line, at)}%" cy="{_y(line, point.value)}" r="3.5">'
        f"<title>{escape(_said(line, point))}</title></circle>"
        for at, point in enumerate(line.points)
    ]
    return (
        f'<svg class="row" width="100%" height="{HEIGHT}" role="img" '
        f'aria-label="{escape(said)}"><g class="leg-1">{"".join(marks)}</g></svg>'
    )


def _step(line: Line, change: Change) -> str:
    at = number((float(_x(line, change.at - 1)) + float(_x(line, change.at))) / 2)
    return (
        f'<g class="{CLASSES[line.worse(change)]}"><line class="middle" x1="{at}%" x2="{at}%" '
        f'y1="0" y2="{HEIGHT}"><title>{escape(change_line(line, change))}</title></line></g>'
    )


def _level(line: Line, begin: int, end: int) -> str:
    """The geometric mean of a stretch, as a line."""
    logs = [math.log(value) for value in _values(line)[begin:end] if value > 0]
    if not logs:
        return ""
    y = _y(line, math.exp(statistics.fmean(logs)))
    return (
        f'<line class="level" x1="{_x(line, begin)}%" x2="{_x(line, end - 1)}%" y1="{y}" y2="{y}"/>'
    )


def _stretches(line: Line) -> Iterator[tuple[int, int]]:
    edges = [0, *(change.at for change in line.changes), len(line.points)]
    yield from pairwise(edges)


def _values(line: Line) -> list[float]:
    return [point.value for point in line.points]


def _x(line: Line, at: int) -> str:
    """Percent of the width."""
    places = len(line.points) - 1
    return number(SIDES + (100 - 2 * SIDES) * at / places) if places else "50"


def _y(line: Line, value: float) -> str:
    """Pixels from above; the scale holds 2 % of its middle at least, or noise would fill it."""
    low, high = min(_values(line)), max(_values(line))
    middle, room = (low + high) / 2, max(high - low, 0.02 * abs(high), 1e-12)
    share = (value - (middle - room / 2)) / room
    return number(HEIGHT - MARGIN - share * (HEIGHT - 2 * MARGIN))


def _said(line: Line, point: Point) -> str:
    return f"{_day(point)}, {point.pin}: {format_value(point.value, line.unit)}"


def _why_none(history: History) -> list[str]:
    """Each reason once, with the metrics that it is of."""
    reasons: dict[str, list[str]] = {}
    for line in history.lines:
        if line.why_none:
            reasons.setdefault(line.why_none, []).append(line.title)
    return [
        f"{why} ({'every metric' if len(names) == len(history.lines) else ', '.join(names)})"
        for why, names in reasons.items()
    ]


def _day(point: Point) -> str:
    return point.at[:10]


def _p(p: float) -> str:
    return f"= {p:.2g}" if p >= 0.0001 else "< 0.0001"


def _number(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"
