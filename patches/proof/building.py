"""How is one program of the proof compiled?"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from patches.proof.tree import Tree

__all__ = ["CPP", "Compiler", "Program", "shadow"]

CPP = Path(__file__).parent / "cpp"

RUNTIME = (
    "runtime/platform/abort.cpp",
    "runtime/platform/default/posix.cpp",
    "runtime/platform/log.cpp",
    "runtime/platform/platform.cpp",
    "runtime/platform/profiler.cpp",
    "runtime/platform/runtime.cpp",
)
"""The part of ExecuTorch's runtime that a worker without an engine needs."""

ENGINE = "examples/models/muse-glimmer/runtime/engine"


@dataclass(frozen=True, slots=True)
class Program:
    """One thing to compile; only looked at by the compiler where it has no `name`."""

    source: str
    """Below the tree, or a file of `cpp`."""
    name: str = ""
    sanitizers: str = ""
    defines: tuple[str, ...] = ()
    fake: bool = False
    """Against the fake engine."""
    libraries: tuple[str, ...] = ()
    needs: tuple[str, ...] = ("json", "tokenizers")
    """Headers, by the keys of HEADERS."""


@dataclass(frozen=True, slots=True)
class Compiler:
    """A compiler, and where it finds what is not in the tree."""

    command: str
    headers: Mapping[str, Path]

    def argv(self, program: Program, tree: Tree, into: Path) -> list[str]:
        """The command that compiles it; `into` is the folder of the finished programs."""
        source = CPP / program.source
        if not source.is_file():
            source = tree.root / program.source
        includes = [*([into / "shadow"] if program.fake else []), CPP, tree.include]
        includes += [tree.root / "runtime/core/portable_type/c10"]
        found = dict.fromkeys(self.headers[need] for need in program.needs)
        # Never -I of the system's own folder: it would come before the compiler's.
        includes += [folder for folder in found if folder != Path("/usr/include")]
        argv = [self.command, "-std=c++17", "-Wall", "-Wno-deprecated-declarations"]
        argv += ["-Wno-attributes", "-DC10_USING_CUSTOM_GENERATED_MACROS"]
        argv += [f"-D{define}" for define in program.defines]
        argv += [f"-I{folder}" for folder in includes]
        if not program.name:
            return [*argv, "-fsyntax-only", str(source)]
        argv += ["-g", "-O1", "-pthread"]
        if program.sanitizers:
            argv += [f"-fsanitize={program.sanitizers}", "-fno-omit-frame-pointer"]
        sources = [source, *(tree.root / each for each in RUNTIME)]
        argv += [*map(str, sources), *(f"-l{each}" for each in program.libraries)]
        return [*argv, "-o", str(into / program.name)]

    def compile(self, program: Program, tree: Tree, into: Path) -> str:
        """Compile it; what the compiler said if that failed, else nothing."""
        done = subprocess.run(
            self.argv(program, tree, into), capture_output=True, text=True, check=False
        )
        return "" if done.returncode == 0 else done.stderr or "failed"


def shadow(into: Path) -> None:
    """Lay the fake engine where the real one is included from."""
    folder = into / "shadow" / "executorch" / ENGINE
    folder.mkdir(parents=True)
    for name in ("muse_glimmer_engine.h", "dflash_session.h"):
        (folder / name).write_text('#pragma once\n#include "fake_engine.h"\n', encoding="utf-8")
