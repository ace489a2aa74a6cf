"""A server lives as long as its block, and is measured with all that it started."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.peers.server import NotReady, family, free_port, serving

if TYPE_CHECKING:
    from pathlib import Path

HEALTHY = """
import subprocess, sys
from http.server import BaseHTTPRequestHandler, HTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""

linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")


@linux
def test_it_is_there_for_the_block_and_gone_after_it(tmp_path: Path) -> None:
    """Its child's memory counts as well."""
    port = free_port()
    argv = [sys.executable, "-c", HEALTHY, str(port)]

    async def visit() -> tuple[int, list[int], int]:
        async with serving(argv, port, tmp_path / "log") as server:
            return server.pid, family(server.pid), server.peak_bytes()

    pid, everyone, peak = asyncio.run(visit())

    assert len(everyone) == 2
    assert peak > 2 * 2**20
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_one_that_ends_at_once_is_told(tmp_path: Path) -> None:
    """With its exit code and where its words are, without waiting for the limit."""

    async def visit() -> None:
        argv = [sys.executable, "-c", "raise SystemExit(7)"]
        async with serving(argv, free_port(), tmp_path / "log"):
            pass

    with pytest.raises(NotReady, match=r"ended with 7; see .*log"):
        asyncio.run(visit())
