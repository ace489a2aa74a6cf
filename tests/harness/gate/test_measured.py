"""A metric is judged from its pairs alone, and says why."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from harness.gate.measured import decided, judge_metric, to_confirm
from harness.gate.policy import GateMetric
from harness.gate.record import Side
from harness.gate.result import Measured, Ruling, StartValue
from harness.gate.sequence import Design
from harness.units import COUNT, SECONDS, TOKENS_PER_SECOND, Unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DESIGN = Design(least=4, pairs=10, confirm=6, confidence=0.90)
QUIET = (0.004, -0.004, 0.002, -0.002, 0.005, -0.005, 0.001, -0.001, 0.003, -0.003)
"""Log ratios of ten pairs of the same thing on a quiet machine."""


def starts_of(
    baseline: Sequence[float | None],
    candidate: Sequence[float | None],
    *,
    confirms: bool = False,
    dirty: int = 0,
) -> list[StartValue]:
    """A start for each value there is; the first `dirty` of them were disturbed."""

    def each() -> Iterator[StartValue]:
        for pair, values in enumerate(zip_longest(baseline, candidate), 1):
            for place, (side, value) in enumerate(zip(Side, values, strict=True)):
                if value is not None:
                    index = 2 * pair + place - 1 + 1000 * confirms
                    yield StartValue(index, side, pair, confirms, value, dirty=index <= dirty)

    return list(each())


def shifted(log: float, n: int = 10, *, confirms: bool = False) -> list[StartValue]:
    """Quiet pairs of a candidate whose values are greater by a log ratio."""
    candidate = [0.1 * math.exp(log + noise) for noise in QUIET[:n]]
    return starts_of([0.1] * n, candidate, confirms=confirms)


def judged(
    starts: Sequence[StartValue],
    unit: Unit = SECONDS,
    *,
    margin: float = 0.05,
    gated: bool = True,
) -> Measured:
    """A gated metric with a margin of 5 %."""
    metric = GateMetric("ttft", "TTFT", "ttft", margin=margin, gated=gated)
    return judge_metric(metric, unit, starts, DESIGN)


def test_no_change_passes_and_says_how_bad_it_could_be() -> None:
    """The bad end of the interval is what is inside the margin."""
    same = judged(shifted(0))

    assert same.ruling is Ruling.PASS
    assert same.why == "no change over 10 pairs, at worst 0.2 % worse: inside the margin of 5 %"
    assert same.noise == pytest.approx(0.0035, abs=1e-4)


def test_a_fail_is_inconclusive_until_it_is_found_again() -> None:
    """Ten pairs that are 10 % worse ask for six fresh ones."""
    worse = judged(shifted(math.log(1.10)))

    assert (worse.first, worse.ruling, worse.confirmed) == (Ruling.FAIL, Ruling.INCONCLUSIVE, None)
    assert worse.why == (
        "10.0 % worse over 10 pairs, at least 9.7 % worse: beyond the margin of 5 %"
        "; not final: it was looked for again in 0 of 6 fresh pairs"
    )
    assert to_confirm([worse])


@pytest.mark.parametrize(
    ("again", "ruling", "said"),
    [
        (math.log(1.10), Ruling.FAIL, "; found again in 6 fresh pairs (10.0 % worse)"),
        (0.0, Ruling.INCONCLUSIVE, "; not found again in 6 fresh pairs (no change)"),
        (0.02, Ruling.INCONCLUSIVE, "; not found again in 6 fresh pairs (2.0 % worse)"),
    ],
)
def test_a_fresh_block_has_the_last_word(again: float, ruling: Ruling, said: str) -> None:
    """Found again is worse for sure, and by more than half the margin."""
    worse = judged([*shifted(math.log(1.10)), *shifted(again, 6, confirms=True)])

    assert (worse.ruling, worse.confirmed) == (ruling, ruling is Ruling.FAIL)
    assert worse.why.endswith(said)
    assert worse.n == 10
    assert not to_confirm([worse])


def test_a_fresh_block_that_is_not_whole_settles_nothing() -> None:
    """A pair of it that lacks a value is played again, or the fail stays open."""
    worse = judged([*shifted(math.log(1.10)), *shifted(math.log(1.10), 4, confirms=True)])

    assert (worse.ruling, worse.confirmed) == (Ruling.INCONCLUSIVE, None)
    assert to_confirm([worse])


def test_a_change_inside_the_margin_that_is_sure_is_no_fail() -> None:
    """Both are asked for: a change that is sure, and one that is beyond the margin."""
    assert judged(shifted(0.03)).ruling is Ruling.PASS


def test_a_margin_inside_the_interval_is_inconclusive_and_says_what_it_would_take() -> None:
    """Noise of 10 % cannot tell 5 % from nothing in ten pairs."""
    noisy = judged(of_logs([30 * noise for noise in QUIET]))

    assert noisy.ruling is Ruling.INCONCLUSIVE
    assert noisy.needed == 48
    assert noisy.why == (
        "no change over 10 pairs, from 6.7 % better to 7.2 % worse: the margin of 5 % lies between"
        "; with this noise it takes 48 pairs"
    )


def test_a_change_close_to_the_margin_stays_inconclusive_however_quiet() -> None:
    """More pairs would not help, so none are asked for."""
    edge = judged(shifted(math.log(1.049)))

    assert edge.ruling is Ruling.INCONCLUSIVE
    assert edge.why == (
        "4.9 % worse over 10 pairs, from 4.7 % worse to 5.1 % worse: the margin of 5 % lies between"
    )


def test_nothing_is_decided_before_the_least_pairs() -> None:
    """Two pairs that agree are two pairs."""
    early = judged(shifted(0, 2))

    assert early.ruling is Ruling.INCONCLUSIVE
    assert early.why == "2 pairs; nothing is decided before 4"


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_than_two_pairs_have_no_interval(count: int) -> None:
    """And still say that they are too few."""
    few = judged(shifted(0, count))

    assert (few.n, few.low, few.noise, few.ruling) == (count, None, None, Ruling.INCONCLUSIVE)


def test_a_rate_fails_by_falling() -> None:
    """A decode rate of 0.90 is 11 % worse; one of 1.10 is better."""
    slower = judged(shifted(math.log(0.90)), TOKENS_PER_SECOND)
    faster = judged(shifted(math.log(1.10)), TOKENS_PER_SECOND)

    assert slower.first is Ruling.FAIL
    assert slower.ratio == pytest.approx(0.90)
    assert faster.ruling is Ruling.PASS


@pytest.mark.parametrize("log", [-0.1, 0.1])
def test_where_neither_way_is_better_any_change_counts(log: float) -> None:
    """A count that has moved by 10 % either way is not what it was."""
    moved = judged([*shifted(log), *shifted(log, 6, confirms=True)], COUNT)

    assert moved.ruling is Ruling.FAIL
    assert ("more" if log > 0 else "less") in moved.why


def test_equal_values_pass_with_an_interval_without_width() -> None:
    """What has no noise needs no interval."""
    equal = judged(starts_of([2.0] * 4, [2.0] * 4))

    assert (equal.ratio, equal.low, equal.high, equal.noise) == (1.0, 1.0, 1.0, 0.0)
    assert (equal.ruling, equal.needed) == (Ruling.PASS, 4)


def test_pairs_that_all_differ_alike_fail_by_their_point() -> None:
    """Zero spread and 10 % more is 10 % more."""
    assert judged(starts_of([2.0] * 4, [2.2] * 4)).first is Ruling.FAIL


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_a_value_without_a_ratio_refuses(value: float) -> None:
    """Nothing is said of what cannot be compared, and the value is named."""
    refused = judged(starts_of([1.0, 1.0], [1.0, value]))

    assert (refused.ruling, refused.ratio) == (Ruling.REFUSED, None)
    assert refused.why == f"a ratio needs values above 0, not {value:g}"


def test_pairs_that_lack_a_side_are_told_and_not_made_up_for() -> None:
    """Nine pairs and a lonely start are nine pairs."""
    starts = shifted(0)
    lonely = judged(starts[:-1])

    assert (lonely.n, lonely.ruling) == (9, Ruling.PASS)
    assert lonely.why.endswith("; 1 pair without a value of the candidate")


def test_too_many_missing_values_cannot_pass() -> None:
    """Those that are left may be the ones that went well."""
    candidate = [0.1 if pair < 6 else None for pair in range(10)]

    rest = judged(starts_of([0.1] * 10, candidate))

    assert (rest.n, rest.ruling) == (6, Ruling.INCONCLUSIVE)
    assert "too many pairs have no value to pass" in rest.why


def test_disturbed_starts_are_kept_and_told() -> None:
    """What is left out by hand can be left out until it fits."""
    disturbed = judged(starts_of([1.0] * 4, [1.0] * 4, dirty=2))

    assert (disturbed.n, disturbed.ruling) == (4, Ruling.PASS)
    assert disturbed.why.endswith("; 2 starts were disturbed")


def test_a_metric_that_is_not_gated_has_no_ruling() -> None:
    """It is told, and cannot fail."""
    shown = judged(shifted(0.1), gated=False)

    assert (shown.ruling, shown.first) == (None, None)
    assert shown.why == "10.5 % worse over 10 pairs; not gated"
    assert decided([shown], DESIGN)


def test_pairs_are_added_until_every_gated_metric_is_decided() -> None:
    """A pass and a fail are decided; one that cannot tell keeps the gate going."""
    fine, worse, early = judged(shifted(0)), judged(shifted(0.1)), judged(shifted(0, 2))

    assert decided([fine, worse], DESIGN)
    assert not decided([fine, early], DESIGN)


LOGS = st.lists(st.floats(-0.3, 0.3, allow_nan=False), min_size=0, max_size=12)


def of_logs(logs: Sequence[float], scale: float = 1.0) -> list[StartValue]:
    """Pairs with these log ratios."""
    return starts_of([scale] * len(logs), [scale * math.exp(log) for log in logs])


def swapped(starts: Sequence[StartValue]) -> list[StartValue]:
    """With the sides exchanged."""
    other = {Side.BASELINE: Side.CANDIDATE, Side.CANDIDATE: Side.BASELINE}
    return [replace(start, side=other[start.side]) for start in starts]


@given(LOGS)
def test_swapping_the_sides_inverts(logs: Sequence[float]) -> None:
    """Ratio and interval become their reciprocals, and both sides cannot be worse."""
    there, back = judged(of_logs(logs)), judged(swapped(of_logs(logs)))

    assert (there.ratio is None) == (back.ratio is None)
    if there.ratio and back.ratio:
        assert there.ratio * back.ratio == pytest.approx(1)
    if there.low and there.high and back.low and back.high:
        assert there.low * back.high == pytest.approx(1)
        assert there.high * back.low == pytest.approx(1)
    assert {there.first, back.first} != {Ruling.FAIL}


@given(LOGS, st.integers(-30, 30))
def test_the_unit_changes_nothing(logs: Sequence[float], power: int) -> None:
    """Seconds or milliseconds, bytes or gibibytes: ratios have no unit."""
    here, there = judged(of_logs(logs)), judged(of_logs(logs, 2.0**power))

    assert (here.ruling, here.first) == (there.ruling, there.first)
    assert here.ratio == pytest.approx(there.ratio)


@given(LOGS)
def test_a_rate_is_judged_as_the_time_it_is_the_reciprocal_of(logs: Sequence[float]) -> None:
    """Neither spelling of a speed is easier to pass."""
    time = judged(of_logs(logs))
    rate = judged(of_logs([-log for log in logs]), TOKENS_PER_SECOND)
    assume(time.high is None or abs(math.log(time.high) - math.log1p(0.05)) > 1e-9)

    assert (rate.ruling, rate.first) == (time.ruling, time.first)


@given(LOGS.flatmap(lambda logs: st.tuples(st.just(logs), st.permutations(logs))))
def test_the_order_of_the_pairs_does_not_matter(both: tuple[list[float], list[float]]) -> None:
    """To the last bit: reports are compared byte for byte."""
    here, there = (judged(of_logs(logs)) for logs in both)

    assert (here.ratio, here.low, here.high) == (there.ratio, there.low, there.high)
    assert (here.ruling, here.why) == (there.ruling, there.why)


@given(LOGS, LOGS)
def test_another_metric_changes_no_ruling(logs: Sequence[float], more: Sequence[float]) -> None:
    """Only whether the gate is decided hangs on all of them."""
    one, other = judged(of_logs(logs)), judged(of_logs(more))

    assert decided([one, other], DESIGN) == (decided([one], DESIGN) and decided([other], DESIGN))


@given(LOGS, st.floats(0.01, 0.2), st.floats(0.01, 0.2))
def test_a_wider_margin_is_never_harder(logs: Sequence[float], one: float, two: float) -> None:
    """What passes a margin passes a wider one; what fails it fails a narrower one."""
    tight, wide = (judged(of_logs(logs), margin=margin) for margin in sorted((one, two)))

    assert tight.first is not Ruling.PASS or wide.first is Ruling.PASS
    assert wide.first is not Ruling.FAIL or tight.first is Ruling.FAIL
