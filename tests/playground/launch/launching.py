"""What the tests of a launch share: the command as a person starts it, on a port of its own."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

__all__ = [
    "PATIENCE_S",
    "START",
    "Machine",
    "eventually",
    "free_port",
    "is_alive",
    "stub",
]

PATIENCE_S = 60.0
REPLY = {"replies": [{"text": " to=user<|message|>Hello.<|eot|>", "step_ms": 0.0}]}
START = """
import os, sys
from playground.__main__ import main
sys.exit(main(sys.argv[1:], os.environ, sys.stdout, sys.stderr, platform="{platform}"))
"""
"""The command on another platform than this one."""


def free_port() -> int:
    """A port that nobody uses, as far as one can know."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


def eventually(happens: Callable[[], Any]) -> Any:  # noqa: ANN401 - what it gives, once it is true
    """Wait for it; fails when it does not come."""
    deadline = time.monotonic() + PATIENCE_S
    while not (found := happens()):
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)
    return found


def is_alive(pid: int) -> bool:
    """Whether such a process runs; one that nobody has waited for yet does not."""
    said = subprocess.run(
        ["ps", "-p", str(pid), "-o", "stat="], capture_output=True, text=True, check=False
    ).stdout.strip()
    return said != "" and not said.startswith("Z")


def stub(path: Path, body: str) -> Path:
    """A program made of these lines of Python."""
    path.write_text(f"#!{sys.executable}\n{body}", encoding="utf-8")
    path.chmod(0o755)
    return path


class Machine:
    """A folder, a port, and the processes of one test, which are ended with it."""

    def __init__(self, folder: Path, stack: contextlib.ExitStack) -> None:
        self.folder, self._stack = folder, stack
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.runtime = folder / "a runtime é"

    def start(
        self,
        *argv: str,
        script: Mapping[str, Any] | None = REPLY,
        platform: str = "linux",
        environ: Mapping[str, str] | None = None,
        **popen: Any,  # noqa: ANN401 - what Popen takes
    ) -> subprocess.Popen[str]:
        """`muse-playground`, answering from a script, on the port of this test."""
        arguments = ["--port", str(self.port), "--no-ui", *argv]
        if script is not None:
            path = self.folder / "script.json"
            path.write_text(json.dumps(script), encoding="utf-8")
            arguments += ["--script", str(path)]
        return self.run(
            [sys.executable, "-c", START.format(platform=platform), *arguments],
            environ=environ,
            **popen,
        )

    def run(
        self,
        command: Sequence[str],
        *,
        environ: Mapping[str, str] | None = None,
        **popen: Any,  # noqa: ANN401 - what Popen takes
    ) -> subprocess.Popen[str]:
        """A process that is ended with the test."""
        process = subprocess.Popen(
            command,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **popen},
            env={**os.environ, "MUSE_RUNTIME_DIR": str(self.runtime), **(environ or {})},
        )
        self._stack.callback(_end, process)
        return process

    def end_with_test(self, pid: int) -> None:
        """Have no process of ours live longer, whatever the test finds."""
        self._stack.callback(_kill, pid)

    def worker_of(self) -> int:
        """The worker's process of what answers on the port."""
        with httpx.Client(trust_env=False, timeout=PATIENCE_S) as http:
            worker = int(http.get(f"{self.url}/api/runtime").json()["pids"]["worker"])
        self.end_with_test(worker)
        return worker

    @property
    def state(self) -> Path:
        """Where a launch notes what it has started."""
        return self.runtime / "launch" / f"127.0.0.1-{self.port}.json"


def _end(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
    process.kill()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
    process.wait()


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 9)
