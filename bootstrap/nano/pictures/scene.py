"""What is in a picture, before it is drawn?

A scene says everything that the drawing needs, so that the same scene is always the same pixels,
and a scene with one thing changed (mirrored, another colour, another digit) differs in that alone.
Things stand in the slots of a grid, so they never overlap, and each has one of nine places.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from bootstrap.nano.pictures.lettering import Hand, text_mask
from bootstrap.nano.pictures.shapes import area

if TYPE_CHECKING:
    from bootstrap.nano.pictures.palette import RGB

_PLAIN = Hand()

__all__ = ["PLACES", "Ground", "Item", "Scene", "Wear"]

PLACES = (
    ("at the top left", "at the top", "at the top right"),
    ("on the left", "in the centre", "on the right"),
    ("at the bottom left", "at the bottom", "at the bottom right"),
)


@dataclass(frozen=True, slots=True)
class Item:
    """A shape or a text. Places and sizes in pixels, turns in degrees clockwise."""

    kind: str  # a shape's name, or "digit", "number", "word"
    colour: str
    rgb: RGB
    x: float
    y: float
    size: float  # of a shape: the circle around it; of a text: the font's size
    turn: float = 0.0
    hollow: bool = False
    edge: RGB | None = None  # a thin contour in another colour
    text: str = ""
    hand: Hand = _PLAIN

    @property
    def noun(self) -> str:
        """`red circle`, `blue number 42`."""
        return f"{self.colour} {self.bare}"

    @property
    def bare(self) -> str:
        """`circle`, `number 42`."""
        return f"{self.kind} {self.text}" if self.text else self.kind

    @property
    def box(self) -> tuple[float, float, float, float]:
        """left, top, right, bottom."""
        if self.text:
            width, height = text_mask(self.text, int(self.size), self.hand).size
        else:
            width = height = int(self.size) + 1
        return self.x - width / 2, self.y - height / 2, self.x + width / 2, self.y + height / 2

    @property
    def area(self) -> float:
        """Square pixels within the outline (of a text: within its box)."""
        if self.text:
            left, top, right, bottom = self.box
            return (right - left) * (bottom - top)
        return area(self.kind) * self.size * self.size


@dataclass(frozen=True, slots=True)
class Ground:
    """The background: a shade, what it turns into, and how."""

    colour: str
    rgb: RGB
    other: RGB
    pattern: str = "plain"  # or "gradient", "speckled", "lined"
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Wear:
    """What a camera or a file format did to the picture."""

    noise: int = 0  # half width, in steps of 255
    blur: float = 0.0  # radius, pixels
    jpeg: int = 0  # quality; 0 means none


_UNWORN = Wear()


@dataclass(frozen=True)
class Scene:
    """A picture's size, its background, and its things in reading order."""

    width: int
    height: int
    ground: Ground
    items: tuple[Item, ...]
    wear: Wear = _UNWORN

    @cached_property
    def shapes(self) -> tuple[Item, ...]:
        """The things that are not texts."""
        return tuple(item for item in self.items if not item.text)

    def cell(self, item: Item) -> tuple[int, int]:
        """Its row and column among the nine places."""
        return _third(item.y / self.height), _third(item.x / self.width)

    def place(self, item: Item) -> str:
        """`at the top left`."""
        row, column = self.cell(item)
        return PLACES[row][column]

    def ordered(self) -> Scene:
        """The same with its things in reading order."""
        return replace(self, items=tuple(sorted(self.items, key=self._reading)))

    def _reading(self, item: Item) -> tuple[int, float]:
        return self.cell(item)[0], item.x

    def mirrored(self) -> Scene:
        """Left and right swapped; texts stay readable."""
        return replace(
            self, items=tuple(_mirrored(item, self.width) for item in self.items)
        ).ordered()


def _third(share: float) -> int:
    return 0 if share < 0.35 else 1 if share < 0.65 else 2


def _mirrored(item: Item, width: int) -> Item:
    turn = 180 - item.turn if item.kind == "arrow" else -item.turn
    return replace(item, x=width - item.x, turn=turn)
