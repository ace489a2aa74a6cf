"""What does the doctor look at: which settings, which machine, and how are commands asked?"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from playground.settings import Settings

__all__ = ["Patient", "Said"]

ASKED_S = 120.0
"""How long a command may take; hashing 21 GB takes longer, see `Patient.ask`."""


@dataclass(frozen=True, slots=True)
class Said:
    """How a command ended; a command that cannot be run has no code."""

    code: int | None
    out: str = ""
    err: str = ""

    def last_words(self) -> str:
        """Its last line on stderr, or on stdout."""
        lines = (self.err.strip() or self.out.strip()).splitlines()
        return lines[-1].strip() if lines else f"exit code {self.code}"


@dataclass(frozen=True)
class Patient:
    """The machine, and what is to be served on it."""

    settings: Settings
    arguments: tuple[str, ...]
    """What the settings were read from."""
    environ: Mapping[str, str]
    root: Path | None
    """The checkout; None where the playground was installed from a wheel."""
    platform: str = sys.platform
    quick: bool = False
    profile_problem: str | None = None
    """Why the profile of this machine cannot be used."""
    proc: Path = Path("/proc")
    sys: Path = Path("/sys")
    _asked: dict[tuple[str, ...], Said] = field(default_factory=dict)

    @property
    def is_mac(self) -> bool:
        """Whether this is macOS."""
        return self.platform == "darwin"

    def ask(self, *command: str, patience_s: float = ASKED_S) -> Said:
        """What a command says; asked once."""
        if command not in self._asked:
            self._asked[command] = self._run(command, patience_s)
        return self._asked[command]

    def bootstrap(self, *arguments: str, patience_s: float = ASKED_S) -> tuple[Any, Said]:
        """What `python -m bootstrap` says, as JSON; None where it is none."""
        said = self.ask(sys.executable, "-m", "bootstrap", *arguments, patience_s=patience_s)
        try:
            told = json.loads(said.out)
        except ValueError:
            return None, said
        return (told if isinstance(told, dict) else None), said

    def plan(self) -> dict[str, Any] | None:
        """What the setup would do here; None where there is no setup, or it does not say."""
        if self.root is None:
            return None
        told, _ = self.bootstrap("--plan", "--json", *self.wanted_profile())
        return told if told and "error" not in told else None

    def wanted_profile(self) -> Sequence[str]:
        """On a Mac the setup is asked about Muse Glimmer, whatever is served at the moment."""
        return ("--profile", "muse") if self.is_mac else ()

    def _run(self, command: Sequence[str], patience_s: float) -> Said:
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=patience_s,
                check=False,
                cwd=self.root,
                env={**self.environ, "LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            return Said(None, err=f"no answer within {patience_s:g} s")
        except OSError as error:
            return Said(None, err=f"{command[0]}: {error.strerror}")
        return Said(done.returncode, done.stdout, done.stderr)
