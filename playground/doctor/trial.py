"""Does the configured worker start? It is started once, by a server on a free port, and ended.

What the server says of itself when it is ready is kept as facts. A playground of the same model
that runs already is asked instead: nobody has memory for a second one.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import urlsplit

from playground.doctor.finding import Finding, State
from playground.doctor.serving import running_instance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from playground.doctor.patient import Patient

__all__ = ["FACTS", "try_worker"]

FACTS = (
    "model",
    "modelId",
    "artifact",
    "artifactSha256",
    "modelBytes",
    "backend",
    "device",
    "workerKind",
    "executorchVersion",
    "torchVersion",
    "pythonVersion",
    "workerPythonVersion",
    "loadTimeMs",
    "threads",
    "threadsReason",
    "contextLength",
    "maxSessions",
    "dflashBlockLength",
    "dflashDraftTokens",
    "supports",
    "memory",
    "version",
)
"""Of `/api/runtime`, what tells a machine and a runtime."""
READY = "muse-playground ready "
ENDED_S = 30.0
ASKED_S = 30.0
LAST_LINES = 6


def try_worker(patient: Patient) -> tuple[Finding, Mapping[str, Any]]:
    """Whether it starts, and what it says then."""
    if patient.quick:
        return Finding("worker", State.NOT_RUN, "--quick starts nothing"), {}
    if running := running_instance(patient):
        facts = _facts_at(running.url)
        return Finding("worker", State.OK, f"it runs already; {_in_words(facts)}"), facts
    said: list[str] = []
    with _server(patient, said) as lines:
        try:
            # An empty line is the end of its output: it ended instead.
            ready = lines.get(timeout=patient.settings.ready_timeout_s + ASKED_S)
        except queue.Empty:
            ready = ""
            said.append("it did not get ready in time")
        facts = _facts_at(ready.removeprefix(READY).strip()) if ready.startswith(READY) else {}
    if not ready.startswith(READY):
        return _failed(said), {}
    return Finding("worker", State.OK, f"it starts; {_in_words(facts)}"), facts


@contextlib.contextmanager
def _server(patient: Patient, said: list[str]) -> Iterator[queue.Queue[str]]:
    """A server; its lines on stdout, an empty one at their end, and what it `said` on stderr."""
    profile = patient.settings.profile
    command = [sys.executable, "-m", "playground", *patient.arguments, "--port", "0", "--no-ui"]
    command += ["--profile", "none" if profile is None else str(profile)]
    lines: queue.Queue[str] = queue.Queue()
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env=dict(patient.environ),
        start_new_session=True,  # Ctrl-C is for us, and we end it in order
    ) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        following = [_follow(server.stdout, lines.put), _follow(server.stderr, said.append)]
        try:
            yield lines
        finally:
            _end(server)
            for thread in following:
                thread.join(ENDED_S)


def _end(server: subprocess.Popen[str]) -> None:
    if server.poll() is None:
        server.terminate()
        try:
            server.wait(ENDED_S)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGKILL)


def _follow(pipe: IO[str], take: Callable[[str], None]) -> threading.Thread:
    """Hand on each line as it comes, and an empty one at the end."""

    def read() -> None:
        for line in pipe:
            take(line)
        take("")

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    return thread


def _failed(said: list[str]) -> Finding:
    last = [line.strip() for line in said if line.strip()][-LAST_LINES:]
    todo = "start muse-playground with the same flags, and read all that it says"
    return Finding("worker", State.FAIL, " / ".join(last) or "it ended without a word", todo)


def _facts_at(url: str) -> Mapping[str, Any]:
    where = urlsplit(url)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=ASKED_S)
    try:
        connection.request("GET", "/api/runtime")
        told: Any = json.loads(connection.getresponse().read())
    except (OSError, http.client.HTTPException, ValueError):
        return {}
    finally:
        connection.close()
    return {key: told.get(key) for key in FACTS} if isinstance(told, dict) else {}


def _in_words(facts: Mapping[str, Any]) -> str:
    load, memory = facts.get("loadTimeMs"), facts.get("memory")
    peak = memory.get("workerPeakBytes") if isinstance(memory, dict) else None
    parts = [
        str(facts.get("model") or facts.get("modelId") or "it does not say what it is"),
        f"backend {facts['backend']}" if facts.get("backend") else "",
        f"loaded in {load / 1e3:.1f} s" if isinstance(load, int | float) else "",
        f"{peak / 2**30:.2f} GiB at its peak" if isinstance(peak, int) else "",
    ]
    return ", ".join(filter(None, parts))
