"""What did the runs of one side come to, check by check?

Reads what is on disk of a suite, or of the runs of the measured starts, through the judges of
`harness.suite` and `harness.kinds`; says nothing about the other side.

Checks are added of the playing itself, and of a start as a whole:

    part.played        a part of the suite was played to its end
    start.played       a start was: it came up, answered, and rested
    memory.believable  the peak of its worker that the server tells is no less than what was seen
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harness.checks import PROMISES
from harness.gate.memory import believable
from harness.gate.record import start_path, suite_path
from harness.runner import BY_HAND
from harness.suite.judge import judge_suite
from harness.suite.record import is_suite
from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from harness.gate.extract import StartSeen
    from harness.gate.record import Side
    from harness.judged import JudgedRun
    from harness.suite.judge import JudgedPart

__all__ = [
    "OF_STARTS",
    "STARTS",
    "Key",
    "Looked",
    "Tally",
    "count",
    "of_starts",
    "of_suite",
]

STARTS = "starts"
"""The part that the runs of the measured starts are told under."""

OF_STARTS: Mapping[str, str] = {
    "part.played": "every part of the suite is played to its end",
    "start.played": "every start comes up, answers and is played to its end",
    "memory.believable": "the worker's peak memory, as told, is no less than what was seen of it",
}
"""What the checks of this module promise, by name."""
REPEAT = re.compile(r", (repeat \d+|warm-up)\b")
"""What of `Judged.about` says which time it was."""
MOST_TOLD = 5
"""Messages and places that are kept of one check."""

Key = tuple[str, str]
"""Part and check."""


@dataclass(slots=True)
class Tally:
    """How often one check of one part ended how, on one side."""

    promise: str
    counts: Counter[Outcome] = field(default_factory=Counter)
    failed_in: set[str] = field(default_factory=set)
    """The starts in which it failed; of a suite, the suite."""
    failed_at: dict[str, set[str]] = field(default_factory=dict)
    """The same by what it failed about: a turn or a cell, whichever repeat it was."""
    passed_at: set[str] = field(default_factory=set)
    """What it passed about, at least once."""
    said: dict[Outcome, list[str]] = field(default_factory=dict)
    """What the verdicts said, a few of each outcome, each once."""
    evidence: list[str] = field(default_factory=list)
    """Where the failures are told, a few: `path#trace-id`."""

    def add(self, verdict: Verdict, *, at: str, source: str, about: str = "") -> None:
        """One verdict more; `at` is its run folder, `source` the start or the suite."""
        self.counts[verdict.outcome] += 1
        told = f"{about}: {verdict.message}" if about else verdict.message
        said = self.said.setdefault(verdict.outcome, [])
        if told not in said and len(said) < MOST_TOLD:
            said.append(told)
        place = REPEAT.sub("", about)
        if verdict.outcome is Outcome.PASS:
            self.passed_at.add(place)
        if verdict.outcome is not Outcome.FAIL:
            return
        self.failed_in.add(source)
        self.failed_at.setdefault(place, set()).add(source)
        places = [f"{at}#{each.trace_id}" for each in verdict.evidence[:1]] or [at]
        if len(self.evidence) < MOST_TOLD and places[0] not in self.evidence:
            self.evidence += places

    def first(self, outcome: Outcome) -> str:
        """The first thing that was said of this outcome; empty where it never came."""
        return next(iter(self.said.get(outcome, ())), "")


@dataclass(frozen=True, slots=True)
class Looked:
    """All that was looked at of one side, in one suite or in its starts."""

    tallies: Mapping[Key, Tally]
    claims: frozenset[str] = frozenset()
    """What the side claims that it supports, in `/api/runtime`."""
    whole: bool = True
    """Whether nobody cut it short."""


def of_suite(folder: Path, side: Side, *, again: bool = False) -> Looked | None:
    """The suite of a side; None where it was not begun.

    Raises:
        TraceError, ScenarioError: its record cannot be read.
    """
    path = suite_path(side, again=again)
    if not is_suite(folder / path):
        return None
    result = judge_suite(folder / path)
    tallies: dict[Key, Tally] = {}
    for part in result.parts:
        at = f"{path}/{part.record.name}"
        if part.run is not None:
            count(tallies, part.record.name, part.run, at=at, source=path)
        _add(tallies, part.record.name, _played(part), at=at, source=path)
    return Looked(
        tallies,
        claims=_claims(result.record.target.runtime),
        whole=result.record.ended_at is not None and not any(_cut(part) for part in result.parts),
    )


def of_starts(starts: Iterable[StartSeen], scenarios: Sequence[str], side: Side) -> Looked:
    """The runs of a side's measured starts; a start that was cut by hand is not looked at."""
    tallies: dict[Key, Tally] = {}
    claims: frozenset[str] = frozenset()
    for seen in starts:
        start, path = seen.start, start_path(seen.start)
        if start.side is not side or start.ended_at is None:
            continue
        claims = claims or _claims(start.runtime)
        for scenario, run in seen.runs.items():
            count(tallies, STARTS, run, at=f"{path}/{scenario}", source=path)
        _add(tallies, STARTS, _start_played(seen, scenarios), at=path, source=path)
        if start.whole:
            _add(tallies, STARTS, believable(start), at=path, source=path)
    return Looked(tallies, claims)


def _start_played(seen: StartSeen, scenarios: Sequence[str]) -> Verdict:
    left = [scenario for scenario in scenarios if scenario not in seen.runs]
    unplayed = sum(len(run.unplayed) for run in seen.runs.values())
    said = (
        seen.start.stopped
        or (f"nothing to judge of {', '.join(left)}" if left else "")
        or (f"{unplayed} turns were not played" if unplayed else "")
    )
    outcome = Outcome.FAIL if said else Outcome.PASS
    return Verdict("start.played", outcome, said or "it was played")


def count(tallies: dict[Key, Tally], part: str, run: JudgedRun, *, at: str, source: str) -> None:
    """Add the verdicts of a run to those of its part; see `Tally.add`."""
    promises = {**run.promises, **PROMISES}
    for judged in run.judged:
        promise = promises.get(judged.verdict.check, "")
        _add(tallies, part, judged.verdict, promise, at=at, source=source, about=judged.about)


def _add(
    tallies: dict[Key, Tally],
    part: str,
    verdict: Verdict,
    promise: str = "",
    *,
    at: str,
    source: str,
    about: str = "",
) -> None:
    told = promise or OF_STARTS.get(verdict.check, "")
    tally = tallies.setdefault((part, verdict.check), Tally(told))
    tally.add(verdict, at=at, source=source, about=about)


def _played(part: JudgedPart) -> Verdict:
    """Whether a part came to its end; one that was cut by hand says nothing of the side."""
    unplayed = len(part.run.unplayed) if part.run else 0
    said = part.problem or (f"{unplayed} turns were not played" if unplayed else "")
    if not said:
        return Verdict("part.played", Outcome.PASS, "it was played")
    outcome = Outcome.INCONCLUSIVE if _cut(part) else Outcome.FAIL
    return Verdict("part.played", outcome, said)


def _cut(part: JudgedPart) -> bool:
    """Whether a part was ended, or never begun, since somebody stopped the gate."""
    never_begun = part.record.started_at is None and not part.record.stopped
    killed = part.record.started_at is not None and part.record.seconds is None
    return never_begun or killed or part.record.stopped == BY_HAND


def _claims(runtime: Mapping[str, object] | None) -> frozenset[str]:
    supports = (runtime or {}).get("supports")
    named = supports.items() if isinstance(supports, dict) else ()
    return frozenset(str(name) for name, claimed in named if claimed is True)
