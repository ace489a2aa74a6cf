"""The result of a run on the terminal, the verdict last, where the eye is.

`harness.report.progress` is what is shown while the run goes on.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from harness.clock import SystemClock
from harness.metrics import METRICS
from harness.report.environment import environment
from harness.report.moments import MOMENTS_HEAD, moment_rows
from harness.report.words import (
    COUNTED,
    TIMED,
    check_rows,
    comparison_line,
    doubts,
    troubles,
    turn_rows,
    verdict_line,
)
from harness.verdict import Outcome
from harness.waiting import Waiting

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import IO

    from harness.judge import Result
    from harness.report.words import Told

__all__ = ["STYLES", "Terminal", "open_console", "print_result", "print_troubles", "printing"]

WIDTH = 120
"""Columns where no terminal says how many it has."""
SHOWN, COUNTS = 4, 3
"""How many of `TIMED` and of `COUNTED` fit here; the other reports have all."""
AT_MOST = 6
"""How many troubles, and how many doubts, are told here; the other reports tell all."""

STYLES = {
    Outcome.PASS: "green",
    Outcome.FAIL: "bold red",
    Outcome.SKIP: "dim",
    Outcome.INCONCLUSIVE: "yellow",
    Outcome.NOTE: "yellow",
}
FACTS = ("command to ready", "peak memory, server", "peak memory, worker")
"""What of the environment is part of the result on the terminal."""


class Terminal(Console):
    """Where a command prints, and what is to be known by whatever is drawn there meanwhile."""

    waiting: Waiting
    """What turns under way wait for, as the client tells."""
    heading: str = ""
    """What stands above a run: the suite it is a part of."""

    def __init__(self, **how: Any) -> None:  # noqa: ANN401 - rich's own arguments
        super().__init__(**how)
        self.waiting = Waiting(SystemClock())

    def on_broken_pipe(self) -> None:
        """Leave it to the caller what a closed pipe means; rich ends the process with 1."""
        raise BrokenPipeError


def open_console(file: IO[str]) -> Terminal:
    """A console on a stream; a stream that is no terminal gets plain text of a fixed width."""
    console = Terminal(file=file, highlight=False)
    return console if console.is_terminal else Terminal(file=file, highlight=False, width=WIDTH)


@contextlib.contextmanager
def printing(file: IO[str]) -> Iterator[None]:
    """Where a result is printed: a reader that has seen enough does not change the verdict."""
    try:
        yield
        file.flush()
    except BrokenPipeError:  # what is left in the buffer must have somewhere to go
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
            os.dup2(nowhere.fileno(), file.fileno())


def print_result(result: Result, folder: Path, console: Console) -> None:
    """The result as tables, the verdict last, where the eye is."""
    console.print()
    whole = _turns(result)
    unbounded = console.options.update(width=10_000)
    if console.measure(whole, options=unbounded).maximum > console.width:
        console.print(_turns(result, counted=False))
        console.print()
        whole = _turns(result, timed=False)
    console.print(whole)
    if rows := moment_rows(result):
        console.print()
        console.print(_moments(rows))
    for each in result.compared:
        console.print(Text(f"  {each.asked.name}, {comparison_line(each)}"))
    console.print()
    print_troubles(result, console)
    for doubt in doubts(result)[:AT_MOST]:
        console.print(Text(f"  to be known: {doubt}", "dim"), soft_wrap=True)
    facts = [f"{name} {value}" for name, value in environment(result) if name in FACTS]
    if facts:
        console.print(Text(f"  {'; '.join(facts)}"))
    console.print(Text(f"  {folder}", "dim"), soft_wrap=True)
    console.print(Text(f"  {verdict_line(result)}.", STYLES[result.outcome]), soft_wrap=True)


def print_troubles(result: Told, console: Console) -> None:
    """The table of checks, and the first verdicts that need a look."""
    console.print(_checks(result))
    found = troubles(result)
    for judged in found[:AT_MOST]:
        verdict = judged.verdict
        style = STYLES[verdict.outcome]
        console.print(Text(f"  {verdict.outcome.value}: {verdict.check}, {judged.about}", style))
        console.print(Text(f"    {verdict.message}"), soft_wrap=True)
    if len(found) > AT_MOST:
        console.print(Text(f"  and {len(found) - AT_MOST} more, in report.md", "dim"))


def _turns(result: Result, *, timed: bool = True, counted: bool = True) -> Table:
    """The result table, or the half of it that is asked for."""
    shown, counts = SHOWN if timed else 0, COUNTS if counted else 0
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for title in ("turn", "leg"):
        table.add_column(title, no_wrap=True)
    for name in (*TIMED[:shown], *COUNTED[:counts]):
        table.add_column(METRICS[name].title, justify="right", no_wrap=True)
    if counted:
        table.add_column("reset", no_wrap=True)
    before = None
    for row in turn_rows(result):
        if before not in {None, row.turn}:
            table.add_section()
        before = row.turn
        times = [middle for middle, _ in row.timed[:shown]]
        resets = [row.reset] if counted else []
        table.add_row(str(row.turn), row.leg, *times, *row.counted[:counts], *resets)
    return table


def _moments(rows: Sequence[tuple[str, ...]]) -> Table:
    """When the same moment came in the client, and at each place of the page."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for title in MOMENTS_HEAD:
        table.add_column(title, no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return table


def _checks(result: Told) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for title in ("check", "promise", "outcome"):
        table.add_column(title)
    for row in check_rows(result):
        skipped = f": {row.skipped}" if row.skipped else ""
        said = Text(f"{row.counts}{skipped}", STYLES[row.outcome])
        table.add_row(row.check, row.promise, said)
    return table
