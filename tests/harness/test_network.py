"""Bytes are stamped when they leave the socket, not when somebody gets round to them."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import ssl
import subprocess
from typing import TYPE_CHECKING

import httpcore
import httpx
import pytest

from harness.clock import SystemClock
from harness.network import StampedTransport, stamps_of
from harness.testing import RawServer, frame, scripted_server, sse_script

if TYPE_CHECKING:
    from pathlib import Path

SLOW_S = 0.2


async def read_slowly(server: RawServer) -> list[tuple[int, int, bytes]]:
    """Every body part: its stamp, when it was handed over, its bytes; the reader dawdles."""
    clock = SystemClock()
    async with server, StampedTransport(clock) as transport:
        response = await transport.handle_async_request(httpx.Request("GET", server.url))
        stamps = stamps_of(response)
        assert stamps is not None
        parts = []
        assert isinstance(response.stream, httpx.AsyncByteStream)
        async for data in response.stream:
            parts.append((stamps.read_ns, clock.now_ns(), data))
            await asyncio.sleep(SLOW_S)
        await response.aclose()
        return parts


def test_a_slow_reader_does_not_delay_the_stamps() -> None:
    """Frames that came while the reader was busy were stamped before it was done."""
    frames = [frame(content=word) for word in ("a", "b", "c")]
    server = scripted_server(sse_script((10, frames[0]), (20, frames[1]), (30, frames[2])))

    (_, first, _), (_, second, _), (stamped, handed, _) = parts = asyncio.run(read_slowly(server))

    assert [data.decode() for _, _, data in parts] == frames
    assert first < stamped < second < handed


def test_a_kept_connection_is_stamped_anew_for_each_request() -> None:
    """t_sent is that of the latest request, though the connection is older."""
    clock = SystemClock()

    async def two_requests() -> tuple[int, int, int]:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            for _ in range(2):
                await reader.readuntil(b"\r\n\r\n")
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        sent = []
        async with server, StampedTransport(clock) as transport:
            for _ in range(2):
                response = await transport.handle_async_request(httpx.Request("GET", url))
                await response.aread()
                stamps = stamps_of(response)
                assert stamps is not None
                sent += [stamps.sent_ns, stamps.read_ns]
                await response.aclose()
        return sent[1], sent[2], sent[3]

    first_read, second_sent, second_read = asyncio.run(two_requests())

    assert first_read <= second_sent <= second_read


async def answers(
    requests_a_connection: int, requests: int
) -> tuple[list[tuple[int, bool]], list[bytes]]:
    """What a server answers that hangs up, unannounced, on each connection's last request.

    Of every request: its status and whether it had to be sent again.  And what the server read.
    """
    handlers, read = [], []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        handlers.append(asyncio.current_task())
        with contextlib.suppress(asyncio.IncompleteReadError):
            for number in range(1, requests_a_connection + 1):
                read.append(await reader.readuntil(b"\r\n\r\n"))
                if number < requests_a_connection:
                    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        writer.close()
        await writer.wait_closed()

    told = []
    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with StampedTransport(SystemClock()) as transport:
            for _ in range(requests):
                try:
                    response = await transport.handle_async_request(httpx.Request("POST", url))
                except httpcore.RemoteProtocolError:
                    told.append((0, False))
                    continue
                await response.aread()
                told.append((response.status_code, bool(response.extensions.get("resent"))))
                await response.aclose()
        await asyncio.gather(*(task for task in handlers if task))
    return told, read


def test_a_kept_connection_that_the_server_closes_costs_no_request() -> None:
    """It may be closed whenever nothing is under way; the request that meets that is sent again."""
    told, read = asyncio.run(answers(requests_a_connection=2, requests=3))

    assert told == [(200, False), (200, True), (200, True)]
    assert len(read) == 5


def test_a_new_connection_that_the_server_closes_is_the_servers_fault() -> None:
    """It took the request and hung up: nothing is sent a second time."""
    told, read = asyncio.run(answers(requests_a_connection=1, requests=2))

    assert told == [(0, False)] * 2
    assert len(read) == 2


def test_another_transport_has_no_stamps() -> None:
    """A response without a network stream of ours is stamped by the client."""
    assert stamps_of(httpx.Response(200)) is None


def test_tls_is_stamped_beneath_the_client_too(tmp_path: Path) -> None:
    """Over https the parts come decrypted, in order, each with a stamp after the request's."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl to make a certificate with")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
         "-keyout", str(key), "-out", str(certificate)],
        check=True, capture_output=True,
    )  # fmt: skip
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(certificate, key)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no")
        await asyncio.sleep(0.02)
        writer.write(b"k")
        writer.close()

    async def ask() -> tuple[list[bytes], list[int]]:
        server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=serving)
        url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        trusting = ssl.create_default_context(cafile=certificate)
        async with server, StampedTransport(SystemClock(), ssl_context=trusting) as transport:
            response = await transport.handle_async_request(httpx.Request("GET", url))
            stamps = stamps_of(response)
            assert stamps is not None
            assert isinstance(response.stream, httpx.AsyncByteStream)
            parts, times = [], [stamps.sent_ns]
            async for data in response.stream:
                parts.append(data)
                times.append(stamps.read_ns)
            await response.aclose()
            return parts, times

    parts, times = asyncio.run(ask())

    assert parts == [b"o", b"k"]
    assert times == sorted(set(times))
