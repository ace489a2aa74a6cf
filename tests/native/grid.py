"""How many cells does the native worker give a picture? Its own arithmetic, told once more.

The rule is that of `playground.vision.grid`, which takes the order of equally near grids from
Python's own set. The native worker computes that order: where a set of eight places would keep each
pair, by the hash of a pair of small numbers, and where the search goes on from a place that is
taken. So it is done here, and the two are held against each other.
"""

from __future__ import annotations

from math import ceil, floor, sqrt

CELL = 28
PLACES = 8
ALL = 2**64 - 1
FIRST, SECOND, FIFTH = 11400714785074694791, 14029467366897019727, 2870177450012600261


def hash_of(rows: int, columns: int) -> int:
    """CPython's hash of a pair of small numbers, as an unsigned number of 64 bits."""
    mixed = FIFTH
    for number in (rows, columns):
        mixed = (mixed + number * SECOND) & ALL
        mixed = ((mixed << 31) | (mixed >> 33)) & ALL
        mixed = (mixed * FIRST) & ALL
    mixed = (mixed + (2 ^ (FIFTH ^ 3527539))) & ALL
    return 1546275796 if mixed == ALL else mixed


def in_set_order(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Up to four pairs in the order of the set that holds them."""
    table: list[tuple[int, int] | None] = [None] * PLACES
    for pair in pairs:
        perturb = hash_of(*pair)
        place = perturb % PLACES
        while table[place] not in {None, pair}:
            perturb >>= 5
            place = (place * 5 + 1 + perturb) % PLACES
        table[place] = pair
    return [pair for pair in table if pair is not None]


def native_cells(width: int, height: int, most: int) -> tuple[int, int]:
    """Rows and columns of a picture of `width x height` pixels, at most `most` cells."""
    tall, wide = height / CELL, width / CELL
    ratio = wide / tall
    if tall * wide > most:
        tall = sqrt(most / ratio)
        wide = tall * ratio
    pairs = [
        (rows, cols) for rows in (floor(tall), ceil(tall)) for cols in (floor(wide), ceil(wide))
    ]
    best: tuple[float, tuple[int, int]] | None = None
    for rows, columns in in_set_order(pairs):
        if rows < 1 or columns < 1 or rows * columns > most:
            continue
        cost = abs(rows / columns - height / width)
        if best is None or cost < best[0]:
            best = cost, (rows, columns)
    return best[1] if best else (max(1, round(tall)), max(1, round(wide)))
