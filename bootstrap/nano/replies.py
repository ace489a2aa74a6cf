"""What does the assistant think and say in one turn, at each reasoning strength?

A skill states its thinking once, in parts; how much of it is spoken follows from the strength:

    low     the work alone, or nothing where the turn is easy
    medium  what the turn is, and the work
    high    what the user wants, the work, the conclusion
    xhigh   the question restated, the work, a check, the conclusion, the plan for the answer
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["STRENGTHS", "Exchange", "Reply", "think"]

STRENGTHS = ("low", "medium", "high", "xhigh")


@dataclass(frozen=True, slots=True)
class Reply:
    """The assistant's half of a turn."""

    skill: str
    thoughts: tuple[str, str, str, str]  # by strength; empty means it answers at once
    answer: str
    value: str  # what an answer in other words must contain; empty where any wording will do


@dataclass(frozen=True, slots=True)
class Exchange:
    """A user's message and the reply to it."""

    user: str
    reply: Reply
    needle: str = ""  # the told sentence that settles it, to measure how far back it lies


def think(
    *, wants: str, work: str, so: str = "", check: str = "", restated: str = "", easy: bool = False
) -> tuple[str, str, str, str]:
    """Spread the parts of a thought over the four strengths.

    >>> think(wants="The user asks for a sum.", work="2 + 2 = 4.", so="It is 4.", easy=True)[0]
    ''
    """
    low = "" if easy else work
    medium = _joined(wants if easy else "", work)
    high = _joined(wants, work, so)
    xhigh = _joined(restated, wants, work, check, so, "I answer in one short sentence.")
    return low, medium, high, xhigh


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)
