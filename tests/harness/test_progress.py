"""While a run goes on a person sees how it stands, and a log gets some twenty lines."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from harness.judge import Result, judge
from harness.report.console import Terminal
from harness.report.progress import LiveProgress, PlainProgress
from harness.results import read_run
from harness.testing import ManualClock
from harness.waiting import Waiting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.played import PlayedTurn
    from harness.results import RunRecord

GOLDEN = Path(__file__).parent.parent / "data" / "golden-run"


@pytest.fixture(scope="module")
def result() -> Result:
    """The golden run, judged."""
    return judge(*read_run(GOLDEN))


def logged(turns: Sequence[PlayedTurn], record: RunRecord, *, planned: int = 12) -> list[str]:
    """What a log gets of these turns."""
    out = io.StringIO()
    plain = PlainProgress(Console(file=out, width=20))
    plain.started(record, planned)
    for turn in turns:
        plain.turn_started(turn.label)
        plain.turn_ended(turn)
    return out.getvalue().splitlines()


def drawn(turns: Sequence[PlayedTurn], record: RunRecord) -> str:
    """What a terminal shows of these turns, all that was drawn over included."""
    out = io.StringIO()
    with LiveProgress(Terminal(file=out, force_terminal=True, width=100)) as live:
        live.started(record, 12)
        for turn in turns:
            live.turn_started(turn.label)
            live.turn_ended(turn)
    return out.getvalue()


def test_a_log_gets_one_line_a_turn_of_a_short_run(result: Result) -> None:
    """However narrow the console says it is."""
    assert logged(result.turns[:2], result.record) == [
        "some against Rehearsal at http://rehearsal, 3 repeats, 12 turns",
        "[1/12] repeat 1, warm turn 1: TTFT 11.5 ms, 17 tokens (0 reused): I will remember.",
        "[2/12] repeat 1, warm turn 2: TTFT 5.00 ms, 24 tokens (20 reused): In Bonn.",
    ]


def test_a_log_gets_some_twenty_lines_however_long_the_run_is(result: Result) -> None:
    """The last one is of the last turn."""
    lines = logged(result.turns * 100, result.record, planned=1200)

    assert len(lines) == 21
    assert lines[-1].startswith("[1200/1200] repeat 3, ")


def test_what_is_noted_stands_for_single_turns(result: Result) -> None:
    """How many were right says more than the last answer."""
    out = io.StringIO()
    plain = PlainProgress(Console(file=out))

    plain.started(result.record, 1)
    plain.noted("plain 1 of 1 right")
    plain.turn_ended(result.turns[0])

    assert out.getvalue().splitlines()[-1] == "[1/1] plain 1 of 1 right"


def test_a_failed_turn_says_how_it_ended(result: Result) -> None:
    """A line of a log is enough to know what happened."""
    record, scenario, traces = read_run(GOLDEN)
    first = traces[0]
    broken = replace(first, chunks=first.chunks[:2], transport_error="the connection broke")
    failed = judge(record, scenario, [broken]).turns

    (_, line) = logged(failed, result.record)

    assert line == "[1/12] repeat 1, warm turn 1: transport_error: the connection broke"


def test_a_terminal_gets_a_block_with_running_medians(result: Result) -> None:
    """Which turn, how far, and the medians so far of the first token and the rate."""
    text = drawn(result.turns[:8], result.record)

    assert "8/12" in text
    assert "repeat 2, cold turn 2" in text
    assert "TTFT, median" in text
    assert "decode rate, median" in text
    assert "turn 2, warm" in text
    assert "n = 2" in text


def test_medians_of_many_turns_are_told_leg_by_leg(result: Result) -> None:
    """And of many legs together: the block stays on the screen."""
    first = result.turns[0]
    labels = [replace(first.label, turn=n, leg=f"leg-{n % 2}") for n in range(20)]
    scattered = [replace(first.label, turn=n, leg=f"leg-{n}") for n in range(20)]

    by_leg = drawn([replace(first, label=label) for label in labels], result.record)
    of_all = drawn([replace(first, label=label) for label in scattered], result.record)

    assert "turn 6, leg-0" in by_leg  # while there are few
    assert "turn 19, leg-1" not in by_leg
    assert "leg-0" in by_leg.rpartition("TTFT, median")[2]
    assert "all" in of_all.rpartition("TTFT, median")[2]


def test_a_wrong_answer_is_shown_until_the_next_one(result: Result) -> None:
    """Beside how many were right; what would steer the terminal is spelled out."""
    out = io.StringIO()
    with LiveProgress(Terminal(file=out, force_terminal=True, width=100)) as live:
        live.started(result.record, 2)
        live.noted("plain 0 of 1 right", "sums-1: says \x1b[2J")
        live.turn_ended(result.turns[0])
        live.noted("plain 1 of 2 right")
        live.turn_ended(result.turns[1])

    last = out.getvalue().rpartition("2/2")[2]
    assert "plain 1 of 2 right" in last
    assert "sums-1: says \\x1b[2J" in last


def test_what_is_waited_for_is_drawn(result: Result) -> None:
    """With how long, and under the suite that the run is a part of."""
    out, clock = io.StringIO(), ManualClock()
    terminal = Terminal(file=out, force_terminal=True, width=100)
    terminal.waiting, terminal.heading = Waiting(clock), "part 2 of 3; then load"

    with LiveProgress(terminal) as live:
        terminal.waiting.sent("a")
        clock.advance_ms(3000)
        terminal.waiting.received("a", b": prefill\n\n")
        live.turn_started(result.turns[0].label)

    assert "waiting for prefill, 3 s" in out.getvalue()
    assert "part 2 of 3; then load" in out.getvalue()
