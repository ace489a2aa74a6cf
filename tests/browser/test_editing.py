"""Can what was said be changed, asked again, gone on with, and brought back?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.browser.stage import STAGE
from tests.browser.wire import DONE, Wire, content, finish

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Locator, Route

    from playground.testing import ServerProcess
    from tests.browser.chat import Chat
    from tests.browser.conftest import Problems

pytestmark = pytest.mark.browser

RESET = re.compile("/v1/sessions/[^/]+/reset$")
SESSION = re.compile("/v1/sessions/[^/]+$")
EDITED = "Edited. What came after it is gone."


def test_an_edited_question_is_asked_again_and_what_came_after_it_is_gone(
    stage: ServerProcess, chat: Chat
) -> None:
    """The session is emptied first, and only then is the edit shown."""
    chat.open(stage.url)
    chat.ask("Hello")
    chat.ask("Hello again")
    held: list[Route] = []
    chat.page.route(RESET, lambda route: held.append(route))  # noqa: PLW0108 (it is given a mark)
    edit(chat, "your message", 1, "In short")
    chat.button("Save and regenerate").click()

    chat.page.wait_for_function("() => document.querySelector('.editor-field')?.readOnly")
    expect(chat.answers).to_have_count(2)
    bodies = chat.bodies()
    held[0].continue_()
    chat.says(1, "Briefly: yes.")
    chat.is_in(1, "complete")

    expect(chat.answers).to_have_count(1)
    expect(chat.questions).to_have_count(1)
    expect(chat.questions).to_contain_text("Edited")
    assert bodies[0]["messages"] == [{"role": "user", "content": "In short"}]


def test_an_edited_answer_waits_and_is_what_the_model_is_told_next(
    stage: ServerProcess, chat: Chat
) -> None:
    """Its reasoning and what it cost are gone, since they told of another text."""
    chat.open(stage.url)
    chat.ask("Think it over")
    edit(chat, "answer", 1, "It is 16.")
    with chat.page.expect_response(RESET):
        chat.button("Save").click()

    chat.says(1, "It is 16.")
    chat.is_in(1, "complete")
    expect(chat.thinking(1)).to_have_count(0)
    expect(chat.answer(1)).not_to_contain_text("tokens")
    expect(chat.answer(1)).to_contain_text("Edited")
    bodies = chat.bodies()
    chat.ask("In short")

    assert bodies[0]["messages"][1] == {"role": "assistant", "content": "It is 16."}


def test_where_the_session_cannot_be_emptied_an_edit_changes_nothing(
    serve: Callable[..., ServerProcess], chat: Chat, problems: Problems
) -> None:
    """The editor stays open with the text in it, and a notice says why; trying again may do."""
    problems.allow(r"status of 500 .*/reset")
    chat.open(serve({**STAGE, "reset_failures": 1}).url)
    chat.ask("Hello")
    edit(chat, "your message", 1, "In short")
    bodies = chat.bodies()
    chat.button("Save and regenerate").click()

    expect(chat.notices).to_contain_text("The edit is not saved.")
    expect(chat.notices).to_contain_text("the cache cannot be emptied")
    expect(editor(chat)).to_have_value("In short")
    chat.says(1, "Hello you.")
    assert bodies == []

    chat.button("Save and regenerate").click()

    chat.says(1, "Briefly: yes.")


def test_an_edit_is_cancelled_by_escape_and_saved_by_a_chord(
    stage: ServerProcess, chat: Chat
) -> None:
    """The focus goes back to the button that opened it; an empty text is not saved."""
    chat.open(stage.url)
    chat.ask("Hello")
    edit(chat, "your message", 1, "In short")
    chat.page.keyboard.press("Escape")
    expect(editor(chat)).to_have_count(0)
    expect(chat.button("Edit your message 1")).to_be_focused()
    chat.says(1, "Hello you.")

    edit(chat, "your message", 1, "  ")
    chat.page.keyboard.press("Control+Enter")
    expect(editor(chat)).to_have_value("  ")
    editor(chat).fill("In short")
    chat.page.keyboard.press("Control+Enter")

    chat.says(1, "Briefly: yes.")


def test_the_last_question_is_edited_by_the_arrow_up_in_an_empty_field(
    stage: ServerProcess, chat: Chat
) -> None:
    """And nothing is sent while it is open."""
    chat.open(stage.url)
    chat.ask("Hello")
    chat.message.press("ArrowUp")

    expect(editor(chat)).to_be_focused()
    expect(editor(chat)).to_have_value("Hello")
    chat.say("And then?")

    expect(chat.answers).to_have_count(1)
    expect(chat.message).to_have_value("And then?")


def test_an_edit_is_undone_until_something_is_asked(stage: ServerProcess, chat: Chat) -> None:
    """All is as it was, and the next turn is cold, since the session was emptied again."""
    chat.open(stage.url)
    chat.ask("Hello")
    chat.ask("Hello again")
    edit(chat, "answer", 1, "Bonjour")
    chat.button("Save").click()
    expect(chat.notices).to_contain_text(EDITED)
    expect(chat.answers).to_have_count(1)
    with chat.page.expect_response(RESET):
        chat.button("Undo").click()

    expect(chat.answers).to_have_count(2)
    chat.says(1, "Hello you.")
    expect(chat.notices).to_have_count(0)
    chat.ask("In short")
    chat.answer(3).get_by_role("button", name="Details").click()
    expect(chat.answer(3).get_by_role("definition").filter(has_text="Cold")).to_be_visible()


def test_an_undo_is_no_longer_offered_after_the_next_question(
    stage: ServerProcess, chat: Chat
) -> None:
    """What was dropped is then gone."""
    chat.open(stage.url)
    chat.ask("Hello")
    edit(chat, "answer", 1, "Bonjour")
    chat.button("Save").click()
    expect(chat.button("Undo")).to_be_visible()

    chat.ask("In short")

    expect(chat.button("Undo")).to_have_count(0)


def test_an_answer_is_regenerated(stage: ServerProcess, chat: Chat) -> None:
    """The old one goes, the same question is asked, and no session is emptied for it."""
    chat.open(stage.url)
    chat.ask("Hello")
    requests: list[str] = []
    chat.page.on("request", lambda request: requests.append(request.url))
    bodies = chat.bodies()
    chat.button("Regenerate").click()
    chat.page.wait_for_function("() => window.museSeen.filter(s => /^complete/.test(s)).length > 1")
    chat.is_in(1, "complete")

    assert chat.text_of(1) == "Hello you."
    assert bodies[0]["messages"] == [{"role": "user", "content": "Hello"}]
    assert not any(RESET.search(url) for url in requests)
    expect(chat.answers).to_have_count(1)


def test_a_stopped_answer_is_gone_on_with(stage: ServerProcess, chat: Chat) -> None:
    """Inside the same message, behind the very text that it had."""
    wire = Wire(chat.page)
    chat.open(stage.url)
    chat.say("Hello")
    wire.write(1, content("One, "))
    chat.says(1, "One,")
    chat.stop.click()
    chat.is_in(1, "stopped")

    chat.button("Continue").click()
    wire.write(2, content("two."), finish(), DONE)

    chat.is_in(1, "complete")
    chat.says(1, "One, two.")
    assert wire.asked(2)["muse"]["continue"] is True
    assert wire.asked(2)["messages"][-1] == {"role": "assistant", "content": "One, "}


def test_a_new_chat_frees_the_session_and_can_be_undone(stage: ServerProcess, chat: Chat) -> None:
    """The old messages come back, under the new id."""
    chat.open(stage.url)
    chat.ask("Hello")
    old = chat.storage()["muse:session"]
    with chat.page.expect_response(SESSION) as closed:
        chat.button("New chat").click()

    assert closed.value.request.method == "DELETE"
    assert closed.value.url.endswith(old)
    expect(chat.answers).to_have_count(0)
    expect(chat.message).to_be_focused()
    assert chat.storage()["muse:session"] != old

    chat.button("Undo").click()
    chat.says(1, "Hello you.")
    assert chat.ask("In short") == "Briefly: yes."


def test_a_new_chat_ends_what_is_being_said(stage: ServerProcess, chat: Chat) -> None:
    """At once, and the next answer is the next question's."""
    chat.open(stage.url)
    chat.say("Count on")
    chat.is_in(1, "answering")
    chat.button("New chat").click()
    expect(chat.answers).to_have_count(0)

    assert chat.ask("Hello") == "Hello you."


