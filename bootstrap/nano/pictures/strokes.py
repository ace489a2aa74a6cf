"""How would a pen write digits and capital letters?

A second alphabet beside Pillow's own font, so that reading does not hang on one. Each letter is a
few pen strokes on a grid four wide and six high, y pointing down; a stroke that begins with `~` is
rounded off at its corners.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise

from PIL import Image, ImageDraw

__all__ = ["PENNED", "penned"]

Stroke = tuple[tuple[float, float], ...]

_LETTERS = {
    "0": "~2,0 0,0 0,3 0,6 2,6 4,6 4,3 4,0 2,0", "1": "1,1.2 2.4,0 2.4,6",
    "2": "~0,1.5 0,0 2,0 4,0 4,1.5 4,2.6 2,4 0,6/0,6 4,6",
    "3": "~0,0.8 1,0 3,0 3.8,0.6 3.8,2.2 3,2.8 1.5,2.9/~1.5,2.9 3,2.9 4,3.4 4,5.2 3,6 1,6 0,5.2",
    "4": "3,6 3,0 0,4.2 4,4.2", "5": "3.7,0 0.5,0 0.3,2.7/~0.3,2.7 1,2.2 4,2.2 4,6 1,6 0,5.3",
    "6": "~3.4,0 1.5,1 0,3 0,6 4,6 4,2.6 1.4,2.6 0,4", "7": "0,0 4,0 1.4,6",
    "8": "~2,2.8 0.3,2.8 0.3,0 3.7,0 3.7,2.8 2,2.8/~2,2.8 0,2.8 0,6 4,6 4,2.8 2,2.8",
    "9": "~4,2 2.6,3.4 0,3.4 0,0 4,0 4,3 2.5,5 0.6,6",
    "A": "0,6 2,0 4,6/0.7,4 3.3,4",
    "B": "0,0 0,6/~0,0 3.6,0 3.6,2.8 0,2.8/~0,2.8 4,2.8 4,6 0,6",
    "C": "~4,1.2 3.4,0 0,0 0,3 0,6 3.4,6 4,4.8", "D": "0,0 0,6/~0,0 4,0 4,3 4,6 0,6",
    "E": "4,0 0,0 0,6 4,6/0,3 3.2,3", "F": "4,0 0,0 0,6/0,3 3.2,3",
    "G": "~4,1.2 3.4,0 0,0 0,3 0,6 4,6 4,3.4/4,3.4 2.4,3.4", "H": "0,0 0,6/4,0 4,6/0,3 4,3",
    "I": "2,0 2,6/1,0 3,0/1,6 3,6", "J": "~3.4,0 3.4,4 3.4,6 0.2,6 0.2,4.4",
    "K": "0,0 0,6/4,0 0,3.4/1.2,2.6 4,6", "L": "0,0 0,6 4,6", "M": "0,6 0,0 2,3.6 4,0 4,6",
    "N": "0,6 0,0 4,6 4,0", "O": "~2,0 0,0 0,3 0,6 2,6 4,6 4,3 4,0 2,0",
    "P": "0,0 0,6/~0,0 4,0 4,3.2 0,3.2",
    "Q": "~2,0 0,0 0,3 0,6 2,6 4,6 4,3 4,0 2,0/2.6,4.2 4.2,6.4",
    "R": "0,0 0,6/~0,0 4,0 4,3.2 0,3.2/1.8,3.2 4,6",
    "S": "~3.9,1 3.4,0 0.2,0 0.2,2.6 2,3 4,3.4 4,6 0.6,6 0,5", "T": "0,0 4,0/2,0 2,6",
    "U": "~0,0 0,3 0,6 4,6 4,3 4,0", "V": "0,0 2,6 4,0", "W": "0,0 1,6 2,1.6 3,6 4,0",
    "X": "0,0 4,6/4,0 0,6", "Y": "0,0 2,3/4,0 2,3/2,3 2,6", "Z": "0,0 4,0 0,6 4,6",
}  # fmt: skip
PENNED = frozenset(_LETTERS)
_SCALE = 3  # drawn larger, then shrunk: smooth edges


@cache
def _strokes(letter: str) -> tuple[Stroke, ...]:
    told = []
    for text in _LETTERS[letter].split("/"):
        pairs = (pair.split(",") for pair in text.removeprefix("~").split())
        points = tuple((float(x), float(y)) for x, y in pairs)
        told.append(_rounded(_rounded(points)) if text.startswith("~") else points)
    return tuple(told)


def _rounded(points: Stroke) -> Stroke:
    """Every corner cut at a quarter of the way to its neighbours (Chaikin 1974); ends stay."""
    cut = [points[0]]
    for (x, y), (u, v) in pairwise(points):
        cut += [(0.75 * x + 0.25 * u, 0.75 * y + 0.25 * v)]
        cut += [(0.25 * x + 0.75 * u, 0.25 * y + 0.75 * v)]
    return (*cut, points[-1])


def penned(text: str, size: int, width: float) -> Image.Image:
    """The ink of the text: mode L; letters are 0.72 `size` high, the pen `width` pixels wide."""
    unit = _SCALE * 0.72 * size / 6
    pen = max(_SCALE * width, 2.0)
    step = unit * 4 + max(1.6 * unit, 1.6 * pen)
    big = Image.new("L", (math.ceil(step * len(text) + 2 * pen), math.ceil(6.5 * unit + 2 * pen)))
    draw = ImageDraw.Draw(big)
    for k, letter in enumerate(text):
        for stroke in _strokes(letter):
            points = [(pen + k * step + x * unit, pen + y * unit) for x, y in stroke]
            draw.line(points, fill=255, width=round(pen), joint="curve")
            for x, y in (points[0], points[-1]):
                draw.ellipse((x - pen / 2, y - pen / 2, x + pen / 2, y + pen / 2), fill=255)
    return big.reduce(_SCALE)
