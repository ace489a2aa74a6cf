"""When did these bytes leave the socket?

Under the HTTP client lies a network backend of ours.  Its protocol stamps every piece in
`data_received`, the first moment at which a program can know of it, before any task wakes up and
before anything is decoded; each piece keeps its own stamp however late it is picked up.  The
first write of a request is stamped just before it is handed to the kernel.

httpcore reads one piece at a time and yields all of it before it reads again, so the stamp of
the last read is the stamp of every body part that came out of it.

    response.extensions["network_stream"].get_extra_info("stamps") -> Stamps
"""

from __future__ import annotations

import asyncio
import ssl
from collections import deque
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Self

import httpcore
import httpx

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from httpcore import SOCKET_OPTION

    from harness.clock import Clock

__all__ = ["StampedTransport", "Stamps", "stamps_of"]


_CONNECTED: ContextVar[list[str]] = ContextVar("connected")
"""The hosts that the request under way had to connect to; empty where a connection was kept."""


class Stamps:
    """The two instants of a connection that a turn needs, on the client's clock, absolute ns."""

    sent_ns: int = 0
    """Just before the first byte of the latest request was written."""
    read_ns: int = 0
    """When the bytes that were read last left the socket."""


def stamps_of(response: httpx.Response) -> Stamps | None:
    """The stamps of the connection a response comes through; None over another transport."""
    stream = response.extensions.get("network_stream")
    found = stream.get_extra_info("stamps") if stream is not None else None
    return found if isinstance(found, Stamps) else None


class StampedTransport(httpx.AsyncBaseTransport):
    """HTTP/1.1 over stamped sockets; httpcore's errors come out as they are."""

    def __init__(self, clock: Clock, *, ssl_context: ssl.SSLContext | None = None) -> None:
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=ssl_context or ssl.create_default_context(),
            max_connections=None,  # whoever waits for a place in this pool would measure us
            http1=True,
            http2=False,
            network_backend=_Backend(clock),
        )

    async def __aenter__(self) -> Self:
        # httpcore loads its event-loop library (30 ms) at the first lock it takes, and closing a
        # pool takes one; a pool without connections is as good after it.  So the load is untimed.
        await self._pool.aclose()
        return self

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request; the body of the response is read by whoever iterates it.

        A server may close a kept connection whenever nothing is under way on it, and the request
        that meets that is lost through nobody's fault: it is sent once more (RFC 9112, 9.3.1), and
        the extension `resent` of the response says so.
        """
        connected = _CONNECTED.set([])
        try:
            try:
                return await self._send(request)
            except (httpcore.RemoteProtocolError, httpcore.ReadError, httpcore.WriteError):
                if _CONNECTED.get():  # the connection was new: this is the server's doing
                    raise
            response = await self._send(request)
            response.extensions["resent"] = True
            return response
        finally:
            _CONNECTED.reset(connected)

    async def _send(self, request: httpx.Request) -> httpx.Response:
        response = await self._pool.handle_async_request(
            httpcore.Request(
                request.method,
                httpcore.URL(
                    scheme=request.url.raw_scheme,
                    host=request.url.raw_host,
                    port=request.url.port,
                    target=request.url.raw_path,
                ),
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        return httpx.Response(
            response.status,
            headers=response.headers,
            stream=_Body(response),
            extensions=dict(response.extensions),
        )

    async def aclose(self) -> None:
        """Close every connection."""
        await self._pool.aclose()


class _Body(httpx.AsyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._response.aiter_stream():
            yield part

    async def aclose(self) -> None:
        await self._response.aclose()


class _Backend(httpcore.AsyncNetworkBackend):
    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[SOCKET_OPTION] | None = None,  # noqa: ARG002
    ) -> httpcore.AsyncNetworkStream:
        inbox = _Inbox(self._clock)
        local = None if local_address is None else (local_address, 0)
        try:
            async with asyncio.timeout(timeout):
                await asyncio.get_running_loop().create_connection(
                    lambda: inbox, host, port, local_addr=local
                )
        except TimeoutError as problem:
            raise httpcore.ConnectTimeout(f"no answer within {timeout:g} s") from problem
        except OSError as problem:
            raise httpcore.ConnectError(problem.strerror or str(problem)) from problem
        _CONNECTED.get().append(host)
        return _Stream(self._clock, inbox)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class _Inbox(asyncio.Protocol):
    """What one connection received and nobody has read yet, each piece with its stamp."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.pieces: deque[tuple[int, bytes]] = deque()
        self.transport: asyncio.Transport | None = None
        self.ended = False
        self.error: Exception | None = None
        self.changed = asyncio.Event()
        self.writable = asyncio.Event()
        self.writable.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.pieces.append((self._clock.now_ns(), data))
        self.changed.set()

    def eof_received(self) -> None:
        self.ended = True
        self.changed.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self.ended, self.error = True, exc
        self.changed.set()
        self.writable.set()

    def pause_writing(self) -> None:
        self.writable.clear()

    def resume_writing(self) -> None:
        self.writable.set()


class _Stream(httpcore.AsyncNetworkStream):
    def __init__(self, clock: Clock, inbox: _Inbox) -> None:
        self._clock = clock
        self._inbox = inbox
        self._stamps = Stamps()
        self._request_begins = True

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        inbox = self._inbox
        self._request_begins = True
        try:
            async with asyncio.timeout(timeout):
                while not inbox.pieces and not inbox.ended:
                    inbox.changed.clear()
                    await inbox.changed.wait()
        except TimeoutError as problem:
            raise httpcore.ReadTimeout(f"nothing came for {timeout:g} s") from problem
        if not inbox.pieces:
            if inbox.error is not None:
                raise httpcore.ReadError(str(inbox.error)) from inbox.error
            return b""
        self._stamps.read_ns, data = inbox.pieces.popleft()
        if len(data) > max_bytes:
            inbox.pieces.appendleft((self._stamps.read_ns, data[max_bytes:]))
        return data[:max_bytes]

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        inbox = self._inbox
        if inbox.transport is None or inbox.ended:
            raise httpcore.WriteError(str(inbox.error or "the server closed the connection"))
        if self._request_begins:
            self._request_begins = False
            self._stamps.sent_ns = self._clock.now_ns()
        inbox.transport.write(buffer)
        try:
            async with asyncio.timeout(timeout):
                await inbox.writable.wait()
        except TimeoutError as problem:
            raise httpcore.WriteTimeout(f"nothing was taken for {timeout:g} s") from problem

    async def aclose(self) -> None:
        if self._inbox.transport is not None:
            self._inbox.transport.close()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's signature
    ) -> httpcore.AsyncNetworkStream:
        inbox, loop = self._inbox, asyncio.get_running_loop()
        assert inbox.transport is not None
        try:
            async with asyncio.timeout(timeout):
                inbox.transport = await loop.start_tls(
                    inbox.transport, inbox, ssl_context, server_hostname=server_hostname
                )
        except TimeoutError as problem:
            raise httpcore.ConnectTimeout(f"no TLS within {timeout:g} s") from problem
        except (OSError, ssl.SSLError) as problem:
            raise httpcore.ConnectError(str(problem)) from problem
        return self

    def get_extra_info(self, info: str) -> Any:  # noqa: ANN401 - httpcore's signature
        if info == "stamps":
            return self._stamps
        if info == "is_readable":  # of an idle connection: then it is of no more use
            return bool(self._inbox.pieces) or self._inbox.ended
        return None if self._inbox.transport is None else self._inbox.transport.get_extra_info(info)
