"""What does each part of a suite come to, and what do all of them?

A pure function of what is on disk.  A part is skipped where every verdict in it is a skip: the
target could not be asked any of it.  Skipped is neither passed nor failed, so a suite may pass
with skipped parts, and does not where all of them are.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.errors import HarnessError
from harness.kinds import derive
from harness.suite.record import read_suite
from harness.verdict import EXIT_CODES, Outcome, overall

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from harness.judged import JudgedRun
    from harness.suite.parts import Suite
    from harness.suite.record import PartRecord, SuiteRecord

__all__ = ["JudgedPart", "SuiteResult", "judge_part", "judge_suite"]


@dataclass(frozen=True, slots=True)
class JudgedPart:
    """A part, and the run that is in its folder."""

    record: PartRecord
    run: JudgedRun | None
    """None where there is no run that could be judged."""
    problem: str = ""
    """Why there is none, or why it ended before its end."""

    @property
    def outcome(self) -> Outcome:
        """SKIP where every verdict is one; what could not be judged could not tell."""
        if self.run is None:
            return Outcome.INCONCLUSIVE
        if self.run.outcome is Outcome.FAIL:
            return Outcome.FAIL
        if self.problem:
            return Outcome.INCONCLUSIVE
        skipped = self.counts.get(Outcome.SKIP, 0)
        if skipped and skipped == len(self.run.judged) and not self.run.unplayed:
            return Outcome.SKIP
        return self.run.outcome

    @property
    def counts(self) -> Mapping[Outcome, int]:
        """How many verdicts ended so."""
        return Counter(j.verdict.outcome for j in self.run.judged) if self.run else {}

    @property
    def skips(self) -> tuple[str, ...]:
        """Why something was skipped, each reason once."""
        judged = self.run.judged if self.run else ()
        reasons = (j.verdict.message for j in judged if j.verdict.outcome is Outcome.SKIP)
        return tuple(dict.fromkeys(reasons))


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """A suite, judged."""

    record: SuiteRecord
    suite: Suite
    parts: tuple[JudgedPart, ...]

    @property
    def outcome(self) -> Outcome:
        """FAIL where a part failed, else INCONCLUSIVE where one could not tell or none passed."""
        return overall((part.outcome for part in self.parts), whole=True)

    @property
    def exit_code(self) -> int:
        """0 all passed or were skipped, 1 something failed, 3 could not tell."""
        return EXIT_CODES[self.outcome]

    def count(self, outcome: Outcome) -> int:
        """How many parts ended so."""
        return sum(part.outcome is outcome for part in self.parts)


def judge_suite(folder: Path) -> SuiteResult:
    """Everything that follows from a suite.

    Raises:
        TraceError: its record is missing or cannot be read; of a part, that is told of the part.
        ScenarioError: the suite file that was kept is none that this version can read.
    """
    record, suite = read_suite(folder)
    return SuiteResult(record, suite, tuple(judge_part(folder, part) for part in record.parts))


def judge_part(folder: Path, part: PartRecord) -> JudgedPart:
    """What a part comes to; `folder` is the suite's."""
    own = folder / part.name
    if not (own / "run.json").exists():
        return JudgedPart(part, None, part.stopped or "it was not played")
    try:
        run = derive(own)
    except HarnessError as problem:
        said = str(problem).replace(f"{folder}/", "")  # the same wherever the folder stands
        return JudgedPart(part, None, said)
    cut = "it was cut short, and nobody could say why" if part.seconds is None else ""
    return JudgedPart(part, run, part.stopped or cut)
