"""Can everybody read the page of a gate: on a phone and on a desk, in any light, with any tool?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from harness.report.gate import gate_reports
from tests.browser.axe import FINDINGS
from tests.harness.report.gate.examples import EXAMPLES

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import Problems

pytestmark = pytest.mark.browser

GOLDEN = Path(__file__).parent.parent / "data" / "golden-run" / "report.html"
SIZES = {1280: 900, 390: 844}
SIDEWAYS = "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"
UNFOLD = "document.querySelectorAll('details').forEach(each => { each.open = true })"


@pytest.fixture(autouse=True)
def _from_disk(problems: Problems) -> None:
    """These pages are files; that one asks for anything else is still a problem."""
    problems.allow(r"^request to another server: file:///.*/report\.html(#.*)?$")


@pytest.mark.parametrize("name", ["fail-statistics", "fail-correctness", "one-pair", "hostile"])
def test_a_gate_can_be_read_by_everybody(page: Page, axe: str, name: str, tmp_path: Path) -> None:
    """Axe finds nothing, and nothing reaches beyond the side, folded and unfolded."""
    path = tmp_path / "report.html"
    path.write_text(gate_reports(EXAMPLES[name]())["report.html"], encoding="utf-8")
    page.goto(path.as_uri())
    page.evaluate(axe)

    found = {}
    for folding in ("0", UNFOLD):
        page.evaluate(folding)
        for width, height in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            for theme in ("light", "dark"):
                page.emulate_media(color_scheme=theme)
                findings = (*page.evaluate(FINDINGS), page.evaluate(SIDEWAYS))
                if findings != (0,):
                    found[width, theme, folding] = findings

    assert found == {}


def test_a_link_to_a_trace_opens_the_place_where_it_is_told(page: Page) -> None:
    """The table of traces is folded until somebody is led into it."""
    page.goto(GOLDEN.as_uri())
    row = page.locator('[id="trace-salt-r1-warm-t1"]')
    expect(row).to_be_hidden()

    page.goto(f"{GOLDEN.as_uri()}#trace-salt-r1-warm-t1")

    expect(row).to_be_in_viewport()
