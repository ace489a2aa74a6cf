"""Is a process that was left behind ended, and never one that only has its id?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from playground.launch.processes import (
    Mark,
    command_of,
    end_left_behind,
    is_running,
    mark_of,
    name_in,
)
from tests.playground.launch.launching import stub

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SLEEPS = "import time; print(flush=True); time.sleep(600)"
DEAF = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEPS}"


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A process that does nothing, in a session of its own."""
    yield from started(SLEEPS)


@pytest.fixture
def deaf() -> Iterator[subprocess.Popen[bytes]]:
    """One that does not listen to SIGTERM either."""
    yield from started(DEAF)


def started(code: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is up, and gone with the test."""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.kill()


waits = pytest.mark.skipif(
    not hasattr(os, "waitid"), reason="this Python cannot see a child end and leave it there"
)


def marked(process: subprocess.Popen[bytes]) -> Mark:
    """Its mark, which there has to be."""
    mark = mark_of(process.pid)
    assert mark is not None
    return mark


@waits
def test_a_process_is_the_same_for_as_long_as_it_runs(sleeper: subprocess.Popen[bytes]) -> None:
    """And gone when it has ended, though nobody has waited for it yet."""
    mark = marked(sleeper)
    there = is_running(mark)

    os.kill(sleeper.pid, signal.SIGKILL)
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)

    assert (there, is_running(mark), mark_of(sleeper.pid)) == (True, False, None)


@waits
def test_the_systems_other_way_of_telling_agrees(
    sleeper: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    """`ps`, where there is no /proc: as on a Mac."""
    mark = mark_of(sleeper.pid, proc=tmp_path)
    name = command_of(sleeper.pid, proc=tmp_path)
    os.kill(sleeper.pid, signal.SIGKILL)
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)

    assert mark is not None
    assert mark.pid == sleeper.pid
    assert name == os.path.basename(sys.executable)  # noqa: PTH119 - a name, no path
    assert mark_of(sleeper.pid, proc=tmp_path) is None


@pytest.mark.parametrize(("process", "how"), [("sleeper", "SIGTERM"), ("deaf", "SIGKILL")])
def test_what_does_not_end_by_itself_is_ended(
    request: pytest.FixtureRequest, process: str, how: str
) -> None:
    """Asked first, killed then."""
    left: subprocess.Popen[bytes] = request.getfixturevalue(process)
    mark = marked(left)

    told = end_left_behind(mark, patience_s=0.2)

    assert (told, is_running(mark)) == (f"ended by {how}", False)


def test_what_ends_by_itself_is_left_to_it(sleeper: subprocess.Popen[bytes]) -> None:
    """A worker whose stdin has ended needs a moment."""
    mark = marked(sleeper)
    with subprocess.Popen([sys.executable, "-c", f"import os; os.kill({mark.pid}, 9)"]):
        told = end_left_behind(mark, patience_s=60)

    assert told == "it ended by itself"


def test_another_process_with_that_id_is_not_touched(sleeper: subprocess.Popen[bytes]) -> None:
    """Ids are given anew; when it began tells the one from the other."""
    told = end_left_behind(Mark(sleeper.pid, "before the flood"), patience_s=0.0)

    assert (told, sleeper.poll()) == (None, None)


def test_a_name_in_any_bytes_is_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Mac's `ps` prints them as they are."""
    stub(tmp_path / "ps", r"""import sys; sys.stdout.buffer.write(b"/bin/caf\xe9 --x\n")""")
    monkeypatch.setenv("PATH", str(tmp_path))

    assert command_of(71, proc=tmp_path) == "caf\ufffd"


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["/usr/sbin/nginx", "-g", "daemon off;"], "nginx"),
        (["/opt/venv/bin/python3", "-m", "http.server", "3939"], "python3 -m http.server"),
        (
            ["python3.12", "-I", "-X", "dev", "/home/me/serve.py", "--key", "s3"],
            "python3.12 serve.py",
        ),
        (["python3", "-u", "/home/me/serve.py", "--key", "s3"], "python3 serve.py"),
        (["python3", "-c", "a secret"], "python3"),
        (["python3"], "python3"),
        ([], None),
    ],
)
def test_a_name_says_what_runs_and_no_more(words: list[str], name: str | None) -> None:
    """Of a command line's arguments only the one that Python runs."""
    assert name_in(words) == name
