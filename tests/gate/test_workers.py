"""The workers that are broken on purpose are broken in one way each, and sound in all else."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from playground.worker.engine import UNLIMITED
from tests.gate.lying import embellish
from tests.gate.pretending import PretendingSession
from tests.gate.throttled import Held

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from playground.worker.draft_counts import DraftCounts
    from playground.worker.engine import Limits, Sampler


@dataclass
class Time:
    """A clock that is moved by sleeping, or by looking at it."""

    now_s: float = 0.0
    looked_s: float = 0.0001
    slept: list[float] = field(default_factory=list)

    def clock(self) -> float:
        """The time, a moment later each time."""
        self.now_s += self.looked_s
        return self.now_s

    def sleep(self, seconds: float) -> None:
        """Time goes on."""
        self.slept.append(seconds)
        self.now_s += seconds


@pytest.mark.parametrize("took_s", [0.1, 0.001])
def test_what_is_throttled_takes_longer_by_its_share(took_s: float) -> None:
    """Most of it is slept, so that no processor is kept from others; the rest is waited out."""
    time = Time()
    held = Held(0.3, clock=time.clock, sleep=time.sleep)

    began = time.now_s
    with held:
        time.now_s += took_s

    assert time.now_s - began == pytest.approx(1.3 * took_s, abs=5 * time.looked_s)
    assert sum(time.slept) <= 0.3 * took_s
    assert all(seconds > 0 for seconds in time.slept)


@dataclass
class Known:
    """A session that notes what it is told."""

    ids: list[int] = field(default_factory=list)
    computed: int = 0

    @property
    def position(self) -> int:
        """Its rows."""
        return len(self.ids)

    def rewind(self, position: int) -> None:
        """Forget."""
        del self.ids[position:]

    def prefill(self, ids: Sequence[int], soft: NDArray[np.float32] | None = None) -> None:
        """Compute."""
        assert soft is None
        assert len(ids) <= 2
        self.ids += ids
        self.computed += len(ids)

    def decode(self, sampler: Sampler, limits: Limits = UNLIMITED) -> tuple[int, ...]:
        """Choose a token; the one before it gets its row."""
        raise NotImplementedError

    def statistics(self) -> DraftCounts | None:
        """Nobody drafts."""
        return None

    def close(self) -> None:
        """Nothing is left."""


def test_what_pretends_computes_again_what_it_says_it_reuses() -> None:
    """And has the same rows in the end."""
    known = Known()
    session = PretendingSession(known, chunk=2)
    session.prefill([1, 2])
    session.prefill([3])
    session.turn_ended()
    before = known.computed

    session.prefill([4, 5])

    assert known.ids == [1, 2, 3, 4, 5]
    assert (before, known.computed) == (3, 8)


def test_what_lies_doubles_its_rates_and_nothing_else() -> None:
    """Other lines go through as they are."""
    there, here = os.pipe()
    token = b'{"token":"a"}\n'
    embellish(here, token)
    embellish(here, b'{"type":"done","decode_tok_s":50.0,"prefill_tok_s":0.0,"decode_ms":20.0}\n')
    os.close(here)
    with os.fdopen(there, "rb") as pipe:
        first, last = pipe.readlines()

    assert first == token
    assert json.loads(last) == {
        "type": "done",
        "decode_tok_s": 100.0,
        "prefill_tok_s": 0.0,
        "decode_ms": 20.0,
    }
