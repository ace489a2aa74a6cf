"""Is each state of a turn drawn, from its question to the end?"""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING

import httpx
import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.browser.stage import THOUGHT
from tests.browser.wire import DONE, Wire, content, finish, reasoning, status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.testing import ServerProcess
    from tests.browser.chat import Chat
    from tests.browser.conftest import Problems

pytestmark = pytest.mark.browser

OTHER = {"messages": [{"role": "user", "content": "Count on"}], "stream": True}


@contextlib.contextmanager
def running(client: httpx.Client, url: str) -> Iterator[None]:
    """A turn of another program, which has begun or waits."""
    with client.stream("POST", url, json=OTHER) as response:
        pieces = response.iter_bytes()
        next(pieces)
        yield


def test_an_answer_comes_with_its_markdown_and_what_it_cost(
    stage: ServerProcess, chat: Chat
) -> None:
    """The simplest turn there is."""
    chat.open(stage.url)

    answer = chat.ask("Hello")

    assert answer == "Hello you."
    expect(chat.answer(1).locator("strong")).to_have_text("you")
    expect(chat.answer(1)).to_contain_text("tokens")
    expect(chat.message).to_have_value("")


def test_reasoning_opens_by_itself_and_says_how_long_it_has_been_going_on(
    stage: ServerProcess, chat: Chat
) -> None:
    """While it comes."""
    chat.open(stage.url)
    chat.say("Ponder")

    expect(chat.thinking(1)).to_have_attribute("aria-expanded", "true")
    expect(chat.thinking(1)).to_have_text(re.compile(r"^Thinking… \d+ ?s$"))
    expect(chat.answer(1).locator(".thinking")).to_contain_text("and 1 and 2")
    chat.stop.click()


def test_reasoning_folds_at_the_first_words_of_the_answer(stage: ServerProcess, chat: Chat) -> None:
    """Its toggle then says how long it took, and opens it again."""
    wire = Wire(chat.page)
    chat.open(stage.url)
    chat.say("Hello")
    wire.write(1, reasoning("Hm, hm."))
    expect(chat.thinking(1)).to_have_attribute("aria-expanded", "true")
    wire.write(1, content("Hel"))
    expect(chat.thinking(1)).to_have_attribute("aria-expanded", "false")
    chat.is_in(1, "answering")
    wire.write(1, content("lo."), finish(), DONE)
    chat.is_in(1, "complete")
    expect(chat.thinking(1)).to_have_text(re.compile(r"^Thought for (under )?[\d.]+ s$"))

    chat.thinking(1).click()

    expect(chat.answer(1).get_by_text("Hm, hm.")).to_be_visible()


def test_reasoning_of_the_server_is_no_part_of_the_answer(stage: ServerProcess, chat: Chat) -> None:
    """Both come from one stream."""
    chat.open(stage.url)

    answer = chat.ask("Think it over")

    assert answer == "It is 15."
    chat.thinking(1).click()
    expect(chat.answer(1).get_by_text(THOUGHT)).to_be_visible()


@pytest.mark.parametrize("left", ["open", "closed"])
def test_where_a_person_opened_or_closed_the_reasoning_it_stays_so(
    stage: ServerProcess, chat: Chat, left: str
) -> None:
    """Whatever the turn does afterwards."""
    wire = Wire(chat.page)
    chat.open(stage.url)
    chat.say("Hello")
    wire.write(1, reasoning("Hm."))
    chat.thinking(1).click()
    if left == "open":
        chat.thinking(1).click()

    wire.write(1, content("Hello."), finish(), DONE)
    chat.is_in(1, "complete")

    expect(chat.thinking(1)).to_have_attribute(
        "aria-expanded", "true" if left == "open" else "false"
    )


