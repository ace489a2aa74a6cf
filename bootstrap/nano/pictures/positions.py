"""Where are things in a picture, and which way does an arrow point?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bootstrap.nano.pictures.looking import looked
from bootstrap.nano.pictures.naming import HERE, capital, exchange, named, thing, two_named
from bootstrap.nano.pictures.scene import PLACES
from bootstrap.nano.skills.wording import worded

if TYPE_CHECKING:
    from random import Random

    from bootstrap.nano.pictures.scene import Item, Scene
    from bootstrap.nano.replies import Exchange

__all__ = ["beside", "left_or_right", "pointing", "what_is_at", "where"]


_AWAY = 0.2  # how far apart in their middles two things lie that are left and right, of the width
_NEAR = 0.06


def where(rng: Random, scene: Scene) -> Exchange | None:
    """Where is the star?"""
    drawn = named(rng, scene)
    if drawn is None:
        return None
    item, x = drawn
    place = scene.place(item)
    if len(scene.items) == 1 and rng.random() < 0.3 and not item.text:
        x = "shape"
    user = worded(rng, rng.choice((
        f"Where is the {{x}} {HERE}?", "Where is the {x}?", "Where do you see the {x}?",
        "In which part of the picture is the {x}?", "Where can I find the {x}?",
        "What is the position of the {x}?", "In which corner or on which side is the {x}?",
        "Tell me where the {x} is.", "Where in the [picture|image] is the {x}?",
    )), x=x)  # fmt: skip
    thoughts = looked(
        scene,
        wants=f"The user asks where the {x} is.",
        so=f"So it is {place}.",
        focus=f"{x}: {place}." if len(scene.items) > 1 else "",
        check="I look at the height and the side.",
    )
    return exchange(user, "positions", thoughts, f"The {x} is {place}.", f"{place}.")


def what_is_at(rng: Random, scene: Scene) -> Exchange | None:
    """What is at the top left?"""
    items = {scene.place(item): item for item in scene.items}
    if len(items) < len(scene.items):
        return None
    place = rng.choice(tuple(items) if rng.random() < 0.8 else _empty(scene) or tuple(items))
    user = worded(rng, rng.choice((
        "What is {p}?", f"What is {{p}} {HERE}?", "What do you see {p}?",
        "What is {p} of the picture?", "[What|Which] shape is {p}?", "Which thing is {p}?",
        "What can you see {p}?", "Tell me what is {p}.",
    )), p=place)  # fmt: skip
    item = items.get(place)
    answer = f"Nothing is {place}." if item is None else f"{capital(thing(item))} is {place}."
    thoughts = looked(
        scene,
        wants=f"The user asks what is {place}.",
        so=f"So {'nothing' if item is None else thing(item)} is there.",
        focus=f"{place}: {'nothing' if item is None else item.noun}.",
        check="I look there again.",
    )
    return exchange(user, "positions", thoughts, answer, "Nothing" if item is None else item.noun)


def _empty(scene: Scene) -> tuple[str, ...]:
    """Places with nothing there; of a whole side, only if nothing is anywhere along it."""
    cells = {scene.cell(item) for item in scene.items}
    rows, columns = {row for row, _ in cells}, {column for _, column in cells}
    free = []
    for row, places in enumerate(PLACES):
        for column, place in enumerate(places):
            side = 1 in (row, column) and row != column
            taken = (row in rows if column == 1 else column in columns) if side else False
            if (row, column) not in cells and not taken:
                free.append(place)
    return tuple(free)


_SIDES = {"left of": (-1, 0), "right of": (1, 0), "above": (0, -1), "below": (0, 1)}
_SPOKEN = {
    "left of": "[left of|to the left of|on the left of]",
    "right of": "[right of|to the right of|on the right of]",
    "above": "[above|over]", "below": "[below|under|beneath]",
}  # fmt: skip
_OPPOSITE = {"left of": "right of", "right of": "left of", "above": "below", "below": "above"}


def _offset(scene: Scene, item: Item, other: Item, side: str) -> float:
    """How far the item lies on that side of the other, as a share of the picture."""
    x, y = _SIDES[side]
    return x * (item.x - other.x) / scene.width + y * (item.y - other.y) / scene.height


def beside(rng: Random, scene: Scene) -> Exchange | None:
    """What is left of the star?"""
    drawn = named(rng, scene)
    if drawn is None or len(scene.items) < 2:
        return None
    item, x = drawn
    side = rng.choice(tuple(_SIDES))
    offsets = [
        (_offset(scene, other, item, side), other) for other in scene.items if other is not item
    ]
    there = [other for offset, other in offsets if offset > _NEAR]
    if (
        len(there) > 1
        or any(_NEAR < offset < _AWAY for offset, _ in offsets)
        or (not there and rng.random() < 0.7)
    ):
        return None
    user = worded(rng, rng.choice((
        f"What is {_SPOKEN[side]} the {{x}}?", f"[What|Which] shape is {_SPOKEN[side]} the {{x}}?",
        f"What do you see {_SPOKEN[side]} the {{x}}?", f"What stands {_SPOKEN[side]} the {{x}}?",
        f"Which thing is {_SPOKEN[side]} the {{x}}?",
        f"Tell me what is {_SPOKEN[side]} the {{x}}.",
    )), x=x)  # fmt: skip
    found = thing(there[0]) if there else "nothing"
    thoughts = looked(
        scene,
        wants=f"The user asks what is {side} the {x}.",
        so=f"So {found} is {side} the {x}.",
        focus=f"{side} the {x}: {there[0].noun if there else 'nothing'}.",
        check=f"I look for the {x}, then beside it.",
    )
    answer = f"{capital(found)} is {side} the {x}."
    return exchange(user, "positions", thoughts, answer, there[0].noun if there else "Nothing")


def left_or_right(rng: Random, scene: Scene) -> Exchange | None:
    """Is the circle left or right of the square? Is it above it?"""
    drawn = two_named(rng, scene)
    if drawn is None:
        return None
    (first, x), (second, y) = drawn
    side = rng.choice(tuple(_SIDES))
    if _offset(scene, first, second, side) < 0:
        side = _OPPOSITE[side]
    if _offset(scene, first, second, side) < _AWAY:
        return None
    open_question = rng.random() < 0.5
    asked = side if rng.random() < 0.5 else _OPPOSITE[side]
    if open_question:
        pair = (
            ("left or right of", "right or left of")
            if "of" in side
            else ("above or below", "below or above")
        )
        user = worded(rng, rng.choice((
            "Is the {x} {p} the {y}?", "Does the {x} stand {p} the {y}?",
            "Is the {x} to be found {p} the {y}?", "Tell me: is the {x} {p} the {y}?",
        )), x=x, y=y, p=rng.choice(pair))  # fmt: skip
        answer, value = f"The {x} is {side} the {y}.", f"is {side}"
    else:
        user = worded(rng, rng.choice((
            f"Is the {{x}} {_SPOKEN[asked]} the {{y}}?",
            f"Does the {{x}} stand {_SPOKEN[asked]} the {{y}}?",
            f"Do you see the {{x}} {_SPOKEN[asked]} the {{y}}?",
            f"Is it true that the {{x}} is {_SPOKEN[asked]} the {{y}}?",
        )), x=x, y=y)  # fmt: skip
        word = "Yes," if asked == side else "No,"
        answer, value = f"{word} the {x} is {side} the {y}.", word
    thoughts = looked(
        scene,
        wants="The user asks how two things lie.",
        so=f"So the {x} is {side} the {y}.",
        focus=f"{x}: {scene.place(first)}, {y}: {scene.place(second)}.",
        check="I compare the two places.",
    )
    return exchange(user, "positions", thoughts, answer, value)


def pointing(rng: Random, scene: Scene) -> Exchange | None:
    """Which way does the arrow point?"""
    arrows = [item for item in scene.items if item.kind == "arrow"]
    if len(arrows) != 1:
        return None
    way = ("right", "down", "left", "up")[round(arrows[0].turn / 90) % 4]
    user = worded(rng, rng.choice((
        "[Which way|Where] does the arrow point?",
        "In [which|what] direction does the arrow point?",
        "[Which|What] way is the arrow pointing?", "Where is the arrow pointing?",
        "What direction does the arrow show?", "Does the arrow point left, right, up or down?",
    )))  # fmt: skip
    thoughts = looked(
        scene,
        wants="The user asks where the arrow points.",
        so=f"So the arrow points {way}.",
        focus=f"arrow: {way}." if len(scene.items) > 1 else "",
        check=f"Its tip is on the side that is {way}.",
    )
    return exchange(user, "positions", thoughts, f"The arrow points {way}.", f"points {way}")
