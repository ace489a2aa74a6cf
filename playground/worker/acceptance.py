"""Which tokens of a draft stand, and which token follows them?

The target has been run over the pending token and the draft d1..dn, so for every draft token, and
for the one behind them, there is the distribution p that the target would have drawn from. Tokens
are returned until one is not the draft's (the *correction*), or one more when all are (the
*bonus*), or up to an end-of-turn token. Two rules, both exact: what is returned is distributed as
if the target had been asked token by token.

`follow`, for a draft that is a guess: draw x from p, as without a draft. While x is what was
guessed the next row is valid, too. This accepts d with probability p(d) and returns the others in
proportion to p, and it uses one draw a token, so that a seed gives the same tokens whether or not
anything was drafted. Greedy choices are the same rule, with a draw that has one outcome.

`accept_drawn`, for a draft that was itself drawn from a distribution q: accept d with probability
min(1, p(d) / q(d)), otherwise draw from max(0, p - q). It accepts more often than `follow` where p
is flat, and a seed gives other tokens than without drafting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from numpy.typing import NDArray

    Distribution = NDArray[np.float64]

__all__ = ["Verdict", "accept_drawn", "draw", "follow", "residual"]


class Verdict(NamedTuple):
    """`tokens` are returned, at least one; `accepted` of them, the first ones, were drafted."""

    tokens: tuple[int, ...]
    accepted: int


def follow(
    logits: NDArray[np.float32],
    drafted: Sequence[int],
    choose: Callable[[NDArray[np.float32]], int],
    eos_ids: Container[int],
) -> Verdict:
    """Choose from each row of `[n + 1, V]` as long as the choice is what was drafted."""
    tokens = []
    for row, guess in zip(logits, drafted, strict=False):
        token = choose(row)
        tokens.append(token)
        if token != guess:
            return Verdict(tuple(tokens), len(tokens) - 1)
        if token in eos_ids:
            return Verdict(tuple(tokens), len(tokens))
    tokens.append(choose(logits[len(drafted)]))
    return Verdict(tuple(tokens), len(drafted))


def accept_drawn(
    target: Sequence[Distribution],
    draft: Sequence[Distribution],
    drafted: Sequence[int],
    uniform: Callable[[], float],
    eos_ids: Container[int],
) -> Verdict:
    """Judge tokens that were drawn from `draft`, n rows `[V]` that sum to 1, by n + 1 of `target`.

    `uniform` draws from 0 to 1, 1 excluded.
    """
    tokens: list[int] = []
    for p, q, token in zip(target, draft, drafted, strict=False):
        if uniform() * q[token] >= p[token]:
            tokens.append(draw(residual(p, q), uniform()))
            return Verdict(tuple(tokens), len(tokens) - 1)
        tokens.append(token)
        if token in eos_ids:
            return Verdict(tuple(tokens), len(tokens))
    tokens.append(draw(target[len(drafted)], uniform()))
    return Verdict(tuple(tokens), len(drafted))


def residual(p: Distribution, q: Distribution) -> Distribution:
    """Return what is left of `p` where `q` has had its share; not normalised.

    It is empty only where p = q, when nothing is ever rejected but by rounding: then it is `p`.
    """
    left = np.maximum(p - q, 0.0)
    return left if left.any() else p


def draw(weights: Distribution, uniform: float) -> int:
    """Return the index that a number from 0 to 1 falls on, in proportion to the weights."""
    reached = weights.cumsum()
    return int(min(reached.searchsorted(uniform * reached[-1], side="right"), len(weights) - 1))
