"""`ExecuTorchEngine`: sessions on a `.pte`, which `pte` loads and calls.

The caches are buffers of the program, so one session at a time is in them: the *seated* one.
Running another first copies the seated one's filled rows out and the other's in. That costs about
a millisecond for a full context, and nothing while the same session goes on.

Rewinding forgets by position alone, since a step masks the rows it does not know of. Only rings
set a limit: once a local layer's ring has wrapped, `get_max_rewind` rows are all one can go back,
except to 0.

A program with a draft gives sessions of `speculation`, any other one `ProgramSession`s; both sit
on a `Seat`. The HTTP process does not import this module.
"""

from __future__ import annotations

import platform
import time
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from playground.worker.break_even import BreakEven
from playground.worker.draft_counts import UNAVAILABLE
from playground.worker.engine import SOFT, UNLIMITED
from playground.worker.errors import EngineError
from playground.worker.messages import EngineInfo
from playground.worker.model_directory import sha256
from playground.worker.pte import Program
from playground.worker.rehearsal import Rehearsal, rehearse
from playground.worker.speculation import Drafting, DraftOptions, SpeculativeSession
from playground.worker.threads import load_with_best, usable_cores
from playground.worker.vision_encoder import POSITIONS_FILE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from playground.vision.patches import VisionInputs
    from playground.worker.break_even import Costs
    from playground.worker.draft_counts import DraftCounts
    from playground.worker.engine import Limits, Sampler, Session
    from playground.worker.vision_encoder import VisionEncoder

    Rows = NDArray[np.float32]

__all__ = ["ExecuTorchEngine", "ProgramSession", "Seat"]

BY_DEFAULT = DraftOptions()


class ExecuTorchEngine:
    """One loaded program; make it with `load`."""

    def __init__(
        self,
        program: Program,
        info: EngineInfo,
        max_sessions: int,
        *,
        drafting: Drafting | None,
        costs: Costs,
    ) -> None:
        self._program = program
        self._info = info
        self._drafting = drafting
        self._costs = costs
        self._room = max_sessions if program.can_swap else 1
        self._open: set[Seat] = set()
        self._seated: Seat | None = None

    @classmethod
    def load(
        cls,
        path: Path,
        *,
        threads: int | None = None,
        max_prefill_chunk: int | None = None,
        max_sessions: int = 2,
        draft: DraftOptions = BY_DEFAULT,
        positions: Path | None = None,
    ) -> ExecuTorchEngine:
        """Load a `.pte`; raise EngineError if it cannot be read or is not of the contract.

        If `threads` is None it is measured (see `threads`); `max_prefill_chunk` can only lower what
        the program allows. `positions` is the table of a vision encoder; if None, the one beside
        the program, and no pictures where there is none.
        """
        begun = time.perf_counter()
        program, reason, costs = _load(path, threads, draft, positions or beside(path))
        contract = program.contract
        drafting = Drafting.of(contract, draft)
        allowed = contract.max_prefill_chunk
        info = EngineInfo(
            engine="executorch",
            backend=program.backend,
            threads=program.threads,
            context_length=contract.context_length,
            vocab_size=contract.vocab_size,
            max_prefill_chunk=min(allowed, max_prefill_chunk or allowed),
            versions={
                "executorch": version("executorch"),
                "torch": version("torch"),
                "python": platform.python_version(),
            },
            artifact=path.name,
            artifact_sha256=sha256(path),
            threads_reason=reason,
            dflash_block_length=drafting.contract.block_length if drafting else None,
            dflash_draft_tokens=drafting.tokens if drafting else None,
            max_image_cells=program.vision.max_cells if program.vision else None,
            load_ms=(time.perf_counter() - begun) * 1000,
        )
        return cls(program, info, max_sessions, drafting=drafting, costs=costs)

    @property
    def info(self) -> EngineInfo:
        """What the ready line says about this engine."""
        return self._info

    def prepare(self, pixels: NDArray[np.uint8]) -> VisionInputs:
        """Make a picture ready for the encoder."""
        return self._vision.prepare(pixels)

    def encode(self, inputs: VisionInputs) -> Rows:
        """Run the vision encoder: rows `[cells, D]`."""
        return self._vision.encode(inputs)

    @property
    def _vision(self) -> VisionEncoder:
        if self._program.vision is None:
            raise EngineError("the program has no vision encoder, or its position table is missing")
        return self._program.vision

    def open(self) -> Session:
        """Make a session with an empty cache; raise EngineError if there is no room for one."""
        if self._drafting is None:
            return self.open_plain()
        return SpeculativeSession(self._take_seat(), self._drafting, BreakEven(self._costs))

    def open_plain(self) -> ProgramSession:
        """Make a session that never drafts, whatever the program is."""
        return ProgramSession(self._take_seat())

    def run_on(self, seat: Seat) -> Program:
        """Return the program with this seat's rows in its caches."""
        if self._seated is not seat:
            if self._seated is not None:
                self._seated.stored = self._program.copy_out(
                    self._seated.written, self._seated.stored
                )
            self._program.copy_in(seat.written, seat.stored)
            self._seated = seat
        return self._program

    def check_rewind(self, position: int, written: int) -> None:
        """Raise EngineError if rows that `position` looks back on are no longer in the rings."""
        contract = self._program.contract
        behind = written - position
        if written > contract.ring_rows and behind > contract.max_rewind:
            raise EngineError(
                f"cannot rewind by {behind} rows: local layers keep {contract.max_rewind} "
                "beyond their window"
            )

    def forget(self, seat: Seat) -> None:
        """Zero the caches of a session that starts anew, wherever they are."""
        if seat is self._seated:
            self._program.clear(seat.written)

    def release(self, seat: Seat) -> None:
        """Take a closed session's seat off the list."""
        self._open.discard(seat)
        if self._seated is seat:
            self._seated = None

    def _take_seat(self) -> Seat:
        if len(self._open) >= self._room:
            raise EngineError(f"all {self._room} sessions of the program are open")
        seat = Seat(self)
        self._open.add(seat)
        return seat


