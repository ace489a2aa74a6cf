"""What does the native worker ask of a model? ExecuTorch's sessions, on one of our engines.

    prefill_tokens   the tokens, chunk by chunk; a staged picture's rows stand where its run of
                     `<|patch|>` stands
    decode_one       the next token, which from then on is part of the session; or that the turn is
                     over: an end-of-turn token is part of none
    reset            forget all

Tokens that a round of drafting found and nobody asked for are dropped at the next prefill.
Whatever a model says to a wrong request, the worker hears only that it failed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.worker.engine import SOFT, Limits
from playground.worker.sampling import sampler_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from playground.tokens import Tokenizer
    from playground.worker.engine import Engine, Sampler
    from playground.worker.messages import Sampling

    Rows = NDArray[np.float32]


class ModelFailed(Exception):
    """An error code of the runtime below."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was loaded, and what ends a turn."""

    engine: Engine
    tokenizer: Tokenizer
    eos_ids: frozenset[int]
    patch_id: int
    max_sessions: int

    @property
    def has_vision(self) -> bool:
        """Whether there is a vision encoder."""
        return self.engine.info.max_image_cells is not None


class NativeSession:
    """One conversation's cache."""

    def __init__(self, loaded: Loaded) -> None:
        self._loaded = loaded
        self._session = loaded.engine.open()
        self._position = 0
        self._last: int | None = None
        self._sampler: Sampler | None = None
        self._found: list[int] = []
        self._staged: Rows | None = None

    @property
    def position(self) -> int:
        """How many tokens are part of it."""
        return self._position

    def reset(self) -> None:
        """Forget all but a staged picture."""
        try:
            self._session.rewind(0)
        except Exception as error:
            raise ModelFailed from error
        self._position, self._found = 0, []
        self._last = self._sampler = None

    def close(self) -> None:
        """Give its place back."""
        self._session.close()

    def stage(self, rows: Rows) -> None:
        """Keep a picture for the next prefill."""
        self._staged = rows

    def unstage(self) -> None:
        """Forget it."""
        self._staged = None

    def prefill_tokens(
        self,
        ids: Sequence[int],
        sampling: Sampling,
        given_up: Callable[[], bool] = lambda: False,
    ) -> None:
        """Take tokens in; raises ModelFailed, where it was given up between two chunks as well."""
        staged, self._staged = self._staged, None
        if not (sampling.temperature == -1 or 0 <= sampling.temperature <= 2):
            raise ModelFailed("temperature must be -1 or in [0, 2]")
        if not ids or self._position + len(ids) >= self._loaded.engine.info.context_length:
            raise ModelFailed("no room")
        try:
            self._settle()
            self._prefill(list(ids), staged, given_up)
        except Exception as error:
            raise ModelFailed from error
        self._position += len(ids)
        self._last, self._found = None, []
        self._sampler = sampler_for(sampling)

    def decode_one(self) -> int | None:
        """The next token; None where the turn is over. Raises ModelFailed."""
        if self._sampler is None:
            raise ModelFailed("decode needs a prefill")
        try:
            if not self._found:
                limits = Limits(eos_ids=self._loaded.eos_ids)
                self._found = list(self._session.decode(self._sampler, limits))
        except Exception as error:
            raise ModelFailed from error
        token = self._found.pop(0)
        if token in self._loaded.eos_ids:
            self._sampler = None
            return None
        self._position += 1
        self._last = token
        return token

    def _settle(self) -> None:
        """Have a row for each token that is part of the session, and for no other."""
        if self._session.position > self._position:
            self._session.rewind(self._position)
        elif self._session.position < self._position:
            assert self._last is not None
            self._session.prefill([self._last])

    def _prefill(self, ids: list[int], rows: Rows | None, given_up: Callable[[], bool]) -> None:
        patch, chunk = self._loaded.patch_id, self._loaded.engine.info.max_prefill_chunk
        if rows is not None:
            places = [at for at, token in enumerate(ids) if token == patch]
            if self._position or places != list(range(places[0], places[0] + len(rows))):
                raise ModelFailed("the picture's run of patches is not what was staged")
            ids = [SOFT if token == patch else token for token in ids]
        used = 0
        for at in range(0, len(ids), chunk):
            if given_up():
                raise ModelFailed("given up")
            piece = ids[at : at + chunk]
            soft = piece.count(SOFT)
            given = rows[used : used + soft] if rows is not None and soft else None
            self._session.prefill(piece, given)
            used += soft
