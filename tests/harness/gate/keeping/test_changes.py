"""Change points: where there is one it is found, and seldom where there is none."""

from __future__ import annotations

import math
import random

import pytest

from harness.gate.changes import ALPHA, LEAST, change_points

NOISE = 0.02


def series(*levels: tuple[int, float], seed: int = 1, noise: float = NOISE) -> list[float]:
    """So many values at each level, with log-normal noise."""
    draw = random.Random(seed)
    return [level * math.exp(draw.gauss(0, noise)) for n, level in levels for _ in range(n)]


def test_a_step_is_found_where_it_is() -> None:
    """With its size."""
    (change,) = change_points(series((8, 1.0), (8, 1.1)))

    assert change.at == 8
    assert change.ratio == pytest.approx(1.1, rel=0.03)
    assert change.p <= ALPHA


def test_several_steps_are_found_each_against_its_neighbours() -> None:
    """Up, and back again."""
    found = change_points(series((8, 1.0), (8, 1.2), (8, 1.0)))

    assert [change.at for change in found] == [8, 16]
    assert [change.ratio for change in found] == [
        pytest.approx(1.2, rel=0.03),
        pytest.approx(1 / 1.2, rel=0.03),
    ]


def test_a_still_series_that_steps_is_a_change() -> None:
    """Tokens a round do not scatter at all."""
    assert [change.at for change in change_points([4.0] * 3 + [3.9] * 3)] == [3]
    assert change_points([4.0] * 12) == ()


@pytest.mark.parametrize("n", range(LEAST))
def test_too_few_values_have_no_change(n: int) -> None:
    """Whatever they are."""
    assert change_points([1.0] * (n // 2) + [9.0] * (n - n // 2)) == ()


def test_what_does_not_change_is_seldom_marked() -> None:
    """In no more of 200 series of twenty than ALPHA and its scatter allow."""
    marked = sum(bool(change_points(series((20, 1.0), seed=seed))) for seed in range(200))

    assert marked <= 200 * 2 * ALPHA


def test_a_change_of_ten_percent_is_seldom_missed() -> None:
    """Of 60 series that step in their middle, 57 are marked within one place of it."""
    found = [change_points(series((8, 1.0), (8, 1.1), seed=seed)) for seed in range(60)]

    assert sum(any(abs(c.at - 8) <= 1 for c in changes) for changes in found) >= 57


def test_the_same_values_have_the_same_changes() -> None:
    """There is nothing drawn in it, and no unit."""
    values = series((6, 1.0), (9, 1.3), seed=5)

    thousandfold = change_points([1000 * value for value in values])

    assert [c.at for c in thousandfold] == [c.at for c in change_points(values)]


def test_a_value_that_has_no_ratio_is_refused() -> None:
    """Zero seconds are a mistake, not a measurement."""
    with pytest.raises(ValueError, match="above 0"):
        change_points([1.0, 0.0])
