"""How long do a plain step and a round take, here and now?

Taken when a program is loaded, on its fresh caches, which are cleared again: for the choice of
threads, and for the first opinion on whether drafting pays (`break_even`). A few of each, in turns,
as if behind a short prompt (nobody cares what its rows would be); the median of each counts.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from playground.worker.break_even import Costs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from playground.worker.contract import Contract

    Rows = NDArray[np.float32]

__all__ = ["Rehearsable", "Rehearsal", "rehearse"]

TIMES = 7
WARM_UP = 2
DEPTH = 64
ANY_TOKEN = 0


class Rehearsable(Protocol):
    """A program, as `pte` loads it."""

    contract: Contract

    def forward(self, ids: Sequence[int], position: int) -> tuple[Rows, Rows | None]:
        """Forward tokens; logits of the last, and hidden rows."""

    def verify(self, ids: Sequence[int], position: int) -> tuple[Rows, Rows]:
        """Forward tokens; logits of each, and hidden rows."""

    def draft(self, block: Sequence[int], hidden: Rows, first: int) -> Rows:
        """Take in hidden rows and propose."""

    def clear(self, rows: int) -> None:
        """Zero rows of the caches."""


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """Medians in seconds; `round_s` is None where nothing is drafted."""

    step_s: float
    round_s: float | None = None

    @property
    def usual_s(self) -> float:
        """What a turn does most: rounds, or else steps."""
        return self.step_s if self.round_s is None else self.round_s

    def costs(self) -> Costs:
        """A first opinion, which the times of real calls will replace."""
        costs = Costs()
        costs.step_took(self.step_s)
        if self.round_s is not None:
            costs.round_took(self.round_s)
        return costs


def rehearse(
    program: Rehearsable, proposals: int, *, clock_s: Callable[[], float] = time.perf_counter
) -> Rehearsal:
    """Time a program whose rounds have so many proposals; 0 is none."""
    contract = program.contract
    depth = min(DEPTH, contract.max_prefill_chunk, contract.context_length // 2)
    steps, rounds = [], []
    for _ in range(WARM_UP + TIMES):
        begun = clock_s()
        _, hidden = program.forward([ANY_TOKEN], depth)
        steps.append(clock_s() - begun)
        if proposals and hidden is not None and contract.draft:
            block = [ANY_TOKEN] + [contract.draft.mask_id] * (contract.draft.block_length - 1)
            begun = clock_s()
            program.draft(block, hidden, depth)
            program.verify([ANY_TOKEN] * (proposals + 1), depth)
            rounds.append(clock_s() - begun)
    program.clear(depth + proposals + 1)
    return Rehearsal(
        statistics.median(steps[WARM_UP:]), statistics.median(rounds[WARM_UP:]) if rounds else None
    )
