"""How does the source of a native worker come here? One pinned commit, with its submodules.

    .git        begun, if there is none
    fetch       the commit alone, by its hash; not again once it is here
    checkout    the tree of that commit, whatever was there before
    submodules  those of the commit, one level of history each
    clean       nothing else: no build, no file that a patch has made

Every step can be cut and done again.  A fetch ends by naming what it brought (`refs/muse/HASH`), so
one that was cut has named nothing.  A submodule whose clone was cut has no commit yet: it is cloned
anew, and those that are whole stay.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bootstrap.errors import StageFailed
from bootstrap.native.git import GITHUB, git_environment, remove_leftovers
from bootstrap.running.commands import CommandFailed, what_to_do
from bootstrap.running.now_and_then import NowAndThen
from bootstrap.running.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from bootstrap.layout import RuntimeFolder
    from bootstrap.pinning.pins import Runtime
    from bootstrap.running.commands import Commands

__all__ = ["source_stage"]

STAGE = "source"
JOBS = 8
"""Submodules that are fetched at once."""
PROGRESS = re.compile(r"(Receiving|Updating|Resolving|Submodule path|Cloning)\b.*")
DOWNLOAD_BYTES = 700_000_000
DISK_BYTES = 2_500_000_000
"""Estimates, for the plan: how well a server packs a tree is its own affair."""


def source_stage(
    runtime: Runtime,
    folder: RuntimeFolder,
    *,
    mirror: str,
    run: Commands,
    tell: Callable[[str], None],
) -> Stage:
    """The stage that leaves the pinned commit in `folder.source`, and nothing else."""
    environ = git_environment(run.environ, mirror)
    work = _Source(
        folder.source,
        runtime.repository,
        runtime.executorch,
        folder.log,
        replace(run, environ=environ),
        NowAndThen(tell),
    )
    here = work.is_there()
    return Stage(
        STAGE,
        f"ExecuTorch at {runtime.executorch[:12]}, with its submodules",
        {"commit": runtime.executorch},
        work.make,
        work.is_there,
        download_bytes=0 if here else DOWNLOAD_BYTES,
        disk_bytes=0 if here else DISK_BYTES,
        network=not here,
    )


@dataclass(frozen=True, slots=True)
class _Source:
    tree: Path
    repository: str
    commit: str
    log: Path
    run: Commands
    progress: NowAndThen

    def is_there(self) -> bool:
        """Whether the commit is checked out, by what git wrote down when it was."""
        try:
            return (self.tree / ".git" / "HEAD").read_text(encoding="ascii").strip() == self.commit
        except (OSError, ValueError):
            return False

    def make(self) -> None:
        self.tree.mkdir(parents=True, exist_ok=True)
        remove_leftovers(self.tree / ".git")
        self._git("init", "--quiet", "--template=")
        # What a submodule's address may be relative to.
        self._git("config", "remote.origin.url", self.repository)
        name = f"refs/muse/{self.commit}"
        if not self._says("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"):
            fetch = ("fetch", "--depth=1", "--no-tags", "--progress", "--force")
            self._git(*fetch, self.repository, f"{self.commit}:{name}")
        self._git("checkout", "--force", "--detach", "--progress", self.commit)
        self._git("clean", "-ffdx", "--quiet")
        self._drop_half_clones(self.tree / ".git", self.tree)
        self._git("submodule", "--quiet", "sync", "--recursive")
        update = ("submodule", "update", "--init", "--recursive", "--force", "--progress")
        self._git(*update, "--depth=1", f"--jobs={JOBS}")
        self._git("submodule", "--quiet", "foreach", "--recursive", "git clean -ffdx --quiet")

    def _drop_half_clones(self, repository: Path, tree: Path) -> None:
        """Remove each submodule that has no commit, at any depth: git would not clone it again."""
        for name, path in self._submodules(tree):
            module = repository / "modules" / name
            if not module.exists():
                continue
            if self._is_whole(module):
                self._drop_half_clones(module, tree / path)
            else:
                shutil.rmtree(module)
                shutil.rmtree(tree / path, ignore_errors=True)

    def _submodules(self, tree: Path) -> Iterator[tuple[str, str]]:
        """Name and path of each one that a tree says it has."""
        told = tree / ".gitmodules"
        if not told.is_file():
            return
        lines = self._says("config", "--file", str(told), "--get-regexp", r"^submodule\..*\.path$")
        for line in lines:
            key, _, path = line.partition(" ")
            yield key.removeprefix("submodule.").removesuffix(".path"), path

    def _is_whole(self, module: Path) -> bool:
        # Its own idea of a work tree may be of a folder that is not there yet.
        where = (f"--git-dir={module}", f"--work-tree={module}")
        return bool(self._says(*where, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"))

    def _says(self, *arguments: str) -> list[str]:
        """The lines that git prints; none where it fails."""
        lines: list[str] = []
        try:
            self.run(["git", "-C", str(self.tree), *arguments], on_line=lines.append)
        except CommandFailed as problem:
            if problem.code is None:
                raise self._failed(problem) from problem
            return []
        return lines

    def _git(self, *arguments: str) -> None:
        try:
            self.run(["git", "-C", str(self.tree), *arguments], on_line=self._heard)
        except CommandFailed as problem:
            raise self._failed(problem) from problem

    def _heard(self, line: str) -> None:
        if said := PROGRESS.search(line):
            self.progress(f"{STAGE}: {said[0]}")

    def _failed(self, problem: CommandFailed) -> StageFailed:
        hint = f"is the network within reach? MUSE_GIT_MIRROR names a mirror of {GITHUB}"
        if problem.code is None:
            hint = "install git; on a Mac: xcode-select --install"
        return StageFailed(STAGE, str(problem), hint=what_to_do(problem, hint), log=self.log)
