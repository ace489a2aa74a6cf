"""What stands in for the web page where there is none?

Without scripts and styles, which the security headers would forbid inline.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from starlette.responses import HTMLResponse
from starlette.routing import Route

if TYPE_CHECKING:
    from starlette.requests import Request

__all__ = ["unbuilt_route"]

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Muse playground</title>
<h1>Muse playground</h1>
<p>The server is running, but it has no web page to show.</p>
{why}
<p>The API works without it:</p>
<ul>
<li><a href="/health">/health</a></li>
<li><a href="/api/runtime">/api/runtime</a></li>
<li><a href="/v1/models">/v1/models</a></li>
<li><code>POST /v1/chat/completions</code></li>
</ul>
"""
NOT_THERE = (
    "<p>It is not built. Started from a checkout, <code>muse-playground</code> builds it, if there"
    " is Node.js 20.19 or newer.</p>"
)


def unbuilt_route(why: str | None) -> Route:
    """The path `/`, which says why there is no page, in the words of whoever could not build it."""
    said = NOT_THERE if why is None else f"<pre>{escape(why)}</pre>"
    page = PAGE.format(why=said)

    async def send(request: Request) -> HTMLResponse:  # noqa: ARG001
        return HTMLResponse(page)

    return Route("/", send)
