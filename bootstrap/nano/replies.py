"""What does the assistant think and say in one turn, at each reasoning strength?

A skill states its thinking once, in parts; how much of it is spoken follows from the strength:

    low     the work alone, or nothing where the turn is easy
    medium  the work and the conclusion; what the user wants and the work where the turn is easy
    high    what the user wants, the work, the conclusion, a check
    xhigh   the question restated, all of that, and the plan for the answer

From one strength to the next the thoughts of many turns grow by more than half, in the median.
Where the work itself can be done in few steps or in many, `brief` is what low says of it and
`second` a second way to the result, which only xhigh goes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bootstrap.nano.pictures.picture import Picture

__all__ = ["STRENGTHS", "Call", "Exchange", "Reply", "ToolSpec", "ToolStep", "think"]

STRENGTHS = ("low", "medium", "high", "xhigh")


@dataclass(frozen=True, slots=True)
class Reply:
    """The assistant's half of a turn."""

    skill: str
    thoughts: tuple[str, str, str, str]  # by strength; empty means it answers at once
    answer: str
    value: str  # what an answer in other words must contain; empty where any wording will do
    pattern: str = ""  # a regular expression that an answer must match, where no one value will do


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A function that the conversation declares, as `tools` in a request carries it."""

    name: str
    description: str
    parameters: Mapping[str, Any] = field(default_factory=dict)  # a JSON Schema


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a declared function."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolStep:
    """A thought, the calls that follow from it, and what each of them gave back."""

    thoughts: tuple[str, str, str, str]
    calls: tuple[Call, ...]
    outputs: tuple[str, ...]
    kept: bool = True  # does the prompt of what follows show the thought?


@dataclass(frozen=True, slots=True)
class Exchange:
    """A user's message, the tools used on the way, and the reply."""

    user: str
    reply: Reply
    needle: str = ""  # the told sentence that settles it, to measure how far back it lies
    picture: Picture | None = None  # stands before the text
    steps: tuple[ToolStep, ...] = ()


_PLAN = "Nothing in the question is left open, so I answer in one short sentence."


def think(  # noqa: PLR0913  (the parts of a thought)
    *,
    wants: str,
    work: str,
    so: str = "",
    check: str = "",
    restated: str = "",
    easy: bool = False,
    brief: str = "",
    second: str = "",
    plan: str = _PLAN,
) -> tuple[str, str, str, str]:
    """Spread the parts of a thought over the four strengths.

    >>> think(wants="The user asks for a sum.", work="2 + 2 = 4.", so="It is 4.", easy=True)[0]
    ''
    """
    low = brief or ("" if easy else work)
    medium = _joined(wants, work) if easy else _joined(work, so)
    high = _joined(wants, work, so, check)
    xhigh = _joined(restated, wants, work, so, check, second, plan)
    return low, medium, high, xhigh


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)
