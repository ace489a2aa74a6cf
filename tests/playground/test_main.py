"""Does the command start, say so once, stop when told, and leave nothing behind?"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import httpx
import pytest

from playground.testing import ServerProcess

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LONG = {"text": f" to=user<|message|>{'on and on ' * 300}<|eot|>", "step_ms": 10.0}
HI = {"messages": [{"role": "user", "content": "Hi"}], "stream": True}
PATIENCE_S = 30.0


@contextlib.contextmanager
def command(folder: Path, *argv: str, **script: object) -> Iterator[subprocess.Popen[str]]:
    """The command as a person starts it, answering from a script."""
    path = folder / "script.json"
    path.write_text(json.dumps({"replies": [LONG], **script}))
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "playground",
            "--script",
            str(path),
            "--port",
            "0",
            "--no-ui",
            *argv,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def url_in(process: subprocess.Popen[str]) -> str:
    """The address in the line that says ready."""
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith("muse-playground ready http://127.0.0.1:"), line
    return line.split()[-1]


def client(url: str) -> httpx.Client:
    """A client that asks no proxy."""
    return httpx.Client(base_url=url, trust_env=False, timeout=PATIENCE_S)


def is_alive(pid: int) -> bool:
    """Whether there is such a process."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_in_the_middle_of_a_turn(tmp_path: Path, number: signal.Signals) -> None:
    """The turn fails after its grace, by an error in its stream; exit 0, no child, one line."""
    with command(tmp_path) as process, client(url_in(process)) as http:
        worker = http.get("/api/runtime").json()["pids"]["worker"]
        with http.stream("POST", "/v1/chat/completions", json=HI) as response:
            lines = response.iter_lines()
            next(line for line in lines if '"content"' in line)
            process.send_signal(number)
            rest = [line for line in lines if line]
        out, _ = process.communicate(timeout=PATIENCE_S)

    assert (process.returncode, out, is_alive(worker)) == (0, "", False)
    assert '"code":"unavailable"' in rest[-2]
    assert rest[-1] == "data: [DONE]"


def test_a_second_signal_skips_the_grace(tmp_path: Path) -> None:
    """Two seconds of grace are not waited for when somebody is impatient."""
    with command(tmp_path) as process, client(url_in(process)) as http:
        with http.stream("POST", "/v1/chat/completions", json=HI) as response:
            lines = response.iter_lines()
            next(line for line in lines if '"content"' in line)
            process.send_signal(signal.SIGTERM)
            next(line for line in lines if '"content"' in line)
            told_at = time.monotonic()
            process.send_signal(signal.SIGTERM)
            next(line for line in lines if '"code":"unavailable"' in line)
            waited_s = time.monotonic() - told_at
        process.communicate(timeout=PATIENCE_S)

    assert process.returncode == 0
    assert waited_s < 1.5


@pytest.mark.skipif(sys.platform != "linux", reason="finds the child in /proc")
def test_a_signal_while_loading_ends_it(tmp_path: Path) -> None:
    """Nobody has to wait for a model that they do not want any more."""
    with command(tmp_path, load_ms=60_000) as process:
        assert process.stderr is not None
        children = f"/proc/{process.pid}/task/{process.pid}/children"
        deadline = time.monotonic() + PATIENCE_S
        while not (worker := _read(children)) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.terminate()
        out, _ = process.communicate(timeout=PATIENCE_S)

    assert (process.returncode, out, is_alive(int(worker))) == (0, "", False)


