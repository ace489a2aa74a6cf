"""Is what a round returns what the target would have said by itself?

Exactly, not by statistics: distributions are in eighths over a vocabulary of three, and every
outcome of every draw is enumerated.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.worker.acceptance import Verdict, accept_drawn, draw, follow, residual

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Distribution = NDArray[np.float64]

PARTS = 8
VOCABULARY = 3
NOTHING: frozenset[int] = frozenset()


def distributions() -> st.SearchStrategy[Distribution]:
    """Distributions over the vocabulary, in eighths; many have zeros."""
    shares = [s for s in itertools.product(range(PARTS + 1), repeat=VOCABULARY) if sum(s) == PARTS]
    return st.sampled_from(shares).map(lambda share: np.array(share) / PARTS)


def rows(tokens: list[int]) -> NDArray[np.float32]:
    """Logits whose likeliest tokens are these."""
    return np.eye(16, dtype=np.float32)[tokens]


def likeliest(row: NDArray[np.float32]) -> int:
    """A sampler's greedy choice."""
    return int(row.argmax())


@pytest.mark.parametrize(
    ("drafted", "verdict"),
    [
        ([1, 2, 3], Verdict((1, 2, 3, 4), 3)),
        ([1, 2, 9], Verdict((1, 2, 3), 2)),
        ([1, 9, 3], Verdict((1, 2), 1)),
        ([9, 2, 3], Verdict((1,), 0)),
        ([], Verdict((1,), 0)),
    ],
)
def test_tokens_stand_up_to_the_first_that_differs(drafted: list[int], verdict: Verdict) -> None:
    """Then comes the target's own token, or a bonus behind a draft that was right to its end."""
    assert follow(rows([1, 2, 3, 4]), drafted, likeliest, NOTHING) == verdict


@pytest.mark.parametrize(
    ("eos", "verdict"),
    [(1, Verdict((1,), 1)), (2, Verdict((1, 2), 2)), (4, Verdict((1, 2, 3, 4), 3))],
)
def test_nothing_is_chosen_behind_an_end_of_turn(eos: int, verdict: Verdict) -> None:
    """An accepted one is the last token, and no draw is spent behind it."""
    spent = []

    def choose(row: NDArray[np.float32]) -> int:
        spent.append(row)
        return likeliest(row)

    assert follow(rows([1, 2, 3, 4]), [1, 2, 3], choose, frozenset({eos})) == verdict
    assert len(spent) == len(verdict.tokens)


def test_what_was_guessed_changes_no_token() -> None:
    """The same draws give the same tokens, only more or fewer of them a round."""
    draws = [2, 0, 1, 2]
    told = []
    for drafted in itertools.product(range(VOCABULARY), repeat=3):
        verdict = follow(rows(draws), drafted, likeliest, NOTHING)
        told.append(verdict.tokens == tuple(draws[: len(verdict.tokens)]))

    assert all(told)


@given(p=distributions(), q=distributions())
def test_one_drawn_token_is_distributed_as_the_targets(p: Distribution, q: Distribution) -> None:
    """Over all drafts, acceptances and corrections together the draft's distribution cancels."""
    returned = np.zeros(VOCABULARY)
    for token, drafted in enumerate(q):
        if not drafted:
            continue
        stands = min(1.0, p[token] / drafted)
        left = residual(p, q)
        returned[token] += drafted * stands
        returned += drafted * (1 - stands) * left / left.sum()

    assert returned == pytest.approx(p)


def every_uniform(steps: int) -> Iterator[list[float]]:
    """Every combination of `steps` draws from 0 to 1, on a grid that no share of an eighth cuts."""
    fine = PARTS * 7 * 5 * 3  # residuals are in shares of up to eight parts
    middles = [(index + 0.5) / fine for index in range(fine)]
    yield from map(list, itertools.product(middles, repeat=steps))


@given(p=distributions(), q=distributions())
def test_one_round_draws_as_the_rule_says(p: Distribution, q: Distribution) -> None:
    """`accept_drawn` itself, for each draft token: how often it stands, and what follows if not."""
    token = int(q.argmax())
    bonus = np.array([1.0, 0.0, 0.0])
    accepted = [
        accept_drawn([p, bonus], [q], [token], iter([uniform, 0.5]).__next__, NOTHING)
        for (uniform,) in every_uniform(1)
    ]
    share = sum(verdict.accepted for verdict in accepted) / len(accepted)

    assert share == pytest.approx(min(1.0, p[token] / q[token]), abs=1e-3)
    assert {v.tokens for v in accepted if v.accepted} <= {(token, 0)}


