"""What has a running process really loaded? Read from it, since an environment can be bypassed.

Versions and the hash of the model's program are what the server says of its worker in
`/api/runtime`; the worker hashes the file that it loaded.  Native libraries are read from the
worker's own memory map, where it runs on this machine: of the runtime, torch's CPU kernels, and the
program itself where that is no Python.

    Linux   /proc/PID/maps
    macOS   `lsof -p PID`, whose `txt` files are what is mapped as code; not run on a Mac yet

`bootstrap/python/probing.py` looks by the same rule when it makes an environment.
"""

from __future__ import annotations

import hashlib
import sys
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.gate.machine_facts import said
from harness.gate.pins import Loaded
from harness.target import worker_here

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from harness.target import Target

__all__ = ["find_loaded", "libraries_of", "mismatch", "of_runtime", "parse_lsof", "parse_maps"]

PACKAGE, TORCH = "executorch", "libtorch_cpu."
VERSIONS = {"executorch": "executorchVersion", "torch": "torchVersion"}
GONE = "the file is no longer there"
"""In place of a hash."""
DELETED = " (deleted)"


def find_loaded(target: Target, runtime: Mapping[str, object] | None) -> Loaded | None:
    """What the worker of a target has loaded, by what its `/api/runtime` says.

    None where it says nothing.  Libraries are empty where it runs elsewhere, does not tell its
    process, or may not be looked at.
    """
    if runtime is None:
        return None
    pid = worker_here(target.url, runtime)
    if pid is None:
        return Loaded(*of_runtime(runtime))
    libraries = {path.name.removesuffix(DELETED): _hash(path) for path in _mapped(pid)}
    return Loaded(*of_runtime(runtime), libraries=libraries)


def of_runtime(runtime: Mapping[str, Any]) -> tuple[Mapping[str, str], str]:
    """The versions that `/api/runtime` tells, and the hash of the program."""
    told = {package: runtime.get(key) for package, key in VERSIONS.items()}
    told["python"] = runtime.get("workerPythonVersion")
    versions = {package: str(version) for package, version in told.items() if version}
    return versions, str(runtime.get("artifactSha256") or "")


def mismatch(expected: Loaded, loaded: Loaded) -> tuple[str, ...]:
    """What was not loaded as it was pinned, a sentence each; what is not known is not compared."""
    return (
        *_versions_apart(expected.versions, loaded.versions),
        *_programs_apart(expected.artifact_sha256, loaded.artifact_sha256),
        *_libraries_apart(expected.libraries, loaded.libraries),
    )


def parse_maps(text: str) -> tuple[Path, ...]:
    """The files that `/proc/PID/maps` shows as mapped, each once."""
    paths = (line.split(maxsplit=5)[5:] for line in text.splitlines())
    return _once(path for (path,) in filter(None, paths) if path.startswith("/"))


def libraries_of(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The shared libraries among what Linux has mapped: data and caches are mapped as well."""
    return tuple(path for path in paths if ".so" in str(path))


def parse_lsof(text: str) -> tuple[Path, ...]:
    """The files that `lsof -Ffn` shows as mapped code, each once: a line `ftxt`, then `n/path`."""
    named = (
        name.removeprefix("n")
        for kind, name in pairwise(text.splitlines())
        if kind == "ftxt" and name.startswith("n/")
    )
    return _once(named)


def _once(paths: Iterable[str]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(Path(path) for path in paths))


def _versions_apart(wanted: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    apart = []
    for package, version in wanted.items():
        has = found.get(package)
        if has is None:
            apart.append(f"it does not say which {package} it has; {version} is pinned")
        elif has != version and has.partition("+")[0] != version:  # a pin may leave out the build
            apart.append(f"it has {package} {has}, and {version} is pinned")
    return apart


def _programs_apart(wanted: str, found: str) -> list[str]:
    if not wanted or wanted == found:
        return []
    return [f"its model program has SHA-256 {found or 'unknown'}, and {wanted} is pinned"]


def _libraries_apart(wanted: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    if not wanted:
        return []
    if not found:
        return ["which libraries it has loaded cannot be read"]
    apart = []
    for name in dict.fromkeys([*wanted, *found]):
        if name not in found:
            apart.append(f"it has not loaded {name}, which its environment has")
        elif name not in wanted:
            apart.append(f"it has loaded {name}, which was not loaded when it was prepared")
        elif wanted[name] != found[name]:
            apart.append(f"its {name} is {found[name]}, and {wanted[name]} was installed")
    return apart


def _matters(path: Path) -> bool:
    """Whether a library is of the runtime: below the installed package, or torch's CPU kernels."""
    if path.name.startswith(TORCH):
        return True
    return any(pair == ("site-packages", PACKAGE) for pair in pairwise(path.parts))


def _mapped(pid: int) -> Iterable[Path]:
    """The libraries of a process, as far as we may look; and its program where that is native."""
    if sys.platform == "darwin":
        every = parse_lsof(said("lsof", "-w", "-n", "-P", "-p", str(pid), "-Ffn"))
        program = every[:1]
    else:
        try:
            maps = Path(f"/proc/{pid}/maps").read_text(encoding="utf-8", errors="surrogateescape")
            program = (Path(f"/proc/{pid}/exe").readlink(),)
        except OSError:
            return ()
        every = libraries_of(parse_maps(maps))
    native = [path for path in program if not path.name.lower().startswith("python")]
    return [*native, *(path for path in every if _matters(path))]


def _hash(path: Path) -> str:
    """SHA-256 of a mapped file; `GONE` where another file, or none, has taken its place."""
    if path.name.endswith(DELETED):
        return GONE
    try:
        state = path.stat()
        return _hash_of(path, state.st_ino, state.st_size, state.st_mtime_ns)
    except OSError:
        return GONE


@lru_cache(maxsize=256)
def _hash_of(path: Path, inode: int, size: int, changed_ns: int) -> str:  # noqa: ARG001
    """Of a file as it is; a file that was changed is another entry."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
