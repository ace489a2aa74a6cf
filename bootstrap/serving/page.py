"""How is the web page made ready? By the playground's own builder, in the server's environment.

The builder knows whether the page is what its sources make, so this one stage asks it, and keeps
no account of its own.  A system without Node.js gets the one that PyPI has, into the server's
environment; where that cannot be had either, the page is skipped, and told to be, or the stage
fails where a page is required.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from bootstrap.errors import StageFailed
from bootstrap.running.commands import CommandFailed, clean_environment
from bootstrap.running.stages import Stage, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bootstrap.layout import Layout
    from bootstrap.running.commands import Run

__all__ = ["LOCKED", "page_work"]

LOCKED = Path(__file__).parent.parent / "requirements" / "page.txt"
BUILDER = "playground.page"
NO_NODE = 3
"""The builder's exit code where there is no Node.js that could build it."""
DOWNLOAD_BYTES = 60_000_000
DISK_BYTES = 180_000_000
LOOK_S = 20.0


def page_work(
    places: Layout,
    *,
    required: bool,
    environ: Mapping[str, str],
    pip_args: Sequence[str],
    run: Run,
    tell: Callable[[str], None],
    locked: Path = LOCKED,
) -> Work:
    """The work that builds the page; it needs the server's environment."""
    folder = places.work("page")
    python = places.server.python
    builder = [str(python), "-I", "-m", BUILDER]
    installed = places.root / "playground" / "web" / "node_modules" / ".package-lock.json"

    def is_built() -> bool:
        try:
            asked = subprocess.run(
                [*builder, "--check"],
                env=clean_environment(environ),
                capture_output=True,
                timeout=LOOK_S,
                check=False,
            )
        except (OSError, subprocess.SubprocessError):
            return False
        return asked.returncode == 0

    def build() -> None:
        try:
            run(builder, on_line=tell)
        except CommandFailed as problem:
            if problem.code != NO_NODE:
                hint = "is the registry of npm within reach? npm_config_registry names another"
                raise StageFailed("page", str(problem), hint=hint, log=folder.log) from problem
        else:
            return
        try:
            tell("there is no Node.js 20.19 or newer on the PATH: installing one from PyPI")
            run(
                [
                    *(str(python), "-I", "-m", "pip", "install", "--no-input", *pip_args),
                    *("--require-hashes", "--only-binary=:all:"),
                    # Half of one, of an installation that was cut, would be taken for a whole one.
                    *("--force-reinstall", "--requirement", str(locked)),
                ],
                on_line=lambda _: None,
            )
            run(builder, on_line=tell)
        except CommandFailed as problem:
            if required:
                raise StageFailed(
                    "page",
                    str(problem),
                    hint="install Node.js 20.19 or newer (nodejs.org), and run this again",
                    log=folder.log,
                ) from problem
            tell(
                "skipped: the page is not built, for want of Node.js 20.19 or newer; the playground"
                f" serves its API without it ({folder.log})"
            )

    return Work(
        "page",
        folder,
        (
            Stage(
                "page",
                "the web page, by the playground's own builder",
                {},
                build,
                is_built,
                download_bytes=DOWNLOAD_BYTES,
                disk_bytes=DISK_BYTES,
                network=not installed.is_file(),
            ),
        ),
    )
