"""Does a turn ask for what the settings say, and what of them is kept?"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Locator

    from playground.testing import ServerProcess
    from tests.browser.chat import Chat

pytestmark = pytest.mark.browser


def test_a_turn_is_asked_with_the_servers_defaults_until_they_are_changed(
    stage: ServerProcess, chat: Chat
) -> None:
    """A seed of its own each time; no limit but the room that is left."""
    chat.open(stage.url)
    report = chat.page.request.get(f"{stage.url}/api/runtime").json()
    defaults = report["defaults"]
    bodies = chat.bodies()
    chat.ask("Hello")
    chat.ask("Hello again")

    body = bodies[0]
    assert body["model"] == report["modelId"]
    assert body["temperature"] == defaults["temperature"]
    assert body["top_p"] == defaults["topP"]
    assert body["top_k"] == defaults["topK"]
    assert body["stream_options"] == {"include_usage": True, "include_status": True}
    strength = defaults["reasoningStrength"]
    kwargs = {"reasoning_strength": strength, "return_reasoning": True}
    assert body["chat_template_kwargs"] == kwargs
    assert body["session_id"] == chat.storage()["muse:session"]
    assert body["muse"] == {"dflash": True}
    assert "max_tokens" not in body
    assert "stop" not in body
    assert body["seed"] != bodies[1]["seed"]


def test_a_turn_is_asked_with_what_the_fields_say(stage: ServerProcess, chat: Chat) -> None:
    """All of them."""
    chat.open(stage.url)
    chat.open_panel("Settings")
    for name, text in {
        "System message": "Speak like a ship's cook.",
        "Temperature": "0.7",
        "Top P": "0.5",
        "Top K": "12",
        "Seed": "7",
        "Maximum output": "1,000",
        "Stop strings": "END\n###",
    }.items():
        field(chat, name).fill(text)
    chat.panel.get_by_role("radio", name="Extra high").check(force=True)
    chat.panel.get_by_role("switch", name="DFlash").click()
    bodies = chat.bodies()
    chat.ask("Hello")

    body = bodies[0]
    assert body["messages"][0] == {"role": "system", "content": "Speak like a ship's cook."}
    assert body["chat_template_kwargs"]["reasoning_strength"] == "xhigh"
    keys = ("temperature", "top_p", "top_k", "seed", "max_tokens", "stop", "muse")
    assert [body[key] for key in keys] == [
        0.7,
        0.5,
        12,
        7,
        1000,
        ["END", "###"],
        {"dflash": False},
    ]


def test_a_field_may_be_cleared_while_it_is_written(stage: ServerProcess, chat: Chat) -> None:
    """What it held stays in force, and it says what it wants only when it is left."""
    chat.open(stage.url)
    chat.open_panel("Settings")
    top_k = field(chat, "Top K")
    before = top_k.input_value()
    top_k.fill("")
    expect(top_k).to_have_value("")
    expect(top_k).not_to_have_attribute("aria-invalid", "true")
    top_k.press("Tab")

    expect(top_k).to_have_attribute("aria-invalid", "true")
    expect(chat.panel.get_by_role("alert")).to_contain_text("Blank. Enter a whole number")
    bodies = chat.bodies()
    chat.ask("Hello")
    assert bodies[0]["top_k"] == int(before)
    top_k.focus()
    top_k.press("Escape")
    expect(top_k).to_have_value(before)
    expect(chat.panel.get_by_role("alert")).to_have_count(0)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("Temperature", "2.5", "2.5 is out of range. Enter a number from 0 to 2."),
        ("Top P", "0", "0 is out of range. Enter a number from 0.01 to 1."),
        ("Top K", "1.5", "1.5 is not whole."),
        ("Seed", "lucky", "“lucky” is not a number."),
        ("Maximum output", "5000", "Enter a whole number from 1 to 4,096."),
    ],
)
def test_a_value_out_of_range_is_told_with_the_range(
    stage: ServerProcess, chat: Chat, name: str, text: str, says: str
) -> None:
    """And stays written, to be mended."""
    chat.open(stage.url)
    chat.open_panel("Settings")
    field(chat, name).fill(text)
    field(chat, name).press("Enter")

    expect(chat.panel.get_by_role("alert")).to_contain_text(says)
    expect(field(chat, name)).to_have_value(text)


def test_fill_context_and_reset_take_values_back(stage: ServerProcess, chat: Chat) -> None:
    """The first lifts the limit; the second all but the system message."""
    chat.open(stage.url)
    chat.open_panel("Settings")
    temperature = field(chat, "Temperature").input_value()
    field(chat, "Maximum output").fill("20")
    field(chat, "Temperature").fill("1.5")
    field(chat, "System message").fill("Be brief.")
    chat.button("Fill context").click()
    expect(field(chat, "Maximum output")).to_have_value("")

    chat.button("Reset to defaults").click()

    expect(field(chat, "Temperature")).to_have_value(temperature)
    expect(field(chat, "System message")).to_have_value("Be brief.")


def test_changed_reasoning_is_said_to_cost_the_cache_and_does(
    stage: ServerProcess, chat: Chat
) -> None:
    """The next turn is cold, as the note beside the control says."""
    chat.open(stage.url)
    chat.ask("Hello")
    chat.open_panel("Settings")
    expect(chat.panel).to_contain_text("reasoning strength makes the next turn cold")
    chat.panel.get_by_role("radio", name="Low").check(force=True)
    chat.ask("Hello again")
    chat.answer(2).get_by_role("button", name="Details").click()

    expect(chat.answer(2)).to_contain_text("Cold: the conversation is not the one")


def test_settings_are_kept_over_a_reload_only_if_one_wants_that(
    stage: ServerProcess, chat: Chat
) -> None:
    """And nothing else is: the session's id and the theme, no word of what was said."""
    chat.open(stage.url)
    chat.open_panel("Settings")
    field(chat, "Top K").fill("12")
    field(chat, "Top K").press("Enter")
    chat.ask("Tell nobody")
    assert set(chat.storage()) == {"muse:session"}
    chat.page.reload()
    chat.open_panel("Settings")
    expect(field(chat, "Top K")).not_to_have_value("12")

    chat.panel.get_by_role("switch", name="Keep settings over a reload").click()
    field(chat, "Top K").fill("12")
    field(chat, "Top K").press("Enter")
    chat.ask("Tell nobody")
    kept = chat.storage()
    assert set(kept) == {"muse:session", "muse:settings"}
    assert json.loads(kept["muse:settings"])["topK"] == 12
    assert "Tell nobody" not in json.dumps(kept)
    chat.page.reload()
    chat.is_connected("ready")
    chat.open_panel("Settings")
    expect(field(chat, "Top K")).to_have_value("12")

    chat.panel.get_by_role("switch", name="Keep settings over a reload").click()
    assert set(chat.storage()) == {"muse:session"}


