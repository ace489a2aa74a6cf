"""How does the command serve, from its first look at the port until it is told to stop?

When the model is loaded and the port answers, one line goes to stdout, and nothing else ever does:

    muse-playground ready http://127.0.0.1:3939

Before that the page is built, if its sources have changed; that is told on stderr, and a page that
cannot be built keeps nobody from the API. So is how the model comes along, where it takes long:

    muse-playground: loading Muse Glimmer 30B: 14 s, 8.1 of 21.1 GB in memory

A playground that serves the same model on the port already is used: nothing is started, and the one
line is another one (`playground.launch` has the whole of it):

    muse-playground already running http://127.0.0.1:3939

SIGINT, SIGTERM, or SIGHUP, which a terminal sends when its window is closed: no new connections or
turns, running turns may end within a short grace and are then cut, which their callers are told as
an error, the worker is ended, and the exit code is 0. A second signal skips the grace.

Exit codes: 0 stopped as asked, or running already; 1 the model could not be served; 2 used wrongly,
or the port is taken.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import math
import signal
import sys
from typing import TYPE_CHECKING, TextIO

from playground.app import running
from playground.errors import TemplateFailed
from playground.launch.helpers import Surroundings, open_page
from playground.launch.instance import Instance
from playground.launch.launcher import launch
from playground.listening import Server, take_port, url_of
from playground.page.build import PageNotBuilt, build_if_needed
from playground.profile import MEND
from playground.served import ModelUnusable
from playground.settings import SettingsError, read_settings
from playground.worker.client import StartFailure

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Mapping, Sequence

    from playground.app import Playground
    from playground.launch.launcher import Launch
    from playground.runtime import SessionRuntime
    from playground.settings import Settings

__all__ = ["end_turns", "main"]

IMPATIENT_S = 1.0
"""How long a worker may take to hear that a turn is cut, once somebody has asked twice."""
LAST_BYTES_S = 1.0
"""How long answers may take to reach their readers once no turn is left."""


def main(
    argv: Sequence[str],
    environ: Mapping[str, str],
    out: TextIO,
    err: TextIO,
    *,
    platform: str = sys.platform,
) -> int:
    """Serve; returns the exit code."""
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    logging.basicConfig(
        level=logging.INFO, stream=err, format="%(asctime)s %(levelname)s %(name)s %(message)s"
    )
    tell = _teller(err)
    try:
        settings = read_settings(argv, environ)
        surroundings = Surroundings(environ, platform)
        ours = launch(settings, surroundings, tell)
        if isinstance(ours, Instance):
            print(f"muse-playground already running {ours.url}", file=out, flush=True)
            if settings.open_page:
                open_page(ours.url, surroundings, tell, wait=True)
            return 0
        with ours, take_port(settings.host, settings.port) as listener:
            asyncio.run(serve(settings, listener, ours, out, err))
    except SettingsError as error:
        tell(str(error))
        return 2
    except (ModelUnusable, TemplateFailed) as error:
        tell(f"{error}{_whence(settings)}")
        return 1
    except StartFailure as error:  # its last words have passed through to stderr already
        tell(f"the worker did not start: {error.reason}{_whence(settings)}")
        return 1
    except KeyboardInterrupt:  # while nothing was served yet
        return 0
    return 0


def _whence(settings: Settings) -> str:
    """Where model and worker were named, if not on the command line, and what to do then."""
    return f"; {settings.profile} names it: {MEND}" if settings.profile else ""


def _teller(err: TextIO) -> Callable[[str], None]:
    def tell(line: str) -> None:
        print(f"muse-playground: {line}", file=err, flush=True)

    return tell


async def serve(
    settings: Settings, listener: socket.socket, ours: Launch, out: TextIO, err: TextIO
) -> None:
    """Build, load, say that we are ready, answer until a signal comes, and leave nothing behind.

    Raises:
        ModelUnusable, TemplateFailed, StartFailure: there is nothing to serve.
    """
    signals = _signals()
    async with contextlib.AsyncExitStack() as stack:
        first = asyncio.create_task(signals.get())
        load = asyncio.create_task(_load(settings, stack, ours, _teller(err)))
        await asyncio.wait({first, load}, return_when=asyncio.FIRST_COMPLETED)
        if not load.done():
            load.cancel()
            await asyncio.wait({load})
            return
        playground = load.result()
        gc.freeze()  # what loading made stays for good; no collection need walk it during a turn
        url = url_of(listener)

        def say_ready() -> None:
            print(f"muse-playground ready {url}", file=out, flush=True)
            ours.ready(url)

        server = Server(
            playground.app,
            shutdown_limit_s=math.ceil(settings.drain_s + settings.cancel_grace_s) + 3,
            on_listening=say_ready,
        )
        answering = asyncio.create_task(server.serve(sockets=[listener]))
        await asyncio.wait({first, answering}, return_when=asyncio.FIRST_COMPLETED)
        server.should_exit = True
        await end_turns(playground.runtime, settings.drain_s, signals)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LAST_BYTES_S):
                await asyncio.shield(answering)
        server.force_exit = True
        await answering


async def _load(
    settings: Settings,
    stack: contextlib.AsyncExitStack,
    ours: Launch,
    tell: Callable[[str], None],
) -> Playground:
    """The page, and then the model: whose threads are measured while nothing else runs."""
    no_page_because = None
    if settings.ui_dir is not None:
        try:
            await build_if_needed(settings.ui_dir.parent, tell)
        except PageNotBuilt as error:
            no_page_because = str(error)
            tell(f"the page is not built: {error}")
    return await stack.enter_async_context(
        running(
            settings,
            no_page_because=no_page_because,
            tell=tell,
            on_worker=ours.worker_started,
        )
    )


async def end_turns(
    runtime: SessionRuntime, grace_s: float, signals: asyncio.Queue[signal.Signals]
) -> None:
    """Let turns end for so long, and cut the others; a further signal is taken for impatience."""
    drain = asyncio.create_task(runtime.drain(grace_s))
    second = asyncio.create_task(signals.get())
    await asyncio.wait({drain, second}, return_when=asyncio.FIRST_COMPLETED)
    if not drain.done():
        drain.cancel()
        await runtime.drain(0, to_hear_s=IMPATIENT_S)
    second.cancel()


def _signals() -> asyncio.Queue[signal.Signals]:
    """The signals that ask us to stop, as they come."""
    signals: asyncio.Queue[signal.Signals] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:  # as nohup has it
            continue
        loop.add_signal_handler(number, signals.put_nowait, number)
    return signals
