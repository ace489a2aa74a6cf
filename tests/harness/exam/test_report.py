"""Reports of an exam say what its files say, and show a failing case as a person would look at it.

tests/data/golden-exam is the rehearsed run of `test_runner`.  When a change of the reports is
meant, `muse-bench report tests/data/golden-exam` writes them anew, and the diff is to be read.
"""

from __future__ import annotations

import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from harness.exam.judge import ExamResult
from harness.kinds import derive, reports_of
from harness.report.console import open_console
from harness.report.exam.console import print_exam
from harness.report.words import one_line

GOLDEN = Path(__file__).parents[2] / "data" / "golden-exam"
VOID = {"meta", "br", "img"}


@pytest.fixture(scope="module", name="result")
def _result() -> ExamResult:
    """The golden run, judged."""
    found = derive(GOLDEN)
    assert isinstance(found, ExamResult)
    return found


@pytest.fixture(scope="module", name="reports")
def _reports(result: ExamResult) -> dict[str, str]:
    """Its reports."""
    return reports_of(result)


@pytest.mark.parametrize("name", ["report.md", "report.html", "junit.xml"])
def test_reports_are_the_golden_ones(reports: dict[str, str], name: str) -> None:
    """Byte for byte."""
    assert reports[name] == (GOLDEN / name).read_text(encoding="utf-8")


def test_a_table_by_group_stands_before_single_cases(reports: dict[str, str]) -> None:
    """And no turn that was right is told at all."""
    text = reports["report.md"]

    assert "| all groups | 77.8 %, [50, 92] of 9, pairs 0.0 % of 1 |" in text
    assert text.index("## By group") < text.index("## Wrong answers")
    assert "`sums-4` 4 + 4?" in text
    assert "`sums-1`" not in text


def test_a_failing_case_tells_what_was_asked_expected_and_got(reports: dict[str, str]) -> None:
    """In Markdown and on the page."""
    told = ("What colour is picture b?", "says 'blue'; does not say 'red'", "It is red, as far")

    assert all(text in reports["report.md"] for text in told)
    assert all(text in reports["report.html"] for text in ("says &#x27;blue&#x27;", told[0]))


class _Page(HTMLParser):
    """Notes pictures, and what is closed out of turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.pictures: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img":
            self.pictures.append(dict(attrs)["src"] or "")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def test_the_page_shows_the_picture_of_a_failing_case_and_loads_nothing(
    reports: dict[str, str],
) -> None:
    """The picture is within the page; its policy forbids all others."""
    page = _Page()
    page.feed(reports["report.html"])

    assert (page.open, page.wrong) == ([], [])
    assert page.pictures
    assert all(url.startswith("data:image/png;base64,") for url in page.pictures)
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in reports["report.html"]
    assert "<script" not in reports["report.html"]
    assert "<b>." not in reports["report.html"]


def test_the_document_holds_every_turn(reports: dict[str, str], result: ExamResult) -> None:
    """Right ones too, with what was answered and what was measured."""
    document = json.loads(reports["result.json"])

    assert (document["schema"], document["kind"], document["exit_code"]) == (1, "exam", 1)
    assert len(document["turns"]) == len(result.turns) == 18
    (called,) = [t for t in document["turns"] if t["case"] == "call-1" and t["leg"] == "plain"]
    assert called["calls"] == ['book({"size": 2})']
    assert called["measurements"]["tokens.completion"] == 4
    (whole,) = [d for d in document["drafting"] if d["group"] == ""]
    assert (whole["leg"], whole["rounds"]) == ("dflash", 27)
    assert whole["tokens_per_round"] == pytest.approx(7 / 3)
    assert [d["case"] for d in document["identities"][0]["differing"]] == ["sums-5"]
    assert re.fullmatch(r"[0-9a-f]{64}", document["scenario"]["cases"]["sha256"])


def test_junit_has_a_case_for_each_goal(reports: dict[str, str], result: ExamResult) -> None:
    """A build stands or falls by goals; a failed one names the wrong answers."""
    root = ET.fromstring(reports["junit.xml"])

    assert root.get("tests") == str(len(root.findall(".//testcase"))) == str(len(result.judged))
    assert [exam.get("name") for exam in root.findall("testsuite")] == [
        "some.plain",
        "some.dflash",
        "some.comparisons",
    ]
    failures = {c.get("name"): c.find("failure") for c in root.findall(".//testcase")}
    blind = failures["plain, pairs of colours"]
    assert blind is not None
    assert "cb: does not say 'blue'; says 'red'; got 'It is red" in (blind.text or "")
    assert failures["plain, all groups"] is None


# -- the terminal


def test_the_verdict_is_the_last_line(result: ExamResult) -> None:
    """After the groups and the first wrong answers."""
    out = io.StringIO()

    print_exam(result, Path("folder"), open_console(out))

    lines = out.getvalue().rstrip().splitlines()
    assert lines[-1] == "  3 of 5 checks failed."
    assert any(line.startswith("all groups") for line in lines)
    assert any(line.startswith("  plain, sums-4: 4 + 4?") for line in lines)
    (drafted,) = (line for line in lines if "tokens per round" in line)
    assert drafted.startswith("  dflash: tokens per round 2.33; row 1 67 %; row 2 50 %;")


def test_a_long_text_keeps_its_beginning_and_its_end() -> None:
    """The question of a long prompt stands at its end."""
    assert one_line("a b\nc") == "a b c"
    assert one_line("x" * 20 + "?", 10) == "xxxx…xxxx?"


def test_what_a_model_says_does_not_steer_the_terminal() -> None:
    """Escapes and marks of direction are spelled out; letters of any script stay."""
    assert one_line("\x1b[2J\x00 \u202eé 好 \N{WAVING HAND SIGN}") == "\\x1b[2J\\x00 \\u202eé 好 👋"
