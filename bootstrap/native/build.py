"""How is a native worker built? By the pin's commands, with the tools of its environment.

A build that was cut goes on: Ninja knows what is done.  So does one behind another patch.  Another
commit, other commands, tools or compilers begin with an empty build folder, since nothing but the
source is looked at by Ninja.

MLX looks for its Metal kernels (`mlx.metallib`) beside the program.  Upstream's CMake copies them
there for some examples, and for Muse Glimmer it means to and does not: `EXECUTORCH_BUILD_MLX` is
not set where that example is built.  So each product that is not the program is put beside it.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bootstrap.errors import StageFailed
from bootstrap.native.git import git_environment
from bootstrap.pinning.verification import file_sha256
from bootstrap.running.commands import CommandFailed, what_to_do
from bootstrap.running.now_and_then import NowAndThen
from bootstrap.running.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from bootstrap.layout import RuntimeFolder
    from bootstrap.pinning.pins import Runtime
    from bootstrap.running.commands import Commands

__all__ = ["beside_program", "build_stage"]

STAGE = "build"
GROUND = "made-of.json"
"""In the build folder: what must be the same for what is built there to be of any use."""
STEP = re.compile(r"\[\d+/\d+\]\s.*")
"""Ninja's: `[12/345] Building CXX object …`."""
ELSEWHERE = {
    *("CONDA_PREFIX", "CONDA_DEFAULT_ENV", "PKG_CONFIG_PATH"),
    *("CC", "CXX", "OBJC", "OBJCXX", "SDKROOT", "MACOSX_DEPLOYMENT_TARGET"),
    *("CFLAGS", "CXXFLAGS", "OBJCFLAGS", "OBJCXXFLAGS", "CPPFLAGS", "LDFLAGS"),
    *("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH", "LIBRARY_PATH"),
}
"""Variables by which the build would take other compilers, or find what is installed elsewhere.

conda sets most of them, Homebrew has people set some, and no stamp knows of any."""
OF_CMAKE = re.compile(r"CMAKE_(?!BUILD_PARALLEL_LEVEL$|GENERATOR$|\w+_COMPILER_LAUNCHER$)\w+")
"""The same of CMake's own, which has dozens; a compiler's cache may stay."""
DOWNLOAD_BYTES = 100_000_000
DISK_BYTES = 3_000_000_000
"""Estimates, for the plan: MLX's own dependencies, and objects of a release build."""


def build_stage(
    runtime: Runtime,
    folder: RuntimeFolder,
    *,
    toolchain: Mapping[str, str],
    mirror: str,
    run: Commands,
    tell: Callable[[str], None],
) -> Stage:
    """The stage that leaves the products; `toolchain` is what the compilers are."""
    begun = {
        **git_environment(run.environ, mirror),
        "PATH": os.pathsep.join((str(folder.python.parent), run.environ.get("PATH", os.defpath))),
        # CMake would take the newest Python of the system, and not the one of the environment.
        "VIRTUAL_ENV": str(folder.venv),
        "CMAKE_GENERATOR": "Ninja",
        "CMAKE_BUILD_PARALLEL_LEVEL": run.environ.get(
            "CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1)
        ),
    }
    environ = {key: value for key, value in begun.items() if not _misleads(key)}
    work = _Build(runtime, folder, toolchain, replace(run, environ=environ), NowAndThen(tell, 10.0))
    fresh = not work.is_begun()
    return Stage(
        STAGE,
        "; ".join(runtime.build),
        {
            "commands": runtime.build,
            "products": runtime.products,
            "toolchain": dict(toolchain),
        },
        work.make,
        work.is_there,
        download_bytes=DOWNLOAD_BYTES if fresh else 0,
        disk_bytes=DISK_BYTES if fresh else 0,
        network=fresh,
    )


def _misleads(variable: str) -> bool:
    return variable in ELSEWHERE or OF_CMAKE.fullmatch(variable) is not None


def beside_program(runtime: Runtime, folder: RuntimeFolder) -> tuple[Path, ...]:
    """Where the products are used: the program first, and the others in its folder."""
    names = [product.rpartition("/")[2] for product in runtime.products]
    return tuple((folder.source / runtime.products[0]).parent / name for name in names)


@dataclass(frozen=True, slots=True)
class _Build:
    runtime: Runtime
    folder: RuntimeFolder
    toolchain: Mapping[str, str]
    run: Commands
    progress: NowAndThen

    @property
    def build_folder(self) -> Path:
        return self.folder.source / self.runtime.products[0].partition("/")[0]

    @property
    def ground(self) -> dict[str, object]:
        runtime = self.runtime
        return {
            "commit": runtime.executorch,
            "commands": list(runtime.build),
            "toolchain": dict(self.toolchain),
            "packages": [runtime.python, runtime.torch, *runtime.packages],
        }

    def is_begun(self) -> bool:
        """Whether there is a build folder that can be gone on with."""
        try:
            return bool(json.loads((self.build_folder / GROUND).read_bytes()) == self.ground)
        except (OSError, ValueError):
            return False

    def is_there(self) -> bool:
        return all(path.is_file() for path in beside_program(self.runtime, self.folder))

    def make(self) -> None:
        if not self.is_begun():
            shutil.rmtree(self.build_folder, ignore_errors=True)
            self.build_folder.mkdir(parents=True, exist_ok=True)
            text = json.dumps(self.ground, indent=2) + "\n"
            (self.build_folder / GROUND).write_text(text, encoding="utf-8")
        for command in self.runtime.build:
            self._run(command)
        for product in self.runtime.products:
            if not (self.folder.source / product).is_file():
                raise StageFailed(
                    STAGE,
                    f"it ended well, and has not made {product}",
                    hint="do the pin's `products` belong to its `build`?",
                    log=self.folder.log,
                )
        self._put_beside()

    def _run(self, command: str) -> None:
        where, argv = _parsed(command)
        try:
            replace(self.run, cwd=self.folder.source / where)(argv, on_line=self._heard)
        except CommandFailed as problem:
            hint = "the log has the first error; what was built is kept, and gone on with"
            raise StageFailed(
                STAGE, str(problem), hint=what_to_do(problem, hint), log=self.folder.log
            ) from problem

    def _put_beside(self) -> None:
        used = beside_program(self.runtime, self.folder)
        for product, path in zip(self.runtime.products, used, strict=True):
            made = self.folder.source / product
            if path.is_file() and (path == made or file_sha256(path) == file_sha256(made)):
                continue
            fresh = path.with_name(f"{path.name}.new")
            shutil.copy2(made, fresh)
            fresh.replace(path)

    def _heard(self, line: str) -> None:
        if step := STEP.search(line):
            self.progress(f"{STAGE}: {step[0]}")


def _parsed(command: str) -> tuple[str, list[str]]:
    """The folder of a command below the source tree, and its words: `cd FOLDER && …`.

    Without a shell in between, a build that is stopped is stopped whole.
    """
    words = shlex.split(command)
    if words[:1] == ["cd"] and words[2:3] == ["&&"]:
        return words[1], words[3:]
    return "", words
