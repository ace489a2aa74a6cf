"""What follows from a run folder, whichever kind of scenario was run?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.acts.judge import ActsResult, judge_acts
from harness.acts.scenario import parse_acts
from harness.judge import judge
from harness.report import render_acts_reports, render_reports, render_suite_reports
from harness.results import read_run, read_run_as, read_text
from harness.scenario_files import kind_of
from harness.suite.judge import SuiteResult, judge_suite
from harness.suite.record import read_suite_run

if TYPE_CHECKING:
    from pathlib import Path

    from harness.judge import Result

__all__ = ["derive", "reports_of"]


def derive(path: Path) -> Result | SuiteResult | ActsResult:
    """The result of a run; `path` is its folder, or the trace in it.

    Raises:
        TraceError: something is missing or cannot be read, by file and what to try.
        ScenarioError: what was kept is nothing that this version can read.
    """
    folder = path if path.is_dir() else path.parent
    match kind_of(read_text(folder / "scenario.toml")):
        case "suite":
            return judge_suite(*read_suite_run(path))
        case "acts":
            return judge_acts(*read_run_as(parse_acts, path))
        case _:
            return judge(*read_run(path))


def reports_of(result: Result | SuiteResult | ActsResult) -> dict[str, str]:
    """The text of every report of a result, by file name."""
    if isinstance(result, ActsResult):
        return render_acts_reports(result)
    if isinstance(result, SuiteResult):
        return render_suite_reports(result)
    return render_reports(result)
