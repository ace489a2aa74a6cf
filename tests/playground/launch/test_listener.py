"""Is the process that listens on a port found, and none that does not?"""

from __future__ import annotations

import os
import shutil
import socket
from typing import TYPE_CHECKING

import pytest

from playground.launch.listener import listener_on, listening_sockets, read_lsof

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout"
TCP = " 0: {local}:{port:04X} 00000000:0000 {state} 0:0 00:00000000 00000000 0 0 {inode} 1"
LOOPBACK, ANY, OTHER = "0100007F", "00000000", "0200007F"
ANY6, LOOPBACK6 = "0" * 32, "0" * 24 + "01000000"
MAPPED = "0" * 16 + "FFFF0000" + "0100007F"


@pytest.mark.parametrize(
    ("local", "state", "port", "address", "found"),
    [
        (LOOPBACK, "0A", 3939, "127.0.0.1", True),
        (ANY, "0A", 3939, "127.0.0.1", True),
        (ANY6, "0A", 3939, "127.0.0.1", True),
        (MAPPED, "0A", 3939, "127.0.0.1", True),
        (LOOPBACK6, "0A", 3939, "::1", True),
        (ANY6, "0A", 3939, "::1", True),
        (OTHER, "0A", 3939, "127.0.0.1", False),  # another address of this machine
        (ANY, "0A", 3939, "::1", False),
        (LOOPBACK, "0A", 3940, "127.0.0.1", False),
        (LOOPBACK, "01", 3939, "127.0.0.1", False),  # a connection
    ],
)
def test_a_line_of_the_kernels_table_is_read(
    local: str, state: str, port: int, address: str, *, found: bool
) -> None:
    """Addresses are words of 32 bits in the byte order of the machine."""
    line = TCP.format(local=local, state=state, port=port, inode=4711)

    assert list(listening_sockets([HEAD, "", line], address, 3939)) == (["4711"] if found else [])


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_our_own_socket_is_ours(address: str) -> None:
    """As the system tells it, with a name for people."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.create_server((address, 0), family=family) as server:
        found = listener_on(address, server.getsockname()[1])

    assert found is not None
    assert found.pid == os.getpid()
    assert f"(process {os.getpid()})" in str(found)


@pytest.mark.skipif(shutil.which("lsof") is None, reason="there is no lsof here")
def test_lsof_finds_it_where_there_is_no_proc(tmp_path: Path) -> None:
    """As on a Mac."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        found = listener_on("127.0.0.1", server.getsockname()[1], proc=tmp_path)

    assert found is not None
    assert found.pid == os.getpid()


def test_nobody_listens_on_a_port_that_is_only_taken(tmp_path: Path) -> None:
    """Neither way shows whose it is."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]

        assert listener_on("127.0.0.1", port) is None
        assert listener_on("127.0.0.1", port, proc=tmp_path) is None


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("p123\ncpython3.12\nf7\nn127.0.0.1:3939\n", (123, "python3.12")),
        ("p1\ncnode\nf7\nn*:3939\nf8\nn*:3939\np2\ncother\nf3\nn*:3939\n", (1, "node")),
        ("p1\ncnode\nf7\nn[::1]:3939\np2\ncother\nf3\nn127.0.0.1:3939\n", (2, "other")),
        ("p1\ncnode\nf7\nn*:3939\np2\ncother\nf3\nn127.0.0.1:3939\n", (2, "other")),
        ("p1\ncnode\nf7\nn[::1]:3939\n", None),
        ("p123\nf7\nn127.0.0.1:3939\n", (123, "a process")),
        ("", None),
    ],
)
def test_what_lsof_prints_is_read(said: str, found: tuple[int, str] | None) -> None:
    """The one that is met at that address; a socket may be open in several."""
    assert read_lsof(said, "127.0.0.1") == found
