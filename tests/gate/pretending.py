"""A worker that says what a turn reuses, and computes all of it again.

python -m tests.gate.pretending …    what it is told is what `playground.worker` is told
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from playground.worker.engine import SOFT, UNLIMITED
from playground.worker.process import claim_stdout

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from playground.vision.patches import VisionInputs
    from playground.worker.draft_counts import DraftCounts
    from playground.worker.engine import Engine, Limits, Sampler, Session
    from playground.worker.messages import EngineInfo
    from playground.worker.turn import Model


class PretendingSession:
    """A session that computes again what it has, before it goes on from there."""

    def __init__(self, session: Session, chunk: int) -> None:
        self._session, self._chunk = session, chunk
        self._ids: list[int] = []
        self._resting = False
        """Whether a turn has ended: what is prefilled next begins another one."""

    @property
    def position(self) -> int:
        """As the session has it."""
        return self._session.position

    def rewind(self, position: int) -> None:
        """Forget, here as well."""
        del self._ids[position:]
        self._session.rewind(position)

    def prefill(self, ids: Sequence[int], soft: NDArray[np.float32] | None = None) -> None:
        """One chunk, and all before it where a turn begins; pictures are gone, and stay."""
        if self._resting and len(ids) > 1 and SOFT not in self._ids:
            known = self._ids[: self._session.position]
            self._session.rewind(0)
            for at in range(0, len(known), self._chunk):
                self._session.prefill(known[at : at + self._chunk])
            self._resting = False
        del self._ids[self._session.position :]
        self._ids += ids
        self._session.prefill(ids, soft)

    def decode(self, sampler: Sampler, limits: Limits = UNLIMITED) -> tuple[int, ...]:
        """One round; its tokens are what is resident next."""
        tokens = self._session.decode(sampler, limits)
        self._ids += tokens
        self.turn_ended()
        return tokens

    def turn_ended(self) -> None:
        """What is prefilled next may begin another turn."""
        self._resting = True

    def statistics(self) -> DraftCounts | None:
        """As the session has them."""
        return self._session.statistics()

    def close(self) -> None:
        """As the session does."""
        self._session.close()


class PretendingEngine:
    """An engine whose sessions only say that they go on."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def info(self) -> EngineInfo:
        """As the engine has it."""
        return self._engine.info

    def prepare(self, pixels: NDArray[np.uint8]) -> VisionInputs:
        """As the engine does."""
        return self._engine.prepare(pixels)

    def encode(self, inputs: VisionInputs) -> NDArray[np.float32]:
        """As the engine does."""
        return self._engine.encode(inputs)

    def open(self) -> Session:
        """A session that pretends."""
        return PretendingSession(self._engine.open(), self._engine.info.max_prefill_chunk)


def entry_point() -> int:
    """Run the worker on this process's own arguments and pipes; the exit code."""
    stdout = claim_stdout()
    from playground.worker.command import load_model, main  # noqa: PLC0415  (after `claim_stdout`)

    def load(asked: argparse.Namespace) -> Model:
        model = load_model(asked)
        return replace(model, engine=PretendingEngine(model.engine))

    return main(sys.argv[1:], stdout, load=load)


if __name__ == "__main__":
    sys.exit(entry_point())
