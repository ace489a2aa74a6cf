"""On what machine, and with which versions, was this measured?

Two results may be compared only where these agree in everything but the thing under test.
Nothing here names a person, a host or a folder.
"""

from __future__ import annotations

import os
import platform
import subprocess
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

__all__ = ["Commit", "Fingerprint", "fingerprint"]

PACKAGES = ("muse-bench", "httpx", "httpcore", "pydantic", "rich")
"""Whatever takes part in a measurement on the harness's side."""


@dataclass(frozen=True, slots=True)
class Commit:
    """Which source this is."""

    revision: str
    dirty: bool
    """Whether tracked files differ from the revision, or there are files it does not know."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The machine and the harness, as far as they can change a number."""

    system: str
    machine: str
    processor: str
    cores: int
    """Cores this process may use."""
    memory_bytes: int | None
    python: str
    packages: dict[str, str]
    commit: Commit | None
    """None where the harness does not run from a checkout."""


def fingerprint(root: Path | None = None) -> Fingerprint:
    """This machine and this harness; `root` is the checkout, the harness's own if not given.

    Our own is read once: what was loaded then is what measures, whatever is changed meanwhile.
    """
    return _fingerprint(root) if root else _own()


@cache
def _own() -> Fingerprint:
    return _fingerprint(Path(__file__).resolve().parent.parent)


def _fingerprint(root: Path) -> Fingerprint:
    return Fingerprint(
        system=f"{platform.system()} {platform.release()}",
        machine=platform.machine(),
        processor=_processor(),
        cores=_cores(),
        memory_bytes=_memory(),
        python=f"{platform.python_implementation()} {platform.python_version()}",
        packages={name: version for name in PACKAGES if (version := _version(name))},
        commit=_commit(root),
    )


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    """The processor's name for people; the architecture where no better one is told."""
    if platform.system() == "Darwin":
        return _said("sysctl", "-n", "machdep.cpu.brand_string") or platform.machine()
    try:
        cpuinfo = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    lines = (line for line in cpuinfo.splitlines() if line.startswith("model name"))
    return next((line.partition(":")[2].strip() for line in lines), platform.machine())


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return None


def _commit(root: Path) -> Commit | None:
    if not (root / ".git").exists():
        return None
    revision = _said("git", "-C", str(root), "rev-parse", "HEAD")
    if not revision:
        return None
    return Commit(revision, dirty=bool(_said("git", "-C", str(root), "status", "--porcelain")))


def _said(*command: str) -> str:
    """What a command printed; empty where it is not there or failed."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
