"""What tests of the server are built from, ours and a caller's alike.

- `scripted_app`: the whole server, real worker process included, answering from a script.
- `ServerProcess`: `muse-playground` as a person starts it, in a process of its own.
- `listening`: an app on a free loopback port, for what only real connections show.
- `client_of`: an in-process client of a playground; `frames_of`: what a stream said.
- `every_split`: a text cut in every way that an incremental parser may stumble over.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
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
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence

    from starlette.types import ASGIApp

    from playground.app import Playground

__all__ = [
    "ServerProcess",
    "client_of",
    "every_split",
    "frames_of",
    "listening",
    "scripted_app",
]

READY_LINE = "muse-playground ready "
ENDED_S = 30.0
"""How long the process may take to end."""


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


class ServerProcess:
    """`python -m playground`, on a free port that it keeps when it is started again.

    It answers from `script`, or from the embedded model without one; `flags` are further arguments.
    What it says on stderr is added to `playground.log` in `folder`.
    """

    def __init__(
        self, folder: Path, script: Mapping[str, Any] | None = None, flags: Sequence[str] = ()
    ) -> None:
        self.log = folder / "playground.log"
        self._arguments = list(flags)
        if script is not None:
            path = folder / "script.json"
            path.write_text(json.dumps(script), encoding="utf-8")
            self._arguments += ["--script", str(path)]
        self._port = 0
        self._process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        """Where it listens, or did."""
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Return when it is ready.

        Raises:
            RuntimeError: it ended instead; the message has its log.
        """
        command = [sys.executable, "-m", "playground", "--port", str(self._port), *self._arguments]
        environ = {**os.environ, "MUSE_PLAYGROUND_PROFILE": "none"}
        with self.log.open("a", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log, text=True, env=environ
            )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.startswith(READY_LINE):
            self.stop()
            raise RuntimeError(f"the server did not start:\n{self.log.read_text('utf-8')}")
        self._port = int(line.rpartition(":")[2])

    def stop(self) -> None:
        """End it as a person would, and wait for that; it may be started again."""
        if self._process is None:
            return
        with self._process as process:
            process.terminate()
            try:
                process.wait(ENDED_S)
            except subprocess.TimeoutExpired:
                process.kill()
        self._process = None


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
