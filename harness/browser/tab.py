"""What does a person do in the page, and what do they see there?

    async with open_browser(clock) as browser:
        async with await browser.open(url) as tab:
            await tab.begin()
            await tab.say("Hello")
            await tab.settled()
            record = await tab.end()

A tab has a profile of its own, so no session and no setting is left over from another.  Parts of
the page are found by the roles and names by which a person, or a screen reader, knows them.  What
goes wrong in it (console, uncaught errors, failed requests, requests to strangers) is kept in
`troubles`.

Only this module imports Playwright, and only when a browser is started.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from harness.browser.chromium import find_chromium, why_no_browser
from harness.browser.record import PageClock
from harness.errors import PageStuck, PageUnusable
from harness.machine import load_average

if TYPE_CHECKING:
    import re
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

    from playwright.async_api import Browser as Chromium
    from playwright.async_api import BrowserContext, Locator, Page

    from harness.clock import Clock

__all__ = ["ENDS", "SIZE", "Browser", "Tab", "open_browser"]

INSTRUMENTS = Path(__file__).with_name("instruments.js")
SIZE = (1440, 900)
"""Width and height of a tab in px, where nothing else is said."""
OPEN_MS = 20_000
"""How long a page may take until it can be used."""
STEP_MS = 15_000
"""How long anything that a person does may take to show."""
TURN_MS = 900_000
QUIET_MS = 250
"""An answer that has ended, and has not changed for so long, is taken to stand still."""
ENDS = ("complete", "stopped", "cut", "interrupted", "failed")
"""The phases in which an answer is over."""
STRENGTHS = {"low": "Low", "medium": "Medium", "high": "High", "xhigh": "Extra high"}
FIELDS = {
    "system": "System message",
    "temperature": "Temperature",
    "top_p": "Top P",
    "top_k": "Top K",
    "seed": "Seed",
    "max_tokens": "Maximum output",
}
"""What a setting of a request is called in the page."""
ROUND_TRIPS = 12


@contextlib.asynccontextmanager
async def open_browser(clock: Clock, command: str | None = None) -> AsyncIterator[Browser]:
    """A browser for as long as the block runs.

    Raises:
        PageUnusable: none can be started; with what to install.
    """
    if why := why_no_browser(command):
        raise PageUnusable(why)
    from playwright.async_api import Error, async_playwright  # noqa: PLC0415  (it may be absent)

    async with async_playwright() as playwright:
        try:
            chromium = await playwright.chromium.launch(
                executable_path=find_chromium(command),
                args=["--no-sandbox", "--disable-background-networking"],
            )
        except Error as problem:
            raise PageUnusable(f"the browser does not start: {_first_line(problem)}") from problem
        try:
            yield Browser(chromium, clock)
        finally:
            await chromium.close()


class Browser:
    """A browser that runs."""

    def __init__(self, chromium: Chromium, clock: Clock) -> None:
        self._chromium, self._clock = chromium, clock

    @property
    def name(self) -> str:
        """What it is, for reports."""
        return f"Chromium {self._chromium.version}"

    async def open(self, url: str) -> Tab:
        """A tab with the page, in a profile of its own; `close` it.

        Raises:
            PageUnusable: there is no page of ours.
        """
        return await self._open(url, Tab.load)

    async def open_bare(self, url: str) -> Tab:
        """A tab with whatever document is there, and the instruments in it; `close` it."""
        return await self._open(url, Tab.load_bare)

    async def _open(self, url: str, load: Callable[[Tab], Awaitable[None]]) -> Tab:
        width, height = SIZE
        context = await self._chromium.new_context(
            viewport={"width": width, "height": height}, locale="en-GB", timezone_id="UTC"
        )
        try:
            await context.add_init_script(path=INSTRUMENTS)
            tab = Tab(context, await context.new_page(), url, self._clock)
            await load(tab)
        except BaseException:
            await context.close()
            raise
        return tab


class Tab:
    """The page, as a person has it before them."""

    def __init__(self, context: BrowserContext, page: Page, url: str, clock: Clock) -> None:
        self._context, self._clock = context, clock
        self.page, self.url = page, url
        self.clock = PageClock(0, 0)
        """Known as soon as the page is loaded."""
        self.troubles: list[str] = []
        """What went wrong in the browser, in order."""
        self._context.on("console", self._on_console)
        self._context.on("weberror", lambda error: self.troubles.append(f"uncaught: {error.error}"))
        self._context.on("request", self._on_request)
        self._context.on("requestfailed", self._on_failed)
        self.page.set_default_timeout(STEP_MS)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the tab, and forget its profile."""
        with contextlib.suppress(Exception):
            await self._context.close()

    async def load(self) -> None:
        """Go to the page, or load it again, and wait until it can be used.

        Raises:
            PageUnusable: it is none of ours, or does not come to be ready.
        """
        from playwright.async_api import Error  # noqa: PLC0415

        try:
            answer = await self.page.goto(self.url, timeout=OPEN_MS)
            if answer is None or answer.status >= 400:
                said = " ".join((await self.page.inner_text("body")).split())[:200]
                status = "nothing" if answer is None else answer.status
                raise PageUnusable(f"{self.url}/ answers {status}: {said}")
            ready = self.page.locator('#root[data-connection="ready"]')
            await ready.wait_for(timeout=OPEN_MS)
            await self.message.wait_for(timeout=OPEN_MS)
        except Error as problem:
            why = "it has no message box and no connection of our page's kind"
            raise PageUnusable(f"{self.url}/: {why} ({_first_line(problem)})") from problem
        self.clock = await self._beside()

    async def load_bare(self) -> None:
        """Go to the document, whatever it is."""
        await self.page.goto(self.url, timeout=OPEN_MS)
        self.clock = await self._beside()

    # -- the instruments

    async def begin(self) -> None:
        """Keep what happens from here on."""
        await self.page.evaluate("museBench.begin()")

    async def end(self) -> Mapping[str, Any]:
        """What was kept since `begin`, and how busy the machine is (`machine`).

        The processes of a browser are many and not ours to count, so that nothing tells how much
        of the machine others had; the load average has to do.
        """
        record: Mapping[str, Any] = await self.page.evaluate("museBench.end()")
        load = load_average()
        return {**record, "machine": {} if load is None else {"load": round(load, 2)}}

    async def settled(self, longest_ms: float = TURN_MS) -> str:
        """Wait until the last answer is over and stands still; its phase."""
        ends = "|".join(ENDS)
        await self._wait(
            "([ends, quiet]) => { const now = museBench.state();"
            " return ends.includes(now.phase ?? '') && !now.open && now.quietMs > quiet; }",
            [ends.split("|"), QUIET_MS],
            "an answer does not end",
            longest_ms,
        )
        phase: str = await self.page.evaluate("museBench.state().phase")
        return phase

    async def quiet(self) -> None:
        """Wait until no request is open and nothing in the conversation changes."""
        await self._wait(
            "quiet => { const now = museBench.state(); return !now.open && now.quietMs > quiet; }",
            QUIET_MS,
            "the page does not come to rest",
            STEP_MS,
        )

    # -- parts

    @property
    def message(self) -> Locator:
        """Where the next message is written."""
        return self.page.get_by_role("textbox", name="Message", exact=True)

    @property
    def answers(self) -> Locator:
        """The answers of the conversation."""
        return self.page.locator('[data-role="assistant"]')

    @property
    def questions(self) -> Locator:
        """What the person has said."""
        return self.page.locator('[data-role="user"]')

    def button(self, name: str | re.Pattern[str]) -> Locator:
        """A button by its name, whole."""
        return self.page.get_by_role("button", name=name, exact=isinstance(name, str))

    # -- what a person does

    async def say(self, text: str) -> None:
        """Write a message and press Send."""
        async with self.step(f"writing {text[:40]!r}"):
            await self.message.fill(text)
            await self.button("Send").click()

    async def press(self, name: str) -> None:
        """Press a button."""
        async with self.step(f"the button {name!r}"):
            await self.button(name).click()

    async def set(self, settings: Mapping[str, Any]) -> None:
        """Write settings into the panel, by their names in a request, and close it."""
        async with self.step(f"settings {', '.join(settings)}"):
            await self.button("Settings").click()
            panel = self.page.get_by_role("complementary", name="Settings and reports")
            for name, value in settings.items():
                if name == "reasoning_effort":
                    chosen = panel.get_by_role("radio", name=STRENGTHS[value], exact=True)
                    await chosen.check(force=True)
                    continue
                field_ = panel.get_by_role("textbox", name=FIELDS[name], exact=True)
                await field_.fill(str(value))
                await field_.blur()
            await self.button("Close").click()

    # -- within

    @contextlib.asynccontextmanager
    async def step(self, what: str) -> AsyncIterator[None]:
        """Where the page does not have or do this, the block raises PageStuck."""
        from playwright.async_api import Error  # noqa: PLC0415

        try:
            yield
        except Error as problem:
            raise PageStuck(what, _first_line(problem)) from problem

    async def _wait(self, script: str, argument: object, what: str, longest_ms: float) -> None:
        async with self.step(what):
            await self.page.wait_for_function(script, arg=argument, timeout=longest_ms, polling=50)

    async def _beside(self) -> PageClock:
        """Set the page's clock beside ours: the shortest of some round trips tells best."""
        best: tuple[int, int] | None = None
        for _ in range(ROUND_TRIPS):
            before = self._clock.now_ns()
            there_ms = await self.page.evaluate("performance.now()")
            after = self._clock.now_ns()
            if best is None or after - before < best[0]:
                best = (after - before, (before + after) // 2 - round(there_ms * 1e6))
        assert best is not None
        return PageClock(origin_ns=best[1], error_ns=best[0] // 2)

    def _on_console(self, message: Any) -> None:  # noqa: ANN401 - Playwright's
        if message.type in {"error", "warning"}:
            where = message.location.get("url", "")
            self.troubles.append(f"console {message.type}: {message.text} ({where})")

    def _on_request(self, request: Any) -> None:  # noqa: ANN401
        own = (self.url, "data:", "blob:")
        if not request.url.startswith(own):
            self.troubles.append(f"request to another server: {request.url}")

    def _on_failed(self, request: Any) -> None:  # noqa: ANN401
        """What the page itself gives up is no failure."""
        if request.failure and "ERR_ABORTED" not in request.failure:
            self.troubles.append(
                f"request failed: {request.method} {request.url}: {request.failure}"
            )


def _first_line(problem: Exception) -> str:
    return str(problem).strip().partition("\n")[0]
