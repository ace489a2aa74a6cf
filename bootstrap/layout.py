"""Where is what? The checkout, and what is made for it.

.runtime/              or MUSE_RUNTIME_DIR: everything that is made here, nothing of it global
    <work>/            a row of stages: `server`, `page`, a model, a runtime
        lock           who works on it
        prepare.log    what the commands of its stages said
        stamps/        which stages are done, and of what
    <runtime>/         and that of a runtime:
        venv/          the environment of a Python worker, or the one that a native one is built in
        src/executorch the source of a native worker, and its build
        probe.json     what the worker loads, by version and hash
    server/            the same for the server: its environment has the commands in venv/bin
    profile.json       what the launcher starts
    launch/            what a launch notes of itself: the playground's own
    told.json          the model folder and port that a setup was told
    models/            what is fetched of models, unless another folder is said
    tools/, python/    the uv that is fetched, and the Pythons that it brings
    cache/             of pip, uv and npm, unless they are told of another
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bootstrap.pinning.pins import Runtime

__all__ = ["RUNTIME_DIR", "Layout", "MadeFolder", "RuntimeFolder", "layout"]

RUNTIME_DIR = "MUSE_RUNTIME_DIR"


@dataclass(frozen=True, slots=True)
class MadeFolder:
    """What is made by one row of stages: a `stages.WorkFolder`."""

    path: Path

    @property
    def lock(self) -> Path:
        """Held by whoever works on it."""
        return self.path / "lock"

    @property
    def log(self) -> Path:
        """What its commands said, the latest at the end."""
        return self.path / "prepare.log"

    @property
    def stamps(self) -> Path:
        """See `stages`."""
        return self.path / "stamps"


@dataclass(frozen=True, slots=True)
class RuntimeFolder(MadeFolder):
    """What is made for one runtime."""

    @property
    def venv(self) -> Path:
        """The environment of a Python worker, or the one that a native one is built in."""
        return self.path / "venv"

    @property
    def python(self) -> Path:
        """Its Python."""
        return self.venv / "bin" / "python"

    @property
    def source(self) -> Path:
        """The source of a native worker; upstream needs its folder to have this name."""
        return self.path / "src" / "executorch"

    @property
    def probe(self) -> Path:
        """What the probe found."""
        return self.path / "probe.json"


@dataclass(frozen=True, slots=True)
class Layout:
    """A checkout, and where things are made for it."""

    root: Path
    made: Path

    @property
    def pins_file(self) -> Path:
        """The project's own."""
        return self.root / "bootstrap" / "pins.toml"

    @property
    def cache(self) -> Path:
        """Of the commands that fetch packages."""
        return self.made / "cache"

    def work(self, name: str) -> MadeFolder:
        """The folder of a row of stages."""
        return MadeFolder(self.made / name)

    def runtime(self, runtime: Runtime) -> RuntimeFolder:
        """The folder of a runtime."""
        return RuntimeFolder(self.made / runtime.name)

    @property
    def server(self) -> RuntimeFolder:
        """The folder of the server's own environment, which has no runtime in it."""
        return RuntimeFolder(self.made / "server")


def layout(environ: Mapping[str, str]) -> Layout:
    """The checkout that this package belongs to."""
    root = Path(__file__).resolve().parent.parent
    made = environ.get(RUNTIME_DIR)
    return Layout(root, Path(made).absolute() if made else root / ".runtime")
