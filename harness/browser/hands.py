"""What else does a person do in the page, and what do they see when it is done?

Each of these does one thing in a tab, waits until it has been done, and tells what was seen as
JSON.  Nothing is judged here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from harness.browser.tab import Tab

__all__ = ["attach", "edit", "figures", "fit", "stop", "thinking", "view"]

VIEW = """() => {
  const text = (element) => element?.innerText?.trim() ?? "";
  const messages = [...document.querySelectorAll("[data-role]")].map((message) => ({
    role: message.dataset.role,
    phase: message.dataset.phase ?? null,
    text:
      message.dataset.role === "user"
        ? text(message.querySelector(".user-message-bubble"))
        : text(message.querySelector(":scope > .markdown")),
    pictures: message.querySelectorAll("img").length,
    thought: message.querySelector(".thinking") !== null,
    figures: message.querySelector(".metrics-summary") !== null,
    edited: [...message.querySelectorAll(".message-tag")].some((tag) => text(tag) === "Edited"),
    ending: text(message.querySelector(".ending p")),
  }));
  let session = null;
  try { session = localStorage.getItem("muse:session"); } catch {}
  return { messages, session };
}"""

FIT = """async () => {
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  const page = document.scrollingElement;
  const look = (element) => {
    if (!element) return { there: false };
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const inside = left >= -0.5 && top >= -0.5 && right <= innerWidth + 0.5
      && bottom <= innerHeight + 0.5 && right > left && bottom > top;
    const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return { there: true, inside, reached: hit !== null && element.contains(hit) };
  };
  const named = (name) => look(document.querySelector(`[aria-label="${name}"]`));
  return {
    width: innerWidth,
    scrolls_by: page.scrollWidth - page.clientWidth,
    parts: Object.fromEntries(
      ["Message", "Send", "New chat", "Settings"].map((name) => [name, named(name)]),
    ),
  };
}"""

AT = """(phase) => {
  const now = museBench.state().phase;
  return now === phase || ["complete", "cut", "failed", "interrupted"].includes(now);
}"""
"""The moment to press Stop, or there is none any more."""

PHASES = {"reasoning": "thinking", "content": "answering"}
ATTEMPTS = 5


async def view(tab: Tab) -> Mapping[str, Any]:
    """The conversation as it is shown, and the id of the session."""
    seen: Mapping[str, Any] = await tab.page.evaluate(VIEW)
    return seen


async def attach(tab: Tab, file: Path) -> Mapping[str, Any]:
    """Choose a file as the picture of the next message, through the page's own chooser."""
    async with tab.step(f"attaching {file.name}"):
        async with tab.page.expect_file_chooser() as chooser:
            await tab.button("Attach image").click()
        await (await chooser.value).set_files(file)
        await tab.button("Remove image").wait_for()
    return {}


async def stop(tab: Tab, says: str, after: str) -> Mapping[str, Any]:
    """Ask, and press Stop when the answer comes to that moment.

    Where the answer is over before the button is pressed, it is asked for again, a few times.
    """
    box = await tab.button("Send").bounding_box()
    attempt = 1
    await tab.begin()
    await tab.say(says)
    while True:
        async with tab.step(f"waiting for {after}"):
            await tab.page.wait_for_function(AT, arg=PHASES[after], polling="raf")
        assert box is not None
        # Send and Stop are one button, and it takes time to look for one.
        await tab.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        if await tab.settled() == "stopped" or attempt == ATTEMPTS:
            return {"attempts": attempt}
        attempt += 1
        await tab.begin()
        await tab.press("Regenerate")


async def edit(tab: Tab, message: int, says: str, *, save: bool) -> Mapping[str, Any]:
    """Change a message where it stands, or cancel that."""
    theirs = message % 2 == 1
    number = (message + 1) // 2
    name, field = (
        (f"Edit your message {number}", f"Editing: Your message {number}")
        if theirs
        else (f"Edit answer {number}", f"Editing: Answer {number}")
    )
    async with tab.step(f"{name}, {'saved' if save else 'cancelled'}"):
        await tab.button(name).click()
        await tab.page.get_by_role("textbox", name=field, exact=True).fill(says)
        words = "Cancel" if not save else "Save and regenerate" if theirs else "Save"
        await tab.button(words).click()
        await tab.page.get_by_role("textbox", name=field, exact=True).wait_for(state="detached")
    return {}


async def thinking(tab: Tab) -> Mapping[str, Any]:
    """Open and close the disclosure of the last answer; how it stood at first and each time."""
    section = tab.answers.last.locator(".thinking")
    states: list[Mapping[str, Any]] = []
    async with tab.step("the disclosure of what was thought"):
        toggle = section.get_by_role("button", name=re.compile("^(Thinking|Thought)"))
        for pressed in (False, True, True):
            if pressed:
                await toggle.click()
            shown = section.locator(".markdown")
            text = await shown.inner_text() if await shown.count() else None
            opened = await toggle.get_attribute("aria-expanded") == "true"
            states.append({"open": opened, "text": text, "words": await toggle.inner_text()})
    return {"states": states}


async def figures(tab: Tab) -> Mapping[str, Any]:
    """Read what is unfolded under the last answer, by the names of its rows."""
    answer = tab.answers.last
    async with tab.step("the details under the answer"):
        toggle = answer.get_by_role("button", name="Details", exact=True)
        await toggle.click()
        await answer.locator(".metrics-details dt").first.wait_for()
        names = await answer.locator(".metrics-details dt").all_inner_texts()
        values = await answer.locator(".metrics-details dd").all_inner_texts()
        await toggle.click()
    return {"rows": dict(zip(names, values, strict=True))}


async def fit(tab: Tab, widths: Sequence[int], size: tuple[int, int]) -> Mapping[str, Any]:
    """Make the window as wide as each of these, look, and make it what it was."""
    found = []
    async with tab.step("another width"):
        for width in widths:
            await tab.page.set_viewport_size({"width": width, "height": size[1]})
            found.append(await tab.page.evaluate(FIT))
        await tab.page.set_viewport_size({"width": size[0], "height": size[1]})
    return {"windows": found}
