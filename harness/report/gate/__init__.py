"""One gate, five forms: a page, Markdown, JSON, JUnit, and the terminal.

All are made of a `GateResult` alone, and are the same bytes each time; what they link to lies in
the gate's folder.  Nothing is decided here: rulings and intervals were before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.report.gate.console import show_gate
from harness.report.gate.document import gate_json
from harness.report.gate.junit import gate_junit
from harness.report.gate.markdown import gate_markdown
from harness.report.gate.page import gate_page

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harness.gate.result import GateResult

__all__ = ["GATE_REPORTS", "gate_reports", "show_gate"]

GATE_REPORTS: Mapping[str, Callable[[GateResult], str]] = {
    "result.json": gate_json,
    "report.md": gate_markdown,
    "report.html": gate_page,
    "junit.xml": gate_junit,
}
"""Every file that is derived from a gate, and what renders it."""


def gate_reports(result: GateResult) -> dict[str, str]:
    """The text of every report, by file name."""
    return {name: render(result) for name, render in GATE_REPORTS.items()}
