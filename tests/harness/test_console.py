"""The terminal shows the result, and the verdict last."""

from __future__ import annotations

import io
import os
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from harness.judge import Result, judge
from harness.report.console import open_console, print_result, printing
from harness.report.selftest import print_selftest
from harness.results import read_run
from harness.selftest.calibration import Calibration, Deviation, Stamps
from harness.selftest.run import Cost, Goal, SelfTest
from harness.units import SECONDS
from harness.verdict import Outcome

GOLDEN = Path(__file__).parent.parent / "data" / "golden-run"


@pytest.fixture(scope="module")
def result() -> Result:
    """The golden run, judged."""
    return judge(*read_run(GOLDEN))


def test_a_reader_that_has_gone_takes_nothing_with_it() -> None:
    """What is still in the buffer goes nowhere, and whoever prints goes on to its exit code."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w", encoding="utf-8") as out:
        with printing(out):
            out.write("Pass")

        out.write("still there")


def test_the_verdict_is_the_last_line(result: Result) -> None:
    """After the tables, what needs a look, and where the files are."""
    out = io.StringIO()

    print_result(result, Path("reports/some"), open_console(out))
    lines = [line.strip() for line in out.getvalue().splitlines()]

    assert lines[-2:] == ["reports/some", f"1 of {len(result.judged)} checks failed."]
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
    """Durations in time, rates in percent; clients side by side; goals with what was found."""
    out = io.StringIO()
    deviations = (
        Deviation("client.ttft", SECONDS, 0.06, 2e-4, -3e-3, None, relative=False,
                  median_bound=1e-3, worst_bound=5e-3),
        Deviation("client.tpot", SECONDS, 0.01, 0.02, 0.03, 0.025, relative=True,
                  median_bound=0.01, worst_bound=0.05),
    )  # fmt: skip
    own = Calibration(
        20, 19, deviations, Stamps(900, 2e-4, 3e-3, 4e-3), 4e-4, Outcome.FAIL, "out of bounds"
    )
    second = Calibration(
        20, 20, deviations[:1], Stamps(90, 1e-4, None, 2e-4), 0.0, Outcome.PASS, ""
    )

    print_selftest(
        SelfTest(
            {"harness": own, "second client": second},
            Cost(2_003, 1_990, 9e-6, 14e-6),
            {"busy": "others took 63% of the machine"},
            (Goal("p99", 2e-3, 3e-3), Goal("cpu", 1e-5, 9e-6), Goal("median", 5e-4, None)),
            Outcome.FAIL,
            "out of bounds: client.tpot",
        ),
        open_console(out),
    )
    text = " ".join(out.getvalue().split())

    assert "TTFT 60.0 ms +200 µs — -3.00 ms 1.00 ms, 5.00 ms within" in text
    assert "TPOT 10.0 ms +2.00% 2.50% +3.00% 1.00%, 5.00% out" in text
    assert "19 of 20 turns undisturbed, worst lag 400 µs" in text
    assert "harness 900 +200 µs 3.00 ms +4.00 ms +200 µs" in text
    assert "second client 90 +100 µs — +200 µs +200 µs" in text
    assert "99th percentile of the error of an event's stamp ≤ 2.00 ms 3.00 ms missed" in text
    assert "process time of an event ≤ 10.0 µs 9.00 µs reached" in text
    assert "worst median error of a duration ≤ 500 µs — too few values to tell" in text
    assert "the machine meanwhile: others took 63% of the machine" in text
    assert "2,003 events came in 1,990 reads; decoding them afterwards took 14.0 µs each" in text
    assert text.endswith("out of bounds: client.tpot")
