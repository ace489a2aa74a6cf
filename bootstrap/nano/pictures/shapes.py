"""What do the shapes look like?

A shape is a closed outline in a circle of radius one half around the origin (y points down), so
that it stays within its size however it is turned. An arrow points right and a line lies flat until
they are turned.
"""

from __future__ import annotations

import math
from functools import cache

from PIL import Image, ImageDraw

__all__ = ["HOLLOW", "OUTLINES", "area", "shape_mask"]

Outline = tuple[tuple[float, float], ...]


def _regular(corners: int, start: float = -90.0, inner: float = 1.0) -> Outline:
    """Corners on the circle; with `inner`, every second one drawn in to that share of it."""
    count = corners if inner == 1.0 else corners * 2
    points = []
    for k in range(count):
        radius = 0.5 * (inner if k % 2 and inner != 1.0 else 1.0)
        angle = math.radians(start + 360 * k / count)
        points.append((radius * math.cos(angle), radius * math.sin(angle)))
    return tuple(points)


def _box(width: float, height: float) -> Outline:
    """An upright box whose sides are in that proportion."""
    scale = 0.5 / math.hypot(width, height)
    x, y = width * scale, height * scale
    return (-x, -y), (x, -y), (x, y), (-x, y)


def _cross(arm: float = 0.16, reach: float = 0.47) -> Outline:
    a, r = arm, reach
    return (
        (-a, -r), (a, -r), (a, -a), (r, -a), (r, a), (a, a),
        (a, r), (-a, r), (-a, a), (-r, a), (-r, -a), (-a, -a),
    )  # fmt: skip


def _heart(steps: int = 40) -> Outline:
    points = []
    for k in range(steps):
        t = 2 * math.pi * k / steps
        x = 16 * math.sin(t) ** 3
        y = 13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t)
        points.append((x / 36, -(y + 2.5) / 36))
    return tuple(points)


_ARROW: Outline = (
    (-0.48, -0.11), (0.06, -0.11), (0.06, -0.31), (0.49, 0), (0.06, 0.31), (0.06, 0.11),
    (-0.48, 0.11),
)  # fmt: skip

OUTLINES: dict[str, Outline] = {
    "circle": _regular(36),
    "square": _box(1, 1),
    "triangle": _regular(3),
    "star": _regular(5, inner=0.42),
    "cross": _cross(),
    "rectangle": _box(2.1, 1),
    "ring": _regular(36),
    "heart": _heart(),
    "diamond": tuple((x * 0.72, y) for x, y in _regular(4)),
    "arrow": _ARROW,
    "line": _box(9, 1),
}
_HOLE = {"ring": 0.6, "square": 0.66, "triangle": 0.5, "star": 0.5, "rectangle": 0.6, "heart": 0.6,
         "diamond": 0.6}  # fmt: skip
HOLLOW = frozenset(_HOLE) - {"ring"}
"""Shapes that are at times drawn with a hole; a ring always is."""
_SCALE = 3  # drawn larger, then shrunk: smooth edges


@cache
def area(shape: str) -> float:
    """The area within the outline of a shape of size one."""
    points = OUTLINES[shape]
    following = (*points[1:], points[0])
    return 0.5 * abs(sum(x * v - u * y for (x, y), (u, v) in zip(points, following, strict=True)))


def shape_mask(
    shape: str, size: float, turn: float, *, hollow: bool, grow: float = 0.0
) -> Image.Image:
    """How much of each pixel the shape covers: mode L, a square around its centre.

    `size` in pixels, `turn` in degrees clockwise, `grow` in pixels on every side.
    """
    side = math.ceil(size + 2 * grow) + 2
    big = Image.new("L", (side * _SCALE, side * _SCALE))
    draw = ImageDraw.Draw(big)
    draw.polygon(_placed(shape, size + 2 * grow, turn, side), fill=255)
    if hollow or shape == "ring":
        draw.polygon(_placed(shape, (size - grow) * _HOLE[shape], turn, side), fill=0)
    return big.reduce(_SCALE)


def _placed(shape: str, size: float, turn: float, side: int) -> list[tuple[float, float]]:
    cos, sin = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    middle, scale = side / 2, size
    return [
        (
            _SCALE * (middle + scale * (x * cos - y * sin)),
            _SCALE * (middle + scale * (x * sin + y * cos)),
        )
        for x, y in OUTLINES[shape]
    ]
