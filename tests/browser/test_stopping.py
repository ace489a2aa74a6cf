"""Does Stop end a turn, in whatever state it is?"""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING

import httpx
import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from playground.testing import ServerProcess
from tests.browser.stage import ENDLESS
from tests.browser.wire import DONE, Wire, content, finish, reasoning

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.browser.chat import Chat
    from tests.browser.conftest import Problems

pytestmark = pytest.mark.browser

ANY_TEXT = re.compile(".+")
SLOW = {
    "max_image_cells": 64,
    "encode_ms": 3000.0,
    "max_prefill_chunk": 16,
    "prefill_ms_per_token": 30.0,
    "replies": [{"text": "Hello."}],
}


@pytest.fixture(scope="module")
def slow_server(
    built_page: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServerProcess]:
    """It takes seconds to look at a picture, and to read a prompt."""
    flags = ["--ui-dir", str(built_page), "--max-sessions", "50"]
    server = ServerProcess(tmp_path_factory.mktemp("slow"), SLOW, flags)
    server.start()
    yield server
    server.stop()


@contextlib.contextmanager
def busy(server: ServerProcess) -> Iterator[None]:
    """Another program has the model."""
    body = {"messages": [{"role": "user", "content": "Count on"}], "stream": True}
    url = f"{server.url}/v1/chat/completions"
    with httpx.stream("POST", url, json=body, timeout=60) as response:
        pieces = response.iter_bytes()
        next(pieces)
        yield


def test_an_answer_is_stopped_and_what_was_said_stays(stage: ServerProcess, chat: Chat) -> None:
    """Within a step; the server confirms it, and the next turn can be asked at once."""
    chat.open(stage.url)
    chat.say("Count on")
    chat.says(1, ANY_TEXT)
    chat.stop.click()

    chat.is_in(1, "stopped")

    assert ENDLESS.startswith(chat.text_of(1))
    expect(chat.answer(1).get_by_text("Stopped", exact=True)).to_be_visible()
    assert chat.ask("In short") == "Briefly: yes."


def test_escape_stops_and_reasoning_stays(stage: ServerProcess, chat: Chat) -> None:
    """While it thinks; such a message keeps its place when the next is sent."""
    chat.open(stage.url)
    chat.say("Ponder")
    chat.is_in(1, "thinking")
    expect(chat.answer(1).locator(".thinking")).to_contain_text("and 1 and 2")
    chat.page.keyboard.press("Escape")

    chat.is_in(1, "stopped")
    chat.ask("In short")

    expect(chat.answers).to_have_count(2)
    chat.thinking(1).click()
    expect(chat.answer(1).locator(".thinking")).to_contain_text("and 1 and 2")


def test_a_turn_is_stopped_while_it_waits_behind_another(stage: ServerProcess, chat: Chat) -> None:
    """And the other is not."""
    chat.open(stage.url)
    with busy(stage):
        chat.say("Hello")
        chat.is_in(1, "queued")
        chat.stop.click()

        chat.is_in(1, "stopped")

    expect(chat.answer(1)).to_contain_text("Stopped")
    expect(chat.answer(1)).not_to_contain_text("not confirm")


def test_a_turn_is_stopped_while_the_prompt_is_read(slow_server: ServerProcess, chat: Chat) -> None:
    """Between two chunks of it; how far it was had been shown."""
    chat.open(slow_server.url)
    chat.say("Hello")
    expect(chat.answer(1)).to_contain_text(" tokens")
    chat.is_in(1, "prefilling")
    chat.stop.click()

    chat.is_in(1, "stopped")

    assert any(" of " in seen for seen in chat.seen() if seen.startswith("prefilling"))
    assert chat.answer(1).locator("> .markdown").count() == 0


def test_a_turn_is_stopped_while_the_picture_is_looked_at(
    slow_server: ServerProcess, chat: Chat, picture: Path
) -> None:
    """The model does not go on to read the prompt."""
    chat.open(slow_server.url)
    chat.page.get_by_label("Image file").set_input_files(picture)
    expect(chat.button("Remove image")).to_be_visible()
    chat.say("What is it?")
    chat.is_in(1, "encoding")
    expect(chat.answer(1)).to_contain_text("Looking at the image…")
    chat.stop.click()

    chat.is_in(1, "stopped")

    assert not any(seen.startswith("answering") for seen in chat.seen())


def test_a_turn_is_stopped_before_the_server_has_said_anything(
    stage: ServerProcess, chat: Chat
) -> None:
    """The server knows of no such turn, so the connection is closed, and no more is made of it."""
    wire = Wire(chat.page)
    chat.open(stage.url)
    chat.say("Hello")
    wire.asked(1)
    chat.stop.click()

    chat.is_in(1, "stopped")

    expect(chat.answer(1)).not_to_contain_text("not confirm")


def test_a_stop_that_is_not_honoured_closes_the_connection_and_says_so(
    stage: ServerProcess, chat: Chat
) -> None:
    """After five seconds; all that had come stays, and nothing that comes later is shown."""
    wire = Wire(chat.page)
    chat.page.clock.install()
    chat.page.route("**/api/cancel", lambda route: route.fulfill(json={"cancelled": True}))
    chat.open(stage.url)
    chat.say("Hello")
    wire.write(1, reasoning("Hm."), content("Hel"))
    chat.says(1, "Hel")
    with chat.page.expect_response("**/api/cancel"):
        chat.stop.click()
    chat.is_in(1, "stopping")
    expect(chat.button("Stopping…")).to_have_attribute("aria-disabled", "true")

    chat.page.clock.run_for(4_000)
    chat.is_in(1, "stopping")
    chat.page.clock.run_for(2_000)
    chat.is_in(1, "stopped")
    wire.write(1, content("lo."), finish(), DONE)

    expect(chat.answer(1)).to_contain_text(
        "Stopped: the server did not confirm, so the connection was closed"
    )
    chat.says(1, "Hel")
    expect(chat.thinking(1)).to_be_visible()
    expect(chat.send).to_be_visible()


def test_a_stop_that_reaches_no_server_closes_the_connection_at_once(
    stage: ServerProcess, chat: Chat, problems: Problems
) -> None:
    """It never stays in "Stopping…"."""
    problems.allow(r"ERR_FAILED .*/api/cancel")
    chat.page.route("**/api/cancel", lambda route: route.abort())
    chat.open(stage.url)
    chat.say("Count on")
    chat.says(1, ANY_TEXT)
    chat.stop.click()

    chat.is_in(1, "stopped")

    expect(chat.answer(1)).to_contain_text("did not confirm")
    assert chat.ask("In short") == "Briefly: yes."


def test_the_focus_stays_where_it_is_when_send_becomes_stop(
    stage: ServerProcess, chat: Chat, page: Page
) -> None:
    """It is one button; a double click on it does not stop what it has sent."""
    chat.open(stage.url)
    chat.message.fill("Count on")
    chat.message.press("Tab")
    while page.evaluate("document.activeElement.ariaLabel") != "Send":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    expect(chat.stop).to_be_focused()
    chat.says(1, ANY_TEXT)
    page.keyboard.press("Enter")
    chat.is_in(1, "stopped")
    expect(chat.send).to_be_focused()

    chat.message.fill("In short")
    chat.send.dblclick()

    chat.is_in(2, "complete")
