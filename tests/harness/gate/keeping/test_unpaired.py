"""Two samples without pairs: what can be said of them, and where nothing can."""

from __future__ import annotations

import math
import random

import pytest
from scipy import stats

from harness.gate.unpaired import compare_unpaired


def drawn(n: int, level: float, seed: int, noise: float = 0.03) -> list[float]:
    """So many values around a level."""
    draw = random.Random(seed)
    return [level * math.exp(draw.gauss(0, noise)) for _ in range(n)]


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    """In nine of ten sessions, with five values against seven of another scatter."""
    held = 0
    for seed in range(400):
        found = compare_unpaired(drawn(5, 1.0, seed), drawn(7, 1.1, seed + 1000, 0.06))
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 1.1 <= found.high

    assert 0.86 <= held / 400 <= 0.94


def test_swapped_sides_give_the_inverse() -> None:
    """And the same chance."""
    a, b = drawn(5, 1.0, 1), drawn(6, 1.2, 2)
    there, back = compare_unpaired(a, b), compare_unpaired(b, a)

    assert there.ratio == pytest.approx(1 / back.ratio)
    assert there.low == pytest.approx(1 / (back.high or 0))
    assert there.p == pytest.approx(back.p)


def test_the_chance_is_that_of_scipy() -> None:
    """Where it is larger than the least that so many values can have."""
    a, b = drawn(6, 1.0, 3), drawn(5, 1.02, 4)
    logs = [[math.log(value) for value in values] for values in (a, b)]

    assert compare_unpaired(a, b).p == pytest.approx(
        float(stats.ttest_ind(*logs, equal_var=False).pvalue)
    )


@pytest.mark.filterwarnings("error")
def test_one_side_that_is_still_is_no_trouble() -> None:
    """Tokens a round on one side, and nothing is said of it on the terminal."""
    found = compare_unpaired([4.0] * 5, drawn(5, 4.0, 1))

    assert found.p is not None
    assert found.p > 0.05


def test_one_value_has_a_ratio_and_no_more() -> None:
    """Whatever the other side has."""
    found = compare_unpaired([1.0], [1.1, 1.2, 1.1])

    assert found.ratio > 1
    assert (found.low, found.high, found.p, found.ranks) == (None, None, None, None)


@pytest.mark.parametrize(("n", "told"), [(3, False), (4, True)])
def test_ranks_are_asked_only_where_they_can_tell(n: int, told: bool) -> None:  # noqa: FBT001
    """Three against three cannot fall below one in ten."""
    found = compare_unpaired(drawn(n, 1.0, 1), drawn(n, 2.0, 2))

    assert (found.ranks is not None) is told


def test_no_chance_is_smaller_than_so_few_values_allow() -> None:
    """Three against three that lie far apart are still one of twenty orders."""
    assert compare_unpaired(drawn(3, 1.0, 1), drawn(3, 9.0, 2)).p == pytest.approx(2 / 20)


def test_still_values_are_an_interval_without_width() -> None:
    """Tokens a round do not scatter."""
    same, other = compare_unpaired([4.0] * 5, [4.0] * 5), compare_unpaired([4.0] * 5, [2.0] * 5)

    assert (same.ratio, same.low, same.high, same.p) == (1.0, 1.0, 1.0, 1.0)
    assert other.ratio == 0.5
    assert other.p == pytest.approx(2 / 252)


@pytest.mark.parametrize(("a", "b"), [([], [1.0]), ([1.0], [0.0]), ([math.nan], [1.0])])
def test_what_has_no_ratio_is_refused(a: list[float], b: list[float]) -> None:
    """Nothing, zero, and what is no number."""
    with pytest.raises(ValueError, match="a ratio needs"):
        compare_unpaired(a, b)
