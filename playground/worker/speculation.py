"""A session that drafts: propose a few tokens, verify them in one pass, keep what stands.

The target alone needs a forward pass for every token. Here a small draft model proposes tokens
first, a block of them at once, and the target judges all of them in one pass that takes little
longer than a pass of one. A round:

    draft      takes in the hidden rows it has not seen (see `draft_context`), and proposes n
               tokens for the block [pending, mask, mask, …]
    verify     the target forwards [pending, d1 … dn]: n + 1 rows of logits and hidden rows
    accept     the tokens that stand and one more (see `acceptance`): k tokens
    roll back  k of the n + 1 rows stay; the position says so, and later steps overwrite the rest

The last token returned is pending, the ones before it have rows: what `engine` asks of a round.
A round is cut so that it never returns more than the turn still wants, nor anything behind an
end-of-turn token. The pending token is forwarded alone where a round makes no sense: one token is
wanted, the context has no room for a block, drafting is switched off or does not pay
(`break_even`).

The draft only ever proposes, so whatever state it is in, the tokens are the target's own.
A call that fails may leave rows behind that nobody knows of: the session is then good for
nothing but `rewind(0)`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from playground.worker.acceptance import accept_drawn, draw, follow
from playground.worker.draft_context import DraftContext
from playground.worker.draft_counts import Tally
from playground.worker.engine import UNLIMITED
from playground.worker.errors import EngineError
from playground.worker.sampling import DrawSampler

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from playground.worker.acceptance import Distribution, Verdict
    from playground.worker.break_even import BreakEven
    from playground.worker.contract import ArtifactMode, Contract, DraftContract
    from playground.worker.draft_counts import DraftCounts
    from playground.worker.engine import Limits, Sampler

    Rows = NDArray[np.float32]

__all__ = ["DraftOptions", "Drafting", "SpeculativeProgram", "SpeculativeSession"]


class SpeculativeProgram(Protocol):
    """A target and its draft, on the caches of one session. Positions are consecutive."""

    @property
    def context_length(self) -> int:
        """How many rows the caches have."""

    def forward(
        self, ids: Sequence[int], position: int, soft: Rows | None = None
    ) -> tuple[Rows, Rows | None]:
        """Forward tokens and rows of pictures; logits `[V]` of the last, hidden rows `[T, H]`."""

    def verify(self, ids: Sequence[int], position: int) -> tuple[Rows, Rows]:
        """Forward tokens; logits `[T, V]` of each, and the hidden rows `[T, H]`."""

    def draft(self, block: Sequence[int], hidden: Rows, first: int) -> Rows:
        """Take in hidden rows `[n, H]` of position `first` and after; logits `[L, V]`."""

    def absorb(self, hidden: Rows, first: int) -> None:
        """Take in hidden rows without proposing."""

    def rewind(self, position: int) -> None:
        """Prepare to go back; 0 clears. Raises EngineError where it cannot."""

    def close(self) -> None:
        """Free the caches."""


@dataclass(frozen=True, slots=True)
class DraftOptions:
    """What the command line asks; the defaults and the names are ExecuTorch's."""

    enabled: bool = True
    """Whether turns draft; a switched-off draft is loaded all the same."""
    artifact_mode: ArtifactMode = "auto"
    block_length: int = 0
    """Pending token and proposals together; 0 is as many as the program has room for."""
    n_draft: int = 0
    """Tokens proposed a round; 0 is as many as the block has room for."""
    argmax: bool = True
    """Whether the draft proposes its likeliest token, or draws one with the turn's sampling."""


@dataclass(frozen=True, slots=True)
class Drafting:
    """How sessions draft."""

    contract: DraftContract
    tokens: int
    """Proposed a round, 1 to block length - 1; 0 where drafting is switched off."""
    argmax: bool = True
    max_rewind: int = 0
    """How many rows a session may step back, so how many older ones the draft may need again."""

    @classmethod
    def of(cls, contract: Contract, options: DraftOptions) -> Drafting | None:
        """Return what the options make of a program, None where it has no draft.

        Raises EngineError for what the program has no room for.
        """
        draft = contract.draft
        if draft is None:
            return None
        block_length = options.block_length or draft.block_length
        if not 2 <= block_length <= draft.block_length:
            raise EngineError(
                f"a block of {block_length} tokens; the program's has 2 to {draft.block_length}"
            )
        tokens = options.n_draft or min(block_length - 1, contract.max_rewind)
        if not 1 <= tokens <= min(block_length - 1, contract.max_rewind):
            raise EngineError(
                f"{tokens} proposals a round; a block of {block_length} has room for "
                f"{block_length - 1}, and {contract.max_rewind} rows can be taken back"
            )
        return cls(
            draft, tokens if options.enabled else 0, options.argmax, max_rewind=contract.max_rewind
        )

    def context(self) -> DraftContext:
        """Return an empty context for such a draft."""
        window = self.contract.window and self.contract.window + self.max_rewind
        return DraftContext(chunk=self.contract.max_chunk, window=window)


