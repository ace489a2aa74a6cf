"""Summaries and comparisons say what they know, how well, and what would help."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.stats import (
    DoubtKind,
    compare_paired,
    pairs_needed,
    percentile,
    summarise,
    values_needed,
)


def test_an_empty_sample_has_no_numbers() -> None:
    """Nothing measured is None everywhere, never 0."""
    nothing = summarise([])

    assert (nothing.n, nothing.median, nothing.low, nothing.minimum) == (0, None, None, None)
    assert [doubt.kind for doubt in nothing.doubts] == [DoubtKind.TOO_FEW]


def test_five_values_make_no_interval_and_say_how_many_do() -> None:
    """Minimum and maximum of five hold the median with 94 %, not with 95."""
    few = summarise([3, 1, 2, 5, 4])

    assert (few.median, few.low, few.high, few.confidence) == (3, None, None, None)
    assert [doubt.message for doubt in few.doubts] == ["5 values; a 95% interval needs 6"]


def test_six_values_make_the_widest_interval() -> None:
    """Six is the least that reaches 95 %: 1 - 2 / 2^6."""
    six = summarise([10.0, 10.1, 10.2, 10.3, 10.4, 10.5])

    assert (six.low, six.high) == (10.0, 10.5)
    assert six.confidence == pytest.approx(1 - 2 / 64)
    assert six.doubts == ()


def test_the_interval_narrows_as_the_tables_say() -> None:
    """For n = 20 the 6th and 15th value hold the median with 95.9 % (Conover's table)."""
    twenty = summarise([float(value) for value in range(101, 121)])

    assert (twenty.low, twenty.high) == (106.0, 115.0)
    assert twenty.confidence == pytest.approx(0.9586, abs=1e-4)


@pytest.mark.parametrize(("confidence", "needed"), [(0.90, 5), (0.95, 6), (0.99, 8)])
def test_the_number_that_is_said_to_be_needed_is_needed(confidence: float, needed: int) -> None:
    """One value fewer makes no interval, that many make one."""
    enough = summarise([1.0] * needed, confidence=confidence)
    fewer = summarise([1.0] * (needed - 1), confidence=confidence)

    assert values_needed(confidence) == needed
    assert enough.confidence is not None
    assert fewer.confidence is None


@pytest.mark.parametrize(
    ("n", "printed"),
    [(28, []), (29, [90]), (58, [90]), (59, [90, 95]), (298, [90, 95]), (299, [90, 95, 99])],
)
def test_percentiles_need_values_to_stand_on(n: int, printed: list[int]) -> None:
    """p95 from 20 values is the maximum under a grander name."""
    assert list(summarise([1.0] * n).percentiles) == printed


def test_percentiles_are_linear_between_ranks() -> None:
    """The 25th of five values is the second, the 30th a fifth of the way to the third."""
    ordered = [0.0, 1.0, 2.0, 3.0, 4.0]

    assert percentile(ordered, 25) == 1.0
    assert percentile(ordered, 30) == pytest.approx(1.2)


def test_a_wide_interval_is_doubted() -> None:
    """An interval as wide as the median is told."""
    wide = summarise([1.0, 1.0, 2.0, 2.0, 3.0, 3.0])

    assert [doubt.kind for doubt in wide.doubts] == [DoubtKind.SPREAD]


def test_blemishes_travel_with_the_numbers() -> None:
    """Dirty samples and missing values are counted, not dropped in silence."""
    doubts = summarise([1.0] * 6, dirty=2, missing=1).doubts

    assert [doubt.message for doubt in doubts] == [
        "2 of 6 measured on a disturbed machine",
        "1 of 7 turns had no value",
    ]


@given(st.lists(st.floats(0.001, 1000), min_size=6, max_size=60))
def test_the_median_lies_in_its_interval(values: list[float]) -> None:
    """Low <= median <= high, within minimum and maximum."""
    found = summarise(values)

    assert found.minimum is not None
    assert found.low is not None
    assert found.median is not None
    assert found.high is not None
    assert found.maximum is not None
    assert found.minimum <= found.low <= found.median <= found.high <= found.maximum


def test_a_ratio_is_numerator_over_denominator() -> None:
    """Cold five times slower than warm is 5."""
    compared = compare_paired([5, 10, 15], [1, 2, 3], seed=1)

    assert compared.ratio == pytest.approx(5)


def test_pairing_removes_what_both_share() -> None:
    """A machine that slows down all along leaves the ratio of each pair alone."""
    drift = [1.0, 1.5, 2.0, 3.0, 4.0]
    compared = compare_paired([2.0 * d for d in drift], drift, seed=1)

    assert compared.low == pytest.approx(2)
    assert compared.high == pytest.approx(2)
    assert compared.distinct


def test_one_seed_makes_one_interval() -> None:
    """A report can be derived again byte for byte; the seed travels with the result."""
    a, b = [5.1, 4.8, 5.5, 5.0, 4.9], [1.0, 1.1, 0.9, 1.0, 1.05]

    assert compare_paired(a, b, seed=7) == compare_paired(a, b, seed=7)
    assert compare_paired(a, b, seed=7).seed == 7
    assert compare_paired(a, b, seed=7).low != compare_paired(a, b, seed=8).low


def test_equal_samples_are_not_told_apart() -> None:
    """Noise around 1 gives an interval that holds 1."""
    noise = [1.02, 0.97, 1.01, 0.99, 1.03, 0.98]
    compared = compare_paired(noise, [1.0] * 6, seed=1)

    assert not compared.distinct


@pytest.mark.parametrize("pairs", [0, 1, 2])
def test_two_pairs_make_a_ratio_and_no_interval(pairs: int) -> None:
    """Without resamples worth the name there is no interval, and the doubt says what helps."""
    compared = compare_paired([2.0] * pairs, [1.0] * pairs, seed=1)

    assert (compared.low, compared.high, compared.method) == (None, None, "none")
    assert not compared.distinct
    assert compared.doubts[0].kind is DoubtKind.TOO_FEW
    assert str(pairs_needed()) in compared.doubts[0].message


def test_three_pairs_make_an_interval_that_is_doubted() -> None:
    """Between 3 and 4 pairs the interval is shown, with its doubt."""
    compared = compare_paired([2.0, 2.1, 1.9], [1.0, 1.0, 1.0], seed=1)

    assert compared.low is not None
    assert [doubt.kind for doubt in compared.doubts] == [DoubtKind.TOO_FEW]


def test_a_skewed_sample_is_corrected() -> None:
    """BCa moves the interval towards the long tail, plain percentiles do not."""
    skewed = [1.0, 1.0, 1.01, 1.0, 1.02, 1.0, 1.01, 2.0]
    compared = compare_paired(skewed, [1.0] * 8, seed=3)
    draw = random.Random(3)
    logs = [math.log(value) for value in skewed]
    means = sorted(sum(draw.choices(logs, k=8)) / 8 for _ in range(compared.resamples))

    assert compared.method == "bca"
    assert compared.high is not None
    assert compared.high > math.exp(percentile(means, 95))


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    """Of 200 samples of 10 noisy pairs, a 90 % interval holds the true ratio in 80 to 96 %."""
    draw = random.Random(11)
    held = 0
    for seed in range(200):
        a = [2 * math.exp(draw.gauss(0, 0.05)) for _ in range(10)]
        b = [math.exp(draw.gauss(0, 0.05)) for _ in range(10)]
        compared = compare_paired(a, b, seed)
        assert compared.low is not None
        assert compared.high is not None
        held += compared.low <= 2 <= compared.high

    assert 160 <= held <= 192


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ([1.0], [1.0, 2.0], "not pairs: 1 values against 2"),
        ([0.0], [1.0], "a ratio needs values above 0"),
        ([1.0], [-1.0], "a ratio needs values above 0"),
    ],
)
def test_what_is_no_pair_is_refused(a: list[float], b: list[float], said: str) -> None:
    """A sentinel 0 or a lost partner must not become a ratio."""
    with pytest.raises(ValueError, match=said):
        compare_paired(a, b, seed=1)
