"""A gate on the terminal: the metrics, what failed, and last the verdict in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from harness.gate.result import Ruling
from harness.gate.standing import standing
from harness.report.gate.words import (
    NOT_INTERLEAVED,
    RULED,
    advice,
    allowed,
    answers_line,
    change_words,
    counts_words,
    gated,
    interval_words,
    margin_words,
    medians,
    n_words,
    needing,
    not_comparable,
    q_words,
    ratio_words,
    reasons,
    ruling_words,
    shown,
    sides_line,
    verdict_line,
)
from harness.report.words import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.console import Console

    from harness.gate.result import GateResult, Measured

__all__ = ["show_gate"]

AT_MOST = 6
"""How many failed checks, differences and doubts are told here; the other reports tell all."""

STYLES = {
    Ruling.PASS: "green",
    Ruling.FAIL: "bold red",
    Ruling.INCONCLUSIVE: "yellow",
    Ruling.REFUSED: "bold magenta",
}


def show_gate(result: GateResult, folder: Path, console: Console) -> None:
    """The gate in tables; its last line is the verdict."""
    console.print()
    _line(console, sides_line(result), "bold")
    _differences(result, console)
    if result.metrics:
        console.print()
        console.print(_table(gated(result), shown(result)))
    _trouble(result, console)
    for doubt in _few([one_line(doubt, 300) for doubt in result.doubts], "to be known"):
        _line(console, doubt, "dim")
    console.print()
    if not result.interleaved:
        _line(console, f"Warning: {NOT_INTERLEAVED}", "yellow")
    for reason in _few([one_line(reason, 300) for reason in reasons(result)], "reasons"):
        _line(console, reason)
    _line(console, f"{folder}/report.html", "dim")
    told = advice(result, str(folder))
    _line(console, f"{told.said} {told.command}".strip())
    _line(console, verdict_line(result), STYLES[result.ruling])


def _line(console: Console, text: str, style: str = "") -> None:
    console.print(Text(f"  {text}", style), soft_wrap=True)


def _differences(result: GateResult, console: Console) -> None:
    for title, style, found in (
        ("allowed", "yellow", allowed(result)),
        ("not comparable", "bold red", not_comparable(result)),
    ):
        lines = [
            f"{title}: {one_line(each.what)}, {one_line(each.baseline, 60)} on the baseline, "
            f"{one_line(each.candidate, 60)} on the candidate"
            for each in found
        ]
        for line in _few(lines, "differences"):
            _line(console, line, style)


def _table(judged: Sequence[Measured], others: Sequence[Measured]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("metric")
    for title in ("baseline", "candidate", "ratio", "", "change", "margin", "n"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("ruling", no_wrap=True)
    for measured in judged:
        style = STYLES[measured.ruling] if measured.ruling else ""
        table.add_row(*_cells(measured), Text(ruling_words(measured), style))
    if judged and others:
        table.add_section()
    for measured in others:
        table.add_row(*_cells(measured), Text(f"shown, q {q_words(measured)}", "dim"))
    return table


def _cells(measured: Measured) -> tuple[str, ...]:
    return (
        one_line(measured.title, 60),
        *medians(measured),
        ratio_words(measured),
        interval_words(measured),
        change_words(measured),
        margin_words(measured),
        n_words(measured),
    )


def _trouble(result: GateResult, console: Console) -> None:
    found = needing(result.checks)
    if found or result.answers:
        console.print()
    held = [row for row in result.checks if row not in found]
    if held:
        _line(console, f"{standing(held)}.")
    lines = [
        f"{RULED[row.ruling]}: {one_line(row.part, 40)}, {one_line(row.check, 60)}: "
        f"baseline {counts_words(row.baseline)}; candidate {counts_words(row.candidate)}"
        f"{'; ' + one_line(row.why) if row.why else ''}"
        for row in found
    ]
    for row, line in zip([*found[:AT_MOST], None], _few(lines, "checks"), strict=False):
        _line(console, line, STYLES[row.ruling] if row else "")
    if result.answers:
        said = f"answers, {RULED[result.answers.ruling]}: {answers_line(result.answers)}"
        _line(console, said, STYLES[result.answers.ruling])


def _few(lines: list[str], what: str) -> list[str]:
    more = len(lines) - AT_MOST
    return [*lines[:AT_MOST], f"and {more} more {what}"] if more > 0 else lines
