"""Reports say what a run's files say: the same bytes whenever and wherever they are derived.

tests/data/golden-run is a rehearsed run with one wrong answer.  When a change of the reports is
meant, `muse-bench report tests/data/golden-run` writes them anew, and the diff is to be read.
"""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from harness.judge import judge
from harness.report import REPORTS, render_reports
from harness.report.chart import Axis, Phase, Strip, strip_svg, timeline_svg
from harness.results import read_run
from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from harness.judge import Result

GOLDEN = Path(__file__).parent.parent / "data" / "golden-run"
VOID = {"meta", "br"}


@pytest.fixture(scope="module")
def result() -> Result:
    """The golden run, judged."""
    return judge(*read_run(GOLDEN))


@pytest.fixture(scope="module")
def reports(result: Result) -> dict[str, str]:
    """Its reports."""
    return render_reports(result)


@pytest.mark.parametrize("name", ["report.md", "report.html", "junit.xml"])
def test_reports_are_the_golden_ones(reports: dict[str, str], name: str) -> None:
    """Byte for byte."""
    assert reports[name] == (GOLDEN / name).read_text(encoding="utf-8")


def test_reports_do_not_depend_on_where_they_are_derived(
    reports: dict[str, str], tmp_path: Path
) -> None:
    """A copy of the folder elsewhere gives the same bytes, from the folder or from its trace."""
    copy = tmp_path / "elsewhere"
    shutil.copytree(GOLDEN, copy)

    assert render_reports(judge(*read_run(copy))) == reports
    assert render_reports(judge(*read_run(copy / "trace.jsonl"))) == reports


def test_every_report_leads_with_the_verdict(reports: dict[str, str]) -> None:
    """One wrong answer in 121 checks is the first thing to read."""
    said = "1 of 121 checks failed"

    assert reports["report.md"].startswith(f"# some: {said}\n")
    assert reports["report.html"].index(said) < reports["report.html"].index("<main>")
    assert json.loads(reports["result.json"])["exit_code"] == 1


# -- the document


def test_the_document_keeps_absent_apart_from_zero(reports: dict[str, str]) -> None:
    """What was not measured is null with its reason, and never among the measurements."""
    document = json.loads(reports["result.json"])
    turn = document["turns"][0]

    assert turn["measurements"]["client.ttft"] == pytest.approx(0.0115)
    assert turn["measurements"]["tokens.reused"] == 0
    assert turn["absent"]["server.vision"] == "the server does not report it"
    assert set(turn["measurements"]) | set(turn["absent"]) == set(document["metrics"])
    assert not set(turn["measurements"]) & set(turn["absent"])


def test_the_document_says_what_it_ran_on(reports: dict[str, str]) -> None:
    """Schema, scenario by hash, seed and salt, machine, packages: what a gate compares."""
    document = json.loads(reports["result.json"])

    assert document["schema"] == 1
    assert re.fullmatch(r"[0-9a-f]{64}", document["scenario"]["sha256"])
    assert (document["scenario"]["seed"], document["scenario"]["salt"]) == (1, "salt")
    assert document["environment"]["packages"] == {"httpx": "0"}


# -- junit


def test_junit_counts_what_it_lists(reports: dict[str, str], result: Result) -> None:
    """A case for each verdict; counts at both levels agree with the cases beneath."""
    root = ET.fromstring(reports["junit.xml"])

    assert len(root.findall(".//testcase")) == len(result.judged)
    for suite in (root, *root.findall("testsuite")):
        assert suite.get("tests") == str(len(suite.findall(".//testcase")))
        assert suite.get("failures") == str(len(suite.findall(".//failure")))
        assert suite.get("skipped") == str(len(suite.findall(".//skipped")))
    assert sum(int(suite.get("tests", 0)) for suite in root.findall("testsuite")) == 121


def test_a_failure_in_junit_carries_its_evidence(reports: dict[str, str]) -> None:
    """Message, trace and the slice of it; markup in an answer stays text."""
    (failure,) = ET.fromstring(reports["junit.xml"]).findall(".//failure")

    assert "does not say 'Bonn'" in (failure.get("message") or "")
    assert (failure.text or "").startswith("trace salt-r2-cold-t2, events ")
    assert "I do not know | <b>&." in (failure.text or "")


