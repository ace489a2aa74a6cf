"""Does whoever opens a page that is not there learn why?"""

from __future__ import annotations

import asyncio

import httpx
import pytest
from starlette.applications import Starlette

from playground.page.unbuilt import unbuilt_route


def page(why: str | None) -> str:
    """What is shown."""
    transport = httpx.ASGITransport(Starlette(routes=[unbuilt_route(why)]))

    async def ask() -> str:
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return (await client.get("/")).text

    return asyncio.run(ask())


def test_the_reason_is_shown_word_for_word() -> None:
    """It may hold anything that npm says, and is text here."""
    assert "<pre>exit &lt;7&gt; &amp; more</pre>" in page("exit <7> & more")


@pytest.mark.parametrize("why", [None, "no node"])
def test_it_needs_nothing_that_the_policy_forbids(why: str | None) -> None:
    """Neither scripts nor styles."""
    shown = page(why)

    assert "<script" not in shown
    assert "style" not in shown
