"""What the worker's loop asks of a model: open a session, prefill, decode a round, rewind.

An engine is one set of weights. A session is one conversation's cache on them: a run of rows, one
row for each token forwarded, `position` of them. The loop decides which tokens are resident and
which must be computed, and asks for three things only:

    rewind(position)   forget the rows from `position` on
    prefill(ids)       forward known tokens, one chunk of them
    decode(sampler)    one round: choose the next token, or several

The pending token
-----------------
A token that was chosen but not forwarded has no row yet: it is *pending*. Right after a prefill,
`decode` needs no forward pass, because the last row's logits are there: it chooses a token, which
is then pending. Every later `decode` first forwards the pending token. So in a round that returns
`(a, b, c)`, rows exist for everything up to and including `b`, and `c` is pending. The loop may
use fewer tokens than a round returned (an end-of-turn token in the middle, the token limit); it
then settles the cache with the same verbs: `rewind` drops rows of unused tokens, `prefill` of one
token gives a used pending token its row.

Speculation is behind `decode`: a drafting session proposes, verifies the pending token and its
draft in one forward pass, rolls its own rejected rows back and returns what was accepted and the
correction (see `speculation`); its counts come out of `statistics` once a turn.

Pictures
--------
A picture goes through `prepare` and `encode`, which belong to no session, and becomes rows in the
width of an embedded token. In `prefill` the id `SOFT` stands for such a row, and `soft` holds the
rows of the chunk, in order.

`__main__` loads one of two engines: `scripted.ScriptedEngine`, or
`program.ExecuTorchEngine.load(model_path, threads=…, max_prefill_chunk=…, max_sessions=…)`, where
None for `threads` or `max_prefill_chunk` leaves the choice to the engine.

A session is driven by one thread. Errors of the runtime below may leave any method as any
exception; the loop turns it into an error reply and considers the session dirty, which means that
`rewind(0)` will come before anything else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from playground.vision.patches import VisionInputs
    from playground.worker.draft_counts import DraftCounts
    from playground.worker.messages import EngineInfo

__all__ = ["SOFT", "UNLIMITED", "Engine", "Limits", "Sampler", "Session"]


SOFT = -1
"""In place of a token id: this row is given, not embedded."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a turn still wants of a round; a session may ignore it, and the loop then drops more."""

    most: int = 2**31
    """Tokens, at least one."""
    eos_ids: frozenset[int] = frozenset()
    """Nothing is wanted behind one of these."""
    draft: bool = True
    """Whether several tokens may be found at once by drafting."""


UNLIMITED = Limits()


class Sampler(Protocol):
    """How the turn wants its tokens chosen; a new one for each turn (see `sampling`)."""

    def choose(self, logits: NDArray[np.float32]) -> int:
        """Choose a token id from one row of logits, shape [V]; raise ValueError on NaN."""


class Session(Protocol):
    """One conversation's cache."""

    @property
    def position(self) -> int:
        """How many tokens have a row in the cache."""

    def rewind(self, position: int) -> None:
        """Keep the first `position` rows and forget the rest; 0 forgets everything.

        Only `prefill` may follow, since the logits are forgotten too. Every session can rewind to
        0, and to any row of its latest round. Raises EngineError where it cannot go back.
        """

    def prefill(self, ids: Sequence[int], soft: NDArray[np.float32] | None = None) -> None:
        """Forward 1 to `max_prefill_chunk` rows at `position` and after it.

        `soft` is `[n, D]` for the n of them that are `SOFT`; None if none is.
        """

    def decode(self, sampler: Sampler, limits: Limits = UNLIMITED) -> tuple[int, ...]:
        """Run one round and return the tokens it chose, at least one (see *The pending token*)."""

    def statistics(self) -> DraftCounts | None:
        """Return what drafting did since the first token after a prefill; None if nobody counts."""

    def close(self) -> None:
        """Free the cache; the session is not used again."""


class Engine(Protocol):
    """One set of weights, ready to run."""

    @property
    def info(self) -> EngineInfo:
        """What the ready line says about this engine."""

    def prepare(self, pixels: NDArray[np.uint8]) -> VisionInputs:
        """Make a picture ready, `[rows * 28, columns * 28, 3]`, not too many cells of it."""

    def encode(self, inputs: VisionInputs) -> NDArray[np.float32]:
        """Run the vision encoder: rows `[cells, D]`. Raises EngineError where there is none."""

    def open(self) -> Session:
        """Make a session with an empty cache; raise EngineError if there is no room for one."""
