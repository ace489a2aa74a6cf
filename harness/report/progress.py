"""A run on the terminal while it goes on, of whichever kind.

Where a person watches, one block is redrawn between turns: what is played, how far it is, what is
waited for, the running medians.  Drawing within a turn would be measured, so that it is done only
in turns that have lasted a second, once a second.  Where a file or a pipe reads, a log gets a line
now and then, some twenty in all.
"""

from __future__ import annotations

import statistics
import threading
from typing import TYPE_CHECKING, Self

from rich.console import Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from harness.judge import repeat_name
from harness.metrics import METRICS
from harness.report.console import Terminal
from harness.report.words import one_line
from harness.units import NOTHING, format_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console, RenderableType

    from harness.judge import Result
    from harness.played import PlayedTurn
    from harness.results import RunRecord
    from harness.trace import TurnLabel

__all__ = ["LiveProgress", "PlainProgress"]

LINES = 20
"""A log gets about so many lines, however long the run is."""
PATIENCE_S = 1.0
"""A turn is drawn into when it has lasted so long, and again after as long."""
ROWS = 8
"""Medians are told turn by turn if these are no more, else leg by leg, else of all together."""
WATCHED = ("client.ttft", "client.decode_rate")
"""The metrics whose running medians are told."""


class PlainProgress:
    """A line now and then, for logs."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._turns = self._done = 0
        self._noted = ""

    def started(self, record: RunRecord, turns: int) -> None:
        """Say what is about to be played."""
        self._turns = turns
        self._say(_opening(record, turns))

    def turn_started(self, label: TurnLabel) -> None:
        """Say nothing: the line comes when the turn has ended."""

    def turn_ended(self, turn: PlayedTurn) -> None:
        """Say how it went, or how it goes, at every twentieth part of the way."""
        self._done += 1
        turns = max(self._turns, self._done)
        if self._done * LINES // turns > (self._done - 1) * LINES // turns:
            said = self._noted or f"{_which(turn.label)}: {_told(turn)}"
            self._say(f"[{self._done}/{turns}] {said}")

    def noted(self, said: str, wrong: str = "") -> None:  # noqa: ARG002
        """How it goes, in a phrase; what is said instead of single turns."""
        self._noted = said

    def repeat_ended(self, result: Result) -> None:
        """Say nothing: the result comes at the end."""

    def _say(self, line: str) -> None:
        self._console.print(Text(line), soft_wrap=True)


class LiveProgress:
    """What is played, how far it is, what is waited for, and the running medians."""

    def __init__(self, console: Console) -> None:
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._terminal = console if isinstance(console, Terminal) else None
        self._opening = self._now = self._last = self._noted = self._wrong = ""
        self._turns = self._done = 0
        self._medians = _Medians()
        self._over = threading.Event()
        self._ticker = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Self:
        self._live.start()
        self._ticker.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._ticker.join()
        self._live.stop()

    def started(self, record: RunRecord, turns: int) -> None:
        """Draw the opening."""
        self._opening, self._turns = _opening(record, turns), turns
        self.draw()

    def turn_started(self, label: TurnLabel) -> None:
        """Draw which turn it is."""
        self._now = _which(label)
        self.draw()

    def turn_ended(self, turn: PlayedTurn) -> None:
        """Draw how it went."""
        self._done += 1
        self._last = f"{turn.label.leg} turn {turn.label.turn}: {_told(turn)}"
        self._medians.add(turn)
        self.draw()

    def noted(self, said: str, wrong: str = "") -> None:
        """How it goes, in a phrase, and the last thing that was wrong; drawn with the next turn."""
        self._noted, self._wrong = said, wrong or self._wrong

    def repeat_ended(self, result: Result) -> None:
        """Draw nothing new: medians are redrawn with every turn."""

    def draw(self) -> None:
        """Draw how it stands now."""
        self._live.update(self._block(), refresh=True)

    def _tick(self) -> None:
        while not self._over.wait(PATIENCE_S):
            if self._terminal and self._terminal.waiting.longest_s >= PATIENCE_S:
                self.draw()

    def _block(self) -> RenderableType:
        bar = Table.grid(padding=(0, 2))
        bar.add_row(
            ProgressBar(total=max(self._turns, self._done, 1), completed=self._done, width=40),
            f"{self._done}/{max(self._turns, self._done)}",
            Text(self._now, style="bold"),
        )
        parts: list[RenderableType] = [bar, Text(self._waits(), style="dim")]
        above = (self._terminal.heading if self._terminal else "", self._opening)
        parts[:0] = [_one_line(line) for line in above if line]
        if self._noted:
            parts.append(Text(self._noted))
        if rows := self._medians.rows():
            parts.append(_medians_table(rows))
        return Group(*parts, _one_line(self._last), _one_line(one_line(self._wrong)))

    def _waits(self) -> str:
        if self._terminal is None or not (what := str(self._terminal.waiting)):
            return ""
        return f"waiting for {what}, {self._terminal.waiting.longest_s:.0f} s"


_Values = dict[str, list[float]]
_Groups = dict[str, list[_Values]]


class _Medians:
    """The values of the watched metrics so far, warm-ups apart."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, int], _Values] = {}

    def add(self, turn: PlayedTurn) -> None:
        label = turn.label
        if label.repeat < 1:
            return
        of_turn = self._values.setdefault((label.leg, label.turn), {name: [] for name in WATCHED})
        for name in WATCHED:
            value = turn.measurements[name].value
            if value is not None:
                of_turn[name].append(value)

    def rows(self) -> list[tuple[str, ...]]:
        """Whose medians, each median, and of how many."""
        by_turn, by_leg, of_all = _Groups(), _Groups(), _Groups()
        for (leg, turn), values in sorted(self._values.items(), key=lambda kv: kv[0][::-1]):
            by_turn.setdefault(f"turn {turn}, {leg}", []).append(values)
            by_leg.setdefault(leg, []).append(values)
            of_all.setdefault("all", []).append(values)
        told = next((g for g in (by_turn, by_leg) if len(g) <= ROWS), of_all)
        return [row for name, of in told.items() if (row := _median_row(name, of))]


