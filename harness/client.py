"""One turn over HTTP to a `Trace`: send, read, stamp, perhaps cancel; conclude nothing.

    async with ChatClient("http://127.0.0.1:3939") as client:
        trace = await client.turn(TurnRequest(label, body))

Whatever goes wrong on the line is evidence and part of the trace; `turn` raises for nothing but
its own misuse.  The plain JSON calls beside it (`get_json`, …) raise `TargetUnreachable`.

Bodies are read raw: no decompression (`accept-encoding: identity`), no redirects, no retries.
The client and its TLS context are built before anything is timed.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import httpcore
import httpx

from harness.cancel import CANCEL_PATH, CancelPoint, Countdown, carry_out
from harness.clock import Clock, SystemClock
from harness.errors import TargetUnreachable
from harness.heartbeat import heartbeat, no_garbage_collection
from harness.machine import QuietMachine
from harness.network import StampedTransport, Stamps, stamps_of
from harness.trace import Action, Chunk, Trace, TurnLabel
from harness.wire import Observer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from harness.cancel import CancelPlan, Grip, Meddle
    from harness.events import Observed
    from harness.machine import Machine
    from harness.waiting import Waiting

__all__ = [
    "ChatClient",
    "Reply",
    "Timeouts",
    "TurnRequest",
]

DEFAULT_HEADERS = {"accept-encoding": "identity", "user-agent": "muse-bench"}

SECRET_HEADERS = frozenset({"authorization", "cookie", "x-api-key", "api-key"})
"""Sent, but never written into a trace."""

FAULTS: tuple[tuple[type[Exception], str], ...] = (
    (httpcore.ConnectTimeout, "connecting timed out"),
    (httpcore.ConnectError, "cannot connect"),
    (httpcore.ReadTimeout, "the server fell silent"),
    (httpcore.WriteTimeout, "the server stopped reading"),
    (httpcore.TimeoutException, "timed out"),
    (httpcore.RemoteProtocolError, "the server broke HTTP"),
    (httpcore.NetworkError, "the connection broke"),
    (httpcore.ProtocolError, "HTTP went wrong"),
    (httpcore.UnsupportedProtocol, "the address is neither http nor https"),
    (httpx.TransportError, "the transport failed"),
    (TimeoutError, "took too long"),
    (OSError, "the connection broke"),
)
"""What can happen to a line, the more special first, and what we call it."""

_FAULT_TYPES = tuple(kind for kind, _ in FAULTS)


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Every wait has an end."""

    connect_s: float = 5.0
    silence_s: float = 120.0
    """Longest wait for the next byte."""
    turn_s: float = 900.0
    """Longest turn as a whole."""


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """What one turn sends."""

    label: TurnLabel
    body: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)
    path: str = "/v1/chat/completions"
    method: str = "POST"
    """A GET and a DELETE carry no body."""
    content: bytes | None = None
    """Sent in place of `body`: what is no JSON, or larger than anybody should accept."""
    trace_id: str = field(default_factory=lambda: f"turn-{uuid.uuid4().hex}")
    """Sent as X-Request-ID; what a cancel names."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a plain JSON call."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    text: str
    json: Any
    """None when the body is not JSON."""


class ChatClient:
    """Talks to one chat server; an async context manager that closes its connections."""

    def __init__(
        self,
        base_url: str,
        clock: Clock | None = None,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        headers: Mapping[str, str] | None = None,
        timeouts: Timeouts | None = None,
        machine: Machine | None = None,
        waiting: Waiting | None = None,
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self._clock = clock or SystemClock()
        self._transport = transport or StampedTransport(self._clock)
        self._headers = {
            "accept-encoding": "identity",
            "user-agent": "muse-bench",
            **(headers or {}),
        }
        self._timeouts = timeouts or Timeouts()
        self._machine = machine or QuietMachine()
        self._waiting = waiting
        """Who is told how far the turns under way are."""

    async def __aenter__(self) -> Self:
        await self._transport.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        await self._transport.__aexit__(kind, error, where)

    # -- turns

    async def turn(
        self,
        request: TurnRequest,
        *,
        on_event: Callable[[Observed], None] | None = None,
        cancel: CancelPlan | None = None,
        meddle: Meddle | None = None,
    ) -> Trace:
        """Send one chat request and record what comes back.

        `on_event` is told every event as it is seen (a buffered reply has none); it runs between
        two reads, so it must be quick.  `meddle` runs beside the exchange and may stop it; the
        turn is not over before it has returned.
        """
        headers = {"x-request-id": request.trace_id, **request.headers}
        body = None if request.method in {"GET", "DELETE"} else request.body
        http = self._request(request.method, request.path, body, headers, request.content)
        begun = self._machine.begin()
        record = _Record(self._clock, request, self._waiting)
        countdown = Countdown(cancel) if cancel else None
        with no_garbage_collection():
            async with heartbeat(self._clock) as pulse, asyncio.TaskGroup() as tasks:
                exchange = tasks.create_task(self._exchange(http, record, countdown, on_event))
                grip = _Grip(self, record, exchange)
                if countdown:
                    tasks.create_task(carry_out(countdown, grip))
                if meddle:
                    tasks.create_task(_run(meddle, grip))
        return record.as_trace(http, lag_ns=pulse.lag_ns, marks=self._machine.marks(begun))

    async def _exchange(
        self,
        http: httpx.Request,
        record: _Record,
        countdown: Countdown | None,
        on_event: Callable[[Observed], None] | None,
    ) -> None:
        """Send and read to the end; a broken line ends it as well, and is noted."""
        response: httpx.Response | None = None
        try:
            async with asyncio.timeout(self._timeouts.turn_s):
                if countdown:
                    countdown.notice(CancelPoint.SENT)
                response = await self._transport.handle_async_request(http)
                record.opened(response)
                if countdown:
                    countdown.notice(CancelPoint.HEADERS)
                observer = record.observer() if countdown or on_event else None
                assert isinstance(response.stream, httpx.AsyncByteStream)
                async for data in response.stream:
                    chunk = record.received(data)
                    for seen in observer.feed(chunk) if observer else ():
                        if countdown:
                            countdown.notice_event(seen)
                        if on_event:
                            on_event(seen)
        except _FAULT_TYPES as problem:
            record.transport_error = describe_fault(problem)
        finally:
            record.closed()
            if response is not None:
                await response.aclose()

    # -- plain JSON calls

    async def get_json(self, path: str) -> Reply:
        """GET; raises TargetUnreachable when no whole answer comes."""
        return await self._call("GET", path, None)

    async def post_json(self, path: str, body: Mapping[str, Any] | None = None) -> Reply:
        """POST a JSON body; raises TargetUnreachable when no whole answer comes."""
        return await self._call("POST", path, {} if body is None else body)

    async def delete(self, path: str) -> Reply:
        """DELETE; raises TargetUnreachable when no whole answer comes."""
        return await self._call("DELETE", path, None)

    async def _call(self, method: str, path: str, body: Mapping[str, Any] | None) -> Reply:
        http = self._request(method, path, body, {})
        try:
            async with asyncio.timeout(self._timeouts.silence_s):
                response = await self._transport.handle_async_request(http)
                try:
                    raw = await response.aread()
                finally:
                    await response.aclose()
        except _FAULT_TYPES as problem:
            raise TargetUnreachable(str(http.url), describe_fault(problem)) from problem
        text = raw.decode("utf-8", "replace")
        try:
            value = json.loads(text)
        except ValueError:
            value = None
        return Reply(response.status_code, dict(response.headers), text, value)

    def _request(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        headers: Mapping[str, str],
        content: bytes | None = None,
    ) -> httpx.Request:
        limits = self._timeouts
        sent = {**self._headers, **headers}
        if body is not None and content is None:
            content = json.dumps(body, ensure_ascii=False).encode()
        if content is not None:
            sent = {"content-type": "application/json", **sent}
        return httpx.Request(
            method,
            f"{self.base_url}{path}",
            headers=sent,
            content=content,
            extensions={
                "timeout": {
                    "connect": limits.connect_s,
                    "read": limits.silence_s,
                    "write": limits.silence_s,
                    "pool": limits.connect_s,
                }
            },
        )


def describe_fault(problem: Exception) -> str:
    """What happened to the line, in words: the fault's name and what the system said."""
    name = next(name for kind, name in FAULTS if isinstance(problem, kind))
    said = str(problem)
    return f"{name}: {said}" if said else name


