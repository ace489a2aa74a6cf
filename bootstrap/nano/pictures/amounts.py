"""How many are there, is there one, and which is larger?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bootstrap.nano.pictures.looking import a, looked, plural
from bootstrap.nano.pictures.naming import HERE, exchange, two_named
from bootstrap.nano.pictures.palette import COLOURS
from bootstrap.nano.pictures.shapes import OUTLINES
from bootstrap.nano.skills.wording import worded

if TYPE_CHECKING:
    from random import Random

    from bootstrap.nano.pictures.scene import Item, Scene
    from bootstrap.nano.replies import Exchange

__all__ = ["goes_by", "how_many", "is_there", "larger", "largest", "tally"]


_LARGER = 1.7  # in area


def is_there(rng: Random, scene: Scene) -> Exchange | None:
    """Is there a circle?"""
    if not scene.shapes:
        return None
    item = rng.choice(scene.shapes)
    coloured = rng.random() < 0.4
    kind = item.kind if rng.random() < 0.5 else rng.choice(tuple(OUTLINES))
    colour = item.colour if rng.random() < 0.6 else rng.choice(COLOURS)
    noun = f"{colour} {kind}" if coloured else kind
    n = sum(
        other.kind == kind and (not coloured or other.colour == colour) for other in scene.shapes
    )
    user = worded(rng, rng.choice((
        f"[Is there|Do you see|Can you see] {{x}} {HERE}?", "Are there any {xs}?",
        "Does the picture show {x}?", "Does the picture have {x}?", f"Are there {{xs}} {HERE}?",
        "Do you see any {xs}?", "Is {x} in the picture?",
    )), x=a(noun), xs=plural(noun))  # fmt: skip
    answer = (
        f"Yes, there is {a(noun)}."
        if n == 1
        else f"Yes, there are {n} {plural(noun)}."
        if n
        else f"No, there is no {noun}."
    )
    thoughts = looked(
        scene,
        wants=f"The user asks whether there is {a(noun)}.",
        so=f"So the answer is {'yes' if n else 'no'}.",
        focus=tally(scene, noun) if n > 1 else f"{noun}: {n}.",
        check=f"I compare each with {a(noun)}.",
    )
    return exchange(user, "shapes", thoughts, answer, "Yes," if n else "No,")


def tally(scene: Scene, noun: str) -> str:
    """`circle 1, circle 2.`: the shapes that have that name, one by one."""
    n = sum(goes_by(item, noun) for item in scene.shapes)
    return ", ".join(f"{noun} {k + 1}" for k in range(n)) + "." if n else f"No {noun}."


def goes_by(item: Item, noun: str) -> bool:
    """Is it a `shape`, a `circle`, a `red circle`, a `red shape`?"""
    return noun in ("shape", item.kind, item.noun, f"{item.colour} shape")


def how_many(rng: Random, scene: Scene) -> Exchange | None:
    """How many circles are there?"""
    if len(scene.shapes) != len(scene.items):
        return None
    item = rng.choice(scene.shapes)
    kind = item.kind if rng.random() < 0.85 else rng.choice(tuple(OUTLINES))
    colour = item.colour if rng.random() < 0.9 else rng.choice(COLOURS)
    noun = rng.choice(("shape", "shape", kind, kind, f"{colour} shape", f"{colour} {kind}"))
    n = sum(goes_by(other, noun) for other in scene.shapes)
    user = worded(rng, rng.choice((
        "How many {xs} are there?", f"How many {{xs}} are there {HERE}?",
        "How many {xs} do you see?", "How many {xs} can you see?", "Count the {xs}.",
        "[Please|] count the {xs} in the picture.", "What is the number of {xs}?",
        "How many {xs} does the picture show?", "How many {xs} [here|]?",
        "How many {xs} has the picture?", "Tell me how many {xs} there are.",
    )), xs=plural(noun))  # fmt: skip
    answer = f"There is 1 {noun}." if n == 1 else f"There are {n} {plural(noun)}."
    thoughts = looked(
        scene,
        wants=f"The user wants the {plural(noun)} counted.",
        so=f"So there {'is' if n == 1 else 'are'} {n}.",
        focus=tally(scene, noun),
        check="I count row by row.",
    )
    value = f"{n} {noun if n == 1 else plural(noun)}"
    return exchange(user, "counting shapes", thoughts, answer, value)


def larger(rng: Random, scene: Scene) -> Exchange | None:
    """Which is larger, the red circle or the blue square?"""
    drawn = two_named(rng, scene)
    if drawn is None or any(item.kind == "line" or item.text for item, _ in drawn):
        return None
    (first, x), (second, y) = drawn
    ratio = first.area / second.area
    if 1 / _LARGER < ratio < _LARGER or (first.size > second.size) != (ratio > 1):
        return None
    large = rng.random() < 0.6
    word = rng.choice(("larger", "bigger")) if large else "smaller"
    wins, x_wins = (x, True) if (ratio > 1) == large else (y, False)
    draw = rng.random()
    if draw < 0.7:
        user = worded(rng, rng.choice((
            "Which is {w}, the {x} or the {y}?", "Which [one|shape] is {w}: the {x} or the {y}?",
            "What is {w}, the {x} or the {y}?", "Is the {x} or the {y} {w}?",
            "Which of the two is {w}, the {x} or the {y}?",
            "Compare the {x} and the {y}: which is {w}?",
        )), w=word, x=x, y=y)  # fmt: skip
        answer, value = f"The {wins} is {word}.", wins
    else:
        user = worded(rng, rng.choice((
            "Is the {x} {w} than the {y}?", "Do you think the {x} is {w} than the {y}?",
            "Is it true that the {x} is {w} than the {y}?",
        )), w=word, x=x, y=y)  # fmt: skip
        value = "Yes," if x_wins else "No,"
        answer = f"{value} the {wins} is {word}."
    sizes = ("large", "small") if ratio > 1 else ("small", "large")
    thoughts = looked(
        scene,
        wants="The user compares two sizes.",
        so=f"So the {wins} is {word}.",
        focus=f"{x}: {sizes[0]}, {y}: {sizes[1]}.",
        check="I compare how much room each takes.",
    )
    return exchange(user, "larger and smaller", thoughts, answer, value)


def largest(rng: Random, scene: Scene) -> Exchange | None:
    """What is the largest shape?"""
    if (
        len(scene.shapes) < 2
        or any(item.kind == "line" for item in scene.shapes)
        or len(scene.shapes) < len(scene.items)
    ):
        return None
    large = rng.random() < 0.6
    ranked = sorted(scene.shapes, key=lambda item: item.area, reverse=large)
    first, second = ranked[:2]
    ratio = max(first.area, second.area) / min(first.area, second.area)
    if (
        ratio < _LARGER
        or (first.size > second.size) != large
        or sum(i.noun == first.noun for i in ranked) > 1
    ):
        return None
    word = rng.choice(("largest", "biggest")) if large else "smallest"
    user = worded(rng, rng.choice((
        "What is the {w} shape?", "[What|Which] shape is the {w}?",
        "Which is the {w} shape [in the picture|here|]?", "What is the {w} thing in the picture?",
        "Which one is the {w}?", "Name the {w} shape.",
    )), w=word)  # fmt: skip
    thoughts = looked(
        scene,
        wants=f"The user asks for the {word} shape.",
        so=f"So the {first.noun} is the {word}.",
        focus=f"{word}: {first.noun}.",
        check="I compare how much room each takes.",
    )
    return exchange(
        user, "larger and smaller", thoughts, f"The {first.noun} is the {word}.", first.noun
    )
