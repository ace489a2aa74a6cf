"""An exam's result as JUnit XML: `junit.xml`, for whatever gathers test results.

One case for each goal (and for `each group` one for each group): what a build stands or falls by.
A wrong answer fails nothing as long as its goal is met; where one is not, the failure names the
wrong answers one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.report.junit import junit_of

if TYPE_CHECKING:
    from harness.exam.judge import ExamResult
    from harness.judged import Judged

__all__ = ["render_exam_junit"]


def render_exam_junit(result: ExamResult) -> str:
    """The text of `junit.xml`."""
    names = {leg.name for leg in result.scenario.leg}
    suites: dict[str, list[Judged]] = {}
    for each in result.judged:
        leg = each.about.partition(",")[0]
        suites.setdefault(leg if leg in names else "comparisons", []).append(each)
    return junit_of(result, suites)
