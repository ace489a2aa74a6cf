"""The picture half of a `.pte`: its method `vision_encoder`, and the position table beside it.

    vision_encoder(patches f32[1, P, 1176], pos_emb f32[1, P, W], cos f32[P, d/2], sin f32[P, d/2],
                   sparse_perm i64[P], inv_perm i64[P], global_mask bool[1, 1, P, P],
                   sparse_mask bool[1, 1, P, P], pixel_perm i64[P]) -> f32[1, P/4, D]

`playground.vision.patches` says what they are. P is a multiple of 4 up to `get_max_vision_patches`;
W, d and, where that constant is absent, the largest P are what the method's own signature says.

The table, `pos_embed.bin`, is raw little-endian float32 `[side * side, W]`; its size gives `side`.
"""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from playground.vision.patches import MERGE, PATCH_VALUES, prepare
from playground.worker.errors import EngineError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from playground.vision.patches import VisionInputs

__all__ = ["POSITIONS_FILE", "VISION", "VisionEncoder", "load_encoder", "read_positions"]

VISION = "vision_encoder"
POSITIONS_FILE = "pos_embed.bin"
INPUTS = 9


class VisionEncoder:
    """A loaded encoder; `torch` is the module, so that this one can be read without it."""

    def __init__(
        self,
        method: Any,  # noqa: ANN401
        torch: Any,  # noqa: ANN401
        positions: NDArray[np.float32],
        *,
        head_width: int,
        max_patches: int,
    ) -> None:
        self._method = method
        self._torch = torch
        self._positions = positions
        self._head_width = head_width
        self.max_cells = max_patches // MERGE**2

    def prepare(self, pixels: NDArray[np.uint8]) -> VisionInputs:
        """Make a picture ready, `[rows * 28, columns * 28, 3]`."""
        return prepare(pixels, self._positions, head_width=self._head_width)

    def encode(self, inputs: VisionInputs) -> NDArray[np.float32]:
        """Run the encoder: rows `[cells, D]`; raise EngineError if it fails."""
        tensors = tuple(map(self._torch.from_numpy, inputs.arrays()))
        try:
            (encoded,) = self._method.call(tensors, True)
        except RuntimeError as error:
            raise EngineError(f"{VISION} failed for {inputs.cells} cells: {error}") from error
        rows: NDArray[np.float32] = encoded[0].numpy()
        if not np.isfinite(rows).all():
            raise EngineError(f"{VISION} gave what are not numbers")
        return rows


def load_encoder(
    native: Any,  # noqa: ANN401
    torch: Any,  # noqa: ANN401
    constants: Mapping[str, Any],
    positions: Path,
) -> VisionEncoder:
    """Load a program's encoder; raise EngineError saying what is wrong with it."""
    signature = native.method_meta(VISION)
    if signature.num_inputs() != INPUTS:
        raise EngineError(f"{VISION} has {signature.num_inputs()} inputs; it should have {INPUTS}")
    sizes = [tuple(signature.input_tensor_meta(index).sizes()) for index in range(INPUTS)]
    (_, patches, values), (*_, width), (*_, half_head) = sizes[:3]
    if values != PATCH_VALUES:
        raise EngineError(f"{VISION} has patches of {values} values, not {PATCH_VALUES}")
    return VisionEncoder(
        native.load_method(VISION),
        torch,
        read_positions(positions, width),
        head_width=2 * half_head,
        max_patches=int(constants.get("get_max_vision_patches", patches)),
    )


def read_positions(path: Path, width: int) -> NDArray[np.float32]:
    """Read a position table `[side, side, width]`; raise EngineError if it is none."""
    try:
        values = np.fromfile(path, dtype="<f4")
    except OSError as error:
        raise EngineError(f"{path} cannot be read: {error.strerror}") from error
    side = isqrt(len(values) // width)
    if not values.size or values.nbytes != path.stat().st_size or side**2 * width != len(values):
        raise EngineError(
            f"{path} has {path.stat().st_size} bytes; a square table of rows of {width} float32 "
            f"values has {4 * width} times a square number"
        )
    if not np.isfinite(values).all():
        raise EngineError(f"{path} holds what are not numbers")
    return values.reshape(side, side, width)
