"""Is the port ours, known, and quick?"""

from __future__ import annotations

import asyncio
import socket

import pytest

from playground.listening import Server, take_port, url_of
from playground.settings import SettingsError


def test_a_frame_does_not_wait_for_an_acknowledgement() -> None:
    """Nagle's algorithm is off on every accepted connection; it would cost 40 ms a turn."""

    async def scenario() -> int:
        accepted: asyncio.Future[socket.socket] = asyncio.get_running_loop().create_future()

        class Accepting(asyncio.Protocol):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                accepted.set_result(transport.get_extra_info("socket"))

        bound = take_port("127.0.0.1", 0)
        server = await asyncio.get_running_loop().create_server(Accepting, sock=bound)
        _, writer = await asyncio.open_connection(*bound.getsockname())
        option = (await accepted).getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        writer.close()
        server.close()
        return int(option)

    assert asyncio.run(scenario()) != 0


@pytest.mark.parametrize(
    ("host", "start"),
    [("127.0.0.1", "http://127.0.0.1:"), ("localhost", "http://127.0.0.1:")],
)
def test_the_url_has_the_port_that_the_system_chose(host: str, start: str) -> None:
    """Port 0 is a question, and the URL is its answer."""
    with take_port(host, 0) as bound:
        assert url_of(bound) == f"{start}{bound.getsockname()[1]}"


def test_a_port_that_is_taken_is_refused() -> None:
    """With the port and what to do about it."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]

        with pytest.raises(SettingsError, match=f"port {port} is taken"):
            take_port("127.0.0.1", port)


def test_a_port_that_another_one_was_quicker_to_listen_on_is_refused() -> None:
    """Of two that load their models, each with a launch lock of its own, one has it in the end."""

    async def app(scope: object, receive: object, send: object) -> None:
        """Nobody asks it."""

    listening: list[str] = []

    async def scenario() -> None:
        with take_port("127.0.0.1", 0) as ours, socket.socket() as theirs:
            theirs.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            port = ours.getsockname()[1]
            try:
                theirs.bind(ours.getsockname())
            except OSError:
                pytest.skip("this system gives a port to one process only, listening or not")
            theirs.listen()
            server = Server(app, shutdown_limit_s=1, on_listening=lambda: listening.append("!"))
            with pytest.raises(SettingsError, match=f"port {port} is taken"):
                await server.serve(sockets=[ours])

    asyncio.run(scenario())

    assert listening == []
