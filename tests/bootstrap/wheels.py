"""A package index in a folder, of wheels that hold next to nothing, and a pin made of them."""

from __future__ import annotations

import hashlib
import os
import shlex
import sysconfig
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from bootstrap.layout import Layout
from bootstrap.pinning.pins import Model, Options, Pin, PinnedFile, Runtime

if TYPE_CHECKING:
    from collections.abc import Mapping

LIBRARY = next(Path(sysconfig.get_config_var("DESTSHARED") or "").glob("_json*.so"), None)
"""Some native library of this Python's, to stand for one of the runtime's."""

LOADER = """
import ctypes
from pathlib import Path

import executorch
import torch


def load():
    print("what native libraries print")
    for library in Path(executorch.__file__).parent.glob("*.so"):
        ctypes.CDLL(str(library))
"""


def wheel(folder: Path, name: str, version: str, files: Mapping[str, bytes] | None = None) -> None:
    """Put a wheel of one package into a folder."""
    info = f"{name}-{version}.dist-info"
    content = {
        f"{name}/__init__.py": b"",
        **(files or {}),
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},,\n" for path in [*content, f"{info}/RECORD"])
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        for path, data in {**content, f"{info}/RECORD": record.encode()}.items():
            archive.writestr(path, data)


def index(folder: Path, *releases: str) -> str:
    """An index with these releases of executorch, and torch; the arguments that have pip use it."""
    library = {"executorch/libmine.so": LIBRARY.read_bytes()} if LIBRARY else {}
    for release in releases:
        wheel(folder, "executorch", release, library)
    wheel(folder, "torch", "2.0")
    return shlex.join(["--no-index", "--find-links", str(folder)])


def without_settings() -> dict[str, str]:
    """An environment in which pip is as nobody has configured it."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PIP_")}
    return {**kept, "PIP_CONFIG_FILE": os.devnull, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def checkout(folder: Path) -> Layout:
    """A checkout whose worker loads what the wheels hold."""
    (folder / "mine").mkdir(parents=True)
    (folder / "mine" / "loading.py").write_text(LOADER, encoding="utf-8")
    return Layout(folder, folder / ".runtime")


def pin(folder: Path, release: str = "1.0", *, loads: str = "mine.loading:load") -> Pin:
    """A pin of a release, with a model of one file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "m.pte").write_bytes(b"abc")
    program = PinnedFile("m.pte", "program", 3, hashlib.sha256(b"abc").hexdigest())
    runtime = Runtime("rt", "why", "python", release, "mine.worker", torch="2.0", loads=loads)
    return Pin(
        "p", "pin", "why", runtime, Model("m", "why", folder, (program,)), Options(threads=1)
    )
