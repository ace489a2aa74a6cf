"""Can everybody use the page: at any size, by keyboard alone, with any tool, in any light?

Each view is looked at by axe at three widths in both themes; `--screenshots DIR` keeps a picture of
each, for people to look at.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.browser.axe import FINDINGS
from tests.browser.chat import Chat
from tests.browser.wire import DONE, Wire, content, finish, frame, reasoning, status

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import BrowserContext, Page

    from playground.testing import ServerProcess
    from tests.browser.conftest import Problems

pytestmark = pytest.mark.browser

WIDTHS = {1440: 900, 768: 1024, 360: 740}
SIDEWAYS = """
() => {
  const width = document.documentElement.clientWidth;
  const scrolls = "pre, textarea, .markdown-table, .katex-display";
  const box = (element) => getComputedStyle(element).overflowX;
  const out = [...document.querySelectorAll("body *")].filter((element) =>
    element.checkVisibility() && !element.closest(`.visually-hidden, ${scrolls}`) &&
    (element.getBoundingClientRect().right > width + 1 ||
      (/auto|scroll/.test(box(element)) && element.scrollWidth > element.clientWidth + 1)));
  if (document.scrollingElement.scrollWidth > width) out.push(document.scrollingElement);
  return out.map((element) => `sideways: ${element.tagName}.${element.className}`);
}
"""
RICH = '''Three things to know:

1. A **list** with `code` and a [link](https://example.org/a-rather-long-path/that-goes-on).
   - [x] done
   - [ ] not yet
2. A price of $5 to $7, and a formula $$a^2 + b^2 = c^2$$

| Fruit | Price | Where it comes from |
|:------|------:|:--------------------|
| Plum  |    $2 | The orchard behind the house |
| Fig   |    $3 | Far away |

```python
def gcd(p: int, q: int) -> int:
    """The greatest common divisor of two numbers, by Euclid's method, as long ago as that is."""
    while q:
        p, q = q, p % q
    return p
