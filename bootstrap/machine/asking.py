"""What does a small command answer? For looking at a machine; nothing is changed by these.

A command that is not there, fails or takes too long is an answer like any other.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Answer", "Ask", "Asking"]

PATIENCE_S = 60.0
"""Xcode's tools take their time when they are used first."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What it said."""

    code: int | None
    """None where there is no such command, or it did not end."""
    out: str = ""
    err: str = ""

    @property
    def ok(self) -> bool:
        """Whether it did what it was asked."""
        return self.code == 0

    @property
    def first(self) -> str:
        """The first line it said, for a message."""
        lines = [*self.out.splitlines(), *self.err.splitlines()]
        return next((line.strip() for line in lines if line.strip()), "")


class Ask(Protocol):
    """Asks a command: the seam where tests have another machine."""

    def __call__(self, *argv: str) -> Answer:
        """Its answer, whatever happened to it."""
        ...


@dataclass(frozen=True, slots=True)
class Asking:
    """Asks the commands of a PATH."""

    environ: Mapping[str, str]
    patience_s: float = PATIENCE_S

    def __call__(self, *argv: str) -> Answer:
        """See `Ask`."""
        command = shutil.which(argv[0], path=self.environ.get("PATH"))
        if command is None:
            return Answer(None, err=f"there is no {argv[0]} on the PATH")
        return self._answer([command, *argv[1:]])

    def _answer(self, argv: Sequence[str]) -> Answer:
        try:
            said = subprocess.run(
                argv,
                env=dict(self.environ),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=self.patience_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Answer(None, err=f"no answer within {self.patience_s:g} s")
        except OSError as problem:
            return Answer(None, err=f"cannot be run: {problem.strerror}")
        return Answer(said.returncode, said.stdout, said.stderr)
