"""The nine inputs of the vision encoder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from playground.vision.patches import VisionInputs, corners, prepare

if TYPE_CHECKING:
    from numpy.typing import NDArray

GRIDS = [(1, 1), (2, 2), (3, 1), (1, 3), (8, 8), (4, 16), (17, 3)]
HEAD_WIDTH = 48


def random_pixels(rows: int, columns: int) -> NDArray[np.uint8]:
    """Noise of so many cells."""
    rng = np.random.default_rng([rows, columns])
    return rng.integers(0, 256, (rows * 28, columns * 28, 3), np.uint8)


def table(height: int = 16, width: int = 16, values: int = 8) -> NDArray[np.float32]:
    """A position table, as good as any."""
    return np.random.default_rng(7).standard_normal((height, width, values)).astype(np.float32)


def prepared(rows: int, columns: int) -> VisionInputs:
    """What becomes of noise."""
    return prepare(random_pixels(rows, columns), table(), head_width=HEAD_WIDTH)


@pytest.mark.parametrize(("rows", "columns"), GRIDS)
def test_shapes_and_types_are_those_of_the_contract(rows: int, columns: int) -> None:
    """Nine arrays, in order, for four patches a cell."""
    inputs = prepared(rows, columns)
    count = rows * columns * 4
    expected = [
        ((1, count, 1176), np.float32),
        ((1, count, 8), np.float32),
        ((count, 24), np.float32),
        ((count, 24), np.float32),
        ((count,), np.int64),
        ((count,), np.int64),
        ((1, 1, count, count), np.bool_),
        ((1, 1, count, count), np.bool_),
        ((count,), np.int64),
    ]

    assert expected == [(array.shape, array.dtype.type) for array in inputs.arrays()]
    assert rows * columns == inputs.cells


@pytest.mark.parametrize(("rows", "columns"), GRIDS)
def test_arrays_lie_in_memory_as_a_runtime_wants_them(rows: int, columns: int) -> None:
    """Row by row, without a stride of zero, which ExecuTorch does not take."""
    for array in prepared(rows, columns).arrays():
        assert array.flags.c_contiguous
        assert 0 not in array.strides


def test_a_patch_is_time_then_channel_then_rows_then_columns() -> None:
    """One lit sample of the second patch of the second row lands where it belongs, twice."""
    pixels = np.zeros((28, 28, 3), np.uint8)
    pixels[14 + 3, 14 + 5, 1] = 255

    patches = prepare(pixels, table(), head_width=HEAD_WIDTH).patches[0]
    lit = {tuple(map(int, at)) for at in np.argwhere(patches == 1.0)}

    plane = 14 * 14
    assert {(3, (step * 3 + 1) * plane + 3 * 14 + 5) for step in range(2)} == lit
    assert np.float32(-1.0) == patches.min()


def test_positions_of_a_grid_as_large_as_the_table_are_the_table() -> None:
    """Nothing is stretched, so nothing is mixed."""
    inputs = prepare(random_pixels(8, 8), table(), head_width=HEAD_WIDTH)

    np.testing.assert_allclose(inputs.pos_emb[0], table().reshape(256, 8), atol=1e-6)


def test_rows_of_a_wide_picture_read_rows_of_the_table() -> None:
    """A table that only knows its row gives every patch of a row the same position."""
    by_row = np.broadcast_to(np.arange(16, dtype=np.float32)[:, None, None], (16, 16, 1))

    positions = prepare(random_pixels(4, 8), by_row, head_width=HEAD_WIDTH).pos_emb[0, :, 0]

    expected = np.repeat([0.5, 2.5, 4.5, 6.5, 8.5, 10.5, 12.5, 14.5], 16)
    np.testing.assert_allclose(positions, expected)


def test_what_lies_outside_the_table_counts_as_zero() -> None:
    """At the rim of a grid finer than the table a part of the weight is missing."""
    _, weights = corners(32, 32, 16, 16)
    sums = weights.sum(axis=1).reshape(32, 32)

    assert sums[0, 0] == pytest.approx(0.75**2)
    assert sums[0, 5] == pytest.approx(0.75)
    assert sums[5, 5] == pytest.approx(1.0)


def test_tiles_are_as_large_as_the_table_and_attend_to_themselves() -> None:
    """Four by sixteen cells are eight by thirty-two patches: two tiles of sixteen columns."""
    inputs = prepared(4, 16)
    column = inputs.sparse_perm % 32

    assert (column < 16).tolist() == ([True] * 128 + [False] * 128)
    expected = np.kron(np.eye(2, dtype=bool), np.ones((128, 128), bool))
    assert np.array_equal(expected, inputs.sparse_mask[0, 0])
    assert inputs.global_mask.all()


@pytest.mark.parametrize(("rows", "columns"), GRIDS)
def test_the_tile_order_is_undone(rows: int, columns: int) -> None:
    """`inv_perm` after `sparse_perm` is where one began."""
    inputs = prepared(rows, columns)

    assert list(range(rows * columns * 4)) == inputs.sparse_perm[inputs.inv_perm].tolist()


def test_patches_are_merged_cell_by_cell() -> None:
    """The four patches of a cell follow each other, row by row."""
    inputs = prepared(1, 2)

    assert inputs.pixel_perm.tolist() == [0, 1, 4, 5, 2, 3, 6, 7]


@pytest.mark.parametrize("shape", [(28, 27, 3), (14, 28, 3), (28, 28), (28, 28, 4)])
def test_pixels_that_are_no_cells_are_refused(shape: tuple[int, ...]) -> None:
    """A caller who forgot to resize is told so."""
    with pytest.raises(ValueError, match="no whole number of cells"):
        prepare(np.zeros(shape, np.uint8), table(), head_width=HEAD_WIDTH)


@pytest.mark.embedded
@pytest.mark.parametrize(("rows", "columns"), GRIDS)
def test_inputs_are_those_of_executorch(rows: int, columns: int) -> None:
    """All nine for squares; where sides differ, all but the positions, which it scrambles."""
    torch = pytest.importorskip("torch")
    theirs = pytest.importorskip("executorch.examples.models.muse_glimmer.vision.precompute")
    config = theirs.MuseGlimmerVisionConfig(
        latent_dim=8 * 12, n_heads=2, pos_emb_grid_h=16, pos_emb_grid_w=16
    )
    pixels, positions = random_pixels(rows, columns), table(values=96)
    image = torch.from_numpy(pixels.astype(np.float32) / 255).permute(2, 0, 1) * 2 - 1
    flat = torch.from_numpy(positions.reshape(256, 96))
    expected = theirs.precompute_vision_inputs(image, flat, config).as_args()

    actual = prepare(pixels, positions, head_width=HEAD_WIDTH).arrays()

    for number, (ours, wanted) in enumerate(zip(actual, expected, strict=True)):
        if number == 1 and rows != columns:
            continue
        np.testing.assert_allclose(ours, wanted.numpy(), atol=2e-6, err_msg=str(number))


@pytest.mark.embedded
@pytest.mark.parametrize(("rows", "columns"), GRIDS)
def test_corners_tiles_and_cells_are_those_of_transformers(rows: int, columns: int) -> None:
    """Its helpers, given the grid as it is rather than turned, say the same."""
    torch = pytest.importorskip("torch")
    theirs = pytest.importorskip("transformers.vision_utils")
    model = pytest.importorskip("transformers.models.muse_glimmer.modeling_muse_glimmer")
    grid = torch.tensor([[1, rows * 2, columns * 2]])
    taps, weights = theirs.get_vision_interpolation_indices_and_weights(grid, 16, padding="zeros")
    tiles, _ = theirs.get_vision_window_index(
        grid, spatial_merge_size=1, window_size=16 * 14, patch_size=14
    )

    inputs = prepared(rows, columns)
    our_taps, our_weights = corners(rows * 2, columns * 2, 16, 16)

    assert np.array_equal(our_taps * (our_weights > 0), taps.numpy() * (weights.numpy() > 0))
    np.testing.assert_allclose(our_weights, weights.numpy(), atol=2e-6)
    assert tiles.tolist() == inputs.sparse_perm.tolist()
    merged = model.get_vision_pixel_shuffle_index(grid, 2)
    assert merged.tolist() == inputs.pixel_perm.tolist()
