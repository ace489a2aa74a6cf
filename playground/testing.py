"""What tests of the server are built from, ours and a caller's alike.

- `scripted_app`: the whole server, real worker process included, answering from a script.
- `listening`: an app on a free loopback port, for what only real connections show.
- `client_of`: an in-process client of a playground; `frames_of`: what a stream said.
- `every_split`: a text cut in every way that an incremental parser may stumble over.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import tempfile
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from playground.app import running
from playground.listening import Server, take_port, url_of
from playground.settings import Settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping

    from starlette.types import ASGIApp

    from playground.app import Playground

__all__ = ["client_of", "every_split", "frames_of", "listening", "scripted_app"]


@contextlib.asynccontextmanager
async def scripted_app(
    script: Mapping[str, Any],
    settings: Settings | None = None,
    *,
    today: Callable[[], date] = date.today,
) -> AsyncIterator[Playground]:
    """A playground whose worker plays this script (see `playground.worker.scripted`)."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "script.json"
        path.write_text(json.dumps(script), encoding="utf-8")
        async with running(replace(settings or Settings(), script=path), today=today) as playground:
            yield playground


def client_of(playground: Playground) -> httpx.AsyncClient:
    """A client that calls the app directly; a response is there when it is complete."""
    transport = httpx.ASGITransport(playground.app, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:3939")


def frames_of(body: str) -> list[Any]:
    """The frames of a stream as this server writes it: JSON values, `[DONE]` as itself."""
    events = [event for event in body.split("\n\n") if event and not event.startswith(":")]
    data = [event.removeprefix("data: ") for event in events]
    return [text if text == "[DONE]" else json.loads(text) for text in data]


@contextlib.asynccontextmanager
async def listening(app: ASGIApp) -> AsyncIterator[str]:
    """The app on a free loopback port; gives its URL."""
    ready = asyncio.Event()
    bound = take_port("127.0.0.1", 0)
    server = Server(app, shutdown_limit_s=5, on_listening=ready.set)
    answering = asyncio.create_task(server.serve(sockets=[bound]))
    await ready.wait()
    try:
        yield url_of(bound)
    finally:
        server.should_exit = server.force_exit = True
        await answering
        bound.close()


def every_split(text: str) -> Iterator[tuple[str, ...]]:
    """The text cut into pieces in every way that an incremental parser may stumble over.

    Whole; in two and in three pieces at every place; and character by character. Three pieces cut
    out every substring, so a parser meets each of its tokens alone and split on either side.
    """
    yield (text,)
    yield tuple(text)
    for first in range(len(text) + 1):
        for second in range(first, len(text) + 1):
            yield text[:first], text[first:second], text[second:]
