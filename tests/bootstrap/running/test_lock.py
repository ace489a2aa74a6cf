"""Does one process at a time work on a folder, and none wait for the dead?"""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bootstrap.running.lock import held

ROOT = Path(__file__).parents[3]

HOLDER = """
import os, sys
from pathlib import Path
from bootstrap.running.commands import Commands
from bootstrap.running.lock import held
folder = Path(sys.argv[1])
wait = [sys.executable, "-c", "import os, time; print(os.getpid(), flush=True); time.sleep(60)"]
with held(folder / "lock", print) as lock:
    run = Commands(folder / "log", os.environ, inherit=(lock,))
    run(wait, on_line=lambda line: print(line, flush=True))
"""

TAKER = """
import sys
from pathlib import Path
from bootstrap.running.lock import held
with held(Path(sys.argv[1]) / "lock", lambda line: print(line, flush=True)):
    print("mine", flush=True)
"""


def python(code: str, folder: Path) -> subprocess.Popen[str]:
    """A process that runs this on a folder."""
    return subprocess.Popen(
        [sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )


def line_of(process: subprocess.Popen[str]) -> str:
    """The next line that it prints."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_a_lock_file_of_one_who_is_gone_holds_nobody_up(tmp_path: Path) -> None:
    """Whatever process id stands in it, be it that of somebody else by now."""
    path = tmp_path / "a folder é" / "lock"
    path.parent.mkdir()
    path.write_text(f"{os.getppid()}\n")
    told: list[str] = []

    with held(path, told.append):
        assert path.read_text() == f"{os.getpid()}\n"

    assert told == []


def test_a_second_one_waits_and_says_for_whom(tmp_path: Path) -> None:
    """Until the first has ended."""
    with held(tmp_path / "lock", print):
        second = python(TAKER, tmp_path)
        said = line_of(second)

    with second:
        assert said == f"waiting for process {os.getpid()}, which works on {tmp_path}"
        assert line_of(second) == "mine"


def test_what_a_killed_one_left_running_is_waited_for(tmp_path: Path) -> None:
    """Its pip may still be writing; the lock ends with the last of them."""
    with python(HOLDER, tmp_path) as holder:
        child = int(line_of(holder))
        holder.kill()
    with python(TAKER, tmp_path) as second:
        waiting = line_of(second)
        os.kill(child, signal.SIGKILL)
        mine = line_of(second)

    assert waiting == f"waiting for process {holder.pid}, which works on {tmp_path}"
    assert mine == "mine"


def test_a_disk_without_locks_is_named(tmp_path: Path) -> None:
    """Some of the network have none; what is made can go elsewhere."""

    def flock(descriptor: int, how: int) -> None:
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))

    with (
        pytest.raises(OSError, match=r"no locks; MUSE_RUNTIME_DIR can name another: .*row/lock"),
        held(tmp_path / "row" / "lock", print, flock),
    ):
        pass
