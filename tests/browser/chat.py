"""What does a person find on the page? Its parts, by the names that they are known by.

A test says what is done and seen here, and nothing of how the page is built.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page, Request

__all__ = ["Chat"]

WATCHER = """
addEventListener("DOMContentLoaded", () => {
  window.museSeen = [];
  const note = () => {
    const answer = [...document.querySelectorAll('[data-role="assistant"]')].at(-1);
    if (!answer) return;
    const line = answer.querySelector(".phase-line")?.textContent ?? "";
    const seen = `${answer.dataset.phase}: ${line}`;
    if (window.museSeen.at(-1) !== seen) window.museSeen.push(seen);
  };
  const whole = { subtree: true, childList: true, attributes: true, characterData: true };
  new MutationObserver(note).observe(document, whole);
});
"""


class Chat:
    """The page in one tab."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.add_init_script(WATCHER)
        self.message = page.get_by_role("textbox", name="Message", exact=True)
        self.send = self.button("Send")
        self.stop = self.button("Stop")
        self.log = page.get_by_role("log", name="Conversation")
        self.panel = page.get_by_role("complementary", name="Settings and reports")
        self.notices = page.get_by_role("list", name="Notices")
        self.answers = page.locator('[data-role="assistant"]')
        self.questions = page.locator('[data-role="user"]')

    def open(self, url: str) -> None:
        """Go there, and wait until the page can be used."""
        self.page.goto(url)
        self.is_connected("ready")

    def is_connected(self, how: str) -> None:
        """The page stands so with the server; it is waited for."""
        expect(self.page.locator("#root")).to_have_attribute("data-connection", how)

    def button(self, name: str) -> Locator:
        """A button of the page by its whole name."""
        return self.page.get_by_role("button", name=name, exact=True)

    def say(self, text: str) -> None:
        """Write a message and send it."""
        self.message.fill(text)
        self.message.press("Enter")

    def ask(self, text: str) -> str:
        """Send a message and wait for the whole answer, which is returned."""
        before = self.answers.count()
        self.say(text)
        self.is_in(before + 1, "complete")
        return self.text_of(before + 1)

    def answer(self, number: int) -> Locator:
        """An answer, from 1."""
        return self.answers.nth(number - 1)

    def text_of(self, number: int) -> str:
        """What an answer says, without its reasoning."""
        text: str = self.answer(number).locator("> .markdown").inner_text()
        return text

    def says(self, number: int, text: str | re.Pattern[str]) -> None:
        """An answer says this and nothing else; it is waited for."""
        expect(self.answer(number).locator("> .markdown")).to_have_text(text)

    def is_in(self, number: int, phase: str) -> None:
        """An answer comes into this phase; it is waited for."""
        expect(self.answer(number)).to_have_attribute("data-phase", phase)

    def thinking(self, number: int) -> Locator:
        """The toggle of an answer's reasoning."""
        return self.answer(number).get_by_role("button", name=re.compile("^(Thinking…|Thought)"))

    def seen(self) -> list[str]:
        """The phases of the answers up to now, each with its line: `queued: Waiting: next`."""
        seen: list[str] = self.page.evaluate("window.museSeen")
        return seen

    def open_panel(self, tab: str) -> None:
        """Open the panel beside the conversation, with this tab."""
        if self.button("Settings").get_attribute("aria-expanded") == "false":
            self.button("Settings").click()
        self.page.get_by_role("tab", name=tab).click()

    def storage(self) -> dict[str, str]:
        """All that the page keeps in this browser."""
        kept: dict[str, str] = self.page.evaluate("({...localStorage})")
        return kept

    def bodies(self) -> list[dict[str, Any]]:
        """The requests for a turn that are made from here on, as they are made."""
        bodies: list[dict[str, Any]] = []

        def note(request: Request) -> None:
            if request.url.endswith("/v1/chat/completions"):
                bodies.append(json.loads(request.post_data))

        self.page.on("request", note)
        return bodies
