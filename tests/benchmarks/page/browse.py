"""How does the page read an answer? In a real Chromium, with the instruments of `instruments.js`.

Each measurement has a profile of its own, so nothing is cached and no session is warm.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.benchmarks.page.drain import metrics_in
from tests.benchmarks.page.figures import delays, within
from tests.benchmarks.page.record import Heap, Load, Stream
from tests.benchmarks.page.text import TOKEN_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from playwright.sync_api import Browser, Page, Request

    from tests.benchmarks.page.text import Answer

__all__ = ["SIZE", "Asked", "Visitor"]

SIZE = (1440, 900)
PATIENCE_MS = 300_000.0
READINGS = 3
INSTRUMENTS = Path(__file__).with_name("instruments.js")
TEE = Path(__file__).with_name("tee.js")


@dataclass(frozen=True, slots=True)
class Asked:
    """A turn that the page has had."""

    body: Mapping[str, Any]
    """What it asked."""
    metrics: Mapping[str, Any]
    """What the engine said of it."""


class Visitor:
    """Opens the page of a server, and asks there."""

    def __init__(self, browser: Browser, url: str) -> None:
        self._browser = browser
        self._url = url

    def load(self) -> Load:
        """One first load."""
        with self._open() as page:
            seen = page.evaluate("museSpeed.load()")
        files: Sequence[tuple[str, int]] = seen["files"]
        return Load(
            usable_ms=seen["usableAt"],
            ready_ms=seen["readyAt"],
            script_bytes=sum(size for path, size in files if path.endswith(".js")),
            all_bytes=sum(size for _, size in files),
        )

    def stream(self, question: str, answer: Answer, asked_per_s: float) -> Stream:
        """An answer, with its frames and paints."""
        with self._open() as page:
            self._ask(page, question)
            page.wait_for_timeout(500)  # the last paint, and what follows the end
            read = page.evaluate("museSpeed.read()")
            decode_ms = page.evaluate("museSpeed.metrics.decode_ms")
        arrivals: Sequence[tuple[float, int]] = read["arrivals"]
        first, last = arrivals[0][0], arrivals[-1][0]
        found, unpainted = delays(arrivals, read["paints"], answer.ends)
        return Stream(
            tokens=answer.tokens,
            asked_per_s=asked_per_s,
            made_per_s=answer.tokens / decode_ms * 1e3,
            frames_ms=within(read["frames"], first, last),
            delays_ms=found,
            unpainted=unpainted,
        )

    def heaps(self, question: str, answer: Answer, points: int) -> tuple[Heap, ...]:
        """The page's memory at so many evenly spread places of an answer, the last near its end."""
        step = len(answer.text) // points
        with self._open() as page:
            self._send(page, question)
            return tuple(self._heap(page, step * (n + 1) - 64 * TOKEN_BYTES) for n in range(points))

    def turn(self, question: str) -> Asked:
        """An answer, for what the engine says of it; without instruments, which take time, too."""
        with self._open(TEE) as page:
            request = self._ask(page, question)
            stream: str = page.evaluate("museStream")
        return Asked(json.loads(request.post_data), metrics_in(stream.encode()))

    def _heap(self, page: Page, characters: int) -> Heap:
        """The least of a few readings: text still comes, and makes garbage meanwhile."""
        page.wait_for_function("n => museSpeed.characters >= n", arg=characters)
        devtools = page.context.new_cdp_session(page)
        readings = []
        for _ in range(READINGS):
            devtools.send("HeapProfiler.collectGarbage")
            usage = devtools.send("Runtime.getHeapUsage")
            readings.append(
                Heap(
                    characters=page.evaluate("museSpeed.characters"),
                    script_bytes=round(usage["usedSize"]),
                    dom_bytes=round(usage.get("embedderHeapUsedSize", 0)),
                    nodes=devtools.send("Memory.getDOMCounters")["nodes"],
                )
            )
        devtools.detach()
        return min(readings, key=lambda heap: heap.bytes)

    def _ask(self, page: Page, question: str) -> Request:
        with page.expect_request("**/v1/chat/completions") as request:
            self._send(page, question)
        page.wait_for_selector('[data-role="assistant"][data-phase="complete"]')
        return request.value

    def _send(self, page: Page, question: str) -> None:
        box = page.get_by_role("textbox", name="Message", exact=True)
        box.fill(question)
        box.press("Enter")

    @contextlib.contextmanager
    def _open(self, script: Path = INSTRUMENTS) -> Iterator[Page]:
        """The page in a profile of its own, ready to be asked, with a script of ours in it."""
        width, height = SIZE
        with self._browser.new_context(viewport={"width": width, "height": height}) as context:
            context.set_default_timeout(PATIENCE_MS)
            context.add_init_script(path=script)
            page = context.new_page()
            page.goto(self._url)
            page.wait_for_selector('#root[data-connection="ready"]')
            yield page
