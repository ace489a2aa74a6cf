"""The instrument's own error on the terminal, metric by metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from harness.metrics import METRICS
from harness.report.console import STYLES
from harness.units import SECONDS, format_value

if TYPE_CHECKING:
    from rich.console import Console

    from harness.selftest import Deviation, SelfTest

__all__ = ["print_selftest"]


def print_selftest(found: SelfTest, console: Console) -> None:
    """Every metric with what is true of the known stream, and how far the harness was off."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("metric")
    for title in ("truth", "median error", "worst error", "allowed"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("")
    for each in found.deviations:
        table.add_row(
            METRICS[each.name].title,
            format_value(each.truth, each.unit),
            _error(each, each.median),
            _error(each, each.worst),
            f"{_bound(each, each.median_bound)}, {_bound(each, each.worst_bound)}",
            Text("within", "green") if each.within else Text("out", "bold red"),
        )
    console.print(table)
    lag = format_value(found.worst_lag_s, SECONDS)
    console.print(Text(f"  {found.clean} of {found.turns} turns undisturbed, worst lag {lag}"))
    console.print(Text(f"  {found.message}", STYLES[found.outcome]))


def _error(each: Deviation, error: float) -> str:
    sign = "+" if error > 0 else ""
    return f"{sign}{_bound(each, error)}"


def _bound(each: Deviation, value: float) -> str:
    return f"{value:.2%}" if each.relative else format_value(value, each.unit)
