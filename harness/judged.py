"""What has every judged run in common, of whichever kind: its verdicts, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from harness.verdict import EXIT_CODES, Outcome, Verdict, overall

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.trace import TurnLabel

__all__ = ["Judged", "JudgedRun"]


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict, and the turn or the comparison it is about."""

    verdict: Verdict
    label: TurnLabel | None
    about: str


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """The verdicts of a run, and the turns that were planned and not played."""

    promises: ClassVar[Mapping[str, str]] = {}
    """What the checks of this kind ask, beyond those of `harness.checks`."""

    judged: tuple[Judged, ...]
    unplayed: tuple[TurnLabel, ...]

    @property
    def outcome(self) -> Outcome:
        """FAIL where a verdict failed; INCONCLUSIVE where one cannot tell or a turn is missing."""
        outcomes = (judged.verdict.outcome for judged in self.judged)
        return overall(outcomes, whole=not self.unplayed)

    @property
    def exit_code(self) -> int:
        """0 all passed, 1 something failed, 3 could not tell."""
        return EXIT_CODES[self.outcome]

    def count(self, outcome: Outcome) -> int:
        """How many verdicts ended so."""
        return sum(judged.verdict.outcome is outcome for judged in self.judged)
