"""How does it answer at length: counting, and a little story?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bootstrap.nano.lexicon import ANIMALS, COLOURS, FOODS, NAMES, OBJECTS, PLACES, TOWNS
from bootstrap.nano.replies import Exchange, Reply, think

if TYPE_CHECKING:
    from random import Random

__all__ = ["counting", "story"]


def counting(rng: Random) -> Exchange:
    """Count up or down, digits with commas between."""
    if rng.random() < 0.75:
        first = 1 if rng.random() < 0.7 else rng.randint(0, 60)
        last = first + rng.choice((4, 9, 19, 29, 39, 49, rng.randint(2, 99)))
        numbers = range(first, last + 1)
        user = rng.choice(("Count from {} to {}.", "Please count from {} to {}.",
                           "Count up from {} to {}.",
                           "List the numbers from {} to {}."))  # fmt: skip
        user = user.format(first, last)
        if first == 1 and rng.random() < 0.3:
            user = rng.choice(("Count to {}.", "Can you count to {}?")).format(last)
    else:
        first, last = rng.randint(3, 50), rng.choice((0, 1))
        numbers = range(first, last - 1, -1)
        user = rng.choice(("Count down from {} to {}.", "Count backwards from {} to {}."))
        user = user.format(first, last)
    text = ", ".join(map(str, numbers)) + "."
    thoughts = think(
        wants="The user wants me to count.", work=f"I start at {first} and stop at {last}.",
        so="I write every number.", restated=f"From {first} to {last}.",
        check="I leave nothing out.", easy=True,
    )  # fmt: skip
    return Exchange(user, Reply("counting", thoughts, text, text))


_OPENINGS = (
    "Once there was a {animal} called {name}.", "{name} lived in {town} with a {animal}.",
    "One morning {name} found a {colour} {object}.", "Long ago, {name} had a {colour} {object}.",
)  # fmt: skip
_MIDDLES = (
    "The {colour} {object} was in the {place}.", "It was cold, and the {place} was dark.",
    "{name} walked all the way to {town}.", "A {animal} looked at {name} and said nothing.",
    "{name} was hungry and ate some {food}.", "The {animal} wanted the {object}.",
    "Then it began to rain.", "{name} looked for the {object} in the {place}.",
    "Nobody in {town} knew what to do.", "They shared the {food} and became friends.",
    "In the {place} they heard a song.", "The {object} began to shine.",
)  # fmt: skip
_ENDINGS = (
    "In the end {name} kept the {object}, and all was well.",
    "{name} went home to {town} and slept well.", "And the {animal} was never seen again.",
    "From that day on, {name} always carried the {object}.",
)  # fmt: skip


def story(rng: Random) -> Exchange:
    """A story of eight to twelve sentences; any wording will do."""
    cast = {
        "name": rng.choice(NAMES), "town": rng.choice(TOWNS), "animal": rng.choice(ANIMALS),
        "colour": rng.choice(COLOURS), "object": rng.choice(OBJECTS),
        "place": rng.choice(PLACES), "food": rng.choice(FOODS),
    }  # fmt: skip
    middles = rng.sample(_MIDDLES, rng.randint(6, 10))
    told = (rng.choice(_OPENINGS), *middles, rng.choice(_ENDINGS))
    user = rng.choice((
        "Tell me a story.", "Tell me a short story.", "Tell me a story about {name}.",
        "Tell me a story about {name} and the {object}.", "Write a story about a {animal}.",
        "Can you tell me a story?", "Tell me a long story.",
    ))  # fmt: skip
    thoughts = think(
        wants="The user wants a story.", work=f"It is about {cast['name']} and a {cast['object']}.",
        so="I tell it in simple sentences.", restated="I make one up.",
        check="It needs a beginning and an end.",
    )  # fmt: skip
    text = " ".join(told).format_map(cast)
    return Exchange(user.format_map(cast), Reply("story", thoughts, text, ""))
