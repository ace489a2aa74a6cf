"""Which shape is it, and which colour?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bootstrap.nano.pictures.looking import a, looked
from bootstrap.nano.pictures.naming import HERE, SHOWN, exchange, two_named
from bootstrap.nano.skills.wording import worded

if TYPE_CHECKING:
    from random import Random

    from bootstrap.nano.pictures.scene import Scene
    from bootstrap.nano.replies import Exchange

__all__ = ["colour_of", "colour_of_ground", "same_colour", "shape_alone", "shape_by_colour"]


def shape_alone(rng: Random, scene: Scene) -> Exchange | None:
    """Which shape is it?"""
    if len(scene.items) != 1 or not scene.shapes:
        return None
    (item,) = scene.items
    user = worded(rng, rng.choice((
        f"[What|Which] shape [is it|is this|is that|do you see|can you see] {HERE}?",
        f"[What|Which] shape is {SHOWN}?", "Name the shape.", "Name this shape.",
        "[Please|] tell me [what|which] shape [this|it] is.", "What is the shape called?",
        "[What|Which] shape is shown?", "Identify the shape.", "What kind of shape is [it|this]?",
    )))  # fmt: skip
    thoughts = looked(
        scene,
        wants="The user asks for the shape.",
        so=f"So it is {a(item.kind)}.",
        check=f"Its outline is that of {a(item.kind)}.",
    )
    return exchange(user, "shapes", thoughts, f"It is {a(item.kind)}.", item.kind)


def shape_by_colour(rng: Random, scene: Scene) -> Exchange | None:
    """Which shape is the red thing?"""
    item = rng.choice(scene.items)
    if item.text or sum(other.colour == item.colour for other in scene.items) > 1:
        return None
    user = worded(rng, rng.choice((
        "[What|Which] shape is {c}?", "[What|Which] shape is the {c} one?",
        "What is the {c} shape?", "What is {c}?", "What shape does the {c} thing have?",
        "What kind of shape is the {c} one?", "The {c} shape: what is it?",
        "Which of the shapes is {c}?", "Name the {c} shape.",
    )), c=item.colour)  # fmt: skip
    thoughts = looked(
        scene,
        wants=f"The user asks for the shape that is {item.colour}.",
        focus=f"{item.colour}: {item.kind}." if len(scene.items) > 1 else "",
        so=f"So the {item.colour} shape is {a(item.kind)}.",
        check=f"Only one thing is {item.colour}.",
    )
    return exchange(
        user, "shapes", thoughts, f"The {item.colour} shape is {a(item.kind)}.", item.kind
    )


def colour_of(rng: Random, scene: Scene) -> Exchange | None:
    """Which colour is the star?"""
    item = rng.choice(scene.items)
    same = sum(other.kind == item.kind for other in scene.items)
    if same > 1:
        return None
    alone = len(scene.items) == 1
    if alone and rng.random() < 0.5 and not item.text:
        subject = rng.choice(("it", "the shape", "the shape"))
        answer = f"It is {item.colour}." if subject == "it" else f"The shape is {item.colour}."
    else:
        subject = f"the {item.kind}"
        answer = f"The {item.kind} is {item.colour}."
    user = worded(rng, rng.choice((
        "[What|Which] [colour|color] is {x}?", "[What|Which] [colour|color] does {x} have?",
        "What is the [colour|color] of {x}?", f"What [colour|color] is {{x}} {HERE}?",
        "[Please|] tell me the [colour|color] of {x}.", "Name the [colour|color] of {x}.",
        "In [what|which] [colour|color] is {x} drawn?", "Say [what|which] [colour|color] {x} is.",
    )), x=subject)  # fmt: skip
    thoughts = looked(
        scene,
        wants=f"The user asks for the colour of {subject}.",
        so=f"So {subject} is {item.colour}.",
        focus="" if alone else f"{item.kind}: {item.colour}.",
        check="I look at the colour again.",
    )
    return exchange(user, "colours", thoughts, answer, item.colour)


def colour_of_ground(rng: Random, scene: Scene) -> Exchange:
    """Which colour is the background?"""
    colour = scene.ground.colour
    user = worded(rng, rng.choice((
        "[What|Which] [colour|color] is the background?",
        "What is the [colour|color] of the background?",
        "[What|Which] [colour|color] does the background have?",
        "Which [colour|color] is behind [it|the shapes|everything]?",
        "What [colour|color] is the background of the [picture|image]?",
        "Name the background [colour|color].", "What is the background [colour|color]?",
    )))  # fmt: skip
    thoughts = looked(
        scene,
        wants="The user asks for the background.",
        so=f"So the background is {colour}.",
        check=f"What lies around the rest is {colour}.",
    )
    return exchange(user, "colours", thoughts, f"The background is {colour}.", colour)


def same_colour(rng: Random, scene: Scene) -> Exchange | None:
    """Do two things have the same colour?"""
    drawn = two_named(rng, scene)
    if drawn is None or any(item.noun == name for item, name in drawn):
        return None
    (first, x), (second, y) = drawn
    user = worded(rng, rng.choice((
        "Are the {x} and the {y} the same [colour|color]?",
        "Do the {x} and the {y} have the same [colour|color]?",
        "Is the {x} the same [colour|color] as the {y}?",
        "Does the {x} have the [colour|color] of the {y}?",
    )), x=x, y=y)  # fmt: skip
    same = first.colour == second.colour
    answer = (
        f"Yes, both are {first.colour}."
        if same
        else f"No, the {x} is {first.colour} and the {y} is {second.colour}."
    )
    thoughts = looked(
        scene,
        wants="The user compares two colours.",
        so=f"So they are {'the same' if same else 'different'}.",
        focus=f"{x}: {first.colour}, {y}: {second.colour}.",
        check="I compare the two.",
    )
    return exchange(user, "colours", thoughts, answer, "Yes," if same else "No,")
