"""How does the pinned patch get into the pinned source? Onto the pristine tree, always.

The tree is put back to its commit first, so it does not matter which patch was there before, and
one that does not apply leaves the pristine tree.  Two things stay as they are:

- the build folder, so that another patch builds what it touches and no more;
- the submodules, which no patch of ours touches.  The build patches MLX there itself, and notes in
  the build folder that it did: put back, MLX would be built again without its patches.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bootstrap.errors import StageFailed
from bootstrap.native.git import git_environment, remove_leftovers
from bootstrap.pinning.verification import file_sha256
from bootstrap.running.commands import CommandFailed, what_to_do
from bootstrap.running.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bootstrap.layout import RuntimeFolder
    from bootstrap.pinning.pins import Runtime
    from bootstrap.running.commands import Commands

__all__ = ["patch_stage"]

STAGE = "patch"


def patch_stage(runtime: Runtime, folder: RuntimeFolder, *, run: Commands) -> Stage:
    """The stage that leaves the commit with the patch, or the commit alone where none is pinned."""
    patch = runtime.patch
    path = None if patch is None or runtime.folder is None else runtime.folder / patch.path
    work = _Patching(
        folder.source,
        runtime.executorch,
        path,
        (patch.sha256 or "") if patch else "",
        tuple(dict.fromkeys(product.partition("/")[0] for product in runtime.products)),
        folder.log,
        replace(run, environ=git_environment(run.environ)),
    )
    sha256 = file_sha256(path) if path is not None and path.is_file() else ""
    return Stage(
        STAGE,
        patch.path if patch else "the tree as it is: no patch is pinned",
        {"commit": runtime.executorch, "patch": sha256},
        work.make,
    )


@dataclass(frozen=True, slots=True)
class _Patching:
    tree: Path
    commit: str
    patch: Path | None
    pinned_sha256: str
    """Empty where the pin does not say it."""
    kept: Sequence[str]
    """What the build makes at the top of the tree."""
    log: Path
    run: Commands

    def make(self) -> None:
        self._refuse_another()
        remove_leftovers(self.tree / ".git")
        self._restore()
        if self.patch is None:
            return
        try:
            self._git("apply", "--check", str(self.patch))
        except CommandFailed as problem:
            raise self._failed(problem, self._fits()) from problem
        try:
            self._git("apply", str(self.patch))
        except CommandFailed as problem:
            self._restore()
            raise self._failed(problem, self._fits()) from problem

    def _refuse_another(self) -> None:
        if self.patch is None:
            return
        if not self.patch.is_file():
            hint = "restore it: git checkout has it"
            raise StageFailed(STAGE, f"{self.patch}: there is no such file", hint=hint)
        found = file_sha256(self.patch)
        if self.pinned_sha256 and found != self.pinned_sha256:
            problem = f"{self.patch}: its SHA-256 is {found}, and {self.pinned_sha256} is pinned"
            raise StageFailed(
                STAGE, problem, hint="restore it, or pin what is there if it is meant"
            )

    def _restore(self) -> None:
        try:
            self._git("reset", "--hard", "--quiet", self.commit)
            kept = [f"--exclude=/{name}" for name in self.kept]
            self._git("clean", "-fdx", "--quiet", *kept)
        except CommandFailed as problem:
            again = "python -m bootstrap --force source fetches the tree anew"
            raise self._failed(problem, again) from problem

    def _git(self, *arguments: str) -> None:
        self.run(["git", "-C", str(self.tree), *arguments], on_line=lambda _: None)

    def _fits(self) -> str:
        return f"a patch is made against one commit: this one has to fit {self.commit[:12]}"

    def _failed(self, problem: CommandFailed, hint: str) -> StageFailed:
        return StageFailed(STAGE, str(problem), hint=what_to_do(problem, hint), log=self.log)
