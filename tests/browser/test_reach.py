"""Can the page be used without a mouse, on a very small screen, and without seeing it?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.browser.wire import DONE, Wire, content, finish, reasoning, status

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from playground.testing import ServerProcess
    from tests.browser.chat import Chat

pytestmark = pytest.mark.browser

FOCUSED = """
() => {
  const element = document.activeElement;
  if (element === document.body) return null;
  const { top, bottom, left, right } = element.getBoundingClientRect();
  const marked = (one) => {
    const { outlineStyle, boxShadow } = getComputedStyle(one);
    return outlineStyle !== "none" || boxShadow !== "none";
  };
  const near = [element, element.parentElement, element.closest("form, label, section")];
  return {
    name: element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent.trim(),
    shown: near.some((one) => one && marked(one)),
    inSight: bottom > 0 && right > 0 && top < innerHeight && left < innerWidth,
  };
}
"""

AT_REST = """
() => new Promise((resolve) => {
  const log = document.querySelector("[role=log]");
  const before = log.scrollTop;
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(log.scrollTop === before)));
})
"""


def test_every_control_is_reached_by_the_tab_key_and_shows_that_it_has_the_focus(
    stage: ServerProcess, chat: Chat, page: Page
) -> None:
    """In the order in which they are read, each once, and then one is out of the page again."""
    chat.open(stage.url)
    chat.ask("Think it over")
    page.evaluate("document.body.tabIndex = -1; document.body.focus()")
    stops = []
    for _ in range(60):
        page.keyboard.press("Tab")
        stop = page.evaluate(FOCUSED)
        if stop is None:
            break
        stops.append(stop)

    names = [re.sub(r"Thought for .*", "Thought", stop["name"]) for stop in stops]
    assert names == [
        "New chat",
        "Export",
        "Theme",
        "Keyboard shortcuts",
        "Settings",
        "Conversation",
        "Copy message",
        "Edit your message 1",
        "Thought",
        "Details",
        "Copy answer",
        "Edit answer 1",
        "Regenerate",
        "Message",
        "Attach image",
        "Reasoning strength",
        "Send",
    ]
    assert [stop["name"] for stop in stops if not (stop["shown"] and stop["inSight"])] == []


def test_a_whole_conversation_by_keyboard_alone(
    stage: ServerProcess, chat: Chat, page: Page
) -> None:
    """Ask, look at the thoughts, change the question, choose a theme, set a value, begin anew."""
    press, write = page.keyboard.press, page.keyboard.type
    chat.open(stage.url)
    expect(chat.message).to_be_focused()
    write("Think it over")
    press("Enter")
    chat.is_in(1, "complete")
    go_to(page, "Thought")
    press("Enter")
    expect(chat.thinking(1)).to_have_attribute("aria-expanded", "true")
    press("Control+k")
    press("ArrowUp")
    press("Control+a")
    write("In short")
    press("Control+Enter")
    chat.says(1, "Briefly: yes.")
    go_to(page, "Theme")
    press("Enter")
    press("End")
    press("Enter")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(chat.button("Theme")).to_be_focused()
    press("Control+,")
    press("ArrowRight")
    expect(page.get_by_role("tab", name="Runtime")).to_be_focused()
    press("ArrowLeft")
    go_to(page, "Temperature")
    press("ArrowUp")
    expect(chat.panel.get_by_role("textbox", name="Temperature")).to_have_value("0.05")
    press("Control+Shift+o")

    expect(chat.answers).to_have_count(0)
    expect(chat.message).to_be_focused()


@pytest.mark.parametrize("height", [640, 256], ids=["320-pixels", "zoomed-to-400-percent"])
def test_a_very_small_screen_is_enough(
    stage: ServerProcess, chat: Chat, page: Page, height: int
) -> None:
    """1280 by 1024 pixels at 400 % are 320 by 256: nothing is cut off, nothing goes sideways."""
    page.set_viewport_size({"width": 320, "height": height})
    chat.open(stage.url)
    chat.ask("Set a table")
    expect(chat.answer(1).get_by_role("cell", name="plum")).to_be_attached()
    chat.message.scroll_into_view_if_needed()
    for name in ("New chat", "Export", "Theme", "Settings"):
        expect(chat.button(name)).to_be_in_viewport(ratio=1)
    expect(chat.message).to_be_in_viewport(ratio=1)
    expect(chat.send).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.scrollingElement.scrollWidth") == 320
    seen = chat.log.evaluate("log => log.clientHeight")

    chat.button("Settings").click()
    expect(chat.panel).to_be_visible()
    chat.button("Reset to defaults").click()
    assert page.evaluate("document.scrollingElement.scrollWidth") == 320
    assert chat.panel.evaluate("panel => panel.scrollWidth - panel.clientWidth") <= 0
    chat.button("Close").click()
    expect(chat.panel).to_have_count(0)
    expect(chat.button("Settings")).to_be_focused()
    assert seen >= 48


def test_text_twice_as_large_stays_within_its_frame(
    stage: ServerProcess, chat: Chat, page: Page
) -> None:
    """Also with the panel beside it, where a wide window leaves little room (WCAG 1.4.4)."""
    chat.open(stage.url)
    chat.ask("Set a table")
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    chat.open_panel("Settings")
    composer = page.get_by_role("form", name="Composer")

    overhang = composer.evaluate("form => form.scrollWidth - form.clientWidth")

    assert overhang <= 0
    assert page.evaluate("document.scrollingElement.scrollWidth") == page.viewport_size["width"]


def test_a_screen_reader_is_told_what_happens_and_not_every_word(
    stage: ServerProcess, chat: Chat
) -> None:
    """By the one status region; the transcript is no live region."""
    wire = Wire(chat.page)
    chat.open(stage.url)
    told = chat.page.get_by_role("status")
    expect(told).to_have_count(1)
    expect(chat.log).to_have_attribute("aria-live", "off")
    chat.say("Hello")
    expect(told).to_have_text("Generating")
    wire.write(1, reasoning("Hm."))
    expect(told).to_have_text("Thinking")
    wire.write(1, content("Hello."))
    expect(told).to_have_text("Thinking finished")
    wire.write(1, finish(), DONE)

    expect(told).to_have_text("Response complete")


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_nothing_moves_where_that_is_not_wanted(
    stage: ServerProcess, chat: Chat, page: Page, motion: str
) -> None:
    """A spinner turns only for those who do not mind."""
    wire = Wire(page)
    page.emulate_media(reduced_motion=motion)
    chat.open(stage.url)
    chat.say("Hello")
    wire.write(1, status("prefill", done=1, total=2))
    expect(chat.answer(1)).to_contain_text("1 of 2")

    moving = page.evaluate(
        "document.getAnimations().filter((one) => one.effect.getTiming().iterations > 1).length"
    )

    assert (moving > 0) == (motion == "no-preference")


def test_what_is_read_further_up_stays_where_it_is_while_more_comes(
    stage: ServerProcess, chat: Chat, page: Page
) -> None:
    """Until one jumps to the latest; then the end is followed again."""
    wire = Wire(page)
    chat.open(stage.url)
    chat.say("Hello")
    wire.write(1, content("line\n\n" * 60))
    chat.log.get_by_text("line").nth(59).wait_for()
    at_end = "log => log.scrollHeight - log.clientHeight - log.scrollTop < 2"
    assert chat.log.evaluate(at_end)
    chat.log.hover()
    page.mouse.wheel(0, -600)
    expect(chat.button("Jump to latest")).to_be_visible()
    page.wait_for_function(AT_REST)
    before = chat.log.evaluate("log => log.scrollTop")
    wire.write(1, content("more\n\n" * 20))
    chat.log.get_by_text("more").nth(19).wait_for()
    assert chat.log.evaluate("log => log.scrollTop") == before

    chat.button("Jump to latest").click()
    wire.write(1, content("end\n\n" * 20))
    chat.log.get_by_text("end").nth(19).wait_for()

    page.wait_for_function(f"({at_end})(document.querySelector('[role=log]'))")


def go_to(page: Page, name: str) -> None:
    """Press Tab until the element of this name has the focus."""
    for _ in range(60):
        focused = page.evaluate(FOCUSED)
        if focused and focused["name"].startswith(name):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"the focus did not come to {name}")