def _median_row(name: str, of: list[_Values]) -> tuple[str, ...]:
    values = {metric: [v for each in of for v in each[metric]] for metric in WATCHED}
    most = max(len(found) for found in values.values())
    return (name, *_medians(values), f"n = {most}") if most else ()


def _medians(values: _Values) -> Iterator[str]:
    for metric, found in values.items():
        middle = statistics.median(found) if found else None
        yield format_value(middle, METRICS[metric].unit)


def _medians_table(rows: list[tuple[str, ...]]) -> Table:
    table = Table.grid(padding=(0, 2))
    titles = (f"{METRICS[name].title}, median" for name in WATCHED)
    table.add_row("", *(Text(title, style="dim", justify="right") for title in titles), "")
    for name, *middles, n in rows:
        table.add_row(name, *(Text(m, justify="right") for m in middles), Text(n, style="dim"))
    return table


def _one_line(text: str) -> Text:
    return Text(text, style="dim", overflow="ellipsis", no_wrap=True)


def _which(label: TurnLabel) -> str:
    return f"{repeat_name(label.repeat)}, {label.leg} turn {label.turn}"


def _opening(record: RunRecord, turns: int) -> str:
    model = (record.target.runtime or {}).get("model") or record.target.model
    repeats = f", {record.repeats} repeats" if record.repeats > 1 else ""
    said = f"{record.scenario} against {model} at {record.target.url}{repeats}, {turns} turns"
    return one_line(said, 400)


def _told(turn: PlayedTurn) -> str:
    """One turn in a line: when its first token came, what it reused, what it answered."""
    if not turn.answered:
        return one_line(f"{turn.seen.ending.value}: {turn.seen.detail}")
    ttft = turn.measurements["client.ttft"]
    reuse = turn.reuse
    counts = "" if reuse.prompt is None else f", {reuse.prompt} tokens"
    if reuse.reused is not None:
        counts += f" ({reuse.reused} reused)"
    said = one_line(turn.seen.text(), 60) or NOTHING
    return f"TTFT {format_value(ttft.value, ttft.unit)}{counts}: {said}"
