"""How does one test what measures?  Time that stands still, traces from a script, a rude server.

- `ManualClock` moves only when told to.
- `run_in_no_time(coroutine, clock)` runs what sleeps: the clock jumps to whatever happens next.
- `trace(...)` builds a `Trace` from (at_ms, text) pairs: no server, no waiting.
- `frame(...)`, `DONE` spell the frames of an OpenAI stream.
- `every_split(data)` cuts bytes in every way that has found bugs in parsers.
- `RawServer` answers over a real socket byte for byte as a `Script` says, wrong bytes included;
  frameworks refuse to do that.

All of it is public: whoever writes a check or a scenario needs the same.
"""

from __future__ import annotations

import asyncio
import json
import selectors
import socket
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, TypeVar

from harness.clock import Clock, SystemClock
from harness.trace import Action, Chunk, Trace, TurnLabel

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
    from types import TracebackType

__all__ = [
    "DONE",
    "ManualClock",
    "Piece",
    "RawServer",
    "Received",
    "Script",
    "every_split",
    "frame",
    "http_head",
    "json_script",
    "run_in_no_time",
    "scripted_server",
    "sse_script",
    "trace",
]

T = TypeVar("T")
MS = 1_000_000
DONE = "data: [DONE]\n\n"
LABEL = TurnLabel("test", 0, "leg", 0)


class ManualClock:
    """A clock that stands still until it is told to move."""

    def __init__(self, start_ns: int = 0) -> None:
        self._now_ns = start_ns

    def now_ns(self) -> int:
        """The instant it was set to."""
        return self._now_ns

    def wall_iso(self) -> str:
        """A fixed day, plus what has passed."""
        seconds, rest = divmod(self._now_ns, 1_000_000_000)
        return f"2026-01-01T00:00:{seconds:02d}.{rest // MS:03d}+00:00"

    def advance_ms(self, milliseconds: float) -> None:
        """Let time pass."""
        self._now_ns += round(milliseconds * MS)


class _JumpingSelector(selectors.SelectSelector):
    """Waits for nothing: the time that would be waited has passed."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__()
        self._clock = clock

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("everybody waits, and for nothing that is going to happen")
        self._clock.advance_ms(max(timeout, 0.0) * 1e3)
        return super().select(0)


class _JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop on a clock that is moved by what is waited for."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__(_JumpingSelector(clock))
        self._clock = clock

    def time(self) -> float:
        return self._clock.now_ns() / 1e9


def run_in_no_time(main: Coroutine[Any, Any, T], clock: ManualClock) -> T:
    """Run a coroutine whose sleeps and timeouts take no time but the clock's.

    It must use no sockets and no threads; what happens then depends on the program alone.

    Raises:
        RuntimeError: all tasks wait, and nothing is going to wake one.
    """
    with asyncio.Runner(loop_factory=lambda: _JumpingLoop(clock)) as runner:
        return runner.run(main)


# -- traces without a server


def frame(
    *,
    role: str | None = None,
    reasoning: str | None = None,
    content: str | None = None,
    calls: Sequence[Mapping[str, Any]] | None = None,
    finish: str | None = None,
    usage: Mapping[str, Any] | None = None,
    chunk_id: str = "chatcmpl-1",
    **extensions: Any,  # noqa: ANN401 - JSON
) -> str:
    """One `data:` frame of a chat stream; with none of the first five its choices are empty."""
    told = {"role": role, "reasoning_content": reasoning, "content": content, "tool_calls": calls}
    delta = {name: value for name, value in told.items() if value is not None}
    chunk: dict[str, Any] = {"id": chunk_id, "object": "chat.completion.chunk", "choices": []}
    if delta or finish:
        chunk["choices"] = [{"index": 0, "delta": delta, "finish_reason": finish}]
    if usage is not None:
        chunk["usage"] = usage
    return f"data: {json.dumps({**chunk, **extensions}, ensure_ascii=False)}\n\n"


def trace(  # noqa: PLR0913 - every field of a trace may be what a test is about
    *script: tuple[float, str | bytes],
    request: Mapping[str, Any] | None = None,
    status: int | None = 200,
    content_type: str = "text/event-stream; charset=utf-8",
    closed_at_ms: float | None = None,
    transport_error: str | None = None,
    actions: Sequence[Action] = (),
    lag_ns: int = 0,
    marks: Mapping[str, float] | None = None,
    trace_id: str = "turn-1",
    label: TurnLabel = LABEL,
) -> Trace:
    """A trace whose reads are the script's (at_ms, text); the request is a stream unless given."""
    chunks = tuple(
        Chunk(round(at_ms * MS), data.encode() if isinstance(data, str) else data)
        for at_ms, data in script
    )
    last_ns = chunks[-1].at_ns if chunks else 0
    return Trace(
        trace_id=trace_id,
        label=label,
        started_at="2026-01-01T00:00:00.000+00:00",
        method="POST",
        path="/v1/chat/completions",
        request={"stream": True} if request is None else request,
        request_headers={},
        status=status,
        headers=(("content-type", content_type),) if status is not None else (),
        headers_at_ns=0 if status is not None else None,
        chunks=chunks,
        closed_at_ns=last_ns if closed_at_ms is None else round(closed_at_ms * MS),
        transport_error=transport_error,
        actions=tuple(actions),
        lag_ns=lag_ns,
        marks=marks or {},
    )


