"""What follows from a run folder, whichever kind of scenario was run?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.judge import judge
from harness.report import render_reports, render_suite_reports
from harness.results import read_record, read_run
from harness.suite.judge import SuiteResult, judge_suite
from harness.suite.record import read_suite_run

if TYPE_CHECKING:
    from pathlib import Path

    from harness.judge import Result

__all__ = ["derive", "reports_of"]


def derive(path: Path) -> Result | SuiteResult:
    """The result of a run; `path` is its folder, or the trace in it.

    Raises:
        TraceError: something is missing or cannot be read, by file and what to try.
        ScenarioError: what was kept is nothing that this version can read.
    """
    folder = path if path.is_dir() else path.parent
    if read_record(folder / "run.json").cases is None:
        return judge(*read_run(path))
    return judge_suite(*read_suite_run(path))


def reports_of(result: Result | SuiteResult) -> dict[str, str]:
    """The text of every report of a result, by file name."""
    if isinstance(result, SuiteResult):
        return render_suite_reports(result)
    return render_reports(result)