```

> Measure twice, cut once.
'''
COST = {
    "muse_metrics": {
        "prompt_tokens": 612,
        "completion_tokens": 203,
        "reused_prompt_tokens": 480,
        "prefilled_prompt_tokens": 132,
        "session_reset_reason": "exact_prefix",
        "thinking_tokens": 41,
        "prefill_ms": 212.5,
        "decode_ms": 3801.0,
        "ttft_ms": 431.2,
        "wall_ms": 4240.8,
        "decode_tokens_per_second": 53.4,
        "dflash": "on",
        "dflash_rounds": 60,
        "dflash_accepted": 140,
        "cancelled": False,
    }
}


@pytest.fixture
def look(page: Page, axe: str, request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Have axe look at the page as it is, at each width in each theme, and keep pictures."""
    option: str | None = request.config.getoption("--screenshots", default=None)
    page.emulate_media(reduced_motion="reduce")

    def at_all_sizes(view: str) -> None:
        found = {}
        if not page.evaluate("'axe' in window"):
            page.evaluate(axe)
        for width, height in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": height})
            for theme in ("light", "dark"):
                page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
                if option:
                    picture = Path(option) / f"{view}-{width}-{theme}.png"
                    page.screenshot(path=picture, animations="disabled")
                if findings := page.evaluate(FINDINGS) + page.evaluate(SIDEWAYS):
                    found[f"{view} at {width}, {theme}"] = findings
        assert found == {}

    return at_all_sizes


def test_what_is_wrong_with_a_page_is_found(
    stage: ServerProcess, chat: Chat, look: Callable[[str], None]
) -> None:
    """So that it means something that nothing is found in the other tests."""
    chat.open(stage.url)
    chat.page.evaluate(
        "document.querySelector('main').insertAdjacentHTML('beforeend',"
        " '<button></button><p>wide<span>wide</span></p>');"
        "document.querySelector('main > p').style.minWidth = '1200px'"
    )

    with pytest.raises(AssertionError) as found:
        look("broken")

    assert "button-name" in str(found.value)
    assert "sideways" in str(found.value)


def test_the_welcome(stage: ServerProcess, chat: Chat, look: Callable[[str], None]) -> None:
    """What one sees first."""
    chat.open(stage.url)

    look("welcome")


def test_a_conversation(
    stage: ServerProcess, chat: Chat, look: Callable[[str], None], picture: Path
) -> None:
    """With a picture, reasoning, all that Markdown has, costs unfolded, and one that is editing."""
    wire = Wire(chat.page)
    chat.open(stage.url)
    chat.page.get_by_label("Image file").set_input_files(picture)
    expect(chat.button("Remove image")).to_be_visible()
    chat.say("What is this, and what else should I know?")
    wire.write(1, reasoning("They show a red square.\n\nI also tell three things."))
    wire.write(1, content(RICH), frame(COST), finish(), DONE)
    chat.is_in(1, "complete")
    look("conversation-end")
    chat.thinking(1).click()
    chat.button("Details").click()
    chat.log.evaluate("log => { log.scrollTop = 0 }")
    look("conversation")

    chat.button("Edit your message 1").click()

    look("editing")


def test_an_answer_on_its_way(
    stage: ServerProcess, chat: Chat, look: Callable[[str], None]
) -> None:
    """While the prompt is read, while it thinks, and while it answers with half a table."""
    wire = Wire(chat.page)
    chat.open(stage.url)
    chat.say("Go on, please.")
    wire.write(1, status("prefill", done=512, total=1024))
    expect(chat.answer(1)).to_contain_text("512 of 1,024")
    look("prefilling")
    wire.write(1, reasoning("Where were we? "))
    chat.is_in(1, "thinking")
    look("thinking")
    wire.write(1, content("Here:\n\n| a | b |\n|---|---|\n| 1 | **tw"))
    chat.is_in(1, "answering")

    look("answering")


def test_answers_that_are_not_whole(
    stage: ServerProcess, chat: Chat, look: Callable[[str], None]
) -> None:
    """Stopped, interrupted, and failed, with what can be done about it."""
    wire = Wire(chat.page)
    chat.open(stage.url)
    chat.say("First")
    wire.write(1, content("One, two, "))
    chat.says(1, "One, two,")
    chat.stop.click()
    chat.is_in(1, "stopped")
    chat.say("Second")
    wire.write(2, content("Three, "))
    wire.end(2)
    chat.is_in(2, "interrupted")
    look("interrupted")
    chat.say("Third")
    wire.write(3, frame({"error": {"message": "The cache is on fire.", "code": "engine_error"}}))
    chat.is_in(3, "failed")

    look("failed")


@pytest.mark.parametrize("tab", ["Settings", "Runtime", "Benchmarks"])
def test_the_panel(stage: ServerProcess, chat: Chat, look: Callable[[str], None], tab: str) -> None:
    """Each of its tabs, beside the conversation or over it."""
    chat.open(stage.url)
    chat.open_panel(tab)
    if tab == "Settings":
        chat.panel.get_by_role("textbox", name="Top K").fill("many")
        chat.panel.get_by_role("textbox", name="Top K").press("Enter")
        expect(chat.panel.get_by_role("alert")).to_be_visible()

    look(f"panel-{tab.lower()}")


def test_help_and_menus(stage: ServerProcess, chat: Chat, look: Callable[[str], None]) -> None:
    """What lies over the page."""
    chat.open(stage.url)
    chat.button("Theme").click()
    look("theme-menu")
    chat.page.keyboard.press("Escape")
    chat.page.keyboard.press("Control+/")
    expect(chat.page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()

    look("help")


def test_notices_and_offline(
    stage: ServerProcess,
    chat: Chat,
    look: Callable[[str], None],
    problems: Problems,
) -> None:
    """An undo that is offered, a refusal, and a server that is gone."""
    problems.allow(r"ERR_FAILED .*/health")
    chat.open(stage.url)
    chat.ask("Hello")
    chat.button("New chat").click()
    expect(chat.button("Undo")).to_be_visible()
    text = {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"Dear diary"}
    chat.page.get_by_label("Image file").set_input_files([text])
    expect(chat.page.get_by_role("alert")).to_be_visible()
    look("notices")
    chat.page.route("**/health", lambda route: route.abort())
    chat.is_connected("offline")
    look("welcome-offline")
    chat.button("Undo").click()
    chat.says(1, "Hello you.")

    look("offline")


def test_in_use_elsewhere(
    stage: ServerProcess, chat: Chat, look: Callable[[str], None], context: BrowserContext
) -> None:
    """A second tab."""
    first = Chat(context.new_page())
    first.open(stage.url)
    chat.open(stage.url)
    expect(chat.button("Take over")).to_be_visible()

    look("in-use")


def test_words_without_an_end(
    stage: ServerProcess, chat: Chat, look: Callable[[str], None], picture: Path
) -> None:
    """In a message, an answer, a cell, code, an error, the system message, and a file's name."""
    long = "anylengthofword" * 30
    wire = Wire(chat.page)
    chat.open(stage.url)
    chat.say(long)
    wire.write(
        1, reasoning(long), content(f"{long}\n\n`{long}`\n\n[{long}](https://example.org)\n")
    )
    wire.write(
        1,
        content(f"\n### {long}\n\n- {long}\n\n> {long}\n\n| a |\n|---|\n| {long} |\n\n    {long}"),
    )
    wire.write(1, frame(COST), finish(), DONE)
    chat.is_in(1, "complete")
    chat.thinking(1).click()
    chat.say("And now?")
    wire.write(2, frame({"error": {"message": long, "code": "engine_error"}}))
    chat.is_in(2, "failed")
    named = {"name": f"{long[:200]}.png", "mimeType": "image/png", "buffer": picture.read_bytes()}
    chat.page.get_by_label("Image file").set_input_files([named])
    expect(chat.button("Remove image")).to_be_visible()

    look("long-words")
    chat.button("Edit your message 1").click()
    look("long-words-editing")
