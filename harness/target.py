"""Who is measured: the embedded playground, started and stopped here, or a server at a URL.

    async with embedded(folder, clock) as target: …     starts `python -m playground --port 0`
    async with remote("http://host:port", ask) as target: …

Where nothing names a worker or a model, what runs is what this machine was set up to serve
(`.runtime/profile.json`, which `python -m bootstrap` writes), or else the embedded model.

The playground is met as any client meets it: by its command line, its one line on stdout
(`muse-playground ready http://127.0.0.1:PORT`) and over HTTP.  Its stderr is kept in the run
folder.  It is stopped by the process id we started, whatever ended the run: SIGTERM, a bounded
wait, SIGKILL.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from dataclasses import dataclass, field
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from harness.errors import LaunchFailed, TargetNotReady, TargetUnreachable, UsageError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence

    from harness.client import Reply
    from harness.clock import Clock

    Ask = Callable[[str], Awaitable[Reply]]
    """GET a path below the target's address; raises TargetUnreachable where nothing answers."""

__all__ = [
    "Restart",
    "Target",
    "embedded",
    "is_here",
    "meet",
    "missing_extra",
    "parse_url",
    "processes_of",
    "with_profile",
    "worker_here",
]

ROOT = Path(__file__).parent.parent
READY = "muse-playground ready "
READY_TIMEOUT_S = 930.0
"""A little more than the playground itself waits for its worker, which may have 21 GB to load: it
then says why, which is better than being given up by us."""
BUILD_TIMEOUT_S = 600.0
"""What comes on top where the page may have to be built first, with all that builds it."""
STOP_TIMEOUT_S = 10.0
NEEDS_TO_SERVE = ("fastapi", "uvicorn", "jinja2", "tokenizers")
"""What the playground's server imports beyond a plain install."""
NEEDS = (*NEEDS_TO_SERVE, "executorch", "torch")
"""And with its own worker, the embedded model's."""


class Restart(Protocol):
    """Ends a target and starts it again, at the same address with the same arguments."""

    async def __call__(self, *, kill: bool = False) -> None:
        """Return when it is ready; it is ended in order, or killed.

        Raises:
            LaunchFailed: it did not start again.
        """
        ...


@dataclass(frozen=True, slots=True)
class Target:
    """A server that is ready to be measured."""

    kind: str
    """`embedded` or `url`."""
    url: str
    ready_ns: int | None = None
    """From the start of the command to its ready line; None where we did not start it."""
    restart: Restart | None = None
    """None where we did not start it."""
    model: str | None = None
    """The model name that requests are to carry; None for the first that the server lists."""

    @property
    def shown_url(self) -> str:
        """The address without the credentials that it may hold."""
        scheme, _, rest = self.url.partition("://")
        return f"{scheme}://{rest.rpartition('@')[2]}"


@dataclass(frozen=True, slots=True)
class Facts:
    """What a target says about itself before it is measured."""

    model: str
    """The model name that requests carry."""
    runtime: Mapping[str, Any] | None = field(default=None)
    """The answer of `/api/runtime`; None where the target has no such route."""


def parse_url(text: str) -> str:
    """A base URL without a trailing slash or `/v1`.

    Raises:
        UsageError: not an http(s) address.
    """
    if not _is_address(text):
        raise UsageError(
            f"--target {text!r} is neither `embedded` nor a URL; try --target http://127.0.0.1:3939"
        )
    return text.rstrip("/").removesuffix("/v1")


def _is_address(text: str) -> bool:
    """Whether this is http(s) with a host, and a port that exists where one is named."""
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


async def meet(ask: Ask, url: str, named: str | None = None) -> Facts:
    """Ask a target who it is, before anything is measured; `named` is the model to be asked.

    Raises:
        TargetNotReady: it answers, but not as a chat server that is ready.
    """
    health = await ask("/health")
    # Plenty of chat servers have no /health; what they do have is a list of models.
    if health.status not in {200, 404}:
        raise TargetNotReady(f"{url}/health", _told(health))
    models = await ask("/v1/models")
    if models.status != 200:
        raise TargetNotReady(f"{url}/v1/models", _told(models))
    model = next(iter(_models(models.json)), named)
    if model is None:
        said = f"{_told(models)}, which names no model; try --model NAME"
        raise TargetNotReady(f"{url}/v1/models", said)
    return Facts(model=named or model, runtime=await runtime_facts(ask))


async def runtime_facts(ask: Ask) -> Mapping[str, Any] | None:
    """What `/api/runtime` says now; None where there is no such route."""
    reply = await ask("/api/runtime")
    return reply.json if reply.status == 200 and isinstance(reply.json, dict) else None


def is_here(url: str) -> bool:
    """Whether an address is one of this machine itself."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def worker_here(url: str, runtime: Mapping[str, Any] | None) -> int | None:
    """The process of a target's worker, by `/api/runtime`; None where not told, or elsewhere."""
    pids = (runtime or {}).get("pids")
    pid = pids.get("worker") if isinstance(pids, dict) else None
    return pid if type(pid) is int and is_here(url) else None


async def processes_of(url: str, ask: Ask) -> tuple[int, ...] | None:
    """The processes of a target on this machine, as it names them: `pids` of `/api/runtime`.

    None of this machine's where it runs on another; None where it runs here and does not say.
    """
    if not is_here(url):
        return ()
    try:
        told = ((await runtime_facts(ask)) or {}).get("pids")
    except TargetUnreachable:  # whoever plays will meet it, and say so
        return None
    pids = tuple(pid for pid in told.values() if type(pid) is int) if isinstance(told, dict) else ()
    return pids or None


