"""What does a gate come to? The values that the judge makes, and that every report tells.

Ratios are candidate over baseline.  `worse` is the same change as a share for the worse, whichever
way the metric improves: a time of 1.05 and a rate of 0.95 are both about 0.05 worse.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from harness.gate.change import worse_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.gate.pins import Pin
    from harness.gate.record import GateRecord, Side
    from harness.units import Unit
    from harness.verdict import Outcome

__all__ = [
    "RULING_CODES",
    "WORST_FIRST",
    "Answers",
    "CheckRow",
    "Difference",
    "GateResult",
    "Measured",
    "PairValue",
    "PromptDiff",
    "Ruling",
    "Sample",
    "StartValue",
]


class Ruling(Enum):
    """What a gate, or one thing it looks at, comes to."""

    PASS = "pass"
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    """The measurement cannot tell; never a pass."""
    REFUSED = "refused"
    """Not comparable, not what was pinned, or an instrument that cannot tell: nothing is said."""


WORST_FIRST = (Ruling.REFUSED, Ruling.FAIL, Ruling.INCONCLUSIVE, Ruling.PASS)
"""Where nothing can be said, no fail can be either."""
RULING_CODES = {Ruling.PASS: 0, Ruling.FAIL: 1, Ruling.REFUSED: 2, Ruling.INCONCLUSIVE: 3}


@dataclass(frozen=True, slots=True)
class Sample:
    """One value of one turn."""

    value: float
    trace: str
    """Where it is told: the path of the run folder below the gate's, `#`, and the trace id."""


@dataclass(frozen=True, slots=True)
class StartValue:
    """What one start came to for one metric: the median of its samples."""

    start: int
    """Index of the start."""
    side: Side
    pair: int
    confirms: bool
    value: float
    samples: tuple[Sample, ...] = ()
    """Empty for a number of the start itself."""
    dirty: int = 0
    """Samples of a turn in which the machine, or we, were in the way."""


@dataclass(frozen=True, slots=True)
class PairValue:
    """A pair, complete."""

    pair: int
    confirms: bool
    baseline: float
    candidate: float
    by_request: float | None = None
    """The median, over the requests that both sides were asked alike, of candidate over baseline:
    a machine that changes its speed within a start does so for both.  None where they were not
    asked the same, or the value is no median over requests."""

    @property
    def compared(self) -> float:
        """What the candidate's value is for a ratio: by request, where that is known."""
        return self.candidate if self.by_request is None else self.baseline * self.by_request


@dataclass(frozen=True, slots=True)
class Measured:
    """One metric over all starts."""

    name: str
    title: str
    unit: Unit
    gated: bool
    ruling: Ruling | None
    """None where it is not gated."""
    why: str
    """The ruling in words, with the figures that decide it."""
    margin: float | None
    """The change for the worse that is accepted, as a share."""
    starts: tuple[StartValue, ...]
    pairs: tuple[PairValue, ...]
    n: int
    """Pairs in the interval."""
    ratio: float | None
    low: float | None
    high: float | None
    confidence: float
    first: Ruling | None = None
    """What the pairs say before a fail is looked for in a fresh block: until it is found again
    there, the ruling is inconclusive where this says fail.  None where it is not gated."""
    confirmed: bool | None = None
    """Whether a fail was found again; None where there was none, or it was not yet looked for."""
    q: float | None = None
    """Of a metric that is not gated: the chance of such a change where there is none, corrected
    for how many were looked at (Benjamini-Hochberg)."""
    noise: float | None = None
    """Standard deviation of the paired log ratios."""
    needed: int | None = None
    """Pairs it would take to resolve the margin with this noise."""

    @property
    def worse(self) -> float | None:
        """The change for the worse, as `harness.gate.change` counts it; None without a ratio."""
        return worse_of(self.ratio, self.unit.better) if self.ratio else None

    @property
    def higher_is_better(self) -> bool:
        """Which way it improves."""
        return self.unit.better.value == "higher"


@dataclass(frozen=True, slots=True)
class CheckRow:
    """One check of one part, on both sides."""

    part: str
    """Of the suite, or `starts` for the runs of the measured starts."""
    check: str
    promise: str
    baseline: Mapping[Outcome, int]
    candidate: Mapping[Outcome, int]
    ruling: Ruling
    why: str = ""
    evidence: tuple[str, ...] = ()
    """Paths below the gate's folder: reports that show the failures, `path#trace-id`."""


@dataclass(frozen=True, slots=True)
class PromptDiff:
    """One prompt that was answered otherwise."""

    about: str
    baseline: str
    candidate: str
    agree: int
    """Characters that both begin with."""
    trace_baseline: str = ""
    trace_candidate: str = ""


@dataclass(frozen=True, slots=True)
class Answers:
    """Greedy answers of both sides to the same prompts."""

    compared: int
    same: int
    facts: Mapping[Side, tuple[int, int]]
    """By side: facts that were answered rightly, of so many that were asked."""
    agreement: float | None
    """Median share of an answer that both begin with; None where nothing was compared."""
    ruling: Ruling
    why: str
    diffs: tuple[PromptDiff, ...] = ()
    doubts: tuple[str, ...] = ()
    """Prompts whose answers agree for less than is asked, and not so little that it decides."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that is not the same on both sides."""

    what: str
    baseline: str
    candidate: str
    under_test: bool
    """Whether it is what the two pins differ in, and so what is being asked."""
    allowed: bool = False


@dataclass(frozen=True, slots=True)
class GateResult:
    """A gate, judged."""

    record: GateRecord
    question: str
    ruling: Ruling
    headline: str
    """One line: the verdict, and why."""
    reasons: tuple[str, ...]
    """What decided it, the worst first."""
    baseline: Pin
    candidate: Pin
    differences: tuple[Difference, ...]
    metrics: tuple[Measured, ...]
    """Gated ones first, in the order of the policy."""
    checks: tuple[CheckRow, ...]
    """Failed ones first."""
    answers: Answers | None
    anchors: tuple[tuple[int, float], ...] = ()
    """(index of the start it was taken before, seconds): drift of the machine over the session."""
    started: Mapping[int, str] = field(default_factory=dict)
    """When each start began, by its index."""
    pairs: int = 0
    """Complete pairs, those that confirm apart."""
    confirming: int = 0
    interleaved: bool = True
    """False where two finished runs were compared: their difference holds that of two sessions."""
    doubts: tuple[str, ...] = ()
    """What is to be known before the verdict is believed."""

    @property
    def exit_code(self) -> int:
        """0 pass, 1 fail, 2 refused, 3 inconclusive."""
        return RULING_CODES[self.ruling]
