"""Gates of several machines: side by side, never pooled, as bad as the worst."""

from __future__ import annotations

import io
import itertools
import json
from dataclasses import replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from harness.cli import main
from harness.errors import UsageError
from harness.gate.merge import merge
from harness.gate.pins import Pin
from harness.gate.result import Ruling
from harness.report.console import open_console
from harness.report.merged import merged_line, merged_reports, show_merged

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from harness.fingerprint import Fingerprint
    from harness.gate.merge import Merged
    from harness.gate.result import GateResult

    Gate = Callable[..., GateResult]

SLOWER = ((0.100, 0.110), (0.102, 0.113), (0.099, 0.108), (0.101, 0.112))


@pytest.fixture(name="two")
def _two(gate: Gate, elsewhere: Fingerprint) -> Merged:
    """The same upgrade, which one machine passes and another fails."""
    failed = gate(ruling=Ruling.FAIL, pairs=SLOWER, on=elsewhere)
    return merge([("../m5", gate()), ("../m4 <b>", failed)])


@pytest.mark.parametrize(
    "rulings", list(itertools.combinations_with_replacement(Ruling, 2)), ids=lambda r: f"{r}"
)
def test_the_whole_is_as_bad_as_the_worst(gate: Gate, rulings: tuple[Ruling, Ruling]) -> None:
    """Fail before refused, refused before inconclusive, and a pass only where all passed."""
    order = [Ruling.FAIL, Ruling.REFUSED, Ruling.INCONCLUSIVE, Ruling.PASS]

    merged = merge([(f"{at}", gate(ruling=ruling)) for at, ruling in enumerate(rulings)])

    assert merged.ruling is min(rulings, key=order.index)
    assert merged.exit_code == {Ruling.PASS: 0, Ruling.FAIL: 1, Ruling.REFUSED: 2}.get(
        merged.ruling, 3
    )


def test_each_machine_keeps_its_own_figures(two: Merged) -> None:
    """And no figure is in any report that is of both."""
    document = json.loads(merged_reports(two)["result.json"])

    ratios = [gate["metrics"][0]["ratio"] for gate in document["gates"]]
    assert ratios == [pytest.approx(1.005, abs=0.01), pytest.approx(1.10, abs=0.01)]
    assert "metrics" not in document


def test_the_verdict_names_the_machine_it_is_of(two: Merged) -> None:
    """Which is where somebody has to look."""
    assert merged_line(two) == ("Fail: 1 of 2 machines (Apple M4, 10 cores, 32 GiB, Darwin arm64)")


def test_two_gates_of_one_machine_are_two_columns(gate: Gate) -> None:
    """Told apart by a number, and said to be."""
    merged = merge([("a", gate()), ("b", gate())])

    assert [each.name[-3:] for each in merged.runners] == ["(1)", "(2)"]
    assert any("several gates are of one machine" in doubt for doubt in merged.doubts)


def test_other_pins_are_said_to_be_others(gate: Gate, elsewhere: Fingerprint) -> None:
    """A column may be of another upgrade: a reader has to know."""
    other = gate(candidate=Pin("newer", "pin", "e5", {}), on=elsewhere)

    merged = merge([("a", gate()), ("b", other)])

    assert merged.doubts == ("the gates do not compare the same two pins",)


def test_a_metric_that_one_machine_does_not_have_is_absent_there(
    gate: Gate, elsewhere: Fingerprint
) -> None:
    """And not zero."""
    merged = merge([("a", gate()), ("b", replace(gate(on=elsewhere), metrics=()))])

    (row,) = merged.rows
    assert row.cells[1] is None
    assert "| — |" in merged_reports(merged)["report.md"]


def test_a_folder_is_named_once(gate: Gate) -> None:
    """Or its gate would count twice."""
    with pytest.raises(UsageError, match="a is named twice"):
        merge([("a", gate()), ("a", gate())])


def test_one_junit_has_the_cases_of_all(two: Merged) -> None:
    """Each suite with its machine's name, and counts that add up."""
    root = ET.fromstring(merged_reports(two)["junit.xml"])

    names = [suite.get("name", "") for suite in root.findall("testsuite")]
    assert sum(name.startswith("Apple M4") for name in names) == len(names) / 2
    assert int(root.get("tests", 0)) == len(list(root.iter("testcase")))
    assert int(root.get("failures", 0)) == len(list(root.iter("failure"))) > 0


def test_the_page_leads_to_the_report_of_each(two: Merged) -> None:
    """With names that cannot be taken for markup."""
    page = merged_reports(two)["report.html"]

    assert 'href="../m5/report.html"' in page
    assert "<b>" not in page


def test_the_console_ends_with_the_verdict(two: Merged) -> None:
    """In one line."""
    out = io.StringIO()

    show_merged(two, open_console(out))

    assert out.getvalue().rstrip().splitlines()[-1].strip() == merged_line(two)


def test_the_command_judges_each_gate_and_links_it(
    gate: Gate, on_disk: Callable[[GateResult], Path], tmp_path: Path
) -> None:
    """One gate without a start: could not tell."""
    out = io.StringIO()
    folder = on_disk(gate())

    code = main(["merge", str(folder), "--out", str(tmp_path / "all")], out, io.StringIO())

    assert code == 3
    assert "../gate/report.html" in (tmp_path / "all" / "report.md").read_text()
    assert "Inconclusive: 1 of 1 machine" in out.getvalue()