@given(p=distributions(), q=distributions())
def test_a_correction_is_drawn_from_what_the_draft_left(p: Distribution, q: Distribution) -> None:
    """The token that was refused is not among it."""
    left = residual(p, q)
    refused = int((q - p).argmax())
    drawn = np.zeros(VOCABULARY)
    for (uniform,) in every_uniform(1):
        drawn[draw(left, uniform)] += 1

    assert drawn / drawn.sum() == pytest.approx(left / left.sum(), abs=1e-3)
    assert p[refused] >= q[refused] or drawn[refused] == 0


@given(
    target=st.lists(distributions(), min_size=3, max_size=3),
    draft=st.lists(distributions(), min_size=2, max_size=2),
    eos=st.sampled_from([NOTHING, frozenset({1})]),
)
def test_a_block_of_drawn_tokens_is_distributed_as_the_targets(
    target: list[Distribution], draft: list[Distribution], eos: frozenset[int]
) -> None:
    """Two proposals: every run of tokens comes as often as the target's own rows say."""
    seen: dict[tuple[int, ...], float] = {}
    for drafted in itertools.product(range(VOCABULARY), repeat=2):
        chance = draft[0][drafted[0]] * draft[1][drafted[1]]
        if chance:
            for verdict, share in outcomes(target, draft, drafted, eos):
                seen[verdict.tokens] = seen.get(verdict.tokens, 0.0) + chance * share

    # A run may be cut short anywhere: what it says, and all that might follow, have one chance.
    for length in (1, 2, 3):
        for run in itertools.product(range(VOCABULARY), repeat=length):
            longer = sum(share for tokens, share in seen.items() if tokens[:length] == run)
            reached = sum(
                share
                for tokens, share in seen.items()
                if len(tokens) >= length and tokens[: length - 1] == run[:-1]
            )
            expected = reached * target[length - 1][run[-1]]
            assert longer == pytest.approx(expected)


def outcomes(
    target: list[Distribution],
    draft: list[Distribution],
    drafted: tuple[int, ...],
    eos: frozenset[int],
) -> Iterator[tuple[Verdict, float]]:
    """Every verdict of `accept_drawn` on this draft, with its chance.

    The draws are made by a uniform that is told what it decides: `accept` or a token.
    """
    pending: list[tuple[list[float], float]] = [([], 1.0)]
    while pending:
        uniforms, chance = pending.pop()
        script = Script(uniforms)
        try:
            yield accept_drawn(target, draft, list(drafted), script, eos), chance
        except Branch:
            pending += [
                ([*uniforms, uniform], chance * share)
                for uniform, share in script.branches(target, draft, drafted)
            ]


class Branch(Exception):
    """More draws are needed than are scripted."""


class Script:
    """Scripted draws; after the last one it knows what the next would decide."""

    def __init__(self, uniforms: list[float]) -> None:
        self._uniforms = uniforms
        self._asked = 0

    def __call__(self) -> float:
        """The next draw."""
        if self._asked == len(self._uniforms):
            raise Branch
        self._asked += 1
        return self._uniforms[self._asked - 1]

    def branches(
        self, target: list[Distribution], draft: list[Distribution], drafted: tuple[int, ...]
    ) -> list[tuple[float, float]]:
        """A draw for each thing that the next one can decide, and the chance of that thing."""
        row = self._asked
        refused = row > 0 and self._refuses(row - 1, target, draft, drafted)
        if refused:
            return by_token(residual(target[row - 1], draft[row - 1]))
        if row == len(drafted):
            return by_token(target[row])
        stands = min(1.0, target[row][drafted[row]] / draft[row][drafted[row]])
        return [(stands / 2, stands), ((1 + stands) / 2, 1 - stands)][: 1 if stands == 1 else 2]

    def _refuses(
        self,
        row: int,
        target: list[Distribution],
        draft: list[Distribution],
        drafted: tuple[int, ...],
    ) -> bool:
        token = drafted[row]
        return bool(self._uniforms[row] * draft[row][token] >= target[row][token])


def by_token(weights: Distribution) -> list[tuple[float, float]]:
    """A draw that falls on each token, and the token's share."""
    shares = weights / weights.sum()
    begins = shares.cumsum() - shares
    return [
        (float(begin + share / 2), float(share))
        for begin, share in zip(begins, shares, strict=True)
        if share
    ]


def test_a_draw_never_falls_on_what_has_no_weight() -> None:
    """Not even at the ends."""
    weights = np.array([0.0, 2.0, 0.0, 1.0, 0.0])

    assert {draw(weights, u) for u in (0.0, 0.5, 0.7, 1 - 2**-53)} == {1, 3}
