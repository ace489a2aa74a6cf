"""A change is told alike, whichever way a number improves."""

from __future__ import annotations

import pytest

from harness.gate.change import change, share_of, worse_of
from harness.units import Better


@pytest.mark.parametrize(
    ("ratio", "better", "told"),
    [
        (1.1, Better.LOWER, "10.0 % worse"),
        (1 / 1.1, Better.LOWER, "9.1 % better"),
        (1 / 1.1, Better.HIGHER, "10.0 % worse"),
        (1.1, Better.HIGHER, "9.1 % better"),
        (1.1, Better.NEITHER, "10.0 % more"),
        (0.9, Better.NEITHER, "10.0 % less"),
        (1.0004, Better.LOWER, "no change"),
        (1.0006, Better.LOWER, "0.1 % worse"),
    ],
)
def test_a_ratio_is_a_change_in_words(ratio: float, better: Better, told: str) -> None:
    """A rate is counted by the time that is its reciprocal; what is too little is none."""
    assert change(worse_of(ratio, better), better) == told


def test_a_share_is_of_the_worse() -> None:
    """And so above 0 for a rate that fell."""
    assert share_of(worse_of(1 / 1.05, Better.HIGHER)) == pytest.approx(0.05)
