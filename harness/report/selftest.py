"""The instrument's own error on the terminal, metric by metric, and whether goals are reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from harness.metrics import METRICS
from harness.report.console import STYLES
from harness.units import NOTHING, SECONDS, format_value

if TYPE_CHECKING:
    from rich.console import Console

    from harness.selftest.calibration import Calibration, Deviation
    from harness.selftest.run import Goal, SelfTest

__all__ = ["print_selftest"]

GOALS = {
    "median": "worst median error of a duration",
    "p99": "99th percentile of the error of an event's stamp",
    "cpu": "process time of an event",
}
PLACES = {"dom": "document", "paint": "screen"}
WORDS = {
    True: Text("reached", "green"),
    False: Text("missed", "bold red"),
    None: Text("too few values to tell", "yellow"),
}


def print_selftest(found: SelfTest, console: Console) -> None:
    """Every metric of the harness's own client, the other clients beside it, the goals."""
    own, *_ = found.clients.values()
    console.print(_metrics(found))
    lag = format_value(own.worst_lag_s, SECONDS)
    console.print(Text(f"  {own.clean} of {own.turns} turns undisturbed, worst lag {lag}"))
    console.print()
    console.print(_clients(found))
    console.print(_goals(found))
    machine = "; ".join(found.marks.values()) or "quiet"
    console.print(Text(f"  the machine meanwhile: {machine}"))
    if found.cost is not None:
        cost = found.cost
        decoding = format_value(cost.decoding_s, SECONDS)
        flood = f"{cost.events:,} events came in {cost.reads:,} reads"
        console.print(Text(f"  {flood}; decoding them afterwards took {decoding} each"))
    console.print(Text(f"  {found.message}", STYLES[found.outcome]))


def _metrics(found: SelfTest) -> Table:
    own, *_ = found.clients.values()
    table = _table("metric", "truth", "median error", "p99", "worst error", "allowed", "")
    for each in own.deviations:
        table.add_row(
            METRICS[each.name].title,
            format_value(each.truth, each.unit),
            _error(each, each.median),
            _bound(each, each.p99),
            _error(each, each.worst),
            f"{_bound(each, each.median_bound)}, {_bound(each, each.worst_bound)}",
            Text("within", "green") if each.within else Text("out", "bold red"),
        )
    return table


def _clients(found: SelfTest) -> Table:
    """The stamps of single events, client by client: what all find wrong is not the instrument."""
    table = _table("client", "events", "median error", "p99", "worst error", "TTFT, median error")
    for name, client in found.clients.items():
        stamps = client.stamps
        table.add_row(
            name,
            f"{stamps.n:,}",
            _signed(stamps.median),
            format_value(stamps.p99, SECONDS),
            _signed(stamps.worst),
            _signed(_ttft(client)),
        )
        for place, told in client.places.items():
            cells = (_signed(told.median), format_value(told.p99, SECONDS), _signed(told.worst))
            table.add_row(f"{name}, {PLACES[place]}", f"{told.n:,}", *cells, NOTHING)
    return table


def _goals(found: SelfTest) -> Table:
    table = _table("goal", "asked", "found", "")
    for goal in found.goals:
        table.add_row(GOALS[goal.name], *_goal_cells(goal))
    return table


def _goal_cells(goal: Goal) -> tuple[str, str, Text]:
    asked = f"≤ {format_value(goal.asked_s, SECONDS)}"
    return asked, format_value(goal.found_s, SECONDS), WORDS[goal.reached]


def _ttft(client: Calibration) -> float | None:
    return next((d.median for d in client.deviations if d.name == "client.ttft"), None)


def _table(first: str, *titles: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column(first)
    for title in titles:
        table.add_column(title, justify="right" if title else "left", no_wrap=True)
    return table


def _signed(seconds: float | None) -> str:
    sign = "+" if seconds is not None and seconds > 0 else ""
    return f"{sign}{format_value(seconds, SECONDS)}"


def _error(each: Deviation, error: float) -> str:
    sign = "+" if error > 0 else ""
    return f"{sign}{_bound(each, error)}"


def _bound(each: Deviation, value: float | None) -> str:
    if value is None or not each.relative:
        return format_value(value, each.unit)
    return f"{value:.2%}"
