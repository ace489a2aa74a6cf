"""`ExecuTorchEngine`: sessions on a `.pte`, which `pte` loads and calls.

The caches are buffers of the program, so one session at a time is in them: the *seated* one.
Running another first copies the seated one's filled rows out and the other's in. That costs about
a millisecond for a full context, and nothing while the same session goes on.

Rewinding forgets by position alone, since a step masks the rows it does not know of. Only rings
set a limit: once a local layer's ring has wrapped, `Program.max_rewind` rows are all one can go
back, except to 0.

A speculative program is run as a plain target, without its draft. The HTTP process does not
import this module.
"""

from __future__ import annotations

import os
import platform
import time
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from playground.worker.errors import EngineError
from playground.worker.messages import EngineInfo
from playground.worker.model_directory import sha256
from playground.worker.pte import Program

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from playground.worker.engine import Sampler

__all__ = ["ExecuTorchEngine", "ProgramSession"]

MOST_THREADS = 4


class ExecuTorchEngine:
    """One loaded program; make it with `load`."""

    def __init__(self, program: Program, info: EngineInfo, max_sessions: int) -> None:
        self._program = program
        self._info = info
        self._room = max_sessions if program.can_swap else 1
        self._open: set[ProgramSession] = set()
        self._seated: ProgramSession | None = None

    @classmethod
    def load(
        cls,
        path: Path,
        *,
        threads: int | None = None,
        max_prefill_chunk: int | None = None,
        max_sessions: int = 2,
    ) -> ExecuTorchEngine:
        """Load a `.pte`; raise EngineError if it cannot be read or is not of the contract.

        `threads` is half of the machine's cores if None; `max_prefill_chunk` can only lower what
        the program allows.
        """
        begun = time.perf_counter()
        program = Program.load(path, default_threads() if threads is None else threads)
        allowed = program.max_prefill_chunk
        info = EngineInfo(
            engine="executorch",
            backend=program.backend,
            threads=program.threads,
            context_length=program.context_length,
            vocab_size=program.vocab_size,
            max_prefill_chunk=min(allowed, max_prefill_chunk or allowed),
            versions={
                "executorch": version("executorch"),
                "torch": version("torch"),
                "python": platform.python_version(),
            },
            artifact=path.name,
            artifact_sha256=sha256(path),
            load_ms=(time.perf_counter() - begun) * 1000,
        )
        return cls(program, info, max_sessions)

    @property
    def info(self) -> EngineInfo:
        """What the ready line says about this engine."""
        return self._info

    def open(self) -> ProgramSession:
        """Make a session with an empty cache; raise EngineError if there is no room for one."""
        if len(self._open) >= self._room:
            raise EngineError(f"all {self._room} sessions of the program are open")
        session = ProgramSession(self)
        self._open.add(session)
        return session

    def forward(self, session: ProgramSession, ids: Sequence[int]) -> NDArray[np.float32]:
        """Run `ids` at the session's position on its caches; logits `[V]` of the last one."""
        self._seat(session)
        return self._program.forward(ids, session.position)

    def check_rewind(self, position: int, written: int) -> None:
        """Raise EngineError if rows that `position` looks back on are no longer in the rings."""
        behind = written - position
        if written > self._program.ring_rows and behind > self._program.max_rewind:
            raise EngineError(
                f"cannot rewind by {behind} rows: local layers keep {self._program.max_rewind} "
                "beyond their window"
            )

    def forget(self, session: ProgramSession) -> None:
        """Zero the caches of a session that starts anew, wherever they are."""
        if session is self._seated:
            self._program.clear(session.written)

    def release(self, session: ProgramSession) -> None:
        """Take a closed session off the list."""
        self._open.discard(session)
        if self._seated is session:
            self._seated = None

    def _seat(self, session: ProgramSession) -> None:
        if self._seated is session:
            return
        if self._seated is not None:
            self._seated.stored = self._program.copy_out(self._seated.written, self._seated.stored)
        self._program.copy_in(session.written, session.stored)
        self._seated = session


class ProgramSession:
    """One conversation on the program's caches (the `Session` of `engine`)."""

    def __init__(self, engine: ExecuTorchEngine) -> None:
        self.engine = engine
        self._position = 0
        self._logits: NDArray[np.float32] | None = None  # of the last row, until a token is chosen
        self._pending: int | None = None  # chosen, not forwarded
        self.written = 0  # rows that the caches hold, rows stepped back from included
        self.stored: list[Any] = []  # the caches' filled rows while another session is seated

    @property
    def position(self) -> int:
        """How many tokens have a row in the cache."""
        return self._position

    def rewind(self, position: int) -> None:
        """Keep the first `position` rows; raise EngineError where a ring has lost them."""
        if not 0 <= position <= self._position:
            raise EngineError(f"cannot rewind to {position}: the cache has {self._position} rows")
        self._logits = self._pending = None
        if position == 0:
            self.engine.forget(self)
            self.written = 0
        else:
            self.engine.check_rewind(position, self.written)
        self._position = position

    def prefill(self, ids: Sequence[int]) -> None:
        """Forward 1 to `max_prefill_chunk` tokens at `position` and after it."""
        self._pending = None
        self._logits = self._forward(ids)

    def decode(self, sampler: Sampler) -> tuple[int, ...]:
        """Choose one token, after forwarding the one chosen before."""
        if self._pending is not None:
            pending, self._pending = self._pending, None
            self._logits = self._forward((pending,))
        if self._logits is None:
            raise EngineError("decode needs a prefill first")
        token = sampler.choose(self._logits)
        self._logits, self._pending = None, token
        return (token,)

    def statistics(self) -> Mapping[str, object]:
        """Nothing: a plain decode has no rounds to tell of."""
        return {}

    def close(self) -> None:
        """Free the caches; the session is not used again."""
        self.stored = []
        self.engine.release(self)

    def _forward(self, ids: Sequence[int]) -> NDArray[np.float32]:
        info = self.engine.info
        end = self._position + len(ids)
        if not 1 <= len(ids) <= info.max_prefill_chunk:
            raise EngineError(f"{len(ids)} tokens at once; 1 to {info.max_prefill_chunk} will do")
        if end > info.context_length:
            raise EngineError(f"{end} tokens do not fit the context of {info.context_length}")
        if not all(0 <= token < info.vocab_size for token in ids):
            raise EngineError(f"a token id is not within 0..{info.vocab_size - 1}: {list(ids)}")
        logits = self.engine.forward(self, ids)
        self._position = end
        self.written = max(self.written, end)
        return logits


def default_threads() -> int:
    """Return half of the cores, 1 to 4, so that server and client have the other half.

    XNNPACK's threads spin between the operations of a step. With one for every core a token came
    no sooner on an idle machine of two cores, and much later on a busy one.
    """
    return max(1, min(MOST_THREADS, (os.cpu_count() or 1) // 2))
