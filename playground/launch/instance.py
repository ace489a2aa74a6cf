"""What answers on the port: a playground, and of which model; something else; or nothing?

A playground is known by what `/api/runtime` says: the model's id, and the server's process id.
It serves the same model as we would if the id is the same and so is the artifact: its name, its
size, and its hash where both sides know one. A script has no artifact; two of them are the same.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

from playground.worker.model_directory import MANIFEST

if TYPE_CHECKING:
    from playground.settings import Settings

__all__ = ["Instance", "Model", "Silence", "ask", "model_asked_for"]

T = TypeVar("T")

PATIENCE_S = 3.0
"""How long a server may take to say what it is; ours takes milliseconds, in a turn too."""
MOST_BYTES = 1 << 20


class Silence(Enum):
    """Answers that are no playground's."""

    NOTHING = "nothing listens"
    FOREIGN = "what listens is no playground"


@dataclass(frozen=True, slots=True)
class Model:
    """Which model, as far as it is known without loading it."""

    model_id: str
    artifact: str | None = None
    """The file's name."""
    artifact_bytes: int | None = None
    artifact_sha256: str | None = None

    def is_same_as(self, other: Model) -> bool:
        """Whether an answer of the one would be an answer of the other."""
        if (self.model_id, self.artifact) != (other.model_id, other.artifact):
            return False
        return all(
            mine is None or theirs is None or mine == theirs
            for mine, theirs in (
                (self.artifact_bytes, other.artifact_bytes),
                (self.artifact_sha256, other.artifact_sha256),
            )
        )

    def __str__(self) -> str:
        """For people."""
        return f"{self.model_id} ({self.artifact})" if self.artifact else self.model_id


@dataclass(frozen=True, slots=True)
class Instance:
    """A playground that runs already."""

    url: str
    model: Model
    pid: int
    failure: str | None = None
    """Why it cannot answer any more; None as long as it can."""


def ask(address: str, port: int, url: str, *, patience_s: float = PATIENCE_S) -> Instance | Silence:
    """Who is there? No proxy is asked, and `patience_s` is for all of the answer.

    Where nobody can be reached, as at an address that this machine lacks, nothing listens.
    """
    try:
        there = socket.create_connection((address, port), timeout=patience_s)
    except TimeoutError:
        return Silence.FOREIGN
    except OSError:
        return Silence.NOTHING
    connection = http.client.HTTPConnection(address, port)
    connection.sock = there
    enough = threading.Timer(patience_s, _hang_up, [there])
    enough.daemon = True
    enough.start()
    try:
        connection.request("GET", "/api/runtime")
        told: Any = json.loads(connection.getresponse().read(MOST_BYTES))
    except (OSError, http.client.HTTPException, ValueError, RecursionError):
        return Silence.FOREIGN
    finally:
        enough.cancel()
        connection.close()
    return read_instance(told, url) or Silence.FOREIGN


def _hang_up(there: socket.socket) -> None:
    """Whoever says a byte now and then is not waited for."""
    with contextlib.suppress(OSError):
        there.shutdown(socket.SHUT_RDWR)


def read_instance(told: Any, url: str) -> Instance | None:  # noqa: ANN401 - JSON enters here
    """The playground that says this of itself; None where no playground speaks so."""
    try:
        model_id, pid = told["modelId"], told["pids"]["server"]
    except (KeyError, TypeError):
        return None
    if not isinstance(model_id, str) or type(pid) is not int:
        return None
    model = Model(
        model_id,
        _of(str, told.get("artifact")),
        _of(int, told.get("modelBytes")),
        _of(str, told.get("artifactSha256")),
    )
    failed = told.get("state") == "failed"
    return Instance(url, model, pid, str(told.get("reason")) if failed else None)


def model_asked_for(settings: Settings) -> Model | None:
    """The model that these settings serve; None where its folder does not say."""
    if settings.script:
        return Model("scripted")
    folder = settings.model_dir
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        model_id, artifact = str(manifest["model_id"]), str(manifest["artifact"])
        size = (folder / artifact).stat().st_size
    except (OSError, ValueError, KeyError, TypeError):
        return None
    try:
        sha256 = _of(str, manifest["files"][artifact]["sha256"])
    except (KeyError, TypeError):
        sha256 = None
    return Model(model_id, (folder / artifact).name, size, sha256)


def _of(kind: type[T], value: object) -> T | None:
    return value if isinstance(value, kind) else None
