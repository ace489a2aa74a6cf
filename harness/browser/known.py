"""How wrong are the stamps that are taken in a page?

The client of the self-test that is a page: a bare document with the instruments in it, which asks
for the known stream and writes each piece of text as soon as it has been read.  What it costs our
own page to do more than that is no error of the instruments.
"""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING

from harness.browser.record import Step, turn_of
from harness.browser.tab import open_browser
from harness.errors import PageUnusable
from harness.trace import TurnLabel

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

    from harness.clock import Clock
    from harness.trace import Trace

__all__ = ["known_page"]

BARE = """() => {
  document.body.innerHTML =
    '<div role="log"><article data-role="assistant" data-phase="complete"></article></div>';
}"""

ASK = """async (body) => {
  const article = document.querySelector("article");
  article.innerHTML =
    '<div class="thinking"><p class="markdown"></p></div><p class="markdown"></p>';
  const [reasoning, content] = article.querySelectorAll(".markdown");
  const response = await fetch("/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const frames = (rest + decoder.decode(value, { stream: true })).split(/\\r?\\n\\r?\\n/);
    rest = frames.pop();
    for (const frame of frames) {
      if (!frame.startsWith("data: {")) continue;
      const delta = JSON.parse(frame.slice(6)).choices?.[0]?.delta ?? {};
      if (delta.reasoning_content) reasoning.append(delta.reasoning_content);
      if (delta.content) content.append(delta.content);
    }
  }
}"""

REST_MS = 60
"""By then the last text has been drawn."""


@contextlib.asynccontextmanager
async def known_page(
    url: str, request: Mapping[str, object], clock: Clock, command: str | None = None
) -> AsyncIterator[Callable[[int], Awaitable[Trace]]]:
    """What plays the known stream in a page, for as long as the block runs.

    Raises:
        PageUnusable: there is no browser.
    """
    async with open_browser(clock, command) as browser:
        tab = await browser.open_bare(f"{url}/written")
        await tab.page.evaluate(BARE)

        async def ask(number: int) -> Trace:
            step = Step(
                TurnLabel("selftest", number, "known", 0), f"page-{number}", clock.wall_iso()
            )
            await tab.begin()
            await tab.page.evaluate(ASK, json.dumps(request))
            await tab.page.wait_for_timeout(REST_MS)
            turn = turn_of(await tab.end(), tab.clock, step)
            if turn is None:
                raise PageUnusable("nothing was asked for by a bare page")
            return turn

        async with tab:
            yield ask
