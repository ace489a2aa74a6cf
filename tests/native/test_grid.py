"""Do server and native worker agree on how many tokens a picture takes?"""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.vision.grid import cells
from tests.native.grid import hash_of, in_set_order, native_cells

SIDES = st.integers(1, 32_768)


@given(SIDES, SIDES, st.sampled_from([64, 256, 4096]))
def test_both_cut_a_picture_into_the_same_cells(width: int, height: int, most: int) -> None:
    """For every size that is looked at; a strip of one cell's width may go over a small limit."""
    rows, columns = native_cells(width, height, most)

    if rows * columns <= most:
        assert cells(width, height, most) == (rows, columns)
    else:
        assert most < 32_768 / 28


@pytest.mark.parametrize("side", range(14, 1800, 7))
def test_squares_are_cut_alike_where_two_grids_are_as_near(side: int) -> None:
    """Where the order of a hash table decides."""
    assert native_cells(side, side, 4096) == cells(side, side, 4096)


def test_the_hash_is_pythons_own() -> None:
    """Of pairs of small numbers."""
    for pair in product(range(0, 1300, 37), repeat=2):
        assert hash_of(*pair) == hash(pair) % 2**64


def test_the_order_is_that_of_pythons_own_sets() -> None:
    """However the places collide."""
    for low, other in product(range(70), repeat=2):
        pairs = list(product((low, low + 1), (other, other + 1)))
        assert in_set_order(pairs) == list(set(pairs))