def every_split(data: bytes) -> Iterator[list[bytes]]:
    """Whole, byte by byte, and cut in two at every place."""
    yield [data]
    yield [data[at : at + 1] for at in range(len(data))]
    for at in range(1, len(data)):
        yield [data[:at], data[at:]]


# -- a server that says exactly what it is told


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes to send in one write, `at_ms` after the request was read whole."""

    at_ms: float
    data: bytes


@dataclass(frozen=True, slots=True)
class Script:
    """One response as raw bytes, head and framing included."""

    pieces: tuple[Piece, ...]
    reset: bool = False
    """End with a TCP reset; else the connection is closed in order."""
    keep_open_ms: float = 0.0
    """Silence between the last piece and the end."""


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401 - JSON
        """The body, parsed."""
        return json.loads(self.body)


def http_head(
    status: str = "200 OK", content_type: str = "text/event-stream", **headers: str
) -> bytes:
    """Status line and headers of a response that ends when the connection closes."""
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {content_type}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


def sse_script(*frames: tuple[float, str | bytes], head_at_ms: float = 0.0) -> Script:
    """A stream whose writes are these (at_ms, text)."""
    pieces = [Piece(head_at_ms, http_head())]
    for at_ms, data in frames:
        pieces.append(Piece(at_ms, data.encode() if isinstance(data, str) else data))
    return Script(tuple(pieces))


def json_script(value: object, *, status: str = "200 OK", at_ms: float = 0.0) -> Script:
    """A buffered JSON reply."""
    body = json.dumps(value).encode()
    head = http_head(status, "application/json", Content_Length=str(len(body)))
    return Script((Piece(at_ms, head + body),))


async def coarse_wait(clock: Clock, due_ns: int) -> None:
    """Wait as the event loop does: to the millisecond or so."""
    await asyncio.sleep(max(0, due_ns - clock.now_ns()) / 1e9)


@dataclass
class RawServer:
    """Answers each request on 127.0.0.1 by its script; an async context manager.

    `answer` says what to send to a request.  `on_write` is told when each piece was written:
    (request, begin, end), ns since the request was read whole.
    """

    answer: Callable[[Received], Script]
    clock: Clock = field(default_factory=SystemClock)
    wait_until: Callable[[Clock, int], Awaitable[None]] = coarse_wait
    on_write: Callable[[Received, int, int], None] = lambda _request, _begin_ns, _end_ns: None
    received: list[Received] = field(default_factory=list)
    disconnects: int = 0
    """Clients that went away before their script was over."""
    _server: asyncio.Server | None = None
    _open: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def url(self) -> str:
        """Where it listens."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            request = await _read_request(reader)
            if request is not None:
                self.received.append(request)
                await self._play(request, self.answer(request), writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.disconnects += 1
        finally:
            self._open.discard(task)
            writer.close()

    async def _play(self, request: Received, script: Script, writer: asyncio.StreamWriter) -> None:
        start_ns = self.clock.now_ns()
        for piece in script.pieces:
            await self.wait_until(self.clock, start_ns + round(piece.at_ms * MS))
            if writer.is_closing():
                raise ConnectionResetError
            begin_ns = self.clock.now_ns() - start_ns
            writer.write(piece.data)
            self.on_write(request, begin_ns, self.clock.now_ns() - start_ns)
            await writer.drain()
        await asyncio.sleep(script.keep_open_ms / 1e3)
        if script.reset:
            linger_not_at_all = struct.pack("ii", 1, 0)
            writer.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, linger_not_at_all
            )
            writer.transport.abort()


def scripted_server(*scripts: Script) -> RawServer:
    """Answers the first request with the first script, and so on; the last one is repeated."""
    left = list(scripts)
    return RawServer(lambda _request: left.pop(0) if len(left) > 1 else left[0])


async def _read_request(reader: asyncio.StreamReader) -> Received | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, _version = first.split(" ")
    headers = {}
    for line in filter(None, lines):
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Received(method, path, headers, body)
