"""Which two pictures have the same question and different answers?

A pair is a question about a scene and about its opposite: mirrored, or with a thing recoloured,
reshaped, left out, exchanged with another, or written with another digit or letter. Who does not
look at the picture gives the same answer twice and cannot be right both times.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from bootstrap.nano.pictures.composing import ink
from bootstrap.nano.pictures.drawing import draw
from bootstrap.nano.pictures.palette import COLOURS, far_apart, shade
from bootstrap.nano.pictures.questions import GROUPS, question
from bootstrap.nano.pictures.scene import Ground
from bootstrap.nano.pictures.shapes import OUTLINES

if TYPE_CHECKING:
    from collections.abc import Callable

    from bootstrap.nano.pictures.scene import Item, Scene
    from bootstrap.nano.replies import Exchange

__all__ = ["pair", "scenes"]


def pair(rng: Random, group: str = "") -> tuple[Exchange, Exchange]:
    """One question of that group (or any), asked about a picture and about its opposite."""
    (scene, one), (opposite, two) = scenes(rng, group)
    return replace(one, picture=draw(scene)), replace(two, picture=draw(opposite))


def scenes(rng: Random, group: str = "") -> tuple[tuple[Scene, Exchange], tuple[Scene, Exchange]]:
    """The same, each scene not drawn yet."""
    group = group or rng.choice(GROUPS)
    while True:
        asker, scene = question(rng, group)
        opposite = rng.choice(_CHANGES[group])(rng, scene)
        if opposite is None:
            continue
        for _ in range(60):
            seed = rng.getrandbits(32)
            one, two = asker(Random(seed), scene), asker(Random(seed), opposite)
            if one is None or two is None or one.user != two.user:
                continue
            if one.reply.value != two.reply.value:
                return (scene, one), (opposite, two)


def _mirrored(rng: Random, scene: Scene) -> Scene:  # noqa: ARG001
    return scene.mirrored()


def _changed(scene: Scene, old: Item, new: Item) -> Scene:
    items = tuple(new if item is old else item for item in scene.items)
    return replace(scene, items=items).ordered()


def _recoloured(rng: Random, scene: Scene) -> Scene:
    item = rng.choice(scene.items)
    others = tuple(colour for colour in COLOURS if colour != item.colour)
    colour, rgb = ink(rng, scene.ground, others)
    return _changed(scene, item, replace(item, colour=colour, rgb=rgb))


def _another_ground(rng: Random, scene: Scene) -> Scene | None:
    colour = rng.choice(COLOURS)
    rgb = shade(rng, colour)
    if not all(far_apart(rgb, item.rgb) and item.colour != colour for item in scene.items):
        return None
    return replace(scene, ground=Ground(colour, rgb, rgb))


def _reshaped(rng: Random, scene: Scene) -> Scene | None:
    if not scene.shapes:
        return None
    item = rng.choice(scene.shapes)
    kind = rng.choice(tuple(kind for kind in OUTLINES if kind != item.kind))
    return _changed(scene, item, replace(item, kind=kind, turn=0.0, hollow=False))


def _without_one(rng: Random, scene: Scene) -> Scene | None:
    if len(scene.items) == 1:
        return None
    left_out = rng.choice(scene.items)
    return replace(scene, items=tuple(item for item in scene.items if item is not left_out))


def _exchanged(rng: Random, scene: Scene) -> Scene | None:
    """Two shapes change places, and so sizes."""
    if len(scene.shapes) < 2:
        return None
    one, two = rng.sample(scene.shapes, 2)
    swapped = {
        id(one): replace(one, x=two.x, y=two.y, size=two.size),
        id(two): replace(two, x=one.x, y=one.y, size=one.size),
    }
    return replace(
        scene, items=tuple(swapped.get(id(item), item) for item in scene.items)
    ).ordered()


def _rewritten(rng: Random, scene: Scene) -> Scene | None:
    """One digit or letter is another; the text still fits."""
    texts = [item for item in scene.items if item.text]
    if not texts:
        return None
    (item,) = texts
    at = rng.randrange(len(item.text))
    old = item.text[at]
    alphabet = "0123456789" if old.isdigit() else "abcdefghijklmnopqrstuvwxyz"
    new = rng.choice(alphabet.replace(old.lower(), ""))
    new = new.upper() if old.isupper() else new
    text = item.text[:at] + new + item.text[at + 1 :]
    changed = replace(item, text=text)
    left, top, right, bottom = changed.box
    if (
        text[0] == "0"
        or left < 1
        or top < 1
        or right > scene.width - 1
        or bottom > scene.height - 1
    ):
        return None
    return _changed(scene, item, changed)


def _turned(rng: Random, scene: Scene) -> Scene:  # noqa: ARG001
    """Upside down, but for what is written; arrows point the other way."""
    items = tuple(
        replace(
            item, y=scene.height - item.y, turn=-item.turn if item.kind == "arrow" else item.turn
        )
        for item in scene.items
    )
    return replace(scene, items=items).ordered()


_CHANGES: dict[str, tuple[Callable[[Random, Scene], Scene | None], ...]] = {
    "shapes": (_reshaped,),
    "colours": (_recoloured, _recoloured, _another_ground),
    "counting shapes": (_without_one, _recoloured, _reshaped),
    "positions": (_mirrored, _mirrored, _turned, _exchanged),
    "reading pictures": (_rewritten,),
    "larger and smaller": (_exchanged,),
    "describing": (_recoloured, _mirrored, _reshaped),
}
