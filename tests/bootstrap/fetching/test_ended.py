"""Is a download that was ended, however that was, gone on with? In processes of their own."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from bootstrap.fetching.partial import part_of, part_size
from tests.bootstrap.fileserver import FileServer, Published, Reply, serving

ROOT = Path(__file__).parents[3]
DATA = bytes(range(256)) * 512
HASH = hashlib.sha256(DATA).hexdigest()
CUT = 50_000

FETCHING = """
import signal, sys
from pathlib import Path
from bootstrap.cli.command import stopping_on
from bootstrap.errors import Stopped
from bootstrap.fetching.fetching import Wanted, World, fetch

url, target, size, sha256 = sys.argv[1:]
world = World(lambda line: print(line, flush=True))
try:
    with stopping_on(signal.SIGTERM):
        print(fetch(Wanted(url, Path(target), int(size), sha256), world).received, flush=True)
except (Stopped, KeyboardInterrupt) as stopped:
    sys.exit(type(stopped).__name__)
"""


def fetching(server: FileServer, target: Path) -> subprocess.Popen[str]:
    """A process that fetches the server's file."""
    arguments = [f"{server.url}/m.pte", str(target), str(len(DATA)), HASH]
    return subprocess.Popen(
        [sys.executable, "-c", FETCHING, *arguments],
        cwd=ROOT,
        env={key: value for key, value in os.environ.items() if "proxy" not in key.lower()},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def until_cut(process: subprocess.Popen[str], target: Path) -> None:
    """Wait until the process has written all that came."""
    while part_size(target) < CUT:
        assert process.poll() is None
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (signal.SIGKILL, ""),
        (signal.SIGTERM, "Stopped"),
        (signal.SIGINT, "KeyboardInterrupt"),
    ],
)
def test_one_that_was_ended_is_gone_on_with(
    tmp_path: Path, number: signal.Signals, said: str
) -> None:
    """From its last byte on; the server sends the rest, and nothing twice."""
    target = tmp_path / "ein Ordner ü" / "m.pte"
    with serving() as server:
        server.files["/m.pte"] = Published(DATA)
        server.replies.append(Reply(after=CUT, gate=threading.Event()))
        with fetching(server, target) as first:
            until_cut(first, target)
            first.send_signal(number)
            _, err = first.communicate()
        named = target.exists()
        with fetching(server, target) as second:
            out, _ = second.communicate()

    assert (err.strip(), named) == (said, False)
    assert [(asked.start, asked.if_range) for asked in server.asked] == [(0, ""), (CUT, '"one"')]
    assert server.asked[1].sent == len(DATA) - CUT
    assert out.splitlines()[-1] == str(len(DATA) - CUT)
    assert target.read_bytes() == DATA
    assert [path.name for path in target.parent.iterdir()] == ["m.pte"]


def test_two_at_once_fetch_it_once(tmp_path: Path) -> None:
    """The second waits, and finds it here."""
    target = tmp_path / "m.pte"
    gate = threading.Event()
    with serving() as server:
        server.files["/m.pte"] = Published(DATA)
        server.replies.append(Reply(after=CUT, gate=gate, then_cut=False))
        with fetching(server, target) as first:
            until_cut(first, target)
            with fetching(server, target) as second:
                assert second.stdout is not None
                waiting = second.stdout.readline().strip()
                gate.set()
                received, _ = second.communicate()

    assert waiting == "m.pte: waiting for another process, which is fetching it"
    assert (received.strip(), len(server.asked)) == ("0", 1)
    assert target.read_bytes() == DATA


def test_one_that_waited_for_a_dead_one_goes_on_with_its_part(tmp_path: Path) -> None:
    """The lock ends with its owner, and what it has fetched is not lost."""
    target = tmp_path / "m.pte"
    with serving() as server:
        server.files["/m.pte"] = Published(DATA)
        server.replies.append(Reply(after=CUT, gate=threading.Event()))
        with fetching(server, target) as first:
            until_cut(first, target)
            with fetching(server, target) as second:
                assert second.stdout is not None
                second.stdout.readline()
                first.kill()
                said, _ = second.communicate()

    assert said.splitlines() == ["m.pte: going on after 50.0 kB", str(len(DATA) - CUT)]
    assert not part_of(target).exists()
