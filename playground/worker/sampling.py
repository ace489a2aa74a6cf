"""Which token comes next, given one row of logits.

In this order, as in ExecuTorch's host sampler:

1. temperature 0: the largest logit, of equals the lowest id. Nothing else applies.
2. top-k: the k largest logits, of equals the lowest ids; 0 keeps all.
3. softmax of logit / temperature over what is left.
4. top-p: the most probable tokens, of equals the lowest ids, up to and including the one with
   which their sum reaches p of the whole; 1 keeps all.
5. a draw in proportion to what is left, from a generator seeded with `seed`; 0 seeds it anew.

The same seed gives the same tokens from the same logits; the generator is NumPy's PCG64, so not
the same tokens as another runtime's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from playground.worker.engine import Sampler
    from playground.worker.messages import Sampling

__all__ = ["DrawSampler", "GreedySampler", "candidates", "sampler_for"]

SMALLEST_TEMPERATURE = 1e-6
"""Smaller ones give the same tokens, and quotients that are no finite numbers."""


def sampler_for(sampling: Sampling) -> Sampler:
    """Return a new sampler, at the beginning of its seed's sequence."""
    return DrawSampler(sampling) if sampling.temperature > 0.0 else GreedySampler()


class GreedySampler:
    """Always the largest logit."""

    def choose(self, logits: NDArray[np.float32]) -> int:
        """Choose from one row, shape [V]; raise ValueError if it holds NaN."""
        best = int(logits.argmax())  # of equals the first; a NaN counts as largest
        if logits[best] != logits[best]:
            raise ValueError("the logits hold NaN")
        return best


class DrawSampler:
    """A draw from the filtered distribution."""

    def __init__(self, sampling: Sampling) -> None:
        self._sampling = sampling
        self._random = np.random.default_rng(sampling.seed or None)

    def choose(self, logits: NDArray[np.float32]) -> int:
        """Choose from one row, shape [V]; raise ValueError if it holds NaN."""
        ids, weights = candidates(logits, self._sampling)
        reached = weights.cumsum(dtype=np.float64)
        drawn = int(reached.searchsorted(self._random.random() * reached[-1], side="right"))
        return int(ids[min(drawn, len(ids) - 1)])

    def distribution(self, logits: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the probability of every token, shape [V]; raise ValueError on NaN."""
        ids, weights = candidates(logits, self._sampling)
        probabilities: NDArray[np.float64] = np.zeros(len(logits))
        probabilities[ids] = weights
        probabilities /= probabilities.sum()
        return probabilities

    def uniform(self) -> float:
        """Draw a number from 0 to 1, 1 excluded."""
        return self._random.random()


def candidates(
    logits: NDArray[np.float32], sampling: Sampling
) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Return the ids that can be drawn and their weights, shapes [C]; the temperature is not 0.

    The largest weight is 1 and the others are in proportion to it. Ids ascend, or, where top-p
    is used, weights descend. Raises ValueError if the logits hold NaN.
    """
    largest = logits.max()  # NaN if there is one
    if not np.isfinite(largest):
        raise ValueError(f"the largest of the logits is {largest}; they may hold NaN")
    ids = _top_k(logits, sampling.top_k)
    temperature = max(sampling.temperature, SMALLEST_TEMPERATURE)
    weights = np.exp((logits[ids] - largest) / np.float32(temperature))
    if sampling.top_p < 1.0:
        return _top_p(ids, weights, sampling.top_p)
    return ids, weights


def _top_k(logits: NDArray[np.float32], top_k: int) -> NDArray[np.intp]:
    size = len(logits)
    if top_k == 0 or top_k >= size:
        return np.arange(size)
    smallest_kept = np.partition(logits, size - top_k)[size - top_k]
    kept = np.flatnonzero(logits >= smallest_kept)
    if len(kept) == top_k:
        return kept
    larger = np.flatnonzero(logits > smallest_kept)
    equal = np.flatnonzero(logits == smallest_kept)[: top_k - len(larger)]
    return np.sort(np.concatenate((larger, equal)))


def _top_p(
    ids: NDArray[np.intp], weights: NDArray[np.float32], top_p: float
) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Keep the nucleus; sorts only what may be in it.

    C tokens, each below (1 - p) / C of the whole, weigh less than 1 - p of it together, so p is
    reached before them, and the token that reaches it is not one of them either.
    """
    whole = weights.sum(dtype=np.float64)
    may_be_in = np.flatnonzero(weights >= (1.0 - top_p) * whole / len(weights))
    order = may_be_in[np.argsort(-weights[may_be_in], kind="stable")]
    reached = weights[order].cumsum(dtype=np.float64)
    crossing = int(reached.searchsorted(top_p * whole, side="left"))
    kept = order[: crossing + 1]
    return ids[kept], weights[kept]
