"""How does the app meet connections: one socket of this machine's own, and uvicorn behind it.

The socket is taken first and listens last: a taken port is told at once, and until the model is
loaded a client is refused, rather than left waiting.
"""

from __future__ import annotations

import contextlib
import errno
import socket
from typing import TYPE_CHECKING

import uvicorn

from playground.address import address_of, url_at
from playground.settings import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp

__all__ = ["Server", "take_port", "url_of"]


def take_port(host: str, port: int) -> socket.socket:
    """A bound socket that does not listen yet; port 0 is any free one.

    Raises:
        SettingsError: the port is taken, or not ours to take.
    """
    address = address_of(host)
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    # asyncio turns Nagle's delay off only where the protocol is named; with it, the first frame
    # after the response headers would wait 40 ms for their acknowledgement.
    taken = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((address, port))
    except OSError as error:
        taken.close()
        raise _refused(port, error) from error
    return taken


def _refused(port: int, error: OSError) -> SettingsError:
    if error.errno == errno.EADDRINUSE:
        return SettingsError(f"port {port} is taken; stop what listens there, or give --port 0")
    return SettingsError(f"cannot listen on port {port}: {error.strerror}")


def url_of(bound: socket.socket) -> str:
    """Where a client finds this socket."""
    return url_at(*bound.getsockname()[:2])


class Server(uvicorn.Server):
    """Uvicorn, but signals are ours, and `on_listening` is called when it takes connections.

    `shutdown_limit_s`: how long open connections may hold up its end.
    """

    def __init__(
        self, app: ASGIApp, *, shutdown_limit_s: int, on_listening: Callable[[], None]
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http="h11",
                ws="none",
                lifespan="off",
                proxy_headers=False,
                server_header=False,
                access_log=False,
                log_config=None,
                timeout_graceful_shutdown=shutdown_limit_s,
            )
        )
        self._on_listening = on_listening

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say so.

        Raises:
            SettingsError: Linux lets two have a port until one of them listens, and that one was
                quicker.
        """
        try:
            await super().startup(sockets)
        except OSError as error:
            port = sockets[0].getsockname()[1] if sockets else self.config.port
            raise _refused(port, error) from error
        self._on_listening()

    def capture_signals(self) -> contextlib.AbstractContextManager[None]:  # type: ignore[override]
        """Leave signals alone."""
        return contextlib.nullcontext()
