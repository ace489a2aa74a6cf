"""What is a native worker, and does it start? Its program and what it loads, by hash.

    {"home": ".", "libraries": {"muse_glimmer_worker": {"path": "src/…", "sha256": "…"}},
     "files": {"mlx.metallib": {"path": "src/…", "sha256": "…"}, …}}

Paths are relative to the runtime's folder.  `libraries` is what a process of it can be seen to have
loaded, `files` what else the program needs: its Metal kernels, and dynamic libraries of the build.

The program is started once without arguments: it then asks for them and ends with 1, which shows
that the system can load it.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bootstrap.errors import StageFailed
from bootstrap.native.build import beside_program
from bootstrap.pinning.verification import file_sha256
from bootstrap.running.commands import CommandFailed
from bootstrap.running.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bootstrap.layout import RuntimeFolder
    from bootstrap.pinning.pins import Runtime
    from bootstrap.running.commands import Run

__all__ = ["native_probe_stage"]

STAGE = "native-probe"
ASKS_FOR_ARGUMENTS = 1
"""The code that the worker ends with where it is told no model."""


def native_probe_stage(runtime: Runtime, folder: RuntimeFolder, *, run: Run) -> Stage:
    """The stage that leaves `folder.probe`."""
    work = _NativeProbe(runtime, folder, run)
    return Stage(
        STAGE,
        "what was built, by hash, and whether it starts",
        {"script": file_sha256(Path(__file__))},
        work.make,
        folder.probe.exists,
    )


@dataclass(frozen=True, slots=True)
class _NativeProbe:
    runtime: Runtime
    folder: RuntimeFolder
    run: Run

    def make(self) -> None:
        program, *others = beside_program(self.runtime, self.folder)
        self._start(program)
        found = {
            "home": ".",
            "libraries": {program.name: self._entry(program)},
            "files": {path.name: self._entry(path) for path in [*others, *self._linked(program)]},
        }
        fresh = self.folder.probe.with_suffix(".new")
        fresh.write_text(json.dumps(found, indent=2, sort_keys=True) + "\n", encoding="utf-8")
        fresh.replace(self.folder.probe)

    def _start(self, program: Path) -> None:
        try:
            self.run([str(program)], on_line=lambda _: None)
        except CommandFailed as problem:
            if problem.code == ASKS_FOR_ARGUMENTS:
                return
            raise self._failed(str(problem)) from problem
        raise self._failed(f"{program}: ended with code 0, where it should ask for a model")

    def _failed(self, problem: str) -> StageFailed:
        hint = "started without arguments, a worker that can be loaded ends with code 1"
        return StageFailed(STAGE, problem, hint=hint, log=self.folder.log)

    def _entry(self, path: Path) -> dict[str, str]:
        return {"path": str(path.relative_to(self.folder.path)), "sha256": file_sha256(path)}

    def _linked(self, program: Path) -> Iterator[Path]:
        """Dynamic libraries of the build that the program names; none, where all is static."""
        lines: list[str] = []
        tool = ["otool", "-L"] if sys.platform == "darwin" else ["ldd"]
        try:
            self.run([*tool, str(program)], on_line=lines.append)
        except CommandFailed:  # no such tool, or nothing that it can read
            return
        named = {line.split()[0].rpartition("/")[2] for line in lines if line.startswith("\t")}
        build = self.folder.source / self.runtime.products[0].partition("/")[0]
        for path in sorted(build.rglob("*")):
            if path.name in named and path.is_file():
                yield path