# -- the page


class _Tags(HTMLParser):
    """Notes what is opened, and what is closed out of turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self.links += [f"{tag} {name}" for name, _ in attrs if name in {"src", "href", "onclick"}]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag that closes itself."""

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def test_the_page_is_well_formed_and_whole_in_itself(reports: dict[str, str]) -> None:
    """Every tag is closed in its turn, and nothing is loaded or run."""
    tags = _Tags()
    tags.feed(reports["report.html"])

    assert (tags.open, tags.wrong, tags.links) == ([], [], [])
    assert "<script" not in reports["report.html"]


def test_what_a_server_said_is_text_on_the_page(reports: dict[str, str]) -> None:
    """An answer cannot write markup into a report."""
    assert "I do not know | &lt;b&gt;&amp;." in reports["report.html"]
    assert "<b>&." not in reports["report.html"]


def test_every_chart_says_in_words_what_it_shows(reports: dict[str, str]) -> None:
    """A picture without a name is nothing to a reader who cannot see it."""
    charts = re.findall(r'<svg class="row"[^>]*>', reports["report.html"])

    assert charts
    assert [chart for chart in charts if 'role="img" aria-label="' not in chart] == []


def test_a_result_without_a_whole_repeat_has_a_page_too(result: Result) -> None:
    """A run stopped in its first turn is reported: nothing to draw is nothing drawn."""
    record, scenario, traces = read_run(GOLDEN)

    pages = [render_reports(judge(record, scenario, traces[:n])) for n in range(3)]

    assert all("Could not tell" in page["report.html"] for page in pages)
    assert all("One repeat in time" not in page["report.html"] for page in pages)
    assert set(pages[0]) == set(REPORTS)


# -- charts


@pytest.mark.parametrize(
    ("largest", "end", "ticks"),
    [(0.41, 0.6, 4), (1.0, 1.0, 5), (0.0, 1.0, 2), (978.0, 1000.0, 5), (3e-4, 3e-4, 4)],
)
def test_an_axis_holds_the_largest_value_with_round_ticks(
    largest: float, end: float, ticks: int
) -> None:
    """From zero, in steps of 1, 2, 2.5 or 5."""
    axis = Axis.to(largest)

    assert axis.end == pytest.approx(end)
    assert len(axis.ticks) == ticks


def test_a_phase_stands_where_it_happened() -> None:
    """Positions are percent of the width, so a page of any width is true."""
    svg = timeline_svg(
        [Phase("wait", 0.0, 0.25), Phase("say", 0.25, 0.5)], Axis.to(1.0), "turn", "in all"
    )

    assert '<rect class="wait" x="0%" y="4" height="14" width="25%"/>' in svg
    assert '<rect class="say" x="25%" y="4" height="14" width="25%"/>' in svg


def test_a_strip_without_an_interval_draws_none() -> None:
    """Too few values make dots and a middle, and no false certainty."""
    svg = strip_svg(Strip((0.1, 0.2), 0.15), Axis.to(1.0), "two values", "leg-0")

    assert svg.count("<circle") == 2
    assert "interval" not in svg


def test_outcomes_of_the_golden_run_are_of_three_kinds(result: Result) -> None:
    """What the golden files show is worth showing: passes and a failure."""
    assert {judged.verdict.outcome for judged in result.judged} == {Outcome.PASS, Outcome.FAIL}


def test_a_note_is_told_and_fails_nothing(result: Result) -> None:
    """A recommendation that was not followed needs a look, and is no failure to whoever counts."""
    kept = replace(result.judged[0], verdict=Verdict("stream.rules", Outcome.PASS, "kept"))
    noted = replace(kept, verdict=Verdict("stream.rules", Outcome.NOTE, "nobody reads this"))
    told = replace(result, judged=(kept, noted), unplayed=())

    assert (told.outcome, told.exit_code) == (Outcome.PASS, 0)
    reports = render_reports(told)
    assert "The one check passed (1 noted)" in reports["report.md"]
    assert all("nobody reads this" in text for text in reports.values())
    suites = ET.fromstring(reports["junit.xml"])
    assert (suites.get("failures"), suites.get("skipped")) == ("0", "0")
