"""The reports of a suite: what failed comes first, every part is linked, and all adds up."""

from __future__ import annotations

import io
import json
import re
import shutil
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

from harness.rehearsal import Answer, RehearsalChat
from harness.report.suite import show_suite
from harness.suite.judge import judge_suite
from harness.suite.runner import suite_reports

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from harness.suite.judge import SuiteResult

    Play = Callable[..., SuiteResult]


@pytest.fixture(name="wrong")
def _wrong(play: Play, tmp_path: Path) -> SuiteResult:
    """A suite of which one part failed, one was skipped and one broke."""
    chat = RehearsalChat(lambda _: Answer("In <b>Rome</b>."))

    def before_turn(_request: object) -> None:
        if len(chat.requests) == 2:
            raise RuntimeError("out of \x00 chalk")

    chat.before_turn = before_turn
    return play(tmp_path, chat)


@pytest.fixture(name="reports")
def _reports(wrong: SuiteResult) -> dict[str, str]:
    """Its reports, by their path in the folder."""
    return suite_reports(wrong)


def test_reports_do_not_depend_on_where_they_are_derived(
    reports: dict[str, str], tmp_path: Path
) -> None:
    """A copy of the folder elsewhere gives the same bytes, those of the parts included."""
    copy = shutil.copytree(tmp_path / "run", tmp_path / "elsewhere")

    assert suite_reports(judge_suite(copy)) == reports
    assert {"index.html", "talk/report.html", "again/result.json"} <= set(reports)


def test_what_failed_is_read_first(reports: dict[str, str]) -> None:
    """In Markdown and on the page, with the slice of trace that shows it."""
    markdown, page = reports["report.md"], reports["index.html"]

    assert markdown.startswith("# small: 1 of 3 parts failed (1 skipped)\n\n## failed: talk\n")
    assert markdown.index("does not say 'Oslo'") < markdown.index("<summary>Parts</summary>")
    assert page.index("does not say") < page.index("<h2>Parts</h2>")
    assert "In &lt;b&gt;Rome" in page
    assert "RuntimeError: out of" in page


def test_the_page_leads_to_the_page_of_every_part(reports: dict[str, str]) -> None:
    """And to nothing that is not in the folder; it runs no script."""
    links = set(re.findall(r'href="([^"]*)"', reports["index.html"]))

    assert links == {"talk/report.html", "flight/report.html", "again/report.html"}
    assert links <= set(reports)
    assert "<script" not in reports["index.html"]


def test_junit_counts_what_it_lists(reports: dict[str, str], wrong: SuiteResult) -> None:
    """The verdicts of all parts, and an error for the part that broke."""
    root = ET.fromstring(reports["junit.xml"])
    verdicts = sum(len(part.run.judged) for part in wrong.parts if part.run)

    assert len(root.findall(".//testcase")) == int(root.get("tests", 0)) == verdicts + 1
    assert len(root.findall(".//failure")) == int(root.get("failures", 0)) == 2
    (error,) = root.findall(".//error")
    assert error.get("message") == "RuntimeError: out of \N{REPLACEMENT CHARACTER} chalk"
    names = [suite.get("name") for suite in root]
    assert names == ["talk.warm", "flight.up", "again: the part"]


def test_the_document_tells_every_part(reports: dict[str, str]) -> None:
    """Outcome, counts, why something was skipped, and the verdicts that need a look."""
    document = json.loads(reports["result.json"])
    talk, flight, again = document["parts"]

    assert (document["kind"], document["outcome"], document["exit_code"]) == ("suite", "fail", 1)
    assert {v["check"] for v in talk["verdicts"]} == {"answer.expected"}
    assert (talk["counts"]["fail"], talk["asked"]) == (2, {"repeat": 2})
    assert flight["skipped"] == [
        "not played, the target lacks wings: /api/runtime does not claim it"
    ]
    assert again["problem"] == "RuntimeError: out of \x00 chalk"


def test_the_terminal_ends_with_the_verdict(wrong: SuiteResult, tmp_path: Path) -> None:
    """After the table of parts, what failed, and why something was skipped."""
    out = io.StringIO()

    show_suite(wrong, tmp_path, Console(file=out, width=100))
    lines = [" ".join(line.split()) for line in out.getvalue().splitlines()]

    assert lines[-1] == "1 of 3 parts failed (1 skipped)."
    assert any(line.startswith("talk failed 2 failed, ") for line in lines)
    assert "fail: answer.expected, warm turn 1, repeat 1" in lines
    assert any(line.startswith("skipped in flight: not played, the target lacks") for line in lines)
