"""What noise do the starts of a gate have? Two models, each in logarithms.

    Drift   of the facts: log-normal times, 3 % of noise that a start has and 4 % that a request
            has, ten requests a start, of which the median counts, on a machine that becomes 8 %
            slower over the session, fast at first.  All metrics of a start share its noise, or
            have as much of their own.
    Kept    as an A/A gate found it: the spread of paired log ratios, metric by metric.  What of it
            metrics share is not kept, so it is said.

Arrays are trials x metrics x pairs; above 0 the candidate is worse.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["Drift", "Kept", "Model"]


class Model(Protocol):
    """Draws log ratios of pairs between which there is no difference."""

    @property
    def metrics(self) -> int:
        """How many a start has."""
        ...

    def pairs(self, draw: Generator, trials: int, pairs: int) -> Array:
        """Trials x metrics x pairs."""
        ...


@dataclass(frozen=True, slots=True)
class Drift:
    """A machine that becomes slower."""

    metrics: int = 6
    shared: float = 1.0
    """Share of the variance of a start's noise that is the same for all metrics."""
    blocked: bool = False
    """All starts of one side and then all of the other, and not ABBA."""
    start_noise: float = 0.03
    request_noise: float = 0.04
    requests: int = 10
    drift: float = 0.08
    session: int = 20
    """Starts after which nineteen twentieths of the drift are there."""

    def pairs(self, draw: Generator, trials: int, pairs: int) -> Array:
        """Of the medians of starts."""
        medians = np.median(self.times(draw, trials, 2 * pairs), axis=-1)
        baseline, candidate = self.sides(draw, medians)
        return candidate - baseline

    def times(self, draw: Generator, trials: int, starts: int) -> Array:
        """Log times of requests, in the order they were played: x starts x requests."""
        shape = (trials, self.metrics, starts)
        common = draw.standard_normal((trials, 1, starts)) * np.sqrt(self.shared)
        own = draw.standard_normal(shape) * np.sqrt(1 - self.shared)
        requests = draw.standard_normal((*shape, self.requests), dtype=np.float32)
        risen = 1 - np.exp(-3 * np.arange(starts) / self.session)
        of_start = self.start_noise * (common + own) + np.log1p(self.drift * risen)
        return np.asarray(of_start[..., None] + self.request_noise * requests)

    def sides(self, draw: Generator, played: Array) -> tuple[Array, Array]:
        """What was played, by side and pair, along the third axis.

        ABBA, or BAAB: which side begins is drawn anew for each trial.
        """
        count = played.shape[2]
        if self.blocked:
            return played[:, :, : count // 2], played[:, :, count // 2 :]
        first, second = played[:, :, 0::2], played[:, :, 1::2]
        begins = draw.random((len(played), 1, 1)) < 0.5
        turned = begins ^ (np.arange(count // 2) % 2 == 1)[None, None, :]
        turned = turned.reshape(turned.shape + (1,) * (played.ndim - 3))
        return np.where(turned, second, first), np.where(turned, first, second)


@dataclass(frozen=True, slots=True)
class Kept:
    """Noise as it was found."""

    noise: Sequence[float]
    """Standard deviation of paired log ratios, by metric."""
    shared: float = 0.5
    """Share of the variance that is the same for all metrics."""

    @property
    def metrics(self) -> int:
        """As many as have a noise."""
        return len(self.noise)

    def pairs(self, draw: Generator, trials: int, pairs: int) -> Array:
        """Normal log ratios."""
        common = draw.standard_normal((trials, 1, pairs)) * np.sqrt(self.shared)
        own = draw.standard_normal((trials, self.metrics, pairs)) * np.sqrt(1 - self.shared)
        return np.asarray((common + own) * np.asarray(self.noise)[None, :, None])
