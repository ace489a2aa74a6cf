"""Does the page come up, say how things are, and chat? And would a test notice if not?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.browser.stage import ENDLESS

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from playground.testing import ServerProcess
    from tests.browser.chat import Chat
    from tests.browser.conftest import Problems

pytestmark = pytest.mark.browser


def test_the_page_says_that_it_is_ready(
    stage: ServerProcess, chat: Chat, page: Page, keep: Callable[[str], None]
) -> None:
    """By name, in words, and in the attribute that styles and tests look at."""
    page.goto(stage.url)

    expect(page.get_by_role("banner")).to_contain_text("Ready")
    keep("ready")

    assert page.title() == "Muse playground"
    assert page.locator("#root").get_attribute("data-connection") == "ready"
    expect(chat.message).to_be_focused()


def test_an_answer_streams(stage: ServerProcess, chat: Chat) -> None:
    """It is seen in part before it is seen whole; the next message may be written meanwhile."""
    chat.open(stage.url)
    chat.say("Count on")
    chat.says(1, re.compile("."))
    chat.message.fill("And then")
    first = chat.text_of(1)
    expect(chat.answer(1).locator("> .markdown")).not_to_have_text(first)
    then = chat.text_of(1)

    assert ENDLESS.startswith(then)
    assert then.startswith(first)
    expect(chat.message).to_have_value("And then")


def test_an_example_is_put_into_the_field_and_not_sent(stage: ServerProcess, chat: Chat) -> None:
    """It can be changed before it is."""
    chat.open(stage.url)
    example = chat.page.get_by_role("list", name="Examples").get_by_role("button").first
    words = example.locator("span").nth(1).inner_text()
    example.click()

    expect(chat.message).to_have_value(words)
    expect(chat.message).to_be_focused()
    expect(chat.answers).to_have_count(0)


def test_what_the_page_asks_of_others_is_a_problem(
    stage: ServerProcess, chat: Chat, problems: Problems
) -> None:
    """So that these tests would notice: a request elsewhere, and the policy that stops it."""
    chat.open(stage.url)
    problems.allow(r"http://127\.0\.0\.2:9/")

    chat.page.evaluate("fetch('http://127.0.0.2:9/x').catch(() => null)")
    chat.page.evaluate("console.error('http://127.0.0.2:9/ again')")

    assert any("Content Security Policy" in problem for problem in problems.seen)
    assert any("again" in problem for problem in problems.seen)
    assert problems.unexpected == []
