"""Where do the peers live, and what has been prepared already?

A workplace is a folder of its own outside the repository. A step makes one path in it; while the
step runs the path carries `.part` at its end, so that a path that is there is whole, and a step
that was broken off is begun again. What a step's command says is kept in `logs/`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

__all__ = ["PreparationFailed", "Workplace", "digest"]

STEP_TIMEOUT_S = 3 * 3600
"""For building on a small and busy machine."""


class PreparationFailed(Exception):
    """A peer could not be made ready; the message says at which step, and what was said last."""


@dataclass(frozen=True)
class Workplace:
    """The folder, and how one is told what happens in it."""

    root: Path
    say: Callable[[str], None]

    @property
    def logs(self) -> Path:
        """What commands and servers said."""
        folder = self.root / "logs"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def step(self, name: str, made: Path, make: Callable[[Path], None]) -> Path:
        """Have `make` write a file or folder, unless it is there; returns where it is."""
        if made.exists():
            return made
        self.say(f"{name} …")
        part = made.with_name(f"{made.name}.part")
        _remove(part)
        part.parent.mkdir(parents=True, exist_ok=True)
        make(part)
        part.replace(made)
        return made

    def environment(self, name: str, requirements: Sequence[str]) -> Path:
        """A virtual environment with these packages; returns its Python.

        Environments cannot be moved, so a stamp inside says that one is whole, and for what.
        """
        folder = self.root / name
        stamp, python = folder / "requirements.txt", folder / "bin" / "python"
        wanted = "\n".join(requirements)
        if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
            return python
        self.say(f"{name}: an environment with {', '.join(requirements)} …")
        _remove(folder)
        self.run(name, [sys.executable, "-m", "venv", str(folder)])
        self.run(name, [str(python), "-m", "pip", "install", "-q", *requirements])
        stamp.write_text(wanted, encoding="utf-8")
        return python

    def run(
        self, log: str, argv: Sequence[str], *, environ: Mapping[str, str] | None = None
    ) -> None:
        """Run a command to its end, its words into a log.

        Raises:
            PreparationFailed: it cannot be started, fails, or takes too long.
        """
        path = self.logs / f"{log}.log"
        try:
            with path.open("ab") as words:
                done = subprocess.run(
                    argv,
                    check=False,
                    stdin=subprocess.DEVNULL,
                    stdout=words,
                    stderr=subprocess.STDOUT,
                    env={**os.environ, **(environ or {})},
                    timeout=STEP_TIMEOUT_S,
                )
        except (OSError, subprocess.TimeoutExpired) as problem:
            raise PreparationFailed(f"{argv[0]}: {problem}") from problem
        if done.returncode:
            last = path.read_text(encoding="utf-8", errors="replace").splitlines()[-12:]
            shown = " ".join(argv[:6])
            said = "\n  ".join(last)
            raise PreparationFailed(f"{shown} … ended with {done.returncode}; {path}:\n  {said}")


def digest(paths: Iterable[Path]) -> str:
    """Twelve hexadecimal digits that change with any byte of these files."""
    found = hashlib.sha256()
    for path in sorted(paths):
        found.update(path.name.encode())
        found.update(path.read_bytes())
    return found.hexdigest()[:12]


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
