"""What did a check decide, and which slice of evidence shows it?"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["EXIT_CODES", "Evidence", "Outcome", "Verdict", "overall", "worst_of"]


class Outcome(Enum):
    """How a check ended."""

    PASS = "pass"
    """The promise was kept."""
    FAIL = "fail"
    """The promise was broken, and the evidence shows where."""
    SKIP = "skip"
    """The target cannot be asked this; the message says why. Never counted as a pass."""
    INCONCLUSIVE = "inconclusive"
    """The measurement cannot tell; the message says what would."""
    NOTE = "note"
    """A recommendation was not followed: told, with its evidence, and failing nothing."""


EXIT_CODES = {Outcome.PASS: 0, Outcome.FAIL: 1, Outcome.SKIP: 3, Outcome.INCONCLUSIVE: 3}
"""0 all passed, 1 something failed, 3 could not tell; no run comes to a note."""


def overall(outcomes: Iterable[Outcome], *, whole: bool) -> Outcome:
    """FAIL where a check failed; INCONCLUSIVE where one could not tell, or a turn is missing."""
    told = set(outcomes)
    if Outcome.FAIL in told:
        return Outcome.FAIL
    if Outcome.INCONCLUSIVE in told or not whole or Outcome.PASS not in told:
        return Outcome.INCONCLUSIVE
    return Outcome.PASS


def worst_of(outcomes: Iterable[Outcome]) -> Outcome:
    """What a row of them comes to; one that was skipped hides no other."""
    told = set(outcomes)
    order = (Outcome.FAIL, Outcome.INCONCLUSIVE, Outcome.NOTE, Outcome.PASS)
    return next((each for each in order if each in told), Outcome.SKIP)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A slice of one trace: the events `first` to `last` (inclusive indices of its observation)."""

    trace_id: str
    first: int | None = None
    last: int | None = None
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One check's decision about one thing it looked at."""

    check: str
    """Dotted name of the promise: `reuse.exact_prefix`, `answer.recalls`, `wire.done_seen`."""
    outcome: Outcome
    message: str
    evidence: tuple[Evidence, ...] = ()
