"""A Mac, as far as commands tell: scripts on a PATH, each of which can be left out or changed."""

from __future__ import annotations

import shlex
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["MAC", "fake_mac", "sysctl"]


def sysctl(
    memory_bytes: int = 64 * 2**30,
    chip: str = "Apple M5 Max",
    *,
    arm64: bool = True,
    rosetta: int = 0,
) -> str:
    """The script of a `sysctl` that tells of this."""
    lines = [f"hw.memsize: {memory_bytes}", f"machdep.cpu.brand_string: {chip}"]
    if arm64:
        lines += ["hw.optional.arm64: 1", f"sysctl.proc_translated: {rosetta}"]
    return "\n".join(f"echo {shlex.quote(line)}" for line in lines)


MAC = {
    "uname": "echo Darwin arm64",
    "sysctl": sysctl(),
    "sw_vers": "echo 26.1",
    "pmset": "echo \"Now drawing from 'AC Power'\"",
    "xcode-select": "echo /Applications/Xcode.app/Contents/Developer",
    "xcodebuild": "echo Xcode 26.1; echo Build version 17B55",
    "xcrun": 'case "$*" in *--find*) echo /Toolchains/Metal.xctoolchain/usr/bin/metal;;'
    " *) echo Apple metal version 32023.830;; esac",
    "git": "echo git version 2.50.1",
    "node": "echo v22.12.0",
    "npm": "echo 10.9.0",
}
"""What each command does, as the body of a shell script."""


def fake_mac(folder: Path, changes: Mapping[str, str | None] | None = None) -> dict[str, str]:
    """An environment whose PATH holds these commands, and the few that their shell needs.

    A change of None leaves the command out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, body in {**MAC, **(changes or {})}.items():
        path = folder / name
        path.unlink(missing_ok=True)
        if body is not None:
            path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
            path.chmod(0o755)
    for name in ("sh", "cat", "sleep", "ps"):
        if (found := shutil.which(name)) and not (folder / name).exists():
            (folder / name).symlink_to(found)
    return {"PATH": str(folder), "HOME": str(folder)}
