"""What does a Python worker load in this environment? Run by the environment's own Python.

    python -I probing.py OUT MODULE:FUNCTION PACKAGE…

calls the function, which loads what the worker loads before any program, and writes to OUT:

    {"python": "3.11.7",
     "versions": {PACKAGE: "1.5.1", …},
     "libraries": {"libexecutorch.so": {"path": "lib/…", "sha256": "…"}, …}}

`libraries` are the native ones that this process then has in memory, of ExecuTorch, and torch's
library of CPU kernels; paths are relative to the environment.  To a file, since native libraries
print to stdout whenever they like.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib
import json
import platform
import sys
from importlib import metadata
from itertools import pairwise
from pathlib import Path

__all__ = ["loaded_paths", "matters", "probe"]

PACKAGE = "executorch"
TORCH = "libtorch_cpu."


def probe(out: Path, loads: str, packages: list[str]) -> None:
    """Load, look, and write what was found."""
    module, _, function = loads.partition(":")
    home = Path(sys.prefix).resolve()
    getattr(importlib.import_module(module), function)()
    found = {
        "python": platform.python_version(),
        "versions": {name: metadata.version(name) for name in packages},
        "libraries": {
            path.name: {"path": _below(path, home), "sha256": _sha256(path)}
            for path in loaded_paths()
            if matters(path)
        },
    }
    fresh = out.with_suffix(".new")
    fresh.write_text(json.dumps(found, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    fresh.replace(out)


def matters(path: Path) -> bool:
    """Whether a library is of the runtime: below the installed package, or torch's CPU kernels."""
    parts = path.parts
    if path.name.startswith(TORCH):
        return True
    return any(pair == ("site-packages", PACKAGE) for pair in pairwise(parts))


def loaded_paths() -> list[Path]:
    """The files that this process has mapped as libraries, by Linux's or macOS's own account."""
    if sys.platform == "darwin":
        system = ctypes.CDLL(None)
        system._dyld_get_image_name.restype = ctypes.c_char_p  # noqa: SLF001  (Apple's name)
        count = system._dyld_image_count()  # noqa: SLF001
        names = [system._dyld_get_image_name(place) for place in range(count)]  # noqa: SLF001
        return sorted({Path(name.decode()) for name in names if name})
    lines = Path("/proc/self/maps").read_text(encoding="utf-8", errors="surrogateescape")
    mapped = (line.split(maxsplit=5)[5:] for line in lines.splitlines())
    return sorted({Path(path) for (path,) in (each for each in mapped if each) if ".so" in path})


def _below(path: Path, home: Path) -> str:
    real = path.resolve()
    return str(real.relative_to(home) if real.is_relative_to(home) else real)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


if __name__ == "__main__":
    probe(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
