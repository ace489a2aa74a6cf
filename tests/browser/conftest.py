"""What a test of the page in a real Chromium is given, and what fails it besides its own claims.

    stage       a scripted server that all tests share: `stage.url`; `stage.py` says what it plays
    serve       starts a server of one's own, from a script or with the embedded model
    page        a tab at 1440 x 900, of a profile of its own
    chat        the same as a person finds it, see `chat.py`
    problems    what went wrong in the browser meanwhile; a test names what it provokes on purpose
    keep        `keep("name")` keeps a screenshot of the page

A test fails if the page writes an error to the console, throws, breaks the content security policy
(Chromium tells that on the console) or asks any other server for anything. Of a test that fails, a
screenshot is kept.

Screenshots are in the folder that MUSE_BROWSER_ARTIFACTS names, else in pytest's own temporary
one. `--screenshots DIR` keeps the pictures of each view, for people to look at. MUSE_CHROMIUM
names a browser; without it the usual names are looked for. Without a browser, Playwright or a page
the tests are skipped, and fail where CI is set: there they have to run.

Nothing is traced: what Playwright adds to a page for that is against the page's own policy.
Playwright's event loop occupies the thread that it runs in, so it lives no longer than a module:
tests of other modules have loops of their own.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from playground.page.build import PageNotBuilt, build_if_needed
from playground.settings import WEB_DIR
from playground.testing import ServerProcess
from tests.browser.axe import axe_source
from tests.browser.chromium import find_chromium
from tests.browser.stage import STAGE

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping

    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request

    from tests.browser.chat import Chat

SIZE = {"width": 1440, "height": 900}
PATIENCE_MS = 20_000.0
FAILED = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where the pictures of each view are kept."""
    parser.addoption("--screenshots", metavar="DIR", help="keep pictures of the page's views here")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note on the test that it failed, for the fixtures that are taken down after it."""
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report


def cannot_run(why: str) -> NoReturn:
    """Skip, or fail where these tests have to run."""
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)


class Problems:
    """What went wrong in the browser; `allow` names by a pattern what a test provokes."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self._allowed: list[re.Pattern[str]] = []

    def allow(self, pattern: str) -> None:
        """Do not fail because of problems that this is found in."""
        self._allowed.append(re.compile(pattern))

    def add(self, problem: str) -> None:
        """Note one."""
        self.seen.append(problem)

    @property
    def unexpected(self) -> list[str]:
        """Those that nothing allows."""
        return [
            problem
            for problem in self.seen
            if not any(pattern.search(problem) for pattern in self._allowed)
        ]

    def watch(self, context: BrowserContext) -> None:
        """Note what goes wrong in every tab of a profile."""

        def on_console(message: ConsoleMessage) -> None:
            if message.type in {"error", "warning"}:
                self.add(f"console {message.type}: {message.text} ({message.location['url']})")

        def on_request(request: Request) -> None:
            if not re.match(r"(http://127\.0\.0\.1:\d+/|data:|blob:)", request.url):
                self.add(f"request to another server: {request.url}")

        context.on("console", on_console)
        context.on("weberror", lambda error: self.add(f"uncaught: {error.error}"))
        context.on("request", on_request)


@pytest.fixture(scope="session")
def built_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page, built from its sources as they are now; a copy, which stays as it is."""
    try:
        asyncio.run(build_if_needed(WEB_DIR.parent, lambda _: None))
    except PageNotBuilt as error:
        cannot_run(f"the page is not built: {error}")
    return shutil.copytree(WEB_DIR, tmp_path_factory.mktemp("page") / "dist")


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser's command."""
    found = find_chromium()
    if found is not None:
        return found
    cannot_run("there is no Chromium: install Debian's `chromium`, or set MUSE_CHROMIUM to one")


@pytest.fixture(scope="module")
def browser(built_page: Path, chromium: str) -> Iterator[Browser]:
    """One process of the browser for the tests of a module; each has a profile of its own."""
    try:
        from playwright.sync_api import expect, sync_playwright  # noqa: PLC0415  (it may be absent)
    except ImportError:
        cannot_run('Playwright is not installed: pip install "muse-bench[browser]"')
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe(built_page: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The source of axe-core."""
    return axe_source(tmp_path_factory.mktemp("axe"))


@pytest.fixture
def artifacts(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Where this test keeps what is worth a look."""
    named = os.environ.get("MUSE_BROWSER_ARTIFACTS")
    if named is None:
        return tmp_path
    folder = Path(named) / re.sub(r"[^\w.-]+", "-", request.node.name)[:100].strip("-")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def stage(built_page: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A scripted server with a place for each test."""
    flags = ["--ui-dir", str(built_page), "--max-sessions", "200"]
    server = ServerProcess(tmp_path_factory.mktemp("stage"), STAGE, flags)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def serve(built_page: Path, artifacts: Path) -> Iterator[Callable[..., ServerProcess]]:
    """Start a server: `serve(script, "--flag", …)`, or `serve()` for the embedded model."""
    started: list[ServerProcess] = []

    def start(script: Mapping[str, Any] | None = None, *flags: str) -> ServerProcess:
        folder = artifacts / f"server-{len(started)}"
        folder.mkdir(exist_ok=True)
        server = ServerProcess(folder, script, ["--ui-dir", str(built_page), *flags])
        started.append(server)
        server.start()
        return server

    yield start
    for server in started:
        server.stop()


@pytest.fixture
def problems() -> Problems:
    """What goes wrong in the browser during this test."""
    return Problems()


@pytest.fixture
def context(
    browser: Browser, problems: Problems, artifacts: Path, request: pytest.FixtureRequest
) -> Iterator[BrowserContext]:
    """A profile of its own, watched; what went wrong in it fails the test."""
    context = browser.new_context(viewport=SIZE, locale="en-GB", timezone_id="UTC")
    context.set_default_timeout(PATIENCE_MS)
    problems.watch(context)
    yield context
    failed = request.node.stash.get(FAILED, False) or problems.unexpected
    if failed:
        for number, page in enumerate(context.pages):
            page.screenshot(path=artifacts / f"failed-{number}.png")
    context.close()
    assert problems.unexpected == []


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """A tab."""
    return context.new_page()


@pytest.fixture
def chat(page: Page) -> Chat:
    """The tab as a person finds it; it is still to be opened."""
    from tests.browser.chat import Chat  # noqa: PLC0415  (it needs Playwright)

    return Chat(page)


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    """A file with a picture: a red square on white."""
    from PIL import Image, ImageDraw  # noqa: PLC0415  (a test without pictures needs none)

    drawing = Image.new("RGB", (96, 64), "white")
    ImageDraw.Draw(drawing).rectangle((20, 16, 52, 48), fill="red")
    drawing.save(tmp_path / "square.png")
    return tmp_path / "square.png"


@pytest.fixture
def keep(page: Page, artifacts: Path) -> Callable[[str], None]:
    """Keep a screenshot of the page under a name."""

    def shoot(name: str) -> None:
        page.screenshot(path=artifacts / f"{name}.png", animations="disabled")

    return shoot
