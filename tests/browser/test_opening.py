"""Does the page come up, say how things are, and chat?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from playground.testing import ServerProcess
    from tests.browser.conftest import Problems

pytestmark = pytest.mark.browser

HEADER = " to=self<|message|>They greet.<|eom|><|start|>assistant to=user<|message|>"
HELLO = {"step_ms": 5.0, "replies": [{"text": f"{HEADER}Hello **you**, one by one.<|eot|>"}]}
SLOW = {"step_ms": 50.0, "replies": [{"text": "Hello **you**, one by one.<|eot|>"}]}


def test_the_page_says_that_it_is_ready(
    serve: Callable[..., ServerProcess], page: Page, keep: Callable[[str], None]
) -> None:
    """By name, in words, and in the attribute that styles and tests look at."""
    page.goto(serve(HELLO).url)

    page.get_by_text("Ready", exact=True).first.wait_for()
    keep("ready")

    assert page.title() == "Muse playground"
    assert page.locator("#root").get_attribute("data-connection") == "ready"
    assert page.get_by_role("textbox", name="Message").is_editable()


def test_an_answer_streams(serve: Callable[..., ServerProcess], page: Page) -> None:
    """It is seen in part before it is seen whole, and rendered."""
    page.goto(serve(SLOW).url)
    page.get_by_role("textbox", name="Message").fill("Hello!")
    page.get_by_role("textbox", name="Message").press("Enter")

    answer = page.locator('[data-role="assistant"]')
    answer.get_by_text("Hello").wait_for()
    seen = answer.inner_text()
    answer.get_by_text("one by one.").wait_for()

    assert "one by one." not in seen
    assert answer.locator("strong").inner_text() == "you"


def test_what_the_page_asks_of_others_is_a_problem(
    serve: Callable[..., ServerProcess], page: Page, problems: Problems
) -> None:
    """So that these tests would notice: a request elsewhere, and the policy that stops it."""
    page.goto(serve(HELLO).url)
    problems.allow(r"http://127\.0\.0\.2:9/")

    page.evaluate("fetch('http://127.0.0.2:9/x').catch(() => null)")
    page.evaluate("console.error('http://127.0.0.2:9/ again')")

    assert any("Content Security Policy" in problem for problem in problems.seen)
    assert any("again" in problem for problem in problems.seen)
    assert problems.unexpected == []
