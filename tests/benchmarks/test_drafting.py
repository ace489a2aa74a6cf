"""What does a round cost the host, next to the arithmetic it cannot do without?

Measured on a program that computes nothing: a round then is bookkeeping and the largest of seven
rows of logits, and the ratio is its time over that of the seven rows alone. What the model's part
of a round costs is `test_model_step`'s to say.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from playground.worker.break_even import BreakEven, Costs
from playground.worker.contract import DraftContract
from playground.worker.engine import Limits
from playground.worker.messages import Sampling
from playground.worker.sampling import sampler_for
from playground.worker.speculation import Drafting, SpeculativeSession

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from pytest_benchmark.fixture import BenchmarkFixture

    Rows = NDArray[np.float32]

VOCABULARY, HIDDEN, BLOCK, TIMES = 4096, 768, 4, 400
CONTRACT = DraftContract(block_length=BLOCK, mask_id=1, window=256, max_chunk=64, prefill_from=None)


class Idle:
    """A program that has its answers ready: two of three proposals are right."""

    context_length = 10**9

    def __init__(self) -> None:
        random = np.random.default_rng(0)
        self.said: Rows = random.normal(size=(BLOCK, VOCABULARY)).astype(np.float32)
        self.guessed = np.roll(self.said, 1, axis=0)
        self.guessed[3] = 0
        self.hidden = random.normal(size=(BLOCK, HIDDEN)).astype(np.float32)

    def forward(
        self, ids: Sequence[int], position: int, soft: Rows | None = None
    ) -> tuple[Rows, Rows | None]:
        """Nothing to compute."""
        return self.said[-1], self.hidden[: len(ids)]

    def verify(self, ids: Sequence[int], position: int) -> tuple[Rows, Rows]:
        """Nothing to compute."""
        return self.said[: len(ids)], self.hidden[: len(ids)]

    def draft(self, block: Sequence[int], hidden: Rows, first: int) -> Rows:
        """Nothing to compute."""
        return self.guessed

    def absorb(self, hidden: Rows, first: int) -> None:
        """Nothing to keep."""

    def rewind(self, position: int) -> None:
        """Nothing to forget."""

    def close(self) -> None:
        """Nothing to free."""


class NoOpinion(Costs):
    """Costs that are never known, so that drafting is not given up."""

    @property
    def relative(self) -> None:
        """Unknown."""
        return None


def shortest_s(work: Callable[[], object]) -> float:
    """The shortest of many."""
    return min(time_s(work) for _ in range(TIMES))


def time_s(work: Callable[[], object]) -> float:
    """The time of a call."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def test_the_hosts_part_of_a_round(benchmark: BenchmarkFixture) -> None:
    """A greedy round of a program that takes no time, next to its seven largest logits."""
    program, greedy = Idle(), sampler_for(Sampling())
    session = SpeculativeSession(program, Drafting(CONTRACT, 3), BreakEven(NoOpinion()))
    session.prefill([1])
    session.decode(greedy)
    limits = Limits(1000, frozenset({3}))

    def largest() -> None:
        program.guessed[1:].argmax(1)
        for row in program.said:
            row.argmax()

    ratio = shortest_s(lambda: session.decode(greedy, limits)) / shortest_s(largest)
    benchmark.extra_info["round_to_largest"] = round(ratio, 2)

    returned = benchmark(lambda: session.decode(greedy, limits))

    assert len(returned) == 3
