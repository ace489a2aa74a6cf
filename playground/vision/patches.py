"""What are the nine inputs of a vision encoder for one picture?

P patches of 14 x 14 pixels, row by row; W the encoder's width, d the width of one attention head.

    patches      f32  [1, P, 1176]   (x/255 - 0.5) / 0.5, in the order temporal, channel, y, x; the
                                     two steps of time are the same picture
    pos_emb      f32  [1, P, W]      the learned position table, stretched over the picture
    cos, sin     f32  [P, d/2]       of the angles below
    sparse_perm  i64  [P]            the patches tile by tile; a tile is as large as the table
    inv_perm     i64  [P]            and back
    global_mask  bool [1, 1, P, P]   who sees whom where all see all
    sparse_mask  bool [1, 1, P, P]   and where only patches of a tile do, in the order of the tiles
    pixel_perm   i64  [P]            the patches cell by cell, four to a cell

Positions: along an axis of n patches and t table entries, patch i lies at (i + 0.5) * t/n - 0.5 and
takes from the two entries around it, by nearness; what would lie outside the table counts as zero.
Rows of patches read rows of the table, columns read columns. ExecuTorch's preprocessing, and
transformers after it, give patch number i the position of number i of the turned picture: the same
for squares, and scrambled otherwise. A tower is to be trained with `corners`, as it is served.
All of it is float32: half precision moves positions.

Angles: with f_j = 10000^(-4j/d) for j < d/4, the angles of a patch are its column + 1 times every
f_j, then its row + 1 times every f_j.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from playground.vision.grid import CELL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Integers = NDArray[np.int64]
    Booleans = NDArray[np.bool_]

__all__ = ["MERGE", "PATCH", "PATCH_VALUES", "TEMPORAL", "VisionInputs", "corners", "prepare"]

PATCH = 14
"""Pixels of a side."""
TEMPORAL = 2
MERGE = CELL // PATCH
"""Patches of a cell's side."""
PATCH_VALUES = TEMPORAL * 3 * PATCH * PATCH
ROPE_THETA = 10_000.0


@dataclass(frozen=True, slots=True, eq=False)
class VisionInputs:
    """One picture for the encoder, in the order of its inputs (see the module)."""

    patches: Floats
    pos_emb: Floats
    cos: Floats
    sin: Floats
    sparse_perm: Integers
    inv_perm: Integers
    global_mask: Booleans
    sparse_mask: Booleans
    pixel_perm: Integers

    @property
    def cells(self) -> int:
        """How many rows the encoder makes of it."""
        return len(self.pixel_perm) // MERGE**2

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """All nine, in order."""
        return tuple(getattr(self, field.name) for field in fields(self))


def prepare(pixels: NDArray[np.uint8], table: Floats, *, head_width: int) -> VisionInputs:
    """Prepare pixels `[rows * 28, columns * 28, 3]` for an encoder with this position table.

    `table` is `[height, width, W]`; `head_width` is d, the encoder's width over its heads.
    """
    rows, columns = pixels.shape[0] // PATCH, pixels.shape[1] // PATCH
    if pixels.shape != (rows * PATCH, columns * PATCH, 3) or rows % MERGE or columns % MERGE:
        raise ValueError(f"pixels of shape {pixels.shape} are no whole number of cells in RGB")
    cos, sin = _rotations(rows, columns, head_width)
    order, tile_of = _tiles(rows, columns, table.shape[0], table.shape[1])
    count = rows * columns
    return VisionInputs(
        patches=_patches(pixels, rows, columns),
        pos_emb=_positions(rows, columns, table),
        cos=cos,
        sin=sin,
        sparse_perm=order,
        inv_perm=np.argsort(order),
        global_mask=np.ones((1, 1, count, count), np.bool_),
        sparse_mask=(tile_of[:, None] == tile_of[None, :]).reshape(1, 1, count, count),
        pixel_perm=_cell_by_cell(rows, columns),
    )


def corners(
    rows: int, columns: int, table_rows: int, table_columns: int
) -> tuple[Integers, Floats]:
    """Where each patch reads the flattened position table: indices and weights, both `[P, 4]`."""
    row_taps, row_weights = _taps(rows, table_rows)
    column_taps, column_weights = _taps(columns, table_columns)
    taps = row_taps[:, None, :, None] * table_columns + column_taps[None, :, None, :]
    weights = row_weights[:, None, :, None] * column_weights[None, :, None, :]
    return taps.reshape(-1, 4), weights.reshape(-1, 4)


def _taps(size: int, entries: int) -> tuple[Integers, Floats]:
    """The two entries of an axis that each place reads, and their weights; both `[size, 2]`."""
    at = (np.arange(size, dtype=np.float32) + np.float32(0.5)) * np.float32(entries)
    at = at / np.float32(size) - np.float32(0.5)
    first = np.floor(at)
    share = at - first
    taps = first.astype(np.int64)[:, None] + np.arange(2)
    weights = np.stack([1 - share, share], axis=-1)
    inside = (taps >= 0) & (taps < entries)
    return np.clip(taps, 0, entries - 1), np.where(inside, weights, np.float32(0))


def _positions(rows: int, columns: int, table: Floats) -> Floats:
    taps, weights = corners(rows, columns, table.shape[0], table.shape[1])
    flat = np.ascontiguousarray(table, np.float32).reshape(-1, table.shape[2])
    positions = flat[taps[:, 0]] * weights[:, :1]
    for corner in range(1, 4):
        positions += flat[taps[:, corner]] * weights[:, corner : corner + 1]
    return positions.reshape(1, *positions.shape)


def _patches(pixels: NDArray[np.uint8], rows: int, columns: int) -> Floats:
    values = (pixels.astype(np.float32) / np.float32(255) - np.float32(0.5)) / np.float32(0.5)
    grid = values.reshape(rows, PATCH, columns, PATCH, 3).transpose(0, 2, 4, 1, 3)
    twice = np.broadcast_to(grid[:, :, None], (rows, columns, TEMPORAL, 3, PATCH, PATCH))
    return twice.reshape(1, rows * columns, PATCH_VALUES)


def _rotations(rows: int, columns: int, head_width: int) -> tuple[Floats, Floats]:
    half = head_width // 2
    steps = np.arange(0, half, 2, dtype=np.float32) / np.float32(half)
    frequencies = np.float32(1) / np.float32(ROPE_THETA) ** steps
    row, column = np.divmod(np.arange(rows * columns), columns)
    angles = np.concatenate(
        [
            np.outer((column + 1).astype(np.float32), frequencies),
            np.outer((row + 1).astype(np.float32), frequencies),
        ],
        axis=-1,
    )
    return np.cos(angles), np.sin(angles)


def _tiles(rows: int, columns: int, height: int, width: int) -> tuple[Integers, Integers]:
    """The patches in the order of their tiles, and in that order the tile of each."""
    row, column = np.divmod(np.arange(rows * columns), columns)
    tile = (row // height) * -(-columns // width) + column // width
    order = np.argsort(tile, kind="stable")
    return order, tile[order]


def _cell_by_cell(rows: int, columns: int) -> Integers:
    patches = np.arange(rows * columns).reshape(rows // MERGE, MERGE, columns // MERGE, MERGE)
    return patches.transpose(0, 2, 1, 3).reshape(-1)
