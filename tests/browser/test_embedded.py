"""Does a real conversation with the embedded model go as it does on the page's own stage?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright")
pytest.importorskip("executorch")

from playwright.sync_api import expect

from tests.browser.wire import Overheard

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playground.testing import ServerProcess
    from tests.browser.chat import Chat

pytestmark = [pytest.mark.browser, pytest.mark.embedded]

PRESS_STOP_AT_THE_FIRST_WORDS = """
() => new MutationObserver(() => {
  const answer = [...document.querySelectorAll("[data-role=assistant]")].at(-1);
  if (answer?.dataset.phase !== "answering") return;
  document.querySelector("button[aria-label=Stop]")?.click();
}).observe(document.body, { subtree: true, attributes: true, childList: true })
"""


def test_a_real_conversation(
    serve: Callable[..., ServerProcess], chat: Chat, picture: Path
) -> None:
    """Reasoning, a warm turn, an edit, a picture, a stop, a reload, and a new chat."""
    overheard = Overheard(chat.page)
    server = serve()
    chat.open(server.url)
    chat.open_panel("Settings")
    temperature = chat.panel.get_by_role("textbox", name="Temperature")
    temperature.fill("0")
    temperature.press("Enter")
    chat.button("Close").click()

    chat.ask("My dog is called Biscuit.")
    expect(chat.thinking(1)).to_have_text(re.compile("^Thought for"))
    assert "Biscuit" in chat.ask("What is my dog called?")

    cost = overheard.cost(2)
    assert cost["session_reset_reason"] == "exact_prefix"
    assert cost["reused_prompt_tokens"] > 0
    chat.answer(2).get_by_role("button", name="Details").click()
    expect(chat.answer(2)).to_contain_text("Warm: all that came before was there")
    expect(chat.answer(2)).to_contain_text(f"{cost['reused_prompt_tokens']} tokens")

    chat.button("Edit your message 1").click()
    chat.page.get_by_role("textbox", name="Editing: Your message 1").fill(
        "My dog is called Pepper."
    )
    chat.button("Save and regenerate").click()
    expect(chat.answers).to_have_count(1)
    chat.is_in(1, "complete")
    assert "Pepper" in chat.ask("What is my dog called?")

    chat.page.get_by_label("Image file").set_input_files(picture)
    expect(chat.button("Remove image")).to_be_visible()
    assert "red" in chat.ask("What colour is the square?").lower()
    assert overheard.cost(5)["image_tokens"] > 0

    chat.page.evaluate(PRESS_STOP_AT_THE_FIRST_WORDS)
    chat.say("Tell me a story about Mila and the green lantern in twelve sentences.")
    ended = re.compile("^(complete|stopped)$")
    for _ in range(9):  # on a busy machine the whole story may come with its first words
        expect(chat.answer(4)).to_have_attribute("data-phase", ended)
        if chat.answer(4).get_attribute("data-phase") == "stopped":
            break
        chat.button("Regenerate").click()
    chat.is_in(4, "stopped")
    expect(chat.answer(4)).not_to_contain_text("did not confirm")

    session = chat.storage()["muse:session"]
    chat.page.reload()
    chat.is_connected("ready")
    expect(chat.answers).to_have_count(0)
    chat.ask("Hello!")
    assert chat.storage()["muse:session"] == session
    assert overheard.cost(1)["reused_prompt_tokens"] == 0
    chat.button("New chat").click()
    expect(chat.answers).to_have_count(0)
    chat.ask("Hello!")
    assert chat.storage()["muse:session"] != session
    assert overheard.cost(2)["session_reset_reason"] == "new"
