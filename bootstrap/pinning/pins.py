"""What is pinned: a runtime, a model, and the pair of the two with its options?

Values only; `pins_file` reads them, `choosing` picks one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = [
    "Model",
    "Options",
    "Pin",
    "PinnedFile",
    "Pins",
    "Platform",
    "Runtime",
    "Tool",
    "WorkerKind",
]

WorkerKind = Literal["python", "native"]
Platform = Literal["any", "macos-arm64"]


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """One file, and what is known of it."""

    path: str
    """Below the folder of what it belongs to."""
    role: str = ""
    """`program`, `tokenizer`, `template`, `positions`, `manifest`, `licence`."""
    bytes: int | None = None
    sha256: str | None = None
    source: str = ""
    """Its path where it is published; empty where that is `path`."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """What runs a model."""

    name: str
    why: str
    worker: WorkerKind
    """`python`: a module, in an environment of its own; `native`: a program that is built."""
    executorch: str
    """A release, or the commit that a native worker is built from."""
    module: str
    """The module that is the worker, or the program's name."""
    torch: str = ""
    python: str = ""
    """`3.12`; empty for the one that runs bootstrap."""
    packages: tuple[str, ...] = ()
    """What pip installs besides the two; for a native worker, besides torch."""
    loads: str = ""
    """`module:function`: what the worker loads before any program, for the probe."""
    flags: tuple[str, ...] = ()
    """What the worker is always told."""
    repository: str = ""
    build: tuple[str, ...] = ()
    """The commands that build it."""
    patch: PinnedFile | None = None
    folder: Path | None = None
    """What `patch` is relative to."""
    products: tuple[str, ...] = ()
    """What `build` leaves, below the source tree: the worker's program, and what belongs beside."""
    platform: Platform = "any"
    """Where it can be prepared and run."""


@dataclass(frozen=True, slots=True)
class Model:
    """What is run."""

    name: str
    why: str
    folder: Path
    files: tuple[PinnedFile, ...]
    revision: str = ""
    repository: str = ""
    url: str = ""
    """Where each file is published, with `{revision}` and `{path}`; empty where it is shipped."""
    manifest: Mapping[str, object] = field(default_factory=dict)
    """What `manifest.json` is to say of it beside its files, where nobody ships one."""

    def file(self, role: str) -> PinnedFile | None:
        """The file with this role."""
        return next((file for file in self.files if file.role == role), None)


@dataclass(frozen=True, slots=True)
class Tool:
    """A program that is fetched for bootstrap's own use."""

    name: str
    why: str
    version: str
    url: str
    """Where its archive is, with `{version}` and `{platform}`."""
    archives: Mapping[str, str]
    """SHA-256 of the archive, by platform as its publisher names it."""


@dataclass(frozen=True, slots=True)
class Options:
    """What else can be said of a pair."""

    threads: int | None = None
    """None leaves the number to the worker, which measures it at each start."""
    dflash: bool = True
    worker: str = ""
    """Another module in place of the runtime's."""


@dataclass(frozen=True, slots=True)
class Pin:
    """A pair, chosen."""

    name: str
    """As it was asked for."""
    kind: Literal["pin", "release"]
    why: str
    runtime: Runtime
    model: Model
    options: Options = field(default_factory=Options)

    @property
    def module(self) -> str:
        """The module that is the worker."""
        return self.options.worker or self.runtime.module


@dataclass(frozen=True, slots=True)
class Pins:
    """A pins file, whole."""

    path: Path
    default: str
    """The pin that a bare release takes everything else from."""
    runtimes: Mapping[str, Runtime]
    models: Mapping[str, Model]
    pins: Mapping[str, Pin]
    tools: Mapping[str, Tool] = field(default_factory=dict)
