"""How many cells does a picture of a given size get?

A picture is resized to `rows x columns` cells of 28 x 28 pixels, each of which becomes one token
of the prompt. With h and w the height and width in cells, not rounded:

    if h * w > most:   both are scaled down by the same factor, so that h * w = most
    candidates         {floor h, ceil h} x {floor w, ceil w}, without empty ones and those over most
    chosen             the candidate whose rows/columns is nearest to height/width

Two candidates may be equally near (a square of 1440 pixels: 51 x 51 and 52 x 52 cells). The
published processors keep candidates in a Python set and take the first, so that the order of
CPython's hash table decides: 52 x 52 there, yet 8 x 8 for 225 pixels. To be the same picture to
the same model it has to be done in the same way, and is; the test pins the results.

A strip may have no candidate, being thinner than half a cell and longer than `most`; it becomes
one cell wide.
"""

from __future__ import annotations

from itertools import product
from math import ceil, floor

__all__ = ["CELL", "MOST_CELLS", "cells"]

CELL = 28
"""Pixels of a side."""
MOST_CELLS = 4096


def cells(width: int, height: int, most: int = MOST_CELLS) -> tuple[int, int]:
    """Return `(rows, columns)` for a picture of `width x height` pixels; at most `most` cells.

    Raises ValueError if a number is not positive.
    """
    if min(width, height, most) < 1:
        raise ValueError(f"no cells for {width} x {height} pixels and at most {most} cells")
    tall, wide = height / CELL, width / CELL
    aspect = wide / tall
    if tall * wide > most:
        tall = (most / aspect) ** 0.5
        wide = tall * aspect
    candidates = [
        (rows, columns)
        for rows, columns in set(product((floor(tall), ceil(tall)), (floor(wide), ceil(wide))))
        if rows >= 1 and columns >= 1 and rows * columns <= most
    ]
    if not candidates:  # one side is less than one cell, the other more than `most`
        return min(max(1, round(tall)), most), min(max(1, round(wide)), most)
    return min(candidates, key=lambda cell: abs(cell[0] / cell[1] - height / width))