def test_the_clock_of_the_reasoning_runs(stage: ServerProcess, chat: Chat) -> None:
    """And stops where the answer begins."""
    wire = Wire(chat.page)
    chat.page.clock.install()
    chat.open(stage.url)
    chat.say("Hello")
    wire.write(1, reasoning("Hm."))
    expect(chat.thinking(1)).to_be_visible()

    chat.page.clock.run_for(12_000)
    expect(chat.thinking(1)).to_have_text(re.compile(r"^Thinking… 1[2-9]s$"))
    wire.write(1, content("Hello."))

    expect(chat.thinking(1)).to_have_text(re.compile(r"^Thought for 1[2-9] s$"))


def test_a_turn_behind_others_says_how_many_are_ahead(stage: ServerProcess, chat: Chat) -> None:
    """And begins by itself when they are done."""
    chat.open(stage.url)
    turns = f"{stage.url}/v1/chat/completions"
    with httpx.Client(timeout=60) as client, running(client, turns), running(client, turns):
        chat.say("Hello")
        expect(chat.answer(1)).to_contain_text("Waiting: 2 ahead")
        chat.is_in(1, "queued")

    chat.is_in(1, "complete")

    assert chat.text_of(1) == "Hello you."


def test_each_state_of_waiting_has_its_words(stage: ServerProcess, chat: Chat) -> None:
    """What the server has not counted yet is not counted here."""
    wire = Wire(chat.page)
    chat.open(stage.url)
    chat.say("Hello")
    line = chat.answer(1).locator(".phase-line")
    wire.asked(1)

    expect(line).to_have_text("Connecting…")
    for frame, phase, words in (
        (status("queued", position=3), "queued", "Waiting: 3 ahead"),
        (status("queued", position=1), "queued", "Waiting: next"),
        (status("encoding"), "encoding", "Looking at the image…"),
        (status("prefill"), "prefilling", "Reading the prompt…"),
        (
            status("prefill", done=512, total=1024),
            "prefilling",
            "Reading the prompt… 512 of 1,024 tokens",
        ),
        (status("decode"), "prefilling", "Reading the prompt… 512 of 1,024 tokens"),
        (content("Hel"), "answering", "Answering…"),
        (status("queued", position=2), "answering", "Answering…"),
    ):
        wire.write(1, frame)
        expect(line).to_have_text(words)
        chat.is_in(1, phase)
    wire.write(1, content("lo."), finish(), DONE)

    chat.is_in(1, "complete")
    chat.says(1, "Hello.")
    expect(line).to_have_count(0)


def test_the_limit_of_the_output_cuts_an_answer_which_can_be_gone_on_with(
    stage: ServerProcess, chat: Chat
) -> None:
    """It is said that it was the limit, and the rest comes into the same message."""
    chat.open(stage.url)
    chat.open_panel("Settings")
    limit = chat.panel.get_by_role("textbox", name="Maximum output")
    limit.fill("20")
    limit.press("Enter")
    chat.say("Count on")
    chat.is_in(1, "cut")
    expect(chat.answer(1)).to_contain_text("Cut off: output limit reached")
    part = chat.text_of(1)

    bodies = chat.bodies()
    chat.button("Continue").click()
    chat.page.wait_for_function(
        "part => document.querySelector('article > .markdown').innerText.length > part.length",
        arg=part,
    )
    chat.is_in(1, "cut")

    assert chat.text_of(1).startswith(part)
    assert bodies[0]["muse"]["continue"] is True
    assert bodies[0]["messages"][-1] == {"role": "assistant", "content": part}
    expect(chat.answers).to_have_count(1)


def test_a_full_context_is_told_as_that(stage: ServerProcess, chat: Chat) -> None:
    """With advice, and without an offer to go on, for which there is no room."""
    chat.open(stage.url)
    chat.say(f"Count on{' and on' * 530}")

    chat.is_in(1, "cut")

    expect(chat.answer(1)).to_contain_text("Cut off: the context is full")
    expect(chat.answer(1)).to_contain_text("Start a new chat")
    expect(chat.button("Continue")).to_have_count(0)


