"""What becomes of the page when the server loads, goes away, comes back, or is another's?"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import httpx
import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.browser.chat import Chat
from tests.browser.stage import STAGE

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import BrowserContext

    from playground.testing import ServerProcess
    from tests.browser.conftest import Problems

pytestmark = pytest.mark.browser

HELLO = {"replies": [{"text": "Hello **you**."}]}


def test_a_model_that_loads_is_waited_for(
    stage: ServerProcess, chat: Chat, problems: Problems
) -> None:
    """What can be asked is said to be loading; the page goes on by itself when it is there."""
    problems.allow(r"status of 503 .*/health")
    report = {"status": "loading", "reason": "Reading 34 MB."}
    chat.page.route("**/health", lambda route: route.fulfill(status=503, json=report))
    chat.page.goto(stage.url)
    chat.is_connected("loading")
    expect(chat.page.get_by_text("Loading model…").first).to_be_visible()
    expect(chat.page.get_by_text("Reading 34 MB.")).to_be_visible()
    chat.say("Hello")
    expect(chat.answers).to_have_count(0)

    chat.page.unroute("**/health")
    chat.is_connected("ready")
    chat.message.press("Enter")

    chat.says(1, "Hello you.")


def test_a_server_that_ends_and_starts_again_costs_nothing_but_the_cache(
    serve: Callable[..., ServerProcess], chat: Chat, problems: Problems
) -> None:
    """The answer that was coming is interrupted, all that was said stays, the next turn is cold."""
    problems.allow(r"ERR_(CONNECTION_REFUSED|INCOMPLETE_CHUNKED_ENCODING|CONNECTION_RESET|EMPTY)")
    server = serve(STAGE)
    chat.open(server.url)
    chat.ask("Hello")
    chat.say("Count on")
    expect(chat.answer(2)).to_contain_text("and 1 and 2")
    os.kill(process_of(server), signal.SIGKILL)
    server.stop()

    chat.is_in(2, "interrupted")
    chat.is_connected("offline")
    expect(chat.page.get_by_role("banner")).to_contain_text("Offline")
    expect(chat.answer(2)).to_contain_text("and 1 and 2")
    chat.message.fill("In short")
    server.start()
    chat.is_connected("ready")
    chat.says(1, "Hello you.")
    chat.message.press("Enter")

    chat.is_in(3, "complete")
    chat.says(3, "Briefly: yes.")
    chat.answer(3).get_by_role("button", name="Details").click()
    expect(chat.answer(3)).to_contain_text("Cold: nothing was there yet")


def test_an_engine_that_dies_is_told_and_what_was_said_stays(
    serve: Callable[..., ServerProcess], chat: Chat, problems: Problems
) -> None:
    """In the middle of an answer; the server itself goes on and says so."""
    problems.allow(r"status of 503")
    server = serve({**HELLO, "die_after_tokens": 20})
    chat.open(server.url)
    chat.ask("Hello")
    chat.say("Hello again")

    chat.is_in(2, "failed")
    expect(chat.answer(2).get_by_role("alert")).to_contain_text("worker")
    chat.is_connected("engine-gone")
    expect(chat.page.get_by_role("banner")).to_contain_text("Engine gone")
    chat.says(1, "Hello you.")
    chat.message.fill("And now?")
    expect(chat.send).to_have_attribute("aria-disabled", "true")


def test_a_page_without_its_server_says_so_and_tries_again(
    stage: ServerProcess, chat: Chat, problems: Problems
) -> None:
    """At once, where one asks for it."""
    problems.allow(r"ERR_FAILED .*/health")
    chat.open(stage.url)
    chat.page.route("**/health", lambda route: route.abort())
    chat.is_connected("offline")
    expect(chat.page.get_by_text("The server does not answer.").first).to_be_visible()

    chat.page.unroute("**/health")
    chat.button("Try again").click()

    chat.is_connected("ready")


def test_a_second_tab_is_told_that_the_first_is_in_use_and_can_take_over(
    stage: ServerProcess, chat: Chat, context: BrowserContext
) -> None:
    """The first then ends what it was doing and says the same; and gets it back when it may."""
    chat.open(stage.url)
    other = Chat(context.new_page())
    other.open(stage.url)
    expect(other.page.get_by_role("heading", name="In use in another tab")).to_be_visible()
    expect(other.message).to_have_count(0)
    chat.say("Count on")
    chat.is_in(1, "answering")

    other.button("Take over").click()
    expect(other.message).to_be_focused()
    chat.is_in(1, "stopped")
    expect(chat.page.get_by_role("heading", name="In use in another tab")).to_be_visible()
    expect(chat.answer(1)).to_contain_text("and 1")
    assert other.ask("Hello") == "Hello you."

    other.page.close()
    expect(chat.message).to_be_visible()
    assert chat.ask("In short") == "Briefly: yes."


def test_another_program_that_has_the_only_place_is_told_and_not_pushed_out(
    serve: Callable[..., ServerProcess], chat: Chat, problems: Problems
) -> None:
    """Nothing is lost; one can try again, or go on without a place."""
    problems.allow(r"status of 429")
    server = serve(STAGE)
    body = {"messages": [{"role": "user", "content": "Hello"}], "session_id": "another"}
    httpx.post(f"{server.url}/v1/chat/completions", json=body, timeout=60).raise_for_status()
    chat.open(server.url)
    chat.say("In short")
    notice = chat.page.get_by_role("region", name="In use elsewhere")
    expect(notice).to_contain_text("another program has it")
    expect(chat.answers).to_have_count(0)
    chat.button("Try again").click()
    expect(notice).to_be_visible()

    chat.button("Continue without warm resume").click()
    chat.is_in(1, "complete")
    chat.says(1, "Briefly: yes.")
    expect(chat.page.get_by_text("Without warm resume")).to_be_visible()

    httpx.delete(f"{server.url}/v1/sessions/another").raise_for_status()
    chat.button("New chat").click()
    expect(chat.page.get_by_text("Without warm resume")).to_have_count(0)
    chat.ask("Hello")
    chat.ask("In short")
    chat.answer(2).get_by_role("button", name="Details").click()
    expect(chat.answer(2)).to_contain_text("Warm")


def process_of(server: ServerProcess) -> int:
    """The id of a server's process, as it says itself."""
    pid: int = httpx.get(f"{server.url}/api/runtime").json()["pids"]["server"]
    return pid
