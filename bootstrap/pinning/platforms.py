"""Can a runtime be made and run on this machine?

A runtime of `platform = "any"` can be everywhere; `macos-arm64` needs macOS on Apple silicon, and a
Python that says so: one that runs under Rosetta would build for Intel.
"""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bootstrap.pinning.pins import Runtime

__all__ = ["platform_of_this_machine", "why_not_here"]

IN_WORDS = {"macos-arm64": "macOS on Apple silicon"}
SYSTEMS = {"Darwin": "macos"}


def platform_of_this_machine() -> str:
    """`macos-arm64`, `linux-x86_64`: as `Runtime.platform` names it."""
    system = SYSTEMS.get(platform.system(), platform.system().lower())
    return f"{system}-{platform.machine().lower()}"


def why_not_here(runtime: Runtime, here: str) -> str:
    """Why a runtime cannot be made on this platform, as the end of a sentence; empty if it can."""
    if runtime.platform in {"any", here}:
        return ""
    return f"needs {IN_WORDS.get(runtime.platform, runtime.platform)}, and this is {here}"