class Seat:
    """One session's rows, in the program's caches or stored while another session runs."""

    def __init__(self, engine: ExecuTorchEngine) -> None:
        self.engine = engine
        self.written = 0  # rows that the caches hold, rows stepped back from included
        self.stored: list[Any] = []

    @property
    def context_length(self) -> int:
        """How many rows the caches have."""
        return self.engine.info.context_length

    def forward(
        self, ids: Sequence[int], position: int, soft: Rows | None = None
    ) -> tuple[Rows, Rows | None]:
        """Forward tokens; logits `[V]` of the last, hidden rows `[T, H]` of a speculative one."""
        self._check(ids, position, soft)
        forwarded = self.engine.run_on(self).forward(ids, position, soft)
        self.written = max(self.written, position + len(ids))
        return forwarded

    def verify(self, ids: Sequence[int], position: int) -> tuple[Rows, Rows]:
        """Forward tokens; logits `[T, V]` of each, and the hidden rows `[T, H]`."""
        self._check(ids, position)
        verified = self.engine.run_on(self).verify(ids, position)
        self.written = max(self.written, position + len(ids))
        return verified

    def draft(self, block: Sequence[int], hidden: Rows, first: int) -> Rows:
        """Take in hidden rows `[n, H]` of position `first` and after; logits `[L, V]`."""
        return self.engine.run_on(self).draft(block, hidden, first)

    def absorb(self, hidden: Rows, first: int) -> None:
        """Take in hidden rows without proposing."""
        self.engine.run_on(self).absorb(hidden, first)

    def rewind(self, position: int) -> None:
        """Prepare to go back; raise EngineError where a ring has lost what is needed."""
        if position:
            self.engine.check_rewind(position, self.written)
        else:
            self.engine.forget(self)
            self.written = 0

    def close(self) -> None:
        """Free the rows; the seat is not used again."""
        self.stored = []
        self.engine.release(self)

    def _check(self, ids: Sequence[int], position: int, soft: Rows | None = None) -> None:
        info = self.engine.info
        end = position + len(ids)
        if not 1 <= len(ids) <= info.max_prefill_chunk:
            raise EngineError(f"{len(ids)} tokens at once; 1 to {info.max_prefill_chunk} will do")
        if end > info.context_length:
            raise EngineError(f"{end} tokens do not fit the context of {info.context_length}")
        tokens = ids if soft is None else [token for token in ids if token != SOFT]
        if soft is not None and len(tokens) + len(soft) != len(ids):
            raise EngineError(f"{len(soft)} rows of pictures for {len(ids) - len(tokens)} places")
        if not all(0 <= token < info.vocab_size for token in tokens):
            raise EngineError(f"a token id is not within 0..{info.vocab_size - 1}: {list(ids)}")


