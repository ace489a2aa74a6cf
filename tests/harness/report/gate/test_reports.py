"""What does a gate say in each of its five forms? Examples of every way it can end."""

from __future__ import annotations

import itertools
import json
import re
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt

from harness.gate.result import RULING_CODES, Ruling
from harness.report.console import open_console
from harness.report.gate import gate_reports, show_gate
from tests.harness.report.gate.examples import EXAMPLES, HOSTILE, gate

if TYPE_CHECKING:
    from harness.gate.result import GateResult

each_example = pytest.mark.parametrize("name", EXAMPLES)
VOID = {"meta", "link", "br", "hr", "img", "input"}


class Page(HTMLParser):
    """A page, read strictly enough to see that every element is closed where it was opened."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Something opens."""
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Something opens and closes."""
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """Something closes: what was opened last."""
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data: str) -> None:
        """Text, to be read."""
        self.text += data

    def all(self, attribute: str) -> list[str]:
        """The values of an attribute, wherever it is given."""
        return [value for _, attrs in self.tags if (value := attrs.get(attribute)) is not None]


def page_of(name: str) -> Page:
    """The page of an example."""
    return Page(gate_reports(EXAMPLES[name]())["report.html"])


def shown(result: GateResult) -> str:
    """What the terminal shows."""
    text = StringIO()
    show_gate(result, Path("reports/runs/it"), open_console(text))
    return text.getvalue()


@each_example
def test_a_gate_has_the_same_reports_byte_for_byte_when_they_are_derived_again(name: str) -> None:
    """Nothing in them depends on when or where they are rendered."""
    first, again = (gate_reports(EXAMPLES[name]()) for _ in range(2))

    assert first == again
    assert list(first) == ["result.json", "report.md", "report.html", "junit.xml"]


@each_example
def test_every_form_tells_the_same_verdict(name: str) -> None:
    """The word of the ruling stands first in each."""
    result = EXAMPLES[name]()
    reports = gate_reports(result)
    word, page = result.ruling.value, reports["report.html"]

    document: dict[str, Any] = json.loads(reports["result.json"])
    case = next(ET.fromstring(reports["junit.xml"]).iter("testcase"))
    verdict = re.search(r'<p class="verdict (\w+)(?: long)?">(?:<span class="word">)?(\w+)', page)

    assert (document["ruling"], document["exit_code"]) == (word, RULING_CODES[result.ruling])
    assert word in reports["report.md"].splitlines()[0].lower()
    assert verdict is not None
    assert verdict.groups() == (word, word.capitalize())
    assert [child.get("type", "pass") for child in case] == [word]
    assert shown(result).splitlines()[-1].strip().lower().startswith(word)


@each_example
def test_what_did_not_pass_is_never_green_in_junit(name: str) -> None:
    """Most readers of JUnit show what was skipped as if it had passed: nothing is."""
    result = EXAMPLES[name]()

    root = ET.fromstring(gate_reports(result)["junit.xml"])

    bad = int(root.get("failures", 0)) + int(root.get("errors", 0))
    assert root.get("skipped") == "0"
    assert (bad == 0) == (result.ruling is Ruling.PASS)


@each_example
def test_the_page_is_well_formed_and_loads_nothing(name: str) -> None:
    """It opens offline, runs no script, and every element is closed."""
    page = page_of(name)

    assert (page.wrong, page.open) == ([], [])
    assert {"script", "link", "img", "iframe", "object"} & {tag for tag, _ in page.tags} == set()
    assert page.all("src") == []


@each_example
def test_ids_are_told_once_and_every_link_within_the_page_leads_somewhere(name: str) -> None:
    """A number's title leads to its values, the sections' names to the sections."""
    page = page_of(name)
    ids = page.all("id")

    within = [href[1:] for href in page.all("href") if href.startswith("#")]

    assert len(ids) == len(set(ids))
    assert set(within) <= set(ids)


@each_example
def test_headings_go_down_one_level_at_a_time(name: str) -> None:
    """Whoever reads by headings misses none."""
    levels = [int(tag[1]) for tag, _ in page_of(name).tags if re.fullmatch("h[1-6]", tag)]

    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_hostile_texts_stay_texts_in_every_form() -> None:
    """What a pin, a model or a policy calls itself is never markup."""
    result = EXAMPLES["hostile"]()
    reports = gate_reports(result)
    page = Page(reports["report.html"])
    rendered = Page(MarkdownIt("commonmark").enable("table").render(reports["report.md"]))

    assert HOSTILE in page.text
    assert "<script" not in reports["report.html"].replace("&lt;script", "")
    assert not {"a", "img", "script", "em"} & {tag for tag, _ in rendered.tags}
    assert not any(href.startswith("javascript:") for href in page.all("href"))
    assert ET.fromstring(reports["junit.xml"]) is not None
    assert json.loads(reports["result.json"])["headline"] == HOSTILE
    assert "\x1b" not in shown(result)


@each_example
def test_markdown_fits_in_a_comment(name: str) -> None:
    """A comment on GitHub holds 65,536 characters."""
    assert len(gate_reports(EXAMPLES[name]())["report.md"]) < 60_000


def test_a_pass_says_how_the_candidate_is_accepted() -> None:
    """The next step is a command to paste."""
    assert "muse-bench accept reports/runs/it" in shown(gate())
    assert "muse-bench accept DIR" in gate_reports(gate())["report.html"]