def test_where_no_new_chat_can_be_begun_nothing_is_lost(
    stage: ServerProcess, chat: Chat, problems: Problems
) -> None:
    """Neither freed nor emptied: a notice says why."""
    problems.allow(r"status of 500 .*/v1/sessions/")
    error = {"error": {"message": "The worker is stuck.", "code": "worker_error"}}
    chat.page.route("**/v1/sessions/**", lambda route: route.fulfill(status=500, json=error))
    chat.open(stage.url)
    chat.ask("Hello")
    chat.button("New chat").click()

    expect(chat.notices).to_contain_text("No new chat was begun. The worker is stuck.")
    chat.says(1, "Hello you.")


def test_a_second_turn_is_warm_and_after_a_reload_the_first_is_cold(
    stage: ServerProcess, chat: Chat
) -> None:
    """The session's id stays, the conversation does not; the details say what was reused."""
    chat.open(stage.url)
    chat.ask("Hello")
    session = chat.storage()["muse:session"]
    chat.ask("Hello again")
    chat.answer(2).get_by_role("button", name="Details").click()
    expect(chat.answer(2)).to_contain_text("Warm: all that came before was there")

    chat.page.reload()
    chat.is_connected("ready")
    expect(chat.answers).to_have_count(0)
    chat.ask("Hello")

    assert chat.storage()["muse:session"] == session
    chat.answer(1).get_by_role("button", name="Details").click()
    expect(chat.answer(1)).to_contain_text("Cold")


def edit(chat: Chat, whose: str, number: int, text: str) -> None:
    """Open the editor of "your message" or "answer" so and so, and write this in it."""
    chat.button(f"Edit {whose} {number}").click()
    expect(editor(chat)).to_be_focused()
    editor(chat).fill(text)


def editor(chat: Chat) -> Locator:
    """The field in which a message is edited."""
    return chat.page.get_by_role("textbox", name=re.compile("^Editing: "))
