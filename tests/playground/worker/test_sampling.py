"""Does each sampling setting do what it says, in the order it says, ties included?"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.worker.messages import Sampling
from playground.worker.sampling import candidates, sampler_for

Row = np.ndarray[tuple[int], np.dtype[np.float32]]

SETTINGS = st.builds(
    Sampling,
    temperature=st.floats(0.05, 2.0),
    top_p=st.floats(0.01, 1.0),
    top_k=st.integers(0, 12),
    seed=st.integers(1, 2**63 - 1),
)
LOGITS = st.lists(st.integers(-6, 6).map(lambda value: value / 2), min_size=1, max_size=10)


def row(values: list[float]) -> Row:
    """One row of logits."""
    return np.array(values, dtype=np.float32)


def reference(logits: list[float], sampling: Sampling) -> dict[int, float]:
    """Say what may be drawn and how probably, by the shortest plain code that follows the rules."""
    ranked = sorted(range(len(logits)), key=lambda token: (-logits[token], token))
    ranked = ranked[: sampling.top_k or None]
    weights = [
        math.exp((logits[token] - logits[ranked[0]]) / sampling.temperature) for token in ranked
    ]
    kept: dict[int, float] = {}
    for token, weight in zip(ranked, weights, strict=True):
        kept[token] = weight
        if sampling.top_p < 1.0 and sum(kept.values()) >= sampling.top_p * sum(weights):
            break
    return {token: weight / sum(kept.values()) for token, weight in kept.items()}


def test_temperature_zero_takes_the_largest_logit() -> None:
    """Greedy, whatever else is set."""
    sampler = sampler_for(Sampling(temperature=0.0, top_p=0.5, top_k=1, seed=7))

    assert sampler.choose(row([0.5, 3.0, -1.0])) == 1


def test_of_equal_logits_greedy_takes_the_lowest_id() -> None:
    """A tie is settled by id, so that a run can be repeated elsewhere."""
    assert sampler_for(Sampling()).choose(row([1.0, 4.0, 4.0, 4.0])) == 1


@pytest.mark.parametrize("sampling", [Sampling(), Sampling(1.0), Sampling(1.0, top_k=1)])
@pytest.mark.parametrize("values", [[math.nan, 1.0], [1.0, math.nan], [math.nan, math.nan]])
def test_nan_is_an_error_and_not_a_token(values: list[float], sampling: Sampling) -> None:
    """A model that computes NaN is found out instead of chatting on."""
    sampler = sampler_for(sampling)

    with pytest.raises(ValueError, match="NaN"):
        sampler.choose(row(values))


def test_logits_of_minus_infinity_are_never_drawn() -> None:
    """A masked token has no weight."""
    sampler = sampler_for(Sampling(temperature=2.0, seed=3))
    logits = row([-math.inf, 0.0, -math.inf, 0.0])

    assert {sampler.choose(logits) for _ in range(200)} == {1, 3}


def test_the_smallest_temperature_is_greedy() -> None:
    """No number is too small to divide by."""
    sampler = sampler_for(Sampling(temperature=5e-324, top_p=0.9, seed=1))

    assert {sampler.choose(row([1.0, 1.5, -30.0])) for _ in range(50)} == {1}


def test_of_equal_logits_top_k_keeps_the_lowest_ids() -> None:
    """The tie at the border of the k largest is settled by id."""
    ids, _ = candidates(row([1.0, 5.0, 1.0, 1.0, 0.0]), Sampling(temperature=1.0, top_k=3))

    assert ids.tolist() == [0, 1, 2]


def test_top_p_keeps_the_token_that_crosses_the_border() -> None:
    """Half the mass is reached inside the second token, which stays."""
    logits = row([math.log(0.4), math.log(0.3), math.log(0.2), math.log(0.1)])

    ids, _ = candidates(logits, Sampling(temperature=1.0, top_p=0.5))

    assert ids.tolist() == [0, 1]


def test_top_p_is_a_share_of_what_top_k_left() -> None:
    """Of 0.4, 0.3, 0.2, 0.1 top-k 2 leaves 0.57 and 0.43, so 0.55 is within the first."""
    logits = row([math.log(0.4), math.log(0.3), math.log(0.2), math.log(0.1)])

    ids, _ = candidates(logits, Sampling(temperature=1.0, top_k=2, top_p=0.55))

    assert ids.tolist() == [0]


def test_temperature_comes_before_top_p() -> None:
    """A flat distribution needs more tokens for the same share."""
    logits = row([3.0, 1.0, 0.0, -1.0])

    cold, _ = candidates(logits, Sampling(temperature=0.5, top_p=0.9))
    hot, _ = candidates(logits, Sampling(temperature=2.0, top_p=0.9))

    assert (len(cold), len(hot)) == (1, 3)


@given(logits=LOGITS, sampling=SETTINGS)
def test_candidates_are_those_of_the_rules(logits: list[float], sampling: Sampling) -> None:
    """The vectorised filter keeps what the plain one keeps, with the same probabilities."""
    ids, weights = candidates(row(logits), sampling)

    found = dict(zip(ids.tolist(), (weights / weights.sum()).tolist(), strict=True))
    expected = reference(logits, sampling)
    if found.keys() != expected.keys():  # a sum so near the border that rounding decides
        assert abs(len(found) - len(expected)) == 1
    else:
        assert found == pytest.approx(expected, rel=1e-4)


@given(logits=LOGITS, sampling=SETTINGS)
def test_the_same_seed_gives_the_same_tokens(logits: list[float], sampling: Sampling) -> None:
    """A seeded turn can be repeated, and only draws what may be drawn."""
    first, second = sampler_for(sampling), sampler_for(sampling)
    allowed = set(candidates(row(logits), sampling)[0].tolist())

    drawn = [first.choose(row(logits)) for _ in range(5)]

    assert drawn == [second.choose(row(logits)) for _ in range(5)]
    assert set(drawn) <= allowed


def test_unseeded_turns_differ() -> None:
    """Seed 0 means a new sequence each time."""
    logits = row([0.0] * 1000)

    first, second = (
        [sampler.choose(logits) for _ in range(8)]
        for sampler in (
            sampler_for(Sampling(temperature=1.0)),
            sampler_for(Sampling(temperature=1.0)),
        )
    )

    assert first != second


@pytest.mark.parametrize("sampling", [Sampling(1.0, seed=11), Sampling(0.7, 0.9, 3, seed=12)])
def test_draws_follow_the_distribution(sampling: Sampling) -> None:
    """Over many draws each token comes as often as it should, within five standard errors."""
    logits, draws = [2.0, 1.0, 0.5, 0.0], 20_000
    sampler = sampler_for(sampling)

    counts = Counter(sampler.choose(row(logits)) for _ in range(draws))

    for token, probability in reference(logits, sampling).items():
        error = math.sqrt(probability * (1 - probability) / draws)
        assert abs(counts[token] / draws - probability) <= 5 * error
