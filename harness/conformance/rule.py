"""What is a rule that a server may be held against, and what does it find?

A rule is MUST where a client breaks, or is told something wrong, when it is not kept; the run
fails.  It is SHOULD where published clients and proxies are known to stumble although the text of
the standard allows it, or where a standard only recommends; then there is a note, and the run does
not fail.  What a probe did not bring about cannot be judged, and is skipped with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.conformance.heard import Heard

__all__ = ["Finding", "Level", "Rule", "When", "broken", "kept", "moot"]


class Level(Enum):
    """How much depends on a rule."""

    MUST = "MUST"
    SHOULD = "SHOULD"


class When(Enum):
    """What has to have come for a rule to have something to look at."""

    ALWAYS = "always"
    REPLY = "reply"
    """A 2xx, without an error inside it."""
    REFUSAL = "refusal"
    """A status of 400 or more."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found in one probe."""

    kept: bool | None
    """None where there was nothing to judge."""
    message: str
    frame: int | None = None
    """The frame of the stream that shows it; None where the response as a whole does."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that is asked of a server."""

    name: str
    level: Level
    source: str
    """Who says so."""
    asks: str
    """What is asked, in a sentence without its full stop."""
    judge: Callable[[Heard], Finding]
    when: When = When.REPLY


def kept(message: str = "kept") -> Finding:
    """The rule holds."""
    return Finding(True, message)


def broken(message: str, frame: int | None = None) -> Finding:
    """It does not, and here is why."""
    return Finding(False, message, frame)


def moot(message: str) -> Finding:
    """There is nothing to judge, and here is why."""
    return Finding(None, message)
