"""A gate as JUnit XML: `junit.xml`, for whatever gathers test results.

    gate       one case: the verdict, so that a gate that measured nothing is not green
    sides      one case: whether both sides are comparable
    metrics    one case a gated metric
    checks     one case a check of a part
    answers    one case, where answers were compared

JUnit has three words for what did not pass, and a gate needs three.  A fail is `<failure>`; what
was refused and what was inconclusive are `<error type="refused">` and `<error
type="inconclusive">`: the question could not be answered.  `<skipped>` is used for neither, since
most readers of JUnit show it green.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from harness.gate.result import Ruling
from harness.report.gate.words import (
    RULED,
    answers_line,
    counts_words,
    gated,
    interval_words,
    margin_words,
    medians,
    not_comparable,
    ratio_words,
    verdict_line,
)
from harness.report.junit import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.gate.result import CheckRow, Difference, GateResult, Measured

__all__ = ["gate_junit"]


def gate_junit(result: GateResult) -> str:
    """The text of `junit.xml`."""
    policy = clean(result.record.policy)
    root = ET.Element("testsuites", name=f"muse-bench gate {policy}")
    for name, cases in _suites(result):
        suite = ET.SubElement(
            root,
            "testsuite",
            name=f"gate.{policy}.{name}",
            timestamp=clean(result.record.started_at).partition(".")[0].partition("+")[0],
        )
        suite.extend(cases)
        _count(suite)
    _count(root)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suites(result: GateResult) -> Iterator[tuple[str, list[ET.Element]]]:
    whole = _case("gate", "verdict", result.ruling, verdict_line(result), "\n".join(result.reasons))
    yield "verdict", [whole]
    yield "sides", [_sides(result)]
    if metrics := gated(result):
        yield "metrics", [_metric(measured) for measured in metrics]
    if result.checks:
        yield "checks", [_check(row) for row in result.checks]
    if result.answers:
        line = answers_line(result.answers)
        why = result.answers.why or line
        yield "answers", [_case("answers", "greedy answers", result.answers.ruling, why, line)]


def _sides(result: GateResult) -> ET.Element:
    barred, refused = not_comparable(result), result.record.refused
    ruling = Ruling.REFUSED if barred or refused else Ruling.PASS
    detail = "\n".join(map(_difference, result.differences))
    why = refused or ("they differ in what is not under test" if barred else "")
    return _case("sides", "both sides are comparable", ruling, why, detail)


def _difference(each: Difference) -> str:
    why = "under test" if each.under_test else "allowed" if each.allowed else "not comparable"
    return f"{each.what}: {each.baseline} -> {each.candidate} ({why})"


def _metric(measured: Measured) -> ET.Element:
    baseline, candidate = medians(measured)
    detail = (
        f"baseline {baseline}, candidate {candidate}, ratio {ratio_words(measured)} "
        f"{interval_words(measured)}, margin {margin_words(measured)}, n = {measured.n}"
    )
    name = f"{measured.title} ({measured.name})"
    ruling = measured.ruling or Ruling.INCONCLUSIVE
    return _case(f"metrics.{measured.name}", name, ruling, measured.why, detail)


def _check(row: CheckRow) -> ET.Element:
    detail = [
        f"baseline: {counts_words(row.baseline)}",
        f"candidate: {counts_words(row.candidate)}",
        *(f"evidence: {each}" for each in row.evidence),
    ]
    name = f"{row.check}: {row.promise}" if row.promise else row.check
    return _case(f"checks.{row.part}", name, row.ruling, row.why, "\n".join(detail))


def _case(group: str, name: str, ruling: Ruling, why: str, detail: str) -> ET.Element:
    case = ET.Element("testcase", classname=clean(group), name=clean(name))
    told = clean(f"{why}\n{detail}".strip())
    if ruling is Ruling.PASS:
        if told:
            ET.SubElement(case, "system-out").text = told
        return case
    tag = "failure" if ruling is Ruling.FAIL else "error"
    message = clean(why or RULED[ruling])
    found = ET.SubElement(case, tag, type=RULED[ruling], message=message)
    found.text = told
    return case


def _count(element: ET.Element) -> None:
    cases = list(element.iter("testcase"))
    tags = Counter(child.tag for case in cases for child in case)
    for key, number in (
        ("tests", len(cases)),
        ("failures", tags["failure"]),
        ("errors", tags["error"]),
        ("skipped", 0),
    ):
        element.set(key, str(number))
