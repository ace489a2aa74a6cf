"""A worker whose model takes so much longer, and which is sound in all else.

    python -m tests.gate.throttled_10 …    by 10 %; what it is told is what `playground.worker` is
    python -m tests.gate.throttled_30 …    by 30 %

Every chunk of a prefill, every round of decoding and every picture is held up, by the clock, for
the share of the time that it took.  The figures that the worker reports are true: it is slower.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from playground.worker.engine import UNLIMITED
from playground.worker.process import claim_stdout

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from playground.vision.patches import VisionInputs
    from playground.worker.draft_counts import DraftCounts
    from playground.worker.engine import Engine, Limits, Sampler, Session
    from playground.worker.messages import EngineInfo
    from playground.worker.turn import Model

SPIN_S = 0.002
"""A sleep ends late by less than this; what is left of a wait is spent looking at the clock."""


class Held:
    """Holds up whatever is done in it for a share of its time."""

    def __init__(
        self,
        slower: float,
        *,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._slower, self._clock, self._sleep = slower, clock, sleep
        self._began = 0.0

    def __enter__(self) -> None:
        self._began = self._clock()

    def __exit__(self, *problem: object) -> None:
        now = self._clock()
        until = now + (now - self._began) * self._slower
        # A sleep of no time at all gives the processor away, on a busy machine for long.
        if (rest := until - now - SPIN_S) > 0:
            self._sleep(rest)
        while self._clock() < until:
            pass


class SlowSession:
    """A session that is held up when it computes."""

    def __init__(self, session: Session, slower: float) -> None:
        self._session, self._held = session, Held(slower)

    @property
    def position(self) -> int:
        """As the session has it."""
        return self._session.position

    def rewind(self, position: int) -> None:
        """Computes nothing."""
        self._session.rewind(position)

    def prefill(self, ids: Sequence[int], soft: NDArray[np.float32] | None = None) -> None:
        """One chunk."""
        with self._held:
            self._session.prefill(ids, soft)

    def decode(self, sampler: Sampler, limits: Limits = UNLIMITED) -> tuple[int, ...]:
        """One round."""
        with self._held:
            return self._session.decode(sampler, limits)

    def statistics(self) -> DraftCounts | None:
        """As the session has them."""
        return self._session.statistics()

    def close(self) -> None:
        """Computes nothing."""
        self._session.close()


class SlowEngine:
    """An engine whose sessions and pictures are held up."""

    def __init__(self, engine: Engine, slower: float) -> None:
        self._engine, self._slower = engine, slower

    @property
    def info(self) -> EngineInfo:
        """As the engine has it."""
        return self._engine.info

    def prepare(self, pixels: NDArray[np.uint8]) -> VisionInputs:
        """Is no part of the model."""
        return self._engine.prepare(pixels)

    def encode(self, inputs: VisionInputs) -> NDArray[np.float32]:
        """One picture."""
        with Held(self._slower):
            return self._engine.encode(inputs)

    def open(self) -> Session:
        """A session that is held up."""
        return SlowSession(self._engine.open(), self._slower)


def entry_point(slower: float) -> int:
    """Run the worker on this process's own arguments and pipes; the exit code."""
    stdout = claim_stdout()
    from playground.worker.command import load_model, main  # noqa: PLC0415  (after `claim_stdout`)

    def load(asked: argparse.Namespace) -> Model:
        model = load_model(asked)
        return replace(model, engine=SlowEngine(model.engine, slower))

    return main(sys.argv[1:], stdout, load=load)
