"""Results to text, one module a format; no arithmetic, no clock, no files.

The files of a run folder are named here; the console is no file and is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.report.acts import acts_html, acts_json, acts_junit, acts_markdown
from harness.report.document import render_json
from harness.report.junit import render_junit
from harness.report.markdown import render_markdown
from harness.report.page import render_html
from harness.report.suite.document import render_suite_json
from harness.report.suite.junit import render_suite_junit
from harness.report.suite.markdown import render_suite_markdown
from harness.report.suite.page import render_suite_html

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harness.acts.judge import ActsResult
    from harness.judge import Result
    from harness.suite.judge import SuiteResult

__all__ = [
    "ACTS_REPORTS",
    "REPORTS",
    "SUITE_REPORTS",
    "render_acts_reports",
    "render_reports",
    "render_suite_reports",
]

REPORTS: Mapping[str, Callable[[Result], str]] = {
    "result.json": render_json,
    "report.md": render_markdown,
    "report.html": render_html,
    "junit.xml": render_junit,
}
"""Every file that is derived from a run, and what renders it."""

SUITE_REPORTS: Mapping[str, Callable[[SuiteResult], str]] = {
    "result.json": render_suite_json,
    "report.md": render_suite_markdown,
    "report.html": render_suite_html,
    "junit.xml": render_suite_junit,
}
"""The same files, of a run of a suite."""

ACTS_REPORTS: Mapping[str, Callable[[ActsResult], str]] = {
    "result.json": acts_json,
    "report.md": acts_markdown,
    "report.html": acts_html,
    "junit.xml": acts_junit,
}
"""The same files, of a run of acts."""


def render_reports(result: Result) -> dict[str, str]:
    """The text of every report, by file name."""
    return {name: render(result) for name, render in REPORTS.items()}


def render_suite_reports(result: SuiteResult) -> dict[str, str]:
    """The same of a suite."""
    return {name: render(result) for name, render in SUITE_REPORTS.items()}


def render_acts_reports(result: ActsResult) -> dict[str, str]:
    """The same of acts."""
    return {name: render(result) for name, render in ACTS_REPORTS.items()}
