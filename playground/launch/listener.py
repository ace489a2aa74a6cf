"""Which process listens on a port of this machine?

- Linux: the socket's number in `/proc/net/tcp` and `tcp6`, then the process with that socket open.
- elsewhere (macOS): `lsof`.

Both show a user only his own processes' sockets, and in a container only its own processes; a
process that cannot be seen is None. So is one that has taken the port and does not listen yet.
"""

from __future__ import annotations

import contextlib
import ipaddress
import struct
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.launch.processes import PROC, command_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["Listener", "listener_on", "listening_sockets", "read_lsof"]

LISTEN = "0A"
ASKED_S = 20.0
"""How long `lsof` may take."""


@dataclass(frozen=True, slots=True)
class Listener:
    """A process that holds a port."""

    pid: int
    name: str

    def __str__(self) -> str:
        """For people."""
        return f"{self.name} (process {self.pid})"


def listener_on(address: str, port: int, proc: Path = PROC) -> Listener | None:
    """Who listens where this address and port lead; None where that cannot be seen."""
    if (proc / "net" / "tcp").exists():
        return _by_proc(address, port, proc)
    return _by_lsof(address, port)


def _by_proc(address: str, port: int, proc: Path) -> Listener | None:
    lines: list[str] = []
    for table in ("tcp", "tcp6"):
        try:
            lines += (proc / "net" / table).read_text(encoding="ascii").splitlines()[1:]
        except OSError:
            continue
    links = {f"socket:[{inode}]" for inode in listening_sockets(lines, address, port)}
    pid = _holder(links, proc) if links else None
    return None if pid is None else Listener(pid, command_of(pid, proc) or "a process")


def listening_sockets(lines: Iterable[str], address: str, port: int) -> Iterator[str]:
    """The numbers of the sockets that listen for this address, from lines of `/proc/net/tcp`."""
    wanted = ipaddress.ip_address(address)
    for line in lines:
        fields = line.split()
        if len(fields) < 10 or fields[3] != LISTEN:
            continue
        local, _, hex_port = fields[1].partition(":")
        if int(hex_port, 16) == port and _takes(_address(local), wanted):
            yield fields[9]


def read_lsof(said: str, address: str) -> tuple[int, str] | None:
    """The process that an address leads to, in what `lsof -Fpcn` prints; the first of several.

    Of each process a line `p` with its id, one `c` with its name, and for each of its sockets one
    `n` with where that listens: `127.0.0.1:3939`, `[::1]:3939`, or `*:3939`, which is everywhere.
    """
    pid, name = 0, ""
    everywhere = None
    for line in said.splitlines():
        match line[:1]:
            case "p":
                pid, name = int(line[1:]), "a process"
            case "c":
                name = line[1:]
            case "n":
                host = line[1:].rpartition(":")[0].strip("[]")
                if host == address:
                    return pid, name
                if host == "*" and everywhere is None:
                    everywhere = pid, name
    return everywhere


def _address(hexadecimal: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """The kernel prints an address as words of 32 bits, each in the machine's own byte order."""
    words = (hexadecimal[at : at + 8] for at in range(0, len(hexadecimal), 8))
    return ipaddress.ip_address(b"".join(struct.pack("=I", int(word, 16)) for word in words))


def _takes(
    local: ipaddress.IPv4Address | ipaddress.IPv6Address,
    wanted: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> bool:
    if local.is_unspecified:  # of IPv6 both kinds, unless it was told otherwise, which is not shown
        return local.version in {wanted.version, 6}
    mapped = local.ipv4_mapped if isinstance(local, ipaddress.IPv6Address) else None
    return (mapped or local) == wanted


def _holder(links: set[str], proc: Path) -> int | None:
    """The process that has one of these sockets open."""
    for folder in proc.glob("[0-9]*/fd"):
        with contextlib.suppress(OSError):  # another user's, or it has just ended
            if any(_link(entry) in links for entry in folder.iterdir()):
                return int(folder.parent.name)
    return None


def _link(entry: Path) -> str:
    try:
        return str(entry.readlink())
    except OSError:  # closed meanwhile
        return ""


def _by_lsof(address: str, port: int) -> Listener | None:
    try:
        asked = subprocess.run(
            ["lsof", "-nP", f"-iTCP:{port}", "-sTCP:LISTEN", "-Fpcn"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=ASKED_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    found = read_lsof(asked.stdout, address)
    if found is None:
        return None
    pid, name = found
    return Listener(pid, command_of(pid) or name)
