"""A gate on the terminal while it is played.

Where a person watches, one block is redrawn as each start and each scenario begins: which start of
how many, what every gated metric comes to so far, how much time is left.  Nothing is drawn while a
turn is under way.  Where a file or a pipe reads, there is a line a start, and one a look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from rich.console import Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from harness.gate.record import Side
from harness.report.gate.console import STYLES
from harness.report.gate.words import (
    interval_words,
    margin_words,
    ratio_words,
    ruling_words,
)
from harness.report.suite import SuiteLines
from harness.report.words import one_line

if TYPE_CHECKING:
    from harness.gate.policy import Policy
    from harness.gate.record import GateRecord, StartRecord
    from harness.gate.result import GateResult, Measured
    from harness.report.console import Terminal

__all__ = ["GateLines", "LiveGate", "watch_gate"]


class GateLines:
    """A line for everything that ends, for logs."""

    def __init__(self, console: Terminal) -> None:
        self._console = console
        self._record: GateRecord | None = None
        self._policy: Policy | None = None
        self._left_s = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is held."""

    def gate_started(self, record: GateRecord, policy: Policy) -> None:
        """Say what is about to be played."""
        self._record, self._policy = record, policy
        self._say(_opening(record))

    def suite_started(self, side: Side, *, again: bool) -> SuiteLines:
        """Say whose suite it is; it tells of its parts itself."""
        what = "once more, what failed of the suite" if again else "the suite"
        self._say(f"{what}, {self._named(side)}", "bold")
        return SuiteLines(self._console)

    def start_began(self, start: StartRecord, left_s: float) -> None:  # noqa: ARG002
        """Say nothing: the line comes when the start has ended."""
        self._left_s = left_s

    def scenario_began(self, name: str) -> None:
        """Say nothing."""

    def start_ended(self, start: StartRecord) -> None:
        """Say how it ended."""
        self._say(f"[{self._count(start)}] {self._told(start)}", "bold red" * bool(start.stopped))

    def judged(self, result: GateResult) -> None:
        """Say what every gated metric comes to so far."""
        for metric in result.metrics:
            if metric.gated and metric.n:
                style = STYLES[metric.ruling] if metric.ruling else ""
                self._say(f"  {', '.join(_cells(metric))}", style)

    def told(self, said: str) -> None:
        """Say it."""
        self._say(f"  {one_line(said, 400)}")

    def _say(self, line: str, style: str = "") -> None:
        self._console.print(Text(line, style), soft_wrap=True)

    def _named(self, side: Side) -> str:
        record = self._record
        if record is None:
            return side.value
        pin = record.baseline if side is Side.BASELINE else record.candidate
        return f"{side.value} {one_line(pin.name)}"

    def _most(self, start: StartRecord) -> int:
        if self._record is None or self._policy is None:
            return start.pair
        return start.pair if start.confirms else self._record.pairs

    def _count(self, start: StartRecord) -> str:
        if start.confirms:
            return f"start {start.index}, to confirm, pair {start.pair}"
        return f"start {start.index}, pair {start.pair}/{self._most(start)}"

    def _told(self, start: StartRecord) -> str:
        if start.stopped:
            return f"{self._named(start.side)}: {one_line(start.stopped, 300)}"
        ready = "" if start.ready_s is None else f", ready after {start.ready_s:.1f} s"
        return f"{self._named(start.side)}{ready}"


class LiveGate(GateLines):
    """The same above a block that shows how it stands now."""

    def __init__(self, console: Terminal) -> None:
        super().__init__(console)
        self._live: Live | None = None
        self._start: StartRecord | None = None
        self._scenario = ""
        self._result: GateResult | None = None

    def __exit__(self, *_: object) -> None:
        self._rest()

    def suite_started(self, side: Side, *, again: bool) -> SuiteLines:
        """Let the parts draw what they draw."""
        self._rest()
        return super().suite_started(side, again=again)

    def start_began(self, start: StartRecord, left_s: float) -> None:
        """Draw which start it is."""
        self._start, self._left_s, self._scenario = start, left_s, "is being started"
        self._draw()

    def scenario_began(self, name: str) -> None:
        """Draw which scenario it is."""
        self._scenario = name
        self._draw()

    def judged(self, result: GateResult) -> None:
        """Draw what it comes to so far."""
        self._result = result
        if self._start is not None:
            self._draw()

    def _draw(self) -> None:
        if self._live is None:
            self._live = Live(console=self._console, auto_refresh=False, transient=True)
            self._live.start()
        self._live.update(self._block(), refresh=True)

    def _rest(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _block(self) -> Group:
        parts: list[Table | Text] = []
        if (start := self._start) is not None:
            bar = Table.grid(padding=(0, 2))
            done = 0 if start.confirms else start.pair - 1
            bar.add_row(
                ProgressBar(total=max(self._most(start), 1), completed=done, width=40),
                self._count(start),
                Text(f"{self._named(start.side)}: {self._scenario}", style="bold"),
                Text(f"at most {self._left_s / 60:.0f} min left", style="dim"),
            )
            parts.append(bar)
        if self._result is not None:
            table = Table.grid(padding=(0, 2))
            for metric in self._result.metrics:
                if metric.gated and metric.n:
                    style = STYLES[metric.ruling] if metric.ruling else ""
                    *cells, ruling = _cells(metric)
                    table.add_row(*cells, Text(ruling, style))
            parts.append(table)
        return Group(*parts)


def watch_gate(console: Terminal) -> GateLines:
    """What tells of a gate on this console."""
    return LiveGate(console) if console.is_terminal else GateLines(console)


def _opening(record: GateRecord) -> str:
    limit = f"at most {record.pairs} pairs in {record.budget_min:g} min, seed {record.seed}"
    return one_line(
        f"gate {record.policy}: candidate {record.candidate.name} against baseline "
        f"{record.baseline.name}, {limit}",
        400,
    )


def _cells(metric: Measured) -> tuple[str, ...]:
    return (
        one_line(metric.title, 40),
        f"{ratio_words(metric)} {interval_words(metric)}".strip(),
        f"margin {margin_words(metric)}",
        f"{metric.n} pairs",
        ruling_words(metric),
    )
