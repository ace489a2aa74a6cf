"""How many cells a picture gets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.vision.grid import CELL, cells

PINNED = {
    (512, 512): (19, 19),
    (1024, 1024): (37, 37),
    (336, 336): (12, 12),
    (24, 60): (3, 1),
    (1000, 2500): (90, 36),
    (6000, 6000): (64, 64),
    (1, 1): (1, 1),
    (1440, 1440): (52, 52),
    (225, 225): (8, 8),
}
sides = st.integers(1, 32_768)
caps = st.integers(1, 4096)


@pytest.mark.parametrize(("size", "expected"), PINNED.items())
def test_sizes_get_the_cells_of_the_published_processors(
    size: tuple[int, int], expected: tuple[int, int]
) -> None:
    """Ties included, which fall as CPython orders a set."""
    assert expected == cells(*size)


@given(sides, sides, caps)
def test_cells_never_exceed_what_is_allowed(width: int, height: int, most: int) -> None:
    """Whatever the picture, it gets at least one cell and at most `most`."""
    rows, columns = cells(width, height, most)

    assert min(rows, columns) >= 1
    assert rows * columns <= most


@given(st.integers(1, 64), st.integers(1, 64))
def test_whole_cells_stay_as_they_are(rows: int, columns: int) -> None:
    """A picture of a whole number of cells is not resized."""
    assert (rows, columns) == cells(columns * CELL, rows * CELL)


@given(sides, sides)
def test_a_small_picture_is_rounded_by_less_than_a_cell(width: int, height: int) -> None:
    """Within the cap both sides go to a neighbouring whole number of cells."""
    if width * height <= 4096 * CELL * CELL:
        rows, columns = cells(width, height)

        assert abs(rows - height / CELL) < 1
        assert abs(columns - width / CELL) < 1


@pytest.mark.parametrize(
    ("size", "expected"), [((1, 32_768), (64, 1)), ((32_768, 1), (1, 64)), ((10, 3000), (64, 1))]
)
def test_a_long_strip_is_cut_to_the_cap(size: tuple[int, int], expected: tuple[int, int]) -> None:
    """Where no candidate is left, the strip is one cell wide and as long as allowed."""
    assert expected == cells(*size, most=64)


@pytest.mark.parametrize(("width", "height", "most"), [(0, 5, 9), (5, 0, 9), (5, 5, 0)])
def test_sizes_that_are_none_are_refused(width: int, height: int, most: int) -> None:
    """There is no picture without pixels, and none without cells."""
    with pytest.raises(ValueError, match="no cells"):
        cells(width, height, most)
