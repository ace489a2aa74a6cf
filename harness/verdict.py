"""What did a check decide, and which slice of evidence shows it?"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["Evidence", "Outcome", "Verdict"]


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