class SpeculativeSession:
    """One conversation on a speculative program (the `Session` of `engine`)."""

    def __init__(
        self,
        program: SpeculativeProgram,
        drafting: Drafting,
        break_even: BreakEven,
        *,
        clock_s: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._program = program
        self._drafting = drafting
        self._break_even = break_even
        self._clock_s = clock_s
        self._masks = [drafting.contract.mask_id] * (drafting.contract.block_length - 1)
        self._position = 0
        self._logits: Rows | None = None  # of the last row, until a token is chosen
        self._pending: int | None = None  # chosen, not forwarded
        self._context = drafting.context()
        self._failed = False
        self._tally = Tally(0)

    @property
    def position(self) -> int:
        """How many tokens have a row in the cache."""
        return self._position

    def rewind(self, position: int) -> None:
        """Keep the first `position` rows; raise EngineError where they are not to be had."""
        if not 0 <= position <= self._position:
            raise EngineError(f"cannot rewind to {position}: the cache has {self._position} rows")
        if position > 0:
            self._refuse_after_failure()
        self._logits = self._pending = None
        self._program.rewind(position)
        self._context.rewind(position)
        self._position = position
        self._failed = False

    def prefill(self, ids: Sequence[int], soft: Rows | None = None) -> None:
        """Forward 1 to `max_prefill_chunk` rows at `position` and after it."""
        self._refuse_after_failure()
        self._pending, self._failed = None, True
        self._logits = self._forward(ids, soft)
        self._failed = False

    def decode(self, sampler: Sampler, limits: Limits = UNLIMITED) -> tuple[int, ...]:
        """Choose the first token from the prefill's logits, later ones in cycles."""
        self._refuse_after_failure()
        logits, pending = self._logits, self._pending
        if logits is None and pending is None:
            raise EngineError("decode needs a prefill first")
        self._logits, self._failed = None, True
        if logits is not None:
            self._tally = Tally(self._drafting.tokens if limits.draft else 0)
            tokens: tuple[int, ...] = (sampler.choose(logits),)
        else:
            assert pending is not None
            tokens = self._cycle(pending, sampler, limits)
        self._pending, self._failed = tokens[-1], False
        return tokens

    def statistics(self) -> DraftCounts:
        """Return the counts of the turn: since the first token after a prefill."""
        return self._tally.counts()

    def close(self) -> None:
        """Free the caches; the session is not used again."""
        self._context.rewind(0)
        self._program.close()

    # -- one cycle

    def _cycle(self, pending: int, sampler: Sampler, limits: Limits) -> tuple[int, ...]:
        proposals = self._proposals(limits)
        if not proposals:
            return (self._step(pending, sampler),)
        return self._round(pending, proposals, sampler, limits).tokens

    def _proposals(self, limits: Limits) -> int:
        """How many tokens to propose; 0 for a plain step."""
        room = self._program.context_length - self._position
        if not limits.draft or room < self._drafting.contract.block_length:
            return 0
        proposals = min(self._drafting.tokens, limits.most - 1)
        # Drawn drafts spend draws of their own, so that a rest would change what a seed gives.
        if proposals and self._break_even.resting and self._drafting.argmax:
            self._tally.gave_up = True
            return 0
        return proposals

    def _step(self, pending: int, sampler: Sampler) -> int:
        begun = self._clock_s()
        logits = self._forward((pending,))
        elapsed_s = self._clock_s() - begun
        self._tally.step(elapsed_s)
        self._break_even.step(elapsed_s)
        return sampler.choose(logits)

    def _round(self, pending: int, proposals: int, sampler: Sampler, limits: Limits) -> Verdict:
        drawer = None if self._drafting.argmax else _drawer(sampler)
        begun = self._clock_s()
        hidden, first = self._catch_up()
        caught_up = self._clock_s()
        guesses = self._program.draft([pending, *self._masks], hidden, first)[1 : proposals + 1]
        drafted, q = (guesses.argmax(1).tolist(), []) if drawer is None else _draw(guesses, drawer)
        proposed = self._clock_s()
        logits, hidden = self._program.verify([pending, *drafted], self._position)
        verified = self._clock_s()
        if drawer is None:
            verdict = follow(logits, drafted, sampler.choose, limits.eos_ids)
        else:
            p = list(map(drawer.distribution, logits))
            verdict = accept_drawn(p, q, drafted, drawer.uniform, limits.eos_ids)
        kept = len(verdict.tokens)
        self._position += kept
        self._context.extend(hidden[:kept])
        self._tally.round(proposals, verdict.accepted, proposed - begun, verified - proposed)
        if proposals == self._drafting.tokens:
            self._break_even.round(kept, verified - caught_up)
        return verdict

    def _catch_up(self) -> tuple[Rows, int]:
        """Give the draft what it has not seen; the last chunk is left for its proposal."""
        *older, newest = self._context.take()
        for hidden, first in older:
            self._program.absorb(hidden, first)
        return newest

    def _forward(self, ids: Sequence[int], soft: Rows | None = None) -> Rows:
        logits, hidden = self._program.forward(ids, self._position, soft)
        assert hidden is not None, "a speculative program returns hidden rows"
        self._position += len(ids)
        self._context.extend(hidden)
        return logits

    def _refuse_after_failure(self) -> None:
        if self._failed:
            raise EngineError("an earlier call failed; only rewind(0) can follow")


def _drawer(sampler: Sampler) -> DrawSampler | None:
    """The sampler, if it draws; a greedy choice needs no distribution."""
    return sampler if isinstance(sampler, DrawSampler) else None


def _draw(guesses: Rows, drawer: DrawSampler) -> tuple[list[int], list[Distribution]]:
    """Draw a token from each row of the draft; return them and what they were drawn from."""
    q = list(map(drawer.distribution, guesses))
    return [draw(row, drawer.uniform()) for row in q], q
