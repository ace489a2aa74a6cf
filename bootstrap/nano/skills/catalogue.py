"""Which skills answer a single message, and how often is each drawn?

A skill is a function of a random generator that gives one exchange. What it answers is a function
of what it asks, word for word. `other` draws one; turns that need a conversation's memory or date
are in `memory_turns` and in `dialogues`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bootstrap.nano.skills.arithmetic import arithmetic
from bootstrap.nano.skills.code import code
from bootstrap.nano.skills.counting import counting
from bootstrap.nano.skills.dates import dates
from bootstrap.nano.skills.lists import lists
from bootstrap.nano.skills.markdown import markdown
from bootstrap.nano.skills.reading import reading
from bootstrap.nano.skills.refusals import refusals
from bootstrap.nano.skills.smalltalk import smalltalk
from bootstrap.nano.skills.stories import stories
from bootstrap.nano.skills.sums import sums
from bootstrap.nano.skills.units import units
from bootstrap.nano.skills.words import wordplay
from bootstrap.nano.skills.world import world

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from bootstrap.nano.replies import Exchange

__all__ = ["OTHER", "other"]

OTHER: tuple[tuple[float, Callable[[Random], Exchange]], ...] = (
    (0.15, wordplay),
    (0.13, arithmetic),
    (0.10, smalltalk),
    (0.016, counting),
    (0.05, stories),
    (0.06, code),
    (0.055, markdown),
    (0.055, reading),
    (0.03, refusals),
    (0.08, sums),
    (0.06, dates),
    (0.04, units),
    (0.07, lists),
    (0.10, world),
)


def other(rng: Random) -> Exchange:
    """A message of one of the skills."""
    shares = [share for share, _ in OTHER]
    (skill,) = rng.choices([skill for _, skill in OTHER], shares)
    return skill(rng)