def missing_extra(
    arguments: Sequence[str] = (), environ: Mapping[str, str] = os.environ
) -> tuple[str, ...]:
    """Which packages the playground needs, started so, and this Python does not have.

    A worker that another command starts brings its model runtime itself; a script needs none.
    """
    needed = NEEDS if _runs_the_model_here(with_profile(arguments, environ)) else NEEDS_TO_SERVE
    return tuple(name for name in needed if find_spec(name) is None)


def _runs_the_model_here(arguments: Sequence[str]) -> bool:
    return not any(word.partition("=")[0] in {"--script", "--worker"} for word in arguments)


def with_profile(arguments: Sequence[str], environ: Mapping[str, str]) -> tuple[str, ...]:
    """What a playground with these arguments is started with, what it reads itself included.

    That is what this machine was set up to serve, where nobody names a worker or a model.
    """
    named = {word.partition("=")[0] for word in arguments}
    if named & {"--model-dir", "--script", "--worker", "--worker-kind"}:
        return tuple(arguments)
    return (*_set_up(environ), *arguments)


def _set_up(environ: Mapping[str, str]) -> Sequence[str]:
    """What this machine was set up to start the playground with; the playground judges it."""
    if (named := environ.get("MUSE_PLAYGROUND_PROFILE")) == "none":
        return ()
    made = Path(environ.get("MUSE_RUNTIME_DIR") or ROOT / ".runtime")
    try:
        told = json.loads(Path(named or made / "profile.json").read_bytes())
        return [str(word) for word in told["arguments"]]
    except (OSError, ValueError, KeyError, TypeError):
        return ()


@contextlib.asynccontextmanager
async def embedded(
    folder: Path, clock: Clock, *, arguments: Sequence[str] = (), page: bool = False
) -> AsyncIterator[Target]:
    """The playground on a free loopback port, for as long as the block runs.

    It serves its page where that is asked for; a page that cannot be built is missing, and `GET /`
    says why.

    Raises:
        UsageError: the packages it needs are not installed.
        LaunchFailed: it ended, or did not get ready in time; with the end of what it said.
    """
    if missing := missing_extra(arguments):
        here = _runs_the_model_here(with_profile(arguments, os.environ))
        extra = "embedded" if here else "server"
        raise UsageError(
            f"the embedded playground needs {', '.join(missing)}; "
            f"try: pip install -e '.[{extra}]', or measure a running server with --target URL"
        )
    playground = _Playground(arguments, folder / "playground.log", page=page)
    started = clock.now_ns()
    try:
        url = await playground.start()
        yield Target("embedded", url, clock.now_ns() - started, playground.restart)
    finally:
        await playground.stop()


class _Playground:
    """The playground as a process of ours; its log goes on when it is started again."""

    def __init__(self, arguments: Sequence[str], log: Path, *, page: bool) -> None:
        self._arguments = [*([] if page else ["--no-ui"]), *arguments]
        self._log = log
        self._longest_s = READY_TIMEOUT_S + (BUILD_TIMEOUT_S if page else 0)
        self._port = 0
        self._child: asyncio.subprocess.Process | None = None

    async def start(self) -> str:
        """Where it listens, when it is ready; raises LaunchFailed."""
        port = str(self._port)
        command = [sys.executable, "-m", "playground", "--port", port, *self._arguments]
        with self._log.open("ab") as stderr:
            self._child = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=stderr,
                # Of its own group, so that Ctrl-C reaches us alone and we stop it in order.
                start_new_session=True,
            )
        url = await _ready_url(self._child, command, self._log, self._longest_s)
        self._port = urlsplit(url).port or 0
        return url

    async def stop(self) -> None:
        """End it in order, or by force; returns when it is gone, cancelled or not."""
        if self._child is not None:
            await _stop(self._child)

    async def restart(self, *, kill: bool = False) -> None:
        """See `Restart`."""
        if kill and self._child is not None and self._child.returncode is None:
            self._child.kill()
        await self.stop()
        await self.start()


async def _ready_url(
    child: asyncio.subprocess.Process, command: Sequence[str], log: Path, longest_s: float
) -> str:
    assert child.stdout is not None
    shown = ["python", *command[1:]]
    try:
        async with asyncio.timeout(longest_s):
            line = (await child.stdout.readline()).decode("utf-8", "replace").strip()
            if not line:
                code = await child.wait()
                raise LaunchFailed(shown, f"it ended with code {code}", _tail(log))
    except TimeoutError:
        reason = f"no ready line in {longest_s:.0f} s"
        raise LaunchFailed(shown, reason, _tail(log)) from None
    if not line.startswith(READY):
        raise LaunchFailed(shown, f"its first line was {line!r}, not {READY!r} and a URL", "")
    return parse_url(line.removeprefix(READY))


async def _stop(child: asyncio.subprocess.Process) -> None:
    """End the child in order, or by force; returns when it is gone, cancelled or not."""
    if child.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        child.terminate()
    try:
        async with asyncio.timeout(STOP_TIMEOUT_S):
            await child.wait()
    except (TimeoutError, asyncio.CancelledError) as problem:
        with contextlib.suppress(ProcessLookupError):
            child.kill()
        await child.wait()
        if isinstance(problem, asyncio.CancelledError):
            raise


def _tail(log: Path, lines: int = 12) -> str:
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])


def _models(body: object) -> list[str]:
    listed = body.get("data") if isinstance(body, dict) else None
    return [str(entry["id"]) for entry in listed or () if isinstance(entry, dict) and "id" in entry]


def _told(reply: Reply) -> str:
    """How a target answered, short enough for one line."""
    said = " ".join(reply.text.split())
    return f"{reply.status}: {said[:200]}" if said else str(reply.status)
