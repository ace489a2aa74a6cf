"""How are turns played by hand, or overheard? By what the page's `fetch` gives it.

`Wire` gives each turn a stream that the test writes; everything else goes to the server. A stream
goes on though the page has closed it, as bytes on their way do: so what comes late can be played as
well. `Overheard` changes nothing and keeps what the server sent.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from playground.testing import frames_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["DONE", "Overheard", "Wire", "content", "finish", "frame", "reasoning", "status"]

STREAMS = """
(() => {
  const fetched = window.fetch.bind(window);
  window.museTurns = [];
  window.fetch = (path, init) => {
    if (!String(path).endsWith("/v1/chat/completions")) return fetched(path, init);
    let stream;
    const body = new ReadableStream({ start: (controller) => { stream = controller; } });
    window.museTurns.push({
      body: init.body,
      write: (text) => stream.enqueue(new TextEncoder().encode(text)),
      end: () => stream.close(),
      drop: () => stream.error(new TypeError("network error")),
    });
    const headers = { "content-type": "text/event-stream" };
    return Promise.resolve(new Response(body, { headers }));
  };
})();
"""

COPIES = """
(() => {
  const fetched = window.fetch.bind(window);
  window.museCopies = [];
  window.fetch = async (path, init) => {
    const response = await fetched(path, init);
    const isTurn = String(path).endsWith("/v1/chat/completions");
    if (isTurn) window.museCopies.push(response.clone().text());
    return response;
  };
})();
"""


class Overheard:
    """What the server sent for the turns of one tab; made before the page is opened."""

    def __init__(self, page: Page) -> None:
        self._page = page
        page.add_init_script(COPIES)

    def cost(self, number: int) -> dict[str, Any]:
        """`muse_metrics` of a turn, from 1."""
        frames = frames_of(self._page.evaluate("n => window.museCopies[n - 1]", number))
        (cost,) = [frame["muse_metrics"] for frame in frames if "muse_metrics" in frame]
        return dict(cost)


class Wire:
    """The turns of one tab, played by hand; made before the page is opened."""

    def __init__(self, page: Page) -> None:
        self._page = page
        page.add_init_script(STREAMS)

    def asked(self, number: int) -> dict[str, Any]:
        """The body of a turn, from 1; it is waited for."""
        self._page.wait_for_function("n => window.museTurns.length >= n", arg=number)
        body: dict[str, Any] = json.loads(
            self._page.evaluate("n => window.museTurns[n - 1].body", number)
        )
        return body

    def write(self, number: int, *frames: str) -> None:
        """Let bytes of a turn arrive."""
        self.asked(number)
        play = "([n, text]) => { try { window.museTurns[n - 1].write(text) } catch {} }"
        self._page.evaluate(play, [number, "".join(frames)])

    def end(self, number: int) -> None:
        """End the stream of a turn as a server does that has said all."""
        self._page.evaluate("n => window.museTurns[n - 1].end()", number)

    def drop(self, number: int) -> None:
        """Break the connection of a turn."""
        self._page.evaluate("n => window.museTurns[n - 1].drop()", number)


DONE = "data: [DONE]\n\n"


def frame(value: dict[str, Any]) -> str:
    """One frame of a stream."""
    return f"data: {json.dumps(value)}\n\n"


def content(text: str) -> str:
    """Text of the answer."""
    return frame({"choices": [{"index": 0, "delta": {"content": text}}]})


def reasoning(text: str) -> str:
    """Text of the reasoning."""
    return frame({"choices": [{"index": 0, "delta": {"reasoning_content": text}}]})


def finish(reason: str = "stop") -> str:
    """How the answer ended."""
    return frame({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})


def status(state: str, **more: int) -> str:
    """What the turn waits for."""
    return frame({"muse_status": {"state": state, **more}})
