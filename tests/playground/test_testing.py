"""Do the tools that tests are built from do what their names say?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
import pytest

from playground.testing import ServerProcess

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = {"replies": [{"text": "Hello"}]}


def health(server: ServerProcess) -> int | None:
    """Its status; None if nobody answers."""
    try:
        return httpx.get(f"{server.url}/health", trust_env=False, timeout=20).status_code
    except httpx.ConnectError:
        return None


def test_a_server_process_comes_back_where_it_was(tmp_path: Path) -> None:
    """A restart, as a page sees it: gone, and then there again under the same address."""
    server = ServerProcess(tmp_path, SCRIPT, ["--no-ui"])

    seen: list[tuple[str, int | None]] = []
    try:
        server.start()
        seen.append((server.url, health(server)))
        server.stop()
        seen.append((server.url, health(server)))
        server.start()
        seen.append((server.url, health(server)))
    finally:
        server.stop()
        server.stop()  # which is nothing

    assert seen == [(server.url, 200), (server.url, None), (server.url, 200)]


def test_a_server_that_does_not_start_tells_its_log(tmp_path: Path) -> None:
    """What it said last is in the error."""
    server = ServerProcess(tmp_path, SCRIPT, ["--max-sessions", "0"])

    with pytest.raises(RuntimeError, match="--max-sessions 0 leaves none"):
        server.start()
