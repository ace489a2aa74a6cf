"""Where is the pinned tree?  Laid out from a checkout into a folder of our own.

The checkout is only read, by `git archive`: neither its files nor its worktrees are touched, it
may be bare, and what it has checked out does not matter.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import tarfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["PARTS", "Tree", "TreeFailed", "lay_out"]

PARTS = (
    "backends/cuda/runtime",
    "backends/mlx/runtime",
    "examples/__init__.py",
    "examples/llm_server",
    "examples/models/__init__.py",
    "examples/models/muse-glimmer",
    "examples/models/muse_glimmer",
    "extension/data_loader",
    "extension/flat_tensor",
    "extension/kernel_util",
    "extension/llm/runner",
    "extension/llm/sampler",
    "extension/memory_allocator",
    "extension/module",
    "extension/named_data_map",
    "extension/tensor",
    "runtime",
    "schema",
)
"""What the touched files include, and upstream's tests of them."""


class TreeFailed(Exception):
    """The tree cannot be had, or the patch does not fit it."""


@dataclass(frozen=True, slots=True)
class Tree:
    """The parts of ExecuTorch that the patch is about, below a folder `executorch`."""

    root: Path

    @property
    def include(self) -> Path:
        """The folder that `<executorch/…>` is found in."""
        return self.root.parent

    def apply(self, patch: Path, *, reverse: bool = False) -> None:
        """Apply the patch, whole or not at all.

        Raises:
            TreeFailed: it does not fit.
        """
        command = ["git", "apply", "--whitespace=error-all", *(["--reverse"] if reverse else [])]
        _run([*command, str(patch)], self.root)

    def state(self) -> Mapping[str, str]:
        """The SHA-256 of every file."""
        return {
            str(path.relative_to(self.root)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and not path.is_symlink()
        }


def lay_out(checkout: Path, commit: str, into: Path) -> Tree:
    """The pinned tree, fresh, in the folder `into`.

    Raises:
        TreeFailed: it is no git checkout, or does not have the commit.
    """
    root = into / "executorch"
    root.mkdir(parents=True)
    for part in PARTS:
        archive = into / "part.tar"
        _run(
            ["git", "-C", str(checkout), "archive", "-o", str(archive), commit, "--", part],
            checkout,
        )
        with tarfile.open(archive) as packed:
            packed.extractall(root, filter="data")
        archive.unlink()
    return Tree(root)


def _run(command: list[str], where: Path) -> None:
    # The folder may lie inside another repository, whose own git would answer `apply` with silence.
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(where.parent)}
    done = subprocess.run(
        command, cwd=where, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise TreeFailed(f"{' '.join(command[:4])}: {done.stderr.strip() or 'failed'}")
