"""A result as JUnit XML: `junit.xml`, for whatever gathers test results.

One suite for each leg and one for the comparisons; one case for each verdict, named for the turn
and classed by the check.  A check that was skipped or could not tell is `<skipped>` with its
message, since JUnit has no third word; a failure carries its evidence.  A note is a case that
passed, with its message as `<system-out>`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from harness.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness.judge import Result
    from harness.judged import Judged
    from harness.report.words import Told
    from harness.verdict import Evidence

__all__ = ["clean", "junit_of", "render_junit"]

FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot carry, not even escaped."""


def render_junit(result: Result) -> str:
    """The text of `junit.xml`."""
    suites: dict[str, list[Judged]] = {}
    for each in result.judged:
        suites.setdefault(each.label.leg if each.label else "comparisons", []).append(each)
    return junit_of(result, suites)


def junit_of(result: Told, suites: Mapping[str, Sequence[Judged]]) -> str:
    """The same of any result, its verdicts sorted into suites by name."""
    root = ET.Element("testsuites", name=f"muse-bench {result.record.scenario}")
    _count(root, result.judged)
    for name, judged in suites.items():
        suite = ET.SubElement(
            root,
            "testsuite",
            name=f"{result.record.scenario}.{name}",
            timestamp=result.record.started_at.partition(".")[0].partition("+")[0],
        )
        _count(suite, judged)
        for each in judged:
            _case(suite, result, each)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _count(element: ET.Element, judged: Sequence[Judged]) -> None:
    outcomes = [each.verdict.outcome for each in judged]
    skipped = outcomes.count(Outcome.SKIP) + outcomes.count(Outcome.INCONCLUSIVE)
    element.set("tests", str(len(outcomes)))
    element.set("failures", str(outcomes.count(Outcome.FAIL)))
    element.set("errors", "0")
    element.set("skipped", str(skipped))


def _case(suite: ET.Element, result: Told, judged: Judged) -> None:
    verdict = judged.verdict
    case = ET.SubElement(
        suite,
        "testcase",
        classname=f"{result.record.scenario}.{verdict.check}",
        name=clean(judged.about),
    )
    match verdict.outcome:
        case Outcome.FAIL:
            failure = ET.SubElement(case, "failure", message=clean(verdict.message))
            failure.text = clean(
                "\n".join(f"trace {e.trace_id}{_events(e)}\n{e.excerpt}" for e in verdict.evidence)
            )
        case Outcome.SKIP | Outcome.INCONCLUSIVE:
            word = "" if verdict.outcome is Outcome.SKIP else "could not tell: "
            ET.SubElement(case, "skipped", message=clean(word + verdict.message))
        case Outcome.NOTE:
            ET.SubElement(case, "system-out").text = clean(f"noted: {verdict.message}")


def clean(text: str) -> str:
    """Text that XML can carry."""
    return FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)


def _events(evidence: Evidence) -> str:
    return "" if evidence.first is None else f", events {evidence.first} to {evidence.last}"
