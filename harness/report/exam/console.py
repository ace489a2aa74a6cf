"""The result of an exam on the terminal: its groups, and its verdict last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from harness.exam.marking import asked_of
from harness.report.console import AT_MOST, FACTS, STYLES
from harness.report.exam.words import (
    ALL,
    comparison_lines,
    doubts,
    drafting_head,
    drafting_rows,
    exam_environment,
    expected,
    failing,
    group_rows,
    identity_lines,
)
from harness.report.words import one_line, troubles, verdict_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rich.console import Console

    from harness.exam.judge import ExamResult

__all__ = ["print_exam"]

SAMPLES = 8
"""How many wrong answers are told here; the other reports tell more."""


def print_exam(result: ExamResult, folder: Path, console: Console) -> None:
    """The result as a table by group, the verdict last, where the eye is."""
    console.print()
    console.print(_groups(result))
    for line in (*comparison_lines(result), *map(": ".join, identity_lines(result))):
        console.print(Text(f"  {line}"), soft_wrap=True)
    for line in _drafting(result):
        console.print(Text(f"  {line}"), soft_wrap=True)
    console.print()
    for line in _samples(result):
        console.print(Text(f"  {line}", "dim"), soft_wrap=True)
    for judged in troubles(result):
        verdict = judged.verdict
        line = f"  {verdict.outcome.value}: {judged.about}: {one_line(verdict.message)}"
        console.print(Text(line, STYLES[verdict.outcome]), soft_wrap=True)
    for doubt in doubts(result)[:AT_MOST]:
        console.print(Text(f"  to be known: {doubt}", "dim"), soft_wrap=True)
    facts = [f"{name} {value}" for name, value in exam_environment(result) if name in FACTS]
    if facts:
        console.print(Text(f"  {'; '.join(facts)}"))
    console.print(Text(f"  {folder}", "dim"), soft_wrap=True)
    console.print(Text(f"  {verdict_line(result)}.", STYLES[result.outcome]), soft_wrap=True)


def _groups(result: ExamResult) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("group", no_wrap=True)
    for leg in result.scenario.leg:
        table.add_column(leg.name, no_wrap=True)
    for row in group_rows(result):
        table.add_row(row.group, *("  ".join(filter(None, cell)) for cell in row.cells))
        if row.group and len(table.rows) == 1:
            table.add_section()
    return table


def _drafting(result: ExamResult) -> Iterator[str]:
    """A line for each leg that drafted, all groups together: so many columns fit no terminal."""
    head = drafting_head(result)
    for leg, group, *cells in drafting_rows(result):
        if group == ALL:
            told = (f"{title} {cell}" for title, cell in zip(head[2:], cells, strict=True))
            yield f"{leg}: {'; '.join(told)}"


def _samples(result: ExamResult) -> Iterator[str]:
    """The first wrong answers: one of each group before a second of any."""
    found = [
        (leg.name, turns)
        for leg in result.scenario.leg
        for _, turns, _ in failing(result, leg.name, 1)
    ]
    for leg, turns in found[:SAMPLES]:
        for turn in turns:
            asked, got = one_line(asked_of(turn.case), 100), one_line(turn.answer, 100)
            yield f"{leg}, {turn.case.id}: {asked}"
            yield f"    expected: {one_line(expected(turn.case), 100)}; got: {got or 'nothing'}"
    if len(found) > SAMPLES:
        yield "and more, in report.md"