def test_a_server_without_a_draft_offers_no_dflash(stage: ServerProcess, chat: Chat) -> None:
    """It is not asked for either."""
    report = chat.page.request.get(f"{stage.url}/api/runtime").json()
    report["supports"]["dflash"] = False
    chat.page.route("**/api/runtime", lambda route: route.fulfill(json=report))
    chat.open(stage.url)
    chat.open_panel("Settings")
    expect(chat.panel).to_contain_text("DFlash is not offered")
    expect(chat.panel.get_by_role("switch", name="DFlash")).to_have_count(0)
    bodies = chat.bodies()
    chat.ask("Hello")

    assert "muse" not in bodies[0]


def test_the_runtime_panel_says_what_runs(stage: ServerProcess, chat: Chat) -> None:
    """As the server reports it; what it does not report is said to be unknown, never 0."""
    chat.open(stage.url)
    report = chat.page.request.get(f"{stage.url}/api/runtime").json()
    chat.open_panel("Runtime")

    def fact(name: str) -> Locator:
        term = chat.panel.get_by_role("term").filter(has_text=re.compile(f"^{re.escape(name)}$"))
        return term.locator("xpath=following-sibling::dd")

    expect(fact("Id")).to_have_text(report["modelId"])
    expect(fact("Context")).to_have_text("4,096 tokens")
    expect(fact("Backend")).to_have_text("scripted")
    expect(fact("Device")).to_have_text(report["device"])
    expect(fact("Draft tokens")).to_have_text("3")
    expect(fact("Python")).to_have_text(report["pythonVersion"])
    expect(fact("PyTorch")).to_have_text("not reported")


def field(chat: Chat, name: str) -> Locator:
    """A field of the panel."""
    return chat.panel.get_by_role("textbox", name=name, exact=True)
