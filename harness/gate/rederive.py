"""Every report of a gate, derived again from what is on disk: its own, and those below it.

What lies below are the suites, and the run folders of the measured starts; the gate's own reports
link to theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.errors import HarnessError
from harness.gate.judge import judge_gate
from harness.gate.record import Side, read_gate, read_starts, start_path, suite_path
from harness.kinds import derive, reports_of
from harness.report.gate import gate_reports
from harness.suite.judge import judge_suite
from harness.suite.record import is_suite
from harness.suite.runner import suite_reports

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness.gate.result import GateResult

__all__ = ["rederive_gate"]


def rederive_gate(folder: Path) -> tuple[GateResult, dict[str, str]]:
    """The gate, judged, and the text of every report by its path below the gate's folder.

    Raises:
        TraceError, ScenarioError: as `judge_gate` does.
    """
    result = judge_gate(folder)
    return result, {**dict(_below(folder)), **gate_reports(result)}


def _below(folder: Path) -> Iterator[tuple[str, str]]:
    """What is derived of the suites and runs; of one that cannot be read, there is none."""
    for side in Side:
        for again in (False, True):
            path = suite_path(side, again=again)
            if is_suite(folder / path):
                for name, text in suite_reports(judge_suite(folder / path)).items():
                    yield f"{path}/{name}", text
    _, policy = read_gate(folder)
    for start in read_starts(folder):
        for scenario in policy.scenarios:
            path = f"{start_path(start)}/{scenario}"
            try:
                reports = reports_of(derive(folder / path))
            except HarnessError:  # it was not played, or broke before there was anything
                continue
            for name, text in reports.items():
                yield f"{path}/{name}", text
