"""Are a step and a round timed apart, and is nothing left in the caches?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from playground.worker.contract import Contract, DraftContract
from playground.worker.rehearsal import rehearse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Rows = NDArray[np.float32]

DRAFT = DraftContract(block_length=4, mask_id=9, window=0, max_chunk=16, prefill_from=None)


def a_contract(draft: DraftContract | None) -> Contract:
    """A small program's."""
    return Contract(
        forward="",
        prefill_from=None,
        context_length=40,
        vocab_size=10,
        max_prefill_chunk=16,
        sliding_window=0,
        max_rewind=40,
        caches=(),
        row_dimension=None,
        draft=draft,
    )


@dataclass
class Clocked:
    """A program that takes 3 ms a step, 2 to draft, 4 to verify, and thrice that at first."""

    contract: Contract
    now_s: float = 0.0
    written: int = 0
    calls: list[str] = field(default_factory=list)

    def forward(self, ids: Sequence[int], position: int) -> tuple[Rows, Rows | None]:
        """A step."""
        self._pass("forward", 3.0)
        self.written = max(self.written, position + len(ids))
        return np.zeros(10, np.float32), np.zeros((len(ids), 2), np.float32)

    def verify(self, ids: Sequence[int], position: int) -> tuple[Rows, Rows]:
        """Judge a draft."""
        self._pass("verify", 4.0)
        self.written = max(self.written, position + len(ids))
        return np.zeros((len(ids), 10), np.float32), np.zeros((len(ids), 2), np.float32)

    def draft(self, block: Sequence[int], hidden: Rows, first: int) -> Rows:
        """Propose."""
        assert list(block) == [0, 9, 9, 9]
        self._pass("draft", 2.0)
        return np.zeros((4, 10), np.float32)

    def clear(self, rows: int) -> None:
        """Clean up."""
        self.written = max(0, self.written - rows)

    def _pass(self, name: str, duration_ms: float) -> None:
        first = self.calls.count(name) < 2
        self.calls.append(name)
        self.now_s += duration_ms * (3 if first else 1) / 1e3


def test_a_step_and_a_round_are_timed() -> None:
    """Without the first few, which warm up; rounds are what a drafting turn does most."""
    program = Clocked(a_contract(DRAFT))

    rehearsal = rehearse(program, 3, clock_s=lambda: round(program.now_s, 6))

    assert (round(rehearsal.step_s, 6), round(rehearsal.round_s or 0, 6)) == (0.003, 0.006)
    assert rehearsal.usual_s == rehearsal.round_s
    assert round(rehearsal.costs().relative or 0, 6) == 2.0
    assert program.written == 0


def test_a_program_that_does_not_draft_is_timed_by_its_steps() -> None:
    """Be it that it cannot, or that it shall not."""
    programs = [Clocked(a_contract(None)), Clocked(a_contract(DRAFT))]

    rehearsals = [rehearse(program, 0, clock_s=lambda: 0.0) for program in programs]

    assert [rehearsal.round_s for rehearsal in rehearsals] == [None, None]
    assert [rehearsal.usual_s for rehearsal in rehearsals] == [0.0, 0.0]
    assert rehearsals[0].costs().relative is None
    assert [set(program.calls) for program in programs] == [{"forward"}, {"forward"}]
