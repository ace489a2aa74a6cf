"""What came of it?  One line a claim, and one exit code for all."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

__all__ = ["Proof", "Verdict"]


class Verdict(Enum):
    """What one claim turned out to be."""

    HELD = "held"
    REFUTED = "REFUTED"
    SKIPPED = "not looked at"
    """With the reason; never the same as held."""


@dataclass(slots=True)
class Proof:
    """All claims so far, told as they come."""

    out: TextIO = field(default_factory=lambda: sys.stdout)
    counts: dict[Verdict, int] = field(default_factory=lambda: dict.fromkeys(Verdict, 0))

    def section(self, title: str) -> None:
        """Begin a part."""
        print(f"\n{title}", file=self.out, flush=True)

    def note(self, text: str) -> None:
        """Say something that is no claim."""
        print(f"    {text}", file=self.out, flush=True)

    def held(self, claim: str) -> None:
        """It is so."""
        self._tell(Verdict.HELD, claim, "")

    def refuted(self, claim: str, what: str) -> None:
        """It is not so."""
        self._tell(Verdict.REFUTED, claim, what)

    def skipped(self, claim: str, why: str) -> None:
        """Nobody looked."""
        self._tell(Verdict.SKIPPED, claim, why)

    def judge(self, claim: str, problem: str) -> bool:
        """Held where there is no problem."""
        if problem:
            self.refuted(claim, problem)
        else:
            self.held(claim)
        return not problem

    @property
    def exit_code(self) -> int:
        """0: all held; 1: something is refuted; 3: something was not looked at."""
        if self.counts[Verdict.REFUTED]:
            return 1
        return 3 if self.counts[Verdict.SKIPPED] or not self.counts[Verdict.HELD] else 0

    def summary(self) -> str:
        """The counts, in a line."""
        return ", ".join(f"{count} {verdict.value}" for verdict, count in self.counts.items())

    def _tell(self, verdict: Verdict, claim: str, why: str) -> None:
        self.counts[verdict] += 1
        behind = "".join(f"\n        {line}" for line in why.strip().splitlines()[-15:])
        print(f"  [{verdict.value}] {claim}{behind}", file=self.out, flush=True)
