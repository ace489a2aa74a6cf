"""An exam on the terminal: quiet while it goes on, its groups and its verdict when it is over."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Self

from rich import box
from rich.console import Group
from rich.live import Live
from rich.progress_bar import ProgressBar
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
    one_line,
)
from harness.report.words import troubles, verdict_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rich.console import Console, RenderableType

    from harness.exam.judge import ExamResult
    from harness.exam.marking import MarkedTurn
    from harness.results import RunRecord

__all__ = ["LiveExam", "PlainExam", "print_exam"]

LINES = 20
"""A log gets about so many lines, however long the exam is."""
SAMPLES = 8
"""How many wrong answers are told here; the other reports tell more."""


class _Counts:
    """How far it is, and how many were right."""

    def __init__(self) -> None:
        self.opening = ""
        self.turns = self.done = 0
        self._played: Counter[str] = Counter()
        self._right: Counter[str] = Counter()
        self._broken = 0

    def start(self, record: RunRecord, turns: int) -> None:
        model = (record.target.runtime or {}).get("model") or record.target.model
        self.turns = turns
        opening = f"{record.scenario} against {model} at {record.target.url}, {turns} turns"
        self.opening = one_line(opening, 400)

    def note(self, turn: MarkedTurn) -> None:
        self.done += 1
        if turn.label.repeat == 0:  # a warm-up, in no figure
            return
        self._played[turn.label.leg] += 1
        self._right[turn.label.leg] += turn.right
        self._broken += bool(turn.broken)

    def __str__(self) -> str:
        told = [f"{leg} {self._right[leg]} of {n} right" for leg, n in self._played.items()]
        if self._broken:
            told.append(f"{self._broken} broken")
        return ", ".join(told)


class PlainExam:
    """A line now and then, for logs."""

    def __init__(self, console: Console) -> None:
        self._console, self._counts = console, _Counts()

    def exam_started(self, record: RunRecord, turns: int) -> None:
        """Say what is about to be played."""
        self._counts.start(record, turns)
        self._say(self._counts.opening)

    def case_ended(self, turn: MarkedTurn) -> None:
        """Say how it goes, at every twentieth part of the way."""
        counts = self._counts
        counts.note(turn)
        if counts.done * LINES // counts.turns > (counts.done - 1) * LINES // counts.turns:
            self._say(f"[{counts.done}/{counts.turns}] {counts}")

    def _say(self, line: str) -> None:
        self._console.print(Text(line), soft_wrap=True)


class LiveExam:
    """How far it is, how many were right, and the last wrong answer."""

    def __init__(self, console: Console) -> None:
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._counts, self._last = _Counts(), ""

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def exam_started(self, record: RunRecord, turns: int) -> None:
        """Draw the opening."""
        self._counts.start(record, turns)
        self._draw()

    def case_ended(self, turn: MarkedTurn) -> None:
        """Draw how far it is."""
        self._counts.note(turn)
        if not turn.right:
            self._last = f"{turn.case.id}: {'; '.join(turn.wrong)}"
        self._draw()

    def _draw(self) -> None:
        counts = self._counts
        bar = Table.grid(padding=(0, 2))
        bar.add_row(
            ProgressBar(total=max(counts.turns, 1), completed=counts.done, width=40),
            f"{counts.done}/{counts.turns}",
            Text(str(counts), style="bold"),
        )
        parts: list[RenderableType] = [Text(counts.opening, style="dim"), bar]
        last = Text(one_line(self._last), style="dim", overflow="ellipsis", no_wrap=True)
        self._live.update(Group(*parts, last), refresh=True)


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
