"""Which colours have names, and which shades go by each name?

A shade is drawn from a box of hue (degrees), saturation and value; the boxes leave gaps between
them, so that a shade has one name only.
"""

from __future__ import annotations

import colorsys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

__all__ = ["COLOURS", "RGB", "far_apart", "legible", "shade"]

RGB = tuple[int, int, int]

_BOXES: dict[str, tuple[tuple[float, float], tuple[float, float], tuple[float, float]]] = {
    "red": ((-8, 7), (0.78, 1), (0.72, 1)),
    "orange": ((25, 36), (0.85, 1), (0.92, 1)),
    "yellow": ((50, 60), (0.65, 1), (0.9, 1)),
    "green": ((95, 145), (0.6, 1), (0.45, 0.85)),
    "blue": ((208, 236), (0.68, 1), (0.6, 1)),
    "purple": ((268, 290), (0.5, 0.95), (0.45, 0.75)),
    "pink": ((318, 342), (0.35, 0.6), (0.92, 1)),
    "brown": ((18, 30), (0.55, 0.8), (0.34, 0.52)),
    "black": ((0, 360), (0, 0.1), (0, 0.12)),
    "white": ((0, 360), (0, 0.04), (0.95, 1)),
    "grey": ((0, 360), (0, 0.05), (0.42, 0.65)),
}
COLOURS = tuple(_BOXES)


def shade(rng: Random, name: str) -> RGB:
    """A shade that goes by that name."""
    hue, saturation, value = (rng.uniform(*bounds) for bounds in _BOXES[name])
    red, green, blue = colorsys.hsv_to_rgb(hue / 360 % 1, saturation, value)
    return round(red * 255), round(green * 255), round(blue * 255)


def far_apart(one: RGB, two: RGB) -> bool:
    """Can the one be seen on the other?"""
    return sum(abs(a - b) for a, b in zip(one, two, strict=True)) > 190


def legible(one: RGB, two: RGB) -> bool:
    """Do they differ in brightness too, as ink and paper should?"""
    return abs(_brightness(one) - _brightness(two)) > 55


def _brightness(rgb: RGB) -> float:
    """0 to 255, by the weights of ITU-R BT.601."""
    red, green, blue = rgb
    return 0.299 * red + 0.587 * green + 0.114 * blue
