"""What is practised on its own, more often than conversations ask for it?

Exercises of the kinds that a trained model was found to get wrong, one after the other, with many
words that no list holds. A skill that turns up once in a hundred turns is learned slowly from
conversations; here it is all there is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bootstrap.nano.conversation import Conversation, kept_thoughts
from bootstrap.nano.dressing import dressed
from bootstrap.nano.replies import STRENGTHS
from bootstrap.nano.skills.dates import dates
from bootstrap.nano.skills.lists import list_drill
from bootstrap.nano.skills.markdown import ticked
from bootstrap.nano.skills.sums import sums
from bootstrap.nano.skills.units import units
from bootstrap.nano.skills.words import letter_drill

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from bootstrap.nano.replies import Exchange

__all__ = ["drill"]

_EXERCISES: tuple[tuple[float, Callable[[Random], Exchange]], ...] = (
    (0.40, list_drill), (0.30, letter_drill), (0.08, ticked), (0.08, dates), (0.08, units),
    (0.06, sums),
)  # fmt: skip
_SYSTEMS = (None, None, None, "You are a helpful assistant.", "You are Muse Nano.")
_TURNS = (1, 1, 2, 3, 4, 5)


def drill(rng: Random) -> Conversation:
    """One to five exercises, in any order."""
    exercises = rng.choices(
        [make for _, make in _EXERCISES],
        [share for share, _ in _EXERCISES],
        k=rng.choice(_TURNS),
    )
    exchanges = tuple(make(rng) for make in exercises)
    system = rng.choice(_SYSTEMS)
    date = f"20{rng.randint(24, 31)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
    return Conversation(
        "drill",
        system,
        None if system else date,
        rng.choice(STRENGTHS),
        tuple(replace(each, user=dressed(rng, each.user)) for each in exchanges),
        kept_thoughts(rng, len(exchanges)),
    )