def test_it_says_how_the_model_comes_along_and_does_not_listen_meanwhile(tmp_path: Path) -> None:
    """Who asks too soon finds nobody, rather than a server that has nothing to say yet."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with command(tmp_path, "--port", str(port), load_ms=60_000) as process:
        assert process.stderr is not None
        loading = next(line for line in process.stderr if "loading" in line)
        with socket.socket() as early:
            refused = early.connect_ex(("127.0.0.1", port))

    assert re.match(r"muse-playground: loading Scripted engine: \d+ s", loading)
    assert refused == errno.ECONNREFUSED


def test_a_model_that_does_not_come_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    """The flag that says how long is named."""
    with command(tmp_path, "--ready-timeout", "0.3", load_ms=60_000) as process:
        out, err = process.communicate(timeout=PATIENCE_S)

    assert (process.returncode, out) == (1, "")
    assert "the worker did not start: not ready after 0.3 s (--ready-timeout)" in err


def _read(path: str) -> str:
    with open(path, encoding="ascii") as file:  # noqa: PTH123 - /proc is no place for Path
        return file.read().strip()


def test_a_server_that_is_killed_takes_its_worker_with_it(tmp_path: Path) -> None:
    """The worker's stdin ends, in the middle of a turn too, and so it ends by itself."""
    with command(tmp_path) as process, client(url_in(process)) as http:
        worker = http.get("/api/runtime").json()["pids"]["worker"]
        with http.stream("POST", "/v1/chat/completions", json=HI) as response:
            next(line for line in response.iter_lines() if '"content"' in line)
            process.kill()
        deadline = time.monotonic() + PATIENCE_S
        while is_alive(worker) and time.monotonic() < deadline:
            time.sleep(0.01)

    assert not is_alive(worker)


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        (["--host", "0.0.0.0"], 2, "will not listen on '0.0.0.0'"),
        (["--frobnicate"], 2, "unrecognized arguments: --frobnicate"),
        (["--script", "", "--model-dir", "no-such-folder"], 1, "no-such-folder/manifest.json"),
        (["--script", "no-such-script.json"], 1, "the worker did not start"),
    ],
)
def test_what_cannot_be_served_is_told(
    tmp_path: Path, argv: list[str], code: int, said: str
) -> None:
    """On stderr, with an exit code that says whose fault it was."""
    with command(tmp_path, *argv) as process:
        out, err = process.communicate(timeout=PATIENCE_S)

    assert (process.returncode, out, err.count(said)) == (code, "", 1)


def test_the_log_tells_counts_and_never_words(tmp_path: Path) -> None:
    """One line a turn on stderr: reason, counts and times; nothing of what was said."""
    secret = {"messages": [{"role": "user", "content": "my secret is plum"}]}
    reply = {"text": " to=user<|message|>a plum indeed<|eot|>", "step_ms": 0.0}
    with command(tmp_path, replies=[reply]) as process, client(url_in(process)) as http:
        http.post("/v1/chat/completions", json={**secret, "session_id": "s1"})
        process.terminate()
        _, err = process.communicate(timeout=PATIENCE_S)
    told = [line for line in err.splitlines() if "turn over" in line]

    assert len(told) == 1
    assert "session_id=s1" in told[0]
    assert "session_reset_reason=new" in told[0]
    assert "plum" not in err


def test_the_http_process_loads_no_model_runtime() -> None:
    """Torch and ExecuTorch belong to the worker: the server starts fast and stays small."""
    program = (
        "import sys, playground.app, playground.serving;"
        "print([name for name in ('torch', 'executorch', 'transformers') if name in sys.modules])"
    )

    out = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout

    assert out == "[]\n"


def test_a_page_that_cannot_be_built_keeps_nobody_from_the_api(tmp_path: Path) -> None:
    """What is wrong is told on stderr and where the page would be; stdout has its one line."""
    web = tmp_path / "web"
    web.mkdir()
    (web / "package.json").write_text("{}")  # and no lock file, which npm refuses; or no npm at all
    server = ServerProcess(tmp_path, {"replies": [LONG]}, ["--ui-dir", str(web / "dist")])
    server.start()

    try:
        with client(server.url) as http:
            page, health = http.get("/"), http.get("/health")
    finally:
        server.stop()

    assert (page.status_code, health.status_code) == (200, 200)
    assert "no web page to show" in page.text
    assert "<pre>" in page.text
    assert "muse-playground: the page is not built: " in server.log.read_text()
