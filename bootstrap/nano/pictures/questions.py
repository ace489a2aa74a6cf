"""What can be asked about a picture, and what is the answer?

An asker takes a scene and gives a question about it with the right reply, or nothing where the
scene does not allow the question (two stars: which is "the star"?). The answer is a function of the
question and the picture. A question names a thing by its shape where no other has that shape.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bootstrap.nano.pictures.amounts import how_many, is_there, larger, largest
from bootstrap.nano.pictures.appearance import (
    colour_of,
    colour_of_ground,
    same_colour,
    shape_alone,
    shape_by_colour,
)
from bootstrap.nano.pictures.composing import crowd, few, one, writing
from bootstrap.nano.pictures.positions import beside, left_or_right, pointing, what_is_at, where
from bootstrap.nano.pictures.reading import describe, nothing_written, read
from bootstrap.nano.replies import Exchange, Reply, think

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from bootstrap.nano.pictures.scene import Scene

    Asker = Callable[[Random, Scene], Exchange | None]
    Maker = Callable[[Random], Scene]

__all__ = ["ASKERS", "GROUPS", "about", "asked", "no_picture", "question"]

# By report group: share of all first questions, and the askers with their share and the scenes that
# suit them.
ASKERS: dict[str, tuple[float, tuple[tuple[float, Asker, tuple[Maker, ...]], ...]]] = {
    "shapes": (0.12, (
        (0.5, shape_alone, (one,)), (0.25, shape_by_colour, (few,)), (0.25, is_there, (few, crowd)),
    )),
    "colours": (0.12, (
        (0.3, colour_of, (one, writing)), (0.4, colour_of, (few,)),
        (0.2, colour_of_ground, (one, few, crowd, writing)), (0.1, same_colour, (few, crowd)),
    )),
    "counting shapes": (0.14, ((1.0, how_many, (crowd, crowd, few, one)),)),
    "positions": (0.18, (
        (0.15, where, (one, writing)), (0.2, where, (few,)), (0.15, what_is_at, (few, few, one)),
        (0.2, beside, (few,)), (0.2, left_or_right, (few,)), (0.1, pointing, (one, few)),
    )),
    "reading pictures": (0.22, (
        (0.96, read, (writing,)), (0.04, nothing_written, (one, few)),
    )),
    "larger and smaller": (0.08, ((0.7, larger, (few,)), (0.3, largest, (few,)))),
    "describing": (0.14, ((1.0, describe, (one, few, few, writing)),)),
}  # fmt: skip
GROUPS = tuple(ASKERS)


def _asker(rng: Random, group: str) -> tuple[Asker, tuple[Maker, ...]]:
    rows = ASKERS[group][1]
    ((_, asker, makers),) = rng.choices(rows, [share for share, _, _ in rows])
    return asker, makers


def _group(rng: Random) -> str:
    (group,) = rng.choices(GROUPS, [share for share, _ in ASKERS.values()])
    return group


def question(rng: Random, group: str) -> tuple[Asker, Scene]:
    """An asker of that group and a scene that suits it (if not always every question)."""
    asker, makers = _asker(rng, group)
    return asker, rng.choice(makers)(rng)


def asked(rng: Random, group: str = "") -> tuple[Scene, Exchange]:
    """A scene, and a question of that group (or any) about it."""
    group = group or _group(rng)
    while True:
        asker, scene = question(rng, group)
        for _ in range(4):
            exchange = asker(rng, scene)
            if exchange is not None:
                return scene, exchange


def about(rng: Random, scene: Scene) -> Exchange:
    """Another question about that scene."""
    while True:
        exchange = _asker(rng, _group(rng))[0](rng, scene)
        if exchange is not None:
            return exchange


def no_picture(rng: Random) -> Exchange:
    """A question about a picture that was never sent."""
    _, exchange = asked(rng)
    thoughts = think(
        wants="The user asks about a picture.",
        work="There is no picture in this conversation.",
        so="I can not see what is not there.",
        restated="I look for a picture.",
        check="I look again: only text.",
        easy=True,
    )
    return Exchange(exchange.user, Reply("no picture", thoughts, "I see no picture.", "no picture"))
