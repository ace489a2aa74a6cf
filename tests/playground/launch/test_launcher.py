"""Is a server started once on a port, and is nothing of it left, however it ended?"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import signal
import socket
import sys
import termios
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.playground.launch.launching import (
    PATIENCE_S,
    Machine,
    eventually,
    is_alive,
    stub,
)

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator, Mapping

HUNG_WORKER = """
import json, os, signal, sys, time
if {deaf}:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(json.dumps({{"ready": True, "max_sessions": 2, "max_named_sessions": 1,
                   "worker": None}}), flush=True)
while True:
    time.sleep(1)
"""
"""Gets ready, and reads nothing of what it is told, not even that there is nobody any more."""

LOADING_WORKER = """
import json, os, sys, time
parent = os.getppid()
while not os.path.exists({loaded!r}):
    if os.getppid() != parent:
        sys.exit()
    time.sleep(0.01)
print(json.dumps({{"ready": True, "max_sessions": 2, "max_named_sessions": 1,
                   "worker": None}}), flush=True)
sys.stdin.read()
"""
"""Gets ready as soon as there is a certain file, unless nobody waits for that any more."""

LISTENER = """
import socket, sys, time
with socket.create_server(("127.0.0.1", int(sys.argv[1]))):
    print("listening", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """A port and a folder for launches, and no process left afterwards."""
    with contextlib.ExitStack() as stack:
        yield Machine(tmp_path, stack)


def line_of(process: subprocess.Popen[str]) -> str:
    """The next line on stdout."""
    assert process.stdout is not None
    return process.stdout.readline()


def said_by(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """How it ended: exit code, stdout, stderr."""
    out, err = process.communicate(timeout=PATIENCE_S)
    return process.returncode, out, err


def noted(machine: Machine, role: str) -> int:
    """The process id that the launch has noted for this role, once it has."""

    def look() -> int:
        try:
            return int(json.loads(machine.state.read_bytes())[role]["pid"])
        except (OSError, KeyError):
            return 0

    pid: int = eventually(look)
    machine.end_with_test(pid)
    return pid


def is_free(lock: Path) -> bool:
    """Whether nobody holds the lock."""
    with lock.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def start_loading(
    machine: Machine, *argv: str, environ: Mapping[str, str] | None = None
) -> subprocess.Popen[str]:
    """A launch that gets no further than its worker, until the test has a file `loaded`."""
    loaded = str(machine.folder / "loaded")
    program = stub(machine.folder / "loading-worker", LOADING_WORKER.format(loaded=loaded))
    process = machine.start("--worker", str(program), *argv, environ=environ)
    noted(machine, "worker")
    return process


# --- what runs already


def test_a_playground_of_the_same_model_is_used(machine: Machine) -> None:
    """One line that says so, never the one that says ready; the first serves on."""
    first = machine.start()
    ready = line_of(first)

    second = said_by(machine.start())

    assert ready == f"muse-playground ready {machine.url}\n"
    assert second == (0, f"muse-playground already running {machine.url}\n", "")
    assert first.poll() is None


def test_a_playground_of_another_model_is_refused_by_name(machine: Machine) -> None:
    """Nobody is given answers of a model that he did not ask for."""
    first = machine.start()
    line_of(first)

    code, out, err = said_by(machine.start(script=None))

    assert (code, out) == (2, "")
    assert f"port {machine.port} is taken by a muse-playground that serves scripted" in err
    assert "not muse-nano (muse-nano.pte); " in err
    assert f"stop it (process {first.pid}), or give another --port" in err


def test_a_folder_that_names_no_model_uses_no_playground(machine: Machine) -> None:
    """That one runs is no reason to take it for what was asked for."""
    line_of(machine.start())
    nowhere = str(machine.folder / "nowhere")

    code, out, err = said_by(machine.start("--model-dir", nowhere, script=None))

    assert (code, out) == (2, "")
    assert f"serves scripted, and {nowhere} does not say which model it has; stop it" in err


def test_a_profile_of_a_checkout_that_was_moved_says_what_to_do(machine: Machine) -> None:
    """Its paths are no more: one line, with the file that names them."""
    for number, arguments in enumerate(
        (
            ["--worker", f"{machine.folder}/old/python -m playground.worker"],
            ["--worker", "worker", "--worker-kind", "native", "--model-dir", "/old/muse-glimmer"],
        )
    ):
        profile = machine.folder / f"{number}.json"
        profile.write_text(json.dumps({"schema": 1, "arguments": arguments}), encoding="utf-8")

        code, out, err = said_by(machine.start("--profile", str(profile), script=None))

        lines = [line for line in err.splitlines() if line.startswith("muse-playground: ")]
        assert (code, out, len(lines)) == (1, "", 1)
        assert "old/" in lines[0]
        assert f"; {profile} names it: make it anew with `python -m bootstrap`, or do " in lines[0]
        assert "Traceback" not in err


def test_a_playground_whose_worker_is_gone_is_refused(machine: Machine) -> None:
    """It would answer no turn; which process is to be stopped is told."""
    first = machine.start()
    line_of(first)
    os.kill(machine.worker_of(), signal.SIGKILL)

    def told() -> str:
        code, _, err = said_by(machine.start())
        return err if code == 2 else ""

    err = eventually(told)

    assert "cannot answer any more: the worker was ended by SIGKILL" in err
    assert f"stop it (process {first.pid})" in err


def test_a_foreign_process_is_refused_by_name(machine: Machine) -> None:
    """With its process id, and what it is, though it answers nothing."""
    program = stub(machine.folder / "some-server", LISTENER)
    foreign = machine.run([str(program), str(machine.port)])
    line_of(foreign)

    refused = said_by(machine.start())

    name = f"{Path(sys.executable).name} some-server (process {foreign.pid})"
    problem = f"port {machine.port} is taken by {name}; stop it, or give another --port"
    assert refused == (2, "", f"muse-playground: {problem}\n")


def test_a_port_that_is_taken_and_not_listened_on_is_refused(machine: Machine) -> None:
    """Whose it is cannot be seen before it listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", machine.port))

        code, out, err = said_by(machine.start())

    assert (code, out) == (2, "")
    assert f"port {machine.port} is taken" in err


# --- two at once


def test_a_second_one_waits_for_the_first_and_uses_it(machine: Machine) -> None:
    """It says for whom it waits; there is one worker, and one ready line."""
    first = start_loading(machine)
    second = machine.start()
    assert second.stderr is not None
    waiting = second.stderr.readline()
    (machine.folder / "loaded").touch()

    assert line_of(first) == f"muse-playground ready {machine.url}\n"
    assert line_of(second) == f"muse-playground already running {machine.url}\n"
    assert waiting == (
        f"muse-playground: another muse-playground (process {first.pid}) is starting; "
        "waiting for it\n"
    )


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_second_one_takes_over_when_the_first_ends(
    machine: Machine, number: signal.Signals
) -> None:
    """However that ended; the worker that was loading then is gone too."""
    first = start_loading(machine)
    worker = noted(machine, "worker")
    second = machine.start()
    assert second.stderr is not None
    second.stderr.readline()

    first.send_signal(number)

    assert line_of(second) == f"muse-playground ready {machine.url}\n"
    assert not is_alive(worker)


def test_one_that_waits_can_be_stopped(machine: Machine) -> None:
    """Ctrl-C is obeyed, and says nothing."""
    first = start_loading(machine)
    second = machine.start()
    assert second.stderr is not None
    second.stderr.readline()

    second.send_signal(signal.SIGINT)

    assert said_by(second) == (0, "", "")
    assert first.poll() is None


# --- how it ends


def test_ctrl_c_while_it_is_imported_says_nothing(machine: Machine) -> None:
    """Packages take a moment to come in, and somebody has thought better of it."""
    program = """
import sys
class Interrupted:
    def find_spec(name, *rest):
        if name == "playground.serving":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupted)
from playground.__main__ import main
sys.exit(main([], {}, sys.stdout, sys.stderr))
"""

    assert said_by(machine.run([sys.executable, "-c", program])) == (0, "", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_nothing(machine: Machine, number: signal.Signals) -> None:
    """No worker, no note of one, nobody who holds the lock."""
    process = machine.start()
    line_of(process)
    worker = machine.worker_of()
    there = machine.state.exists()

    process.send_signal(number)

    code, out, _ = said_by(process)
    assert (code, out, there) == (0, "", True)
    assert not is_alive(worker)
    assert not machine.state.exists()
    assert is_free(machine.state.with_suffix(".lock"))


def test_closing_the_window_ends_it(machine: Machine) -> None:
    """The terminal is gone with everything that could be said there."""
    ours, theirs = pty.openpty()
    process = machine.start(
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(2, termios.TIOCSCTTY, 0),
    )
    os.close(theirs)
    line_of(process)
    worker = machine.worker_of()

    os.close(ours)

    assert process.wait(PATIENCE_S) == 0
    assert not is_alive(worker)
    assert not machine.state.exists()


def test_a_hang_up_that_nohup_ignores_is_ignored(machine: Machine) -> None:
    """Whoever wants the server to outlive the terminal can have it."""
    process = machine.start(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    line_of(process)

    process.send_signal(signal.SIGHUP)

    assert machine.worker_of()
    assert process.poll() is None


def test_a_model_that_cannot_be_served_leaves_nothing(machine: Machine) -> None:
    """The way out of an error is a way out."""
    code, out, err = said_by(machine.start(script={"no": "replies"}))

    assert (code, out) == (1, "")
    assert "the worker did not start" in err
    assert not machine.state.exists()
    assert is_free(machine.state.with_suffix(".lock"))


def test_a_launch_after_a_kill_serves(machine: Machine) -> None:
    """An orphaned worker ends by itself, since its stdin has ended, and is waited for."""
    first = machine.start()
    line_of(first)
    worker = machine.worker_of()
    first.kill()

    second = machine.start()

    assert line_of(second) == f"muse-playground ready {machine.url}\n"
    assert not is_alive(worker)


@pytest.mark.parametrize(("deaf", "how"), [(False, "SIGTERM"), (True, "SIGKILL")])
def test_a_hung_worker_of_a_killed_server_is_ended(
    machine: Machine, *, deaf: bool, how: str
) -> None:
    """It does not notice that nobody speaks to it: the next launch ends it, and says so."""
    program = stub(machine.folder / "hung worker", HUNG_WORKER.format(deaf=deaf))
    first = machine.start("--worker", f"'{program}'")
    line_of(first)
    worker = noted(machine, "worker")
    first.kill()
    first.wait()
    orphaned = is_alive(worker)

    second = machine.start()

    assert line_of(second) == f"muse-playground ready {machine.url}\n"
    assert (orphaned, is_alive(worker)) == (True, False)
    second.terminate()
    assert (
        f"the worker of a launch that was killed (process {worker}): ended by {how}"
        in said_by(second)[2]
    )


# --- a Mac awake, a browser opened

CAFFEINATE = """
import os, sys, time
with open(os.environ["TOLD"], "a") as file:
    print(os.getpid(), *sys.argv[1:], file=file)
time.sleep(600)
"""


def test_a_mac_is_kept_awake_for_as_long_as_it_serves(machine: Machine) -> None:
    """By a `caffeinate` that watches the server, and ends with it."""
    stub(machine.folder / "caffeinate", CAFFEINATE)
    told = machine.folder / "told"
    environ = {"PATH": f"{machine.folder}:{os.environ['PATH']}", "TOLD": str(told)}
    process = machine.start(platform="darwin", environ=environ)
    line_of(process)
    pid, *arguments = eventually(lambda: told.exists() and told.read_text().split())
    awake = is_alive(int(pid))

    process.terminate()

    assert said_by(process)[0] == 0
    assert arguments == ["-dimsu", "-w", str(process.pid)]
    assert (awake, is_alive(int(pid))) == (True, False)


def test_a_caffeinate_that_a_kill_left_is_ended_by_the_next_launch(machine: Machine) -> None:
    """The real one ends by itself; whatever this one is, it is not left."""
    stub(machine.folder / "caffeinate", CAFFEINATE)
    told = machine.folder / "told"
    environ = {"PATH": f"{machine.folder}:{os.environ['PATH']}", "TOLD": str(told)}
    first = machine.start(platform="darwin", environ=environ)
    line_of(first)
    pid = noted(machine, "caffeinate")
    first.kill()

    line_of(machine.start())

    assert not is_alive(pid)


BROWSER = """
import os, sys, urllib.request
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
with opener.open(sys.argv[1] + "/health") as answer:
    status = answer.status
with open(os.environ["TOLD"], "a") as file:
    print(sys.argv[1], status, file=file)
"""


def test_the_browser_is_opened_once_and_when_the_page_is_there(machine: Machine) -> None:
    """It asks the server at once, and is answered."""
    browser = stub(machine.folder / "browser", BROWSER)
    told = machine.folder / "told"
    environ = {"BROWSER": f"'{browser}' %s", "TOLD": str(told)}
    process = start_loading(machine, "--open", environ=environ)
    too_early = told.exists()
    (machine.folder / "loaded").touch()
    line_of(process)

    assert eventually(lambda: told.exists() and told.read_text()) == f"{machine.url} 200\n"
    assert not too_early
    process.terminate()
    assert said_by(process)[0] == 0
    assert told.read_text() == f"{machine.url} 200\n"


def test_the_browser_is_opened_on_what_runs_already(machine: Machine) -> None:
    """Before the command ends, and whether by flag or by variable."""
    browser = stub(machine.folder / "browser", BROWSER)
    told = machine.folder / "told"
    line_of(machine.start())

    environ = {"BROWSER": f"'{browser}' %s", "TOLD": str(told), "MUSE_PLAYGROUND_OPEN": "1"}
    code, _, _ = said_by(machine.start(environ=environ))

    assert (code, told.read_text()) == (0, f"{machine.url} 200\n")


# --- what does not concern the harness


def test_a_free_port_asks_nobody_and_notes_nothing(machine: Machine) -> None:
    """`--port 0` is for whoever starts many, side by side."""
    stub(machine.folder / "caffeinate", CAFFEINATE)
    told = machine.folder / "told"
    environ = {"PATH": f"{machine.folder}:{os.environ['PATH']}", "TOLD": str(told)}
    servers = [machine.start("--port", "0", platform="darwin", environ=environ) for _ in range(2)]

    lines = [line_of(server) for server in servers]

    assert all(line.startswith("muse-playground ready http://127.0.0.1:") for line in lines)
    assert lines[0] != lines[1]
    assert (machine.runtime.exists(), told.exists()) == (False, False)
