"""How does it count up and down, for as long as it is asked to?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bootstrap.nano.replies import Exchange, Reply, think

if TYPE_CHECKING:
    from random import Random

__all__ = ["counting"]


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
