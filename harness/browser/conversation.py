"""How is a conversation played where legs of it are typed into the page?

As any other, with a browser beside the client.  Where there is no browser, or the target serves no
page of ours, the run goes on without: what the page was to play is skipped, with the reason.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

from harness.browser.chat import PageChat
from harness.browser.tab import open_browser
from harness.errors import PageUnusable
from harness.results import Driven
from harness.runner import play

if TYPE_CHECKING:
    from harness.clock import Clock
    from harness.judge import Result
    from harness.results import RunFolder
    from harness.runner import Chat, Order, Progress
    from harness.target import Target

__all__ = ["play_with_page"]


async def play_with_page(
    order: Order,
    target: Target,
    chat: Chat,
    folder: RunFolder,
    *,
    clock: Clock,
    progress: Progress,
    chromium: str | None = None,
) -> Result:
    """Play every repeat, the legs of the page in the page; the result, which is on disk too.

    Raises:
        TargetError: the target cannot be met, or died; what was played before is on disk.
    """
    async with contextlib.AsyncExitStack() as stack:
        page, driven = None, order.driven or Driven("http")
        try:
            browser = await stack.enter_async_context(open_browser(clock, chromium))
            async with await browser.open(target.url):
                pass  # it can be driven
        except PageUnusable as problem:
            driven = replace(driven, why_not=problem.reason)
        else:
            driven = replace(driven, browser=browser.name)
            page = PageChat(browser, target.url, clock)
        return await play(
            replace(order, driven=driven),
            target,
            chat,
            folder,
            clock=clock,
            progress=progress,
            page=page,
        )
