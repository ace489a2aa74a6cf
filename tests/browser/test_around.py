"""What else is on the page: what a turn cost, reports, files to keep, keys, and themes."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.browser.stage import THOUGHT
from tests.browser.wire import Overheard

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import BrowserContext, Page

    from playground.testing import ServerProcess
    from tests.browser.chat import Chat

pytestmark = pytest.mark.browser

RUN = Path(__file__).parents[1] / "data" / "golden-exam"


def test_what_a_turn_cost_is_what_the_server_said(stage: ServerProcess, chat: Chat) -> None:
    """The quiet line and its details have the numbers of this very response."""
    overheard = Overheard(chat.page)
    chat.open(stage.url)
    chat.ask("Hello")
    chat.ask("Think it over")
    cost = overheard.cost(2)
    answer = chat.answer(2)
    answer.get_by_role("button", name="Details").click()

    summary = answer.locator(".metrics-summary")
    expect(summary).to_contain_text(f"{in_words(cost['ttft_ms'])} to first token")
    expect(summary).to_contain_text(f"{cost['decode_tokens_per_second']:.1f} tokens/s")
    expect(summary).to_contain_text(f"{cost['completion_tokens']} tokens")
    details = details_of(chat, 2)
    accepted = cost["dflash_accepted"] / cost["dflash_rounds"]
    expected = {
        "Total": in_words(cost["wall_ms"]),
        "First token": in_words(cost["ttft_ms"]),
        "Prompt": f"{cost['prompt_tokens']:,} tokens",
        "Reused": f"{cost['reused_prompt_tokens']:,} tokens",
        "Computed": f"{cost['prefilled_prompt_tokens']:,} tokens",
        "Cache": "Warm: all that came before was there",
        "Output": f"{cost['completion_tokens']} tokens",
        "Thinking": f"{cost['thinking_tokens']} tokens",
        "Drafting": "On",
        "Rounds": str(cost["dflash_rounds"]),
        "Accepted per round": f"{accepted:.2f}",
    }
    assert {name: details[name] for name in expected} == expected
    assert cost["session_reset_reason"] == "exact_prefix"
    assert cost["thinking_tokens"] == len(THOUGHT)


def test_the_gauge_says_how_full_the_context_is(stage: ServerProcess, chat: Chat) -> None:
    """Prompt and answer of the last turn, of what fits."""
    overheard = Overheard(chat.page)
    chat.open(stage.url)
    chat.ask("Hello")
    cost = overheard.cost(1)

    gauge = chat.page.get_by_role("meter", name="Context used")
    used = cost["prompt_tokens"] + cost["completion_tokens"]
    expect(gauge).to_have_attribute("aria-valuetext", f"{used:,} of 4,096 tokens")


def test_finished_runs_are_listed_and_open_as_pages_that_can_do_nothing(
    serve: Callable[..., ServerProcess], chat: Chat, tmp_path: Path
) -> None:
    """In a tab of their own, with the styles that they bring."""
    shutil.copytree(RUN, tmp_path / "runs" / "golden-exam")
    told = json.loads((RUN / "result.json").read_text("utf-8"))
    server = serve({"replies": [{"text": "Hello."}]}, "--reports", str(tmp_path / "runs"))
    chat.open(server.url)
    chat.open_panel("Benchmarks")
    link = chat.panel.get_by_role("link", name=re.compile(f"^{told['scenario']['name']}"))
    expect(link).to_be_visible()
    with chat.page.expect_popup() as opened:
        link.click()

    report = opened.value
    expect(report.get_by_role("heading", level=1)).to_be_visible()
    assert report.url == f"{server.url}/reports/golden-exam/report.html"
    assert report.evaluate("window.opener") is None
    assert report.evaluate("origin") == "null"


def test_without_a_folder_of_reports_it_is_said_how_to_give_one(
    stage: ServerProcess, chat: Chat
) -> None:
    """As the command that does it."""
    chat.open(stage.url)
    chat.open_panel("Benchmarks")

    expect(chat.panel).to_contain_text("muse-playground --reports reports/runs")


@pytest.mark.parametrize("item", ["Save as Markdown", "Save as JSON"])
def test_the_conversation_is_saved_as_a_file(stage: ServerProcess, chat: Chat, item: str) -> None:
    """What was asked, thought and answered."""
    chat.open(stage.url)
    assert chat.button("Export").is_disabled()
    chat.ask("Think it over")
    chat.button("Export").click()
    with chat.page.expect_download() as download:
        chat.page.get_by_role("menuitem", name=item).click()
    text = Path(download.value.path()).read_text("utf-8")

    assert re.fullmatch(
        rf"muse-chat-[\d-]+\.{'md' if 'Markdown' in item else 'json'}",
        download.value.suggested_filename,
    )
    if "Markdown" in item:
        assert "## You\n\nThink it over\n" in text
        assert f"> {THOUGHT}" in text
        assert "It is **15**." in text
    else:
        question, answer = json.loads(text)["messages"]
        assert question["text"] == "Think it over"
        assert [answer["reasoning"], answer["text"]] == [THOUGHT, "It is **15**."]


def test_what_is_copied_is_the_text_as_it_was_written(
    stage: ServerProcess, chat: Chat, context: BrowserContext
) -> None:
    """Of a message, an answer and the whole conversation; it is said that it was done."""
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    chat.open(stage.url)
    chat.ask("Hello")

    def copied(name: str) -> str:
        chat.button(name).click()
        expect(chat.page.get_by_role("status")).to_have_text("Copied")
        text: str = chat.page.evaluate("navigator.clipboard.readText()")
        return text

    assert copied("Copy answer") == "Hello **you**."
    assert copied("Copy message") == "Hello"
    chat.button("Export").click()
    chat.page.get_by_role("menuitem", name="Copy as Markdown").click()
    chat.page.wait_for_function(
        "async () => (await navigator.clipboard.readText()).includes('## You')"
    )


def test_keys_do_what_the_help_sheet_says(stage: ServerProcess, chat: Chat, page: Page) -> None:
    """Help, settings, message field, new chat; closing gives the focus back."""
    chat.open(stage.url)
    page.keyboard.press("Control+/")
    sheet = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(sheet).to_be_visible()
    for keys in ("Esc", "CtrlandK", "CtrlandShiftandO", "Ctrland,"):
        expect(
            sheet.get_by_role("definition").filter(has_text=squeezed(keys)).first
        ).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    expect(chat.message).to_be_focused()

    page.keyboard.press("Control+,")
    expect(chat.panel).to_be_visible()
    expect(page.get_by_role("tab", name="Settings")).to_be_focused()
    page.keyboard.press("Control+k")
    expect(chat.message).to_be_focused()
    page.keyboard.press("Control+,")
    expect(chat.panel).to_have_count(0)

    chat.message.fill("one")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("two")
    expect(chat.message).to_have_value("one\ntwo")
    page.keyboard.press("Enter")
    chat.is_in(1, "complete")
    expect(chat.questions).to_have_text(re.compile("one\ntwo"))
    page.keyboard.press("Control+Shift+O")
    expect(chat.answers).to_have_count(0)
    expect(chat.message).to_be_focused()


def test_the_theme_is_the_systems_until_one_is_chosen(
    stage: ServerProcess, chat: Chat, page: Page
) -> None:
    """It is there before anything is drawn, and stays over a reload."""
    page.add_init_script(
        "new MutationObserver(() => { if (document.body) window.museThemes ??="
        " [document.documentElement.dataset.theme] }).observe(document, "
        "{ subtree: true, childList: true })"
    )
    page.emulate_media(color_scheme="dark")
    chat.open(stage.url)
    theme = page.locator("html")
    expect(theme).to_have_attribute("data-theme", "dark")
    page.emulate_media(color_scheme="light")
    expect(theme).to_have_attribute("data-theme", "light")

    chat.button("Theme").click()
    page.get_by_role("menuitemradio", name="Dark").click()
    expect(theme).to_have_attribute("data-theme", "dark")
    page.reload()
    chat.is_connected("ready")

    assert page.evaluate("window.museThemes") == ["dark"]
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
    assert chat.storage()["muse:theme"] == "dark"


def details_of(chat: Chat, number: int) -> dict[str, str]:
    """What the unfolded details of an answer say."""
    details: dict[str, str] = chat.answer(number).evaluate(
        "answer => Object.fromEntries([...answer.querySelectorAll('dl > div')].map("
        "(row) => [row.querySelector('dt').textContent, row.querySelector('dd').textContent]))"
    )
    return details


def in_words(ms: float) -> str:
    """A time below a minute as the page writes it."""
    if ms < 10:
        return f"{round(ms, 1):g} ms"
    if ms < 100:
        return f"{ms:.0f} ms"
    return f"{ms / 1e3:.2f} s" if ms < 9995 else f"{ms / 1e3:.1f} s"


def squeezed(text: str) -> re.Pattern[str]:
    """This text and no more, whatever space is between."""
    return re.compile(rf"^\s*{text.replace('and', ' ?and ?')}\s*$")
