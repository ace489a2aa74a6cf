"""The terminal shows what is being played, how far it is, and the verdict last."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from harness.judge import Result, judge
from harness.report.console import LiveProgress, PlainProgress, open_console, print_result
from harness.report.selftest import print_selftest
from harness.results import read_run
from harness.selftest import Deviation, SelfTest
from harness.units import SECONDS
from harness.verdict import Outcome

if TYPE_CHECKING:
    from harness.played import PlayedTurn
    from harness.results import RunRecord

GOLDEN = Path(__file__).parent.parent / "data" / "golden-run"


@pytest.fixture(scope="module")
def result() -> Result:
    """The golden run, judged."""
    return judge(*read_run(GOLDEN))


def shown(turns: tuple[PlayedTurn, ...], record: RunRecord, *, terminal: bool) -> str:
    """What a progress shows of these turns."""
    out = io.StringIO()
    if terminal:
        with LiveProgress(Console(file=out, force_terminal=True, width=100)) as live:
            live.started(record, 12)
            for turn in turns:
                live.turn_started(turn.label)
                live.turn_ended(turn)
    else:
        plain = PlainProgress(Console(file=out, width=20))
        plain.started(record, 12)
        for turn in turns:
            plain.turn_started(turn.label)
            plain.turn_ended(turn)
    return out.getvalue()


def test_a_log_gets_one_line_a_turn(result: Result) -> None:
    """However narrow the console says it is."""
    lines = shown(result.turns[:2], result.record, terminal=False).splitlines()

    assert lines == [
        "some against Rehearsal at http://rehearsal, 3 repeats",
        "[1/12] repeat 1, warm turn 1: TTFT 11.5 ms, 17 tokens (0 reused): I will remember.",
        "[2/12] repeat 1, warm turn 2: TTFT 5.00 ms, 24 tokens (20 reused): In Bonn.",
    ]


def test_a_terminal_gets_a_block_with_running_medians(result: Result) -> None:
    """Which turn, how far, and the medians so far."""
    text = shown(result.turns[:8], result.record, terminal=True)

    assert "8/12" in text
    assert "repeat 2, cold turn 2" in text
    assert "n = 2" in text


def test_a_failed_turn_says_how_it_ended(result: Result) -> None:
    """A line of a log is enough to know what happened."""
    record, scenario, traces = read_run(GOLDEN)
    first = traces[0]
    broken = replace(first, chunks=first.chunks[:2], transport_error="the connection broke")
    failed = judge(record, scenario, [broken]).turns

    (_, line) = shown(failed, result.record, terminal=False).splitlines()

    assert line == "[1/12] repeat 1, warm turn 1: transport_error: the connection broke"


def test_the_verdict_is_the_last_line(result: Result) -> None:
    """After the tables, what needs a look, and where the files are."""
    out = io.StringIO()

    print_result(result, Path("reports/some"), open_console(out))
    lines = [line.strip() for line in out.getvalue().splitlines()]

    assert lines[-2:] == ["reports/some", "1 of 91 checks failed."]
    assert "fail: answer.expected, cold turn 2, repeat 2" in lines
    assert max(len(line) for line in lines if line.startswith(("turn", "1 ", "2 "))) <= 120


def test_a_terminal_of_eighty_columns_loses_no_figure(result: Result) -> None:
    """What does not fit side by side is told in two tables: times, then counts."""
    out = io.StringIO()

    print_result(result, Path("x"), Console(file=out, width=80))
    figures = out.getvalue().partition("\N{MULTIPLICATION SIGN}")[0]

    assert "…" not in figures
    assert "exact_prefix" in figures
    assert "decode rate" in figures
    assert max(len(line) for line in figures.splitlines()[:-1]) <= 80


def test_more_troubles_than_fit_are_counted() -> None:
    """The terminal tells six, the reports all twelve and the comparison."""
    record, scenario, traces = read_run(GOLDEN)
    broken = [replace(trace, chunks=(), status=500) for trace in traces]
    out = io.StringIO()

    print_result(judge(record, scenario, broken), Path("x"), open_console(out))

    assert out.getvalue().count("  fail: stream.complete") == 6
    assert "and 7 more, in report.md" in out.getvalue()


def test_a_selftest_tells_each_error_beside_what_is_allowed() -> None:
    """Durations in time, rates in percent."""
    out = io.StringIO()
    deviations = (
        Deviation("client.ttft", SECONDS, 0.06, 2e-4, -3e-3, relative=False,
                  median_bound=1e-3, worst_bound=5e-3),
        Deviation("client.tpot", SECONDS, 0.01, 0.02, 0.03, relative=True,
                  median_bound=0.01, worst_bound=0.05),
    )  # fmt: skip

    print_selftest(
        SelfTest(20, 19, deviations, 4e-4, Outcome.FAIL, "out of bounds: client.tpot"),
        open_console(out),
    )
    text = " ".join(out.getvalue().split())

    assert "TTFT 60.0 ms +200 µs -3.00 ms 1.00 ms, 5.00 ms within" in text
    assert "TPOT 10.0 ms +2.00% +3.00% 1.00%, 5.00% out" in text
    assert text.endswith("19 of 20 turns undisturbed, worst lag 400 µs out of bounds: client.tpot")