class ProgramSession:
    """One conversation that is decoded token by token (the `Session` of `engine`)."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self._position = 0
        self._logits: Rows | None = None  # of the last row, until a token is chosen
        self._pending: int | None = None  # chosen, not forwarded

    @property
    def position(self) -> int:
        """How many tokens have a row in the cache."""
        return self._position

    def rewind(self, position: int) -> None:
        """Keep the first `position` rows; raise EngineError where a ring has lost them."""
        if not 0 <= position <= self._position:
            raise EngineError(f"cannot rewind to {position}: the cache has {self._position} rows")
        self._logits = self._pending = None
        self.seat.rewind(position)
        self._position = position

    def prefill(self, ids: Sequence[int], soft: Rows | None = None) -> None:
        """Forward 1 to `max_prefill_chunk` rows at `position` and after it."""
        self._pending = None
        self._logits = self._forward(ids, soft)

    def decode(self, sampler: Sampler, limits: Limits = UNLIMITED) -> tuple[int, ...]:  # noqa: ARG002
        """Choose one token, after forwarding the one chosen before."""
        if self._pending is not None:
            pending, self._pending = self._pending, None
            self._logits = self._forward((pending,))
        if self._logits is None:
            raise EngineError("decode needs a prefill first")
        token = sampler.choose(self._logits)
        self._logits, self._pending = None, token
        return (token,)

    def statistics(self) -> DraftCounts:
        """Say that there is no draft."""
        return UNAVAILABLE

    def close(self) -> None:
        """Free the caches; the session is not used again."""
        self.seat.close()

    def _forward(self, ids: Sequence[int], soft: Rows | None = None) -> Rows:
        logits, _ = self.seat.forward(ids, self._position, soft)
        self._position += len(ids)
        return logits


def beside(path: Path) -> Path | None:
    """Return the position table beside a program, if there is one."""
    positions = path.with_name(POSITIONS_FILE)
    return positions if positions.is_file() else None


def _load(
    path: Path, threads: int | None, draft: DraftOptions, table: Path | None
) -> tuple[Program, str, Costs]:
    """Load a program; return it, why it has its number of threads, and what it costs to run."""
    rehearsals: dict[int, Rehearsal] = {}

    def load(threads: int) -> Program:
        return Program.load(path, threads, draft.artifact_mode, table)

    def time_usual_s(program: Program) -> float:
        drafting = Drafting.of(program.contract, draft)
        rehearsal = rehearse(program, drafting.tokens if drafting else 0)
        rehearsals[program.threads] = rehearsal
        return rehearsal.usual_s

    if threads is None:
        size = path.stat().st_size if path.is_file() else 0
        program, reason = load_with_best(load, time_usual_s, cores=usable_cores(), size=size)
    else:
        program, reason = load(threads), "as asked"
    if program.threads not in rehearsals:
        time_usual_s(program)
    return program, reason, rehearsals[program.threads].costs()
