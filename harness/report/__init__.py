"""Results to text, one module a format; no arithmetic, no clock, no files.

The files of a run folder are named here; the console is no file and is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.report.document import render_json
from harness.report.exam.document import render_exam_json
from harness.report.exam.junit import render_exam_junit
from harness.report.exam.markdown import render_exam_markdown
from harness.report.exam.page import render_exam_html
from harness.report.junit import render_junit
from harness.report.markdown import render_markdown
from harness.report.page import render_html

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harness.exam.judge import ExamResult
    from harness.judge import Result

__all__ = [
    "EXAM_REPORTS",
    "REPORTS",
    "render_exam_reports",
    "render_reports",
]

REPORTS: Mapping[str, Callable[[Result], str]] = {
    "result.json": render_json,
    "report.md": render_markdown,
    "report.html": render_html,
    "junit.xml": render_junit,
}
"""Every file that is derived from a run, and what renders it."""

EXAM_REPORTS: Mapping[str, Callable[[ExamResult], str]] = {
    "result.json": render_exam_json,
    "report.md": render_exam_markdown,
    "report.html": render_exam_html,
    "junit.xml": render_exam_junit,
}
"""The same files, of a run of an exam."""


def render_reports(result: Result) -> dict[str, str]:
    """The text of every report, by file name."""
    return {name: render(result) for name, render in REPORTS.items()}


def render_exam_reports(result: ExamResult) -> dict[str, str]:
    """The same of an exam."""
    return {name: render(result) for name, render in EXAM_REPORTS.items()}
