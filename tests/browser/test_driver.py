"""Does the harness see in the page what the server sent, and what the page made of it?"""

from __future__ import annotations

import asyncio
import functools
import json
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright")

from harness.browser.chat import PageChat
from harness.browser.known import known_page
from harness.browser.tab import open_browser
from harness.cli import main
from harness.client import TurnRequest
from harness.clock import SystemClock
from harness.errors import PageUnusable
from harness.events import Channel, Ending
from harness.metrics import measure
from harness.selftest.known import REQUEST
from harness.selftest.run import run_selftest
from harness.testing import json_script, scripted_server
from harness.trace import TurnLabel
from harness.wire import observe
from playground.testing import ServerProcess
from tests.browser.stage import STAGE, THOUGHT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness.trace import Trace

pytestmark = pytest.mark.browser

MOMENTS = ("client.ttft", "page.dom_ttft", "page.paint_ttft")

SCENARIO = """\
name = "some"
question = "does it?"
answer = "whether it does"
[settings]
temperature = 0.0
[[turn]]
user = "Think it over"
[[turn]]
user = "In short"
expect.contains = ["Briefly"]
[[leg]]
name = "warm"
session = "kept"
resets = ["new", "exact_prefix"]
[[leg]]
name = "cold"
"""


@pytest.fixture(scope="module")
def server(built_page: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A scripted server that has one place for a session."""
    flags = ["--ui-dir", str(built_page)]
    server = ServerProcess(tmp_path_factory.mktemp("driven"), STAGE, flags)
    server.start()
    yield server
    server.stop()


def asked(url: str, chromium: str, *texts: str) -> list[Trace]:
    """A conversation typed into the page; the session is given back."""
    clock = SystemClock()

    async def ask() -> list[Trace]:
        traces: list[Trace] = []
        messages = [{"role": "system", "content": "Be brief."}]
        async with open_browser(clock, chromium) as browser:
            chat = PageChat(browser, url, clock)
            for number, text in enumerate(texts, start=1):
                messages.append({"role": "user", "content": text})
                body = {"messages": list(messages), "temperature": 0.5, "max_tokens": 500}
                request = TurnRequest(TurnLabel("some", 1, "page", number), body)
                traces.append(await chat.turn(request))
                said = observe(traces[-1]).text()
                messages.append({"role": "assistant", "content": said})
            await chat.leave()
        return traces

    return asyncio.run(ask())


def test_a_turn_in_the_page_is_a_trace_like_any_other(server: ServerProcess, chromium: str) -> None:
    """Bytes, settings and text as the server has them; wire, document and screen in that order."""
    first, second = asked(server.url, chromium, "Think it over", "In short\nand kindly")

    seen = observe(first)
    assert (seen.ending, seen.violations) == (Ending.OK, ())
    assert seen.text(Channel.REASONING) == THOUGHT
    assert (first.request["temperature"], first.request["max_tokens"]) == (0.5, 500)
    assert [message["content"] for message in second.request["messages"]] == [
        "Be brief.",
        "Think it over",
        seen.text(),
        "In short\nand kindly",
    ]
    for trace in (first, second):
        names = {action.name for action in trace.actions}
        assert {"click", "page", "fetch", "dom.first", "dom.quiet", "paint.last"} <= names
        assert "page.differs" not in names
        stamps = [chunk.at_ns for chunk in trace.chunks]
        assert all(a <= b for a, b in pairwise(stamps))
        measured = measure(observe(trace))
        wire, dom, paint = [measured[name].value for name in MOMENTS]
        assert 0 < (wire or 0) <= (dom or 0) <= (paint or 0)
        assert (measured["page.send"].value or 0) > 0


def test_a_server_without_our_page_is_no_page_to_drive(chromium: str) -> None:
    """The reason says what it answered."""
    clock = SystemClock()

    async def opened() -> None:
        script = json_script({"detail": "Not Found"}, status="404 Not Found")
        async with scripted_server(script) as server, open_browser(clock, chromium) as browser:
            await browser.open(server.url)

    with pytest.raises(PageUnusable, match=r"answers 404.*Not Found"):
        asyncio.run(opened())


def test_a_run_with_both_drivers_leaves_no_session_behind(
    server: ServerProcess, chromium: str, tmp_path: Path
) -> None:
    """The one place of the server is free for each leg; what the page cannot play is skipped."""
    scenario = tmp_path / "some.toml"
    scenario.write_text(SCENARIO)
    out, err = (tmp_path / name for name in ("out", "err"))
    arguments = ["--scenario", str(scenario), "--target", server.url, "--out", str(tmp_path / "r")]

    with out.open("w") as stdout, err.open("w") as stderr:
        options = ["--driver", "both", "--chromium", chromium, "--repeat", "2", "--json"]
        code = main(["run", *arguments, *options], stdout, stderr)

    result = json.loads(out.read_text())
    # A token of the script is a byte, control text among them; clocks are no matter here.
    others = [v for v in result["verdicts"] if v["check"] not in {"counts.agree", "clocks.agree"}]
    assert [v for v in others if v["outcome"] not in {"pass", "skip"}] == [], err.read_text()
    assert (code, result["unplayed"]) == (result["exit_code"], [])
    skipped = {v["check"]: v["message"] for v in result["verdicts"] if v["outcome"] == "skip"}
    assert "keeps one session" in skipped["page.plays"]
    legs = {each["leg"] for each in result["summaries"]}
    assert legs == {"warm", "warm-page", "cold"}
    assert result["driven"]["browser"].startswith("Chromium")


def test_the_self_test_has_a_page_among_its_clients(chromium: str) -> None:
    """Its events are those that were written; its texts are in the document and on the screen."""
    clock = SystemClock()
    page = functools.partial(known_page, request=REQUEST, clock=clock, command=chromium)

    found = asyncio.run(run_selftest(turns=2, clock=clock, more={"page": page}))

    told = found.clients["page"]
    assert told.stamps.n == 2 * 46
    assert {place: each.n for place, each in told.places.items()} == {"dom": 8, "paint": 8}
    assert (told.places["dom"].median or 0) <= (told.places["paint"].median or 0)