def test_a_prompt_that_does_not_fit_is_an_error_with_its_reason(
    stage: ServerProcess, chat: Chat, problems: Problems
) -> None:
    """Said as an alert; an edit makes room."""
    problems.allow(r"status of 400 .*/v1/chat/completions")
    chat.open(stage.url)
    chat.say("Hello" * 900)

    chat.is_in(1, "failed")
    expect(chat.answer(1).get_by_role("alert")).to_contain_text("context")
    chat.questions.nth(0).hover()
    chat.button("Edit your message 1").click()
    chat.page.get_by_role("textbox", name="Editing: Your message 1").fill("Hello")
    chat.button("Save and regenerate").click()

    chat.is_in(1, "complete")
    chat.says(1, "Hello you.")


def test_an_error_in_the_stream_keeps_what_was_said_before_it(
    stage: ServerProcess, chat: Chat
) -> None:
    """The server's own words are shown, and Retry asks again for the whole answer."""
    wire = Wire(chat.page)
    chat.open(stage.url)
    chat.say("Hello")
    wire.write(1, content("Hel"))
    wire.write(1, 'data: {"error":{"message":"The cache is on fire.","code":"engine_error"}}\n\n')

    chat.is_in(1, "failed")
    expect(chat.answer(1).get_by_role("alert")).to_have_text("The cache is on fire.")
    assert chat.text_of(1) == "Hel"
    chat.button("Retry").click()
    wire.write(2, content("Hello."), finish(), DONE)

    chat.is_in(1, "complete")
    chat.says(1, "Hello.")
    expect(chat.answers).to_have_count(1)


def test_what_is_not_the_protocol_is_an_error_too(stage: ServerProcess, chat: Chat) -> None:
    """The page does not break on it."""
    wire = Wire(chat.page)
    chat.open(stage.url)
    chat.say("Hello")

    wire.write(1, "data: <html>\n\n")

    chat.is_in(1, "failed")
    expect(chat.answer(1).get_by_role("alert")).to_contain_text("not JSON")


@pytest.mark.parametrize("how", ["without [DONE]", "by a broken connection"])
def test_a_stream_that_ends_early_is_an_interruption(
    stage: ServerProcess, chat: Chat, how: str
) -> None:
    """Never taken for the end of the answer; what was said stays, and can be gone on with."""
    wire = Wire(chat.page)
    chat.open(stage.url)
    chat.say("Hello")
    wire.write(1, reasoning("Hm."), content("Hel"))
    chat.says(1, "Hel")
    (wire.end if how == "without [DONE]" else wire.drop)(1)

    chat.is_in(1, "interrupted")
    expect(chat.answer(1)).to_contain_text(
        "Interrupted: the connection ended before the answer did"
    )
    expect(chat.button("Retry")).to_be_visible()
    chat.button("Continue").click()
    wire.write(2, content("lo."), finish(), DONE)

    chat.is_in(1, "complete")
    chat.says(1, "Hello.")
    assert wire.asked(2)["messages"][-1] == {"role": "assistant", "content": "Hel"}


def test_what_comes_late_of_an_old_turn_reaches_no_new_one(
    stage: ServerProcess, chat: Chat
) -> None:
    """Neither its text nor its end, after it was closed for not being confirmed."""
    wire = Wire(chat.page)
    chat.open(stage.url)
    chat.say("Hello")
    wire.write(1, content("Old"))
    chat.says(1, "Old")
    chat.button("New chat").click()
    expect(chat.answers).to_have_count(0)
    chat.say("And now?")
    wire.write(2, content("New"))

    wire.write(1, content(" and stale"), finish(), DONE)
    wire.write(2, content("est."), finish(), DONE)

    chat.is_in(1, "complete")
    chat.says(1, "Newest.")
    expect(chat.log).not_to_contain_text("stale")
