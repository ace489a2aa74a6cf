"""A run on the terminal: progress while it goes on, the result when it is over.

Where a person watches, one block is redrawn between turns (never within one: drawing would be
measured); where a file or a pipe does, each turn is one plain line.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Self

from rich import box
from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from harness.judge import repeat_name
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
from harness.units import NOTHING, format_value
from harness.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import IO

    from rich.console import RenderableType

    from harness.judge import Result
    from harness.played import PlayedTurn
    from harness.report.words import Told
    from harness.results import RunRecord
    from harness.trace import TurnLabel

__all__ = ["LiveProgress", "PlainProgress", "open_console", "print_result", "print_troubles"]

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


def open_console(file: IO[str]) -> Console:
    """A console on a stream; a stream that is no terminal gets plain text of a fixed width."""
    console = _Console(file=file, highlight=False)
    return console if console.is_terminal else _Console(file=file, highlight=False, width=WIDTH)


class _Console(Console):
    """One that leaves it to its caller what a closed pipe means; rich ends the process with 1."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class PlainProgress:
    """One line a turn, for logs."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._turns = self._done = 0

    def started(self, record: RunRecord, turns: int) -> None:
        """Say what is about to be played."""
        self._turns = turns
        self._say(_opening(record))

    def turn_started(self, label: TurnLabel) -> None:
        """Say nothing: the line comes when the turn has ended."""

    def turn_ended(self, turn: PlayedTurn) -> None:
        """Say how it went."""
        self._done += 1
        label = turn.label
        which = f"{repeat_name(label.repeat)}, {label.leg} turn {label.turn}"
        self._say(f"[{self._done}/{self._turns}] {which}: {_told(turn)}")

    def repeat_ended(self, result: Result) -> None:
        """Say nothing: the result comes at the end."""

    def _say(self, line: str) -> None:
        self._console.print(Text(line), soft_wrap=True)


class LiveProgress:
    """What is being played, how far it is, and the running medians."""

    def __init__(self, console: Console) -> None:
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._opening, self._now, self._last = "", "", ""
        self._turns = self._done = 0
        self._ttft: dict[tuple[int, str], list[float]] = {}

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def started(self, record: RunRecord, turns: int) -> None:
        """Draw the opening."""
        self._opening, self._turns = _opening(record), turns
        self._draw()

    def turn_started(self, label: TurnLabel) -> None:
        """Draw which turn it is."""
        self._now = f"{repeat_name(label.repeat)}, {label.leg} turn {label.turn}"
        self._draw()

    def turn_ended(self, turn: PlayedTurn) -> None:
        """Draw how it went."""
        self._done += 1
        label = turn.label
        self._last = f"{label.leg} turn {label.turn}: {_told(turn)}"
        value = turn.measurements["client.ttft"].value
        if value is not None and label.repeat >= 1:
            self._ttft.setdefault((label.turn, label.leg), []).append(value)
        self._draw()

    def repeat_ended(self, result: Result) -> None:
        """Draw nothing new: medians are redrawn with every turn."""

    def _draw(self) -> None:
        self._live.update(self._block(), refresh=True)

    def _block(self) -> RenderableType:
        metric = METRICS["client.ttft"]
        medians = Table.grid(padding=(0, 2))
        for (turn, leg), values in sorted(self._ttft.items()):
            middle = format_value(statistics.median(values), metric.unit)
            medians.add_row(
                f"turn {turn}", leg, Text(middle, justify="right"), f"n = {len(values)}"
            )
        bar = Table.grid(padding=(0, 2))
        bar.add_row(
            ProgressBar(total=max(self._turns, 1), completed=self._done, width=40),
            f"{self._done}/{self._turns}",
            Text(self._now, style="bold"),
        )
        parts: list[RenderableType] = [Text(self._opening, style="dim"), bar]
        if self._ttft:
            parts += [Text(f"median {metric.title}", style="dim"), medians]
        return Group(*parts, Text(self._last, style="dim", overflow="ellipsis", no_wrap=True))


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


def _opening(record: RunRecord) -> str:
    model = (record.target.runtime or {}).get("model") or record.target.model
    return f"{record.scenario} against {model} at {record.target.url}, {record.repeats} repeats"


def _told(turn: PlayedTurn) -> str:
    """One turn in a line: when its first token came, what it reused, what it answered."""
    if not turn.answered:
        return f"{turn.seen.ending.value}: {turn.seen.detail}"
    ttft = turn.measurements["client.ttft"]
    reuse = turn.reuse
    counts = "" if reuse.prompt is None else f", {reuse.prompt} tokens"
    if reuse.reused is not None:
        counts += f" ({reuse.reused} reused)"
    answer = " ".join(turn.seen.text().split()) or NOTHING
    said = answer if len(answer) <= 60 else f"{answer[:59]}…"
    return f"TTFT {format_value(ttft.value, ttft.unit)}{counts}: {said}"