class _Grip:
    """A hold on one turn (see `cancel.Grip`)."""

    def __init__(self, client: ChatClient, record: _Record, exchange: asyncio.Task[None]) -> None:
        self._client, self._record, self._exchange = client, record, exchange

    @property
    def name(self) -> str:
        return self._record.request.trace_id

    @property
    def over(self) -> bool:
        return self._exchange.done()

    async def until(self, *moments: asyncio.Future[None], timeout_s: float | None = None) -> None:
        await asyncio.wait(
            {self._exchange, *moments}, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED
        )

    def note(self, name: str, **detail: Any) -> None:  # noqa: ANN401 - JSON
        self._record.act(name, **detail)

    async def cancel(self, body: Mapping[str, Any], path: str = CANCEL_PATH) -> None:
        self.note("cancel", path=path, body=dict(body))
        try:
            reply = await self._client.post_json(path, body)
        except TargetUnreachable as problem:
            self.note("cancel.failed", reason=problem.reason)
        else:
            self.note("cancel.ack", status=reply.status, body=reply.json)

    def hang_up(self) -> None:
        self.note("close")
        self._exchange.cancel()


async def _run(meddle: Meddle, grip: Grip) -> None:
    await meddle(grip)


class _Record:
    """What is known of a turn so far; stamps are absolute until `as_trace`."""

    def __init__(self, clock: Clock, request: TurnRequest, waiting: Waiting | None) -> None:
        self.request = request
        self._waiting = waiting
        if waiting:
            waiting.sent(request.trace_id)
        self.transport_error: str | None = None
        self._clock = clock
        self._started_at = clock.wall_iso()
        self._sent_ns = clock.now_ns()  # until the connection knows better
        self._stamps: Stamps | None = None
        self._response: httpx.Response | None = None
        self._headers_ns: int | None = None
        self._closed_ns: int | None = None
        self._chunks: list[Chunk] = []
        self._actions: list[Action] = []

    def opened(self, response: httpx.Response) -> None:
        self._response, self._stamps = response, stamps_of(response)
        self._headers_ns = self._read_ns()
        if self._stamps is not None:
            self._sent_ns = self._stamps.sent_ns
        if response.extensions.get("resent"):
            self.act("resent", why="the server had closed the kept connection")

    def received(self, data: bytes) -> Chunk:
        """Note a part of the body; its stamp is already relative."""
        chunk = Chunk(self._read_ns() - self._sent_ns, data)
        self._chunks.append(chunk)
        if self._waiting:
            self._waiting.received(self.request.trace_id, data)
        return chunk

    def act(self, name: str, **detail: Any) -> None:  # noqa: ANN401 - JSON
        self._actions.append(Action(self._clock.now_ns(), name, detail))
        if self._waiting:
            self._waiting.stopping(self.request.trace_id)

    def closed(self) -> None:
        self._closed_ns = self._clock.now_ns()
        if self._waiting:
            self._waiting.over(self.request.trace_id)

    def observer(self) -> Observer:
        """One that reads the reply while it comes."""
        assert self._response is not None
        headers = self._response.headers.multi_items()
        return Observer(self.request.body, self._response.status_code, headers)

    def as_trace(self, http: httpx.Request, *, lag_ns: int, marks: Mapping[str, float]) -> Trace:
        zero, response = self._sent_ns, self._response
        return Trace(
            trace_id=self.request.trace_id,
            label=self.request.label,
            started_at=self._started_at,
            method=http.method,
            path=self.request.path,
            request=self.request.body,
            request_headers={
                name: value
                for name, value in http.headers.items()
                if name.lower() not in SECRET_HEADERS
            },
            status=response.status_code if response else None,
            headers=tuple(response.headers.multi_items()) if response else (),
            headers_at_ns=None if self._headers_ns is None else self._headers_ns - zero,
            chunks=tuple(self._chunks),
            closed_at_ns=None if self._closed_ns is None else self._closed_ns - zero,
            transport_error=self.transport_error,
            actions=tuple(
                Action(action.at_ns - zero, action.name, action.detail) for action in self._actions
            ),
            lag_ns=max(lag_ns, 0),
            sent_at_ns=zero,
            marks=marks,
        )

    def _read_ns(self) -> int:
        return self._clock.now_ns() if self._stamps is None else self._stamps.read_ns
