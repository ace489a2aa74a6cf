"""One `.pte` of the Muse method contract, loaded: call it, copy its caches.

The methods are those of `contract`. The caches are live tensors of the program, reached by name;
that part of the runtime's Python interface is semi-private, as is the number of threads. That
belongs to the process: a program that is loaded already would lose its threads, so load all
programs of a process for the same number. Everything the runtime raises leaves here as EngineError.
"""

from __future__ import annotations

from contextlib import suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playground.worker.contract import (
    DRAFT,
    DRAFT_PREFILL,
    EMBED,
    SOLO,
    TARGET_PREFILL,
    is_constant,
    read_contract,
)
from playground.worker.engine import SOFT
from playground.worker.errors import EngineError
from playground.worker.vision_encoder import VISION, load_encoder

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from playground.worker.contract import ArtifactMode

__all__ = ["Program"]

BACKEND_NAMES = {"XnnpackBackend": "XNNPACK"}
COPIED, IN_PLACE = True, False
"""`call`'s second argument. In place, outputs are memory of the program that any of its methods may
use: they hold until the next call."""
CUSTOM_KERNELS = Path("extension", "llm", "custom_ops", "libcustom_ops_aot_lib.so")


class Program:
    """A loaded program; make it with `load`."""

    def __init__(
        self,
        native: Any,  # noqa: ANN401
        torch: Any,  # noqa: ANN401
        *,
        backend: str,
        threads: int,
        mode: ArtifactMode = "auto",
        positions: Path | None = None,
    ) -> None:
        self.backend = backend
        self.threads = threads
        self._torch = torch
        names = {native.get_method_name(index) for index in range(native.num_methods())}
        constants = {name: _constant(native, name) for name in names if is_constant(name)}
        self.contract = contract = read_contract(names, constants, mode)
        wanted = [EMBED, contract.forward]
        wanted += [TARGET_PREFILL] * (contract.prefill_from is not None)
        if contract.draft:
            wanted += [DRAFT] + [DRAFT_PREFILL] * (contract.draft.prefill_from is not None)
        self._methods = {name: native.load_method(name) for name in wanted}
        self._embed = self._methods[EMBED]
        self._forward = self._methods[contract.forward]
        self.vision = (
            load_encoder(native, torch, constants, positions)
            if positions and VISION in names
            else None
        )
        self._caches = self._find_caches()
        for cache in self._caches:
            cache.zero_()

    @classmethod
    def load(
        cls,
        path: Path,
        threads: int,
        mode: ArtifactMode = "auto",
        positions: Path | None = None,
    ) -> Program:
        """Load a file for `threads` threads; raise EngineError saying what is wrong with it.

        `positions` is the vision encoder's table; without it there is none.
        """
        if not path.is_file():
            raise EngineError(f"{path} is no file: give the path of a .pte")
        torch, native = import_runtime()
        try:
            program = native._load_program(  # noqa: SLF001
                str(path), program_verification=native.Verification.InternalConsistency
            )
            if native._threadpool_get_thread_count() != threads:  # noqa: SLF001
                native._unsafe_reset_threadpool(threads)  # noqa: SLF001
            loaded = cls(
                program,
                torch,
                backend=backend_of(path, native._get_registered_backend_names()),  # noqa: SLF001
                threads=native._threadpool_get_thread_count(),  # noqa: SLF001
                mode=mode,
                positions=positions,
            )
        except (RuntimeError, ValueError) as error:
            raise EngineError(f"{path} cannot be loaded: {error}") from error
        return loaded

    @property
    def can_swap(self) -> bool:
        """Whether the caches can be reached, so that several sessions can share the program."""
        return bool(self._caches)

    def embed(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """Look up tokens: the rows `[T, D]` that the target forwards for them."""
        (rows,) = self._embed.call((self._torch.tensor([ids], dtype=self._torch.int64),), COPIED)
        found: NDArray[np.float32] = rows[0].numpy()
        return found

    def forward(
        self, ids: Sequence[int], position: int, soft: NDArray[np.float32] | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
        """Run `ids` at `position` and after it on the caches.

        `soft` is `[n, D]` for the n of them that are `SOFT`.
        Returns logits `[V]` of the last one, and the hidden rows `[T, H]` of a speculative program.
        """
        prefill_from = self.contract.prefill_from
        name = self.contract.forward
        if prefill_from is not None and len(ids) >= prefill_from:
            name = TARGET_PREFILL
        logits, hidden = self._target(name, ids, position, soft)
        return logits[-1].copy(), hidden

    def verify(
        self, ids: Sequence[int], position: int
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Run `ids` as `forward` does; logits `[T, V]` of each, and the hidden rows `[T, H]`.

        The logits are the program's own memory: they hold until it runs again.
        """
        logits, hidden = self._target(self.contract.forward, ids, position)
        assert hidden is not None, "only speculative programs verify"
        return logits, hidden

    def draft(
        self, block: Sequence[int], hidden: NDArray[np.float32], first: int
    ) -> NDArray[np.float32]:
        """Take in hidden rows `[n, H]` of position `first` and after; a block's logits `[L, V]`.

        They are the program's own memory: they hold until it runs again.
        """
        (logits,) = self._draft(DRAFT, block, hidden, first)
        rows: NDArray[np.float32] = logits.numpy()[0]
        return rows

    def absorb(self, hidden: NDArray[np.float32], first: int) -> None:
        """Take in hidden rows without a proposal."""
        draft = self.contract.draft
        assert draft is not None
        prefill = draft.prefill_from is not None and len(hidden) >= draft.prefill_from
        block = [draft.mask_id] * draft.block_length
        self._draft(DRAFT_PREFILL if prefill else DRAFT, block, hidden, first)

    def copy_out(self, rows: int, into: list[Any]) -> list[Any]:
        """Copy the first `rows` rows of every cache into the tensors of an earlier copy, or new."""
        into = into or [self._torch.empty_like(cache) for cache in self._caches]
        for cache, copy in zip(self._caches, into, strict=True):
            self._filled(copy, rows).copy_(self._filled(cache, rows))
        return into

    def copy_in(self, rows: int, copies: list[Any]) -> None:
        """Copy the first `rows` rows back; nothing to do for a session without any."""
        if rows:
            for cache, copy in zip(self._caches, copies, strict=True):
                self._filled(cache, rows).copy_(self._filled(copy, rows))

    def clear(self, rows: int) -> None:
        """Zero the first `rows` rows of every cache."""
        for cache in self._caches:
            self._filled(cache, rows).zero_()

    def _find_caches(self) -> list[Any]:
        """Look up each cache in whichever method has it; the draft's are not among the target's."""
        found = []
        for name in self.contract.caches:
            for method in self._methods.values():
                with suppress(RuntimeError):
                    found.append(method.get_attribute(name))
                    break
            else:
                if self.contract.draft or self.contract.forward == SOLO:
                    raise EngineError(f"no method of the program has the cache {name}")
        return found

    def _target(
        self,
        name: str,
        ids: Sequence[int],
        position: int,
        soft: NDArray[np.float32] | None = None,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
        torch = self._torch
        tokens = torch.tensor([ids], dtype=torch.int64)
        try:
            if soft is None:
                (embedded,) = self._embed.call((tokens,), COPIED)
            else:
                (embedded,) = self._embed.call((tokens.clamp(min=0),), COPIED)
                embedded[tokens == SOFT] = torch.from_numpy(soft)
            positions = torch.arange(position, position + len(ids))
            logits, *hidden = self._methods[name].call((embedded, positions), IN_PLACE)
        except RuntimeError as error:
            raise EngineError(
                f"{name} failed for {len(ids)} tokens at {position}: {error}"
            ) from error
        rows: NDArray[np.float32] = logits.numpy().reshape(-1, logits.shape[-1])
        if (total := rows[-1].sum()) != total:  # a NaN stays in the caches and spoils what follows
            self.clear(self.contract.context_length)
            raise EngineError(f"the logits at {position} are not numbers")
        return rows, hidden[0].numpy()[0].copy() if hidden else None

    def _draft(
        self, name: str, block: Sequence[int], hidden: NDArray[np.float32], first: int
    ) -> Any:  # noqa: ANN401
        torch = self._torch
        tokens = torch.tensor([block], dtype=torch.int64)
        rows = torch.from_numpy(hidden).unsqueeze(0)
        try:
            return self._methods[name].call((tokens, rows, torch.tensor([first])), IN_PLACE)
        except RuntimeError as error:
            raise EngineError(
                f"{name} failed for {len(hidden)} rows at {first}: {error}"
            ) from error

    def _filled(self, cache: Any, rows: int) -> Any:  # noqa: ANN401
        dimension = self.contract.row_dimension
        if dimension is None:
            return cache
        return cache.narrow(dimension, 0, min(rows, cache.shape[dimension]))


def backend_of(path: Path, registered: Sequence[str]) -> str:
    """Return the backend that a program names for its delegated parts, or "portable"."""
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        for name in registered:
            if data.find(name.encode()) >= 0:
                return BACKEND_NAMES.get(name, name)
    return "portable"


def import_runtime() -> tuple[Any, Any]:
    """Import torch and ExecuTorch's native module, with the kernels that write caches.

    `executorch.runtime` would import the exporter too, which takes seconds and is not needed.
    """
    import torch  # noqa: PLC0415
    from executorch.extension.pybindings import _C as native  # noqa: N811, PLC0415

    kernels = Path(native.__file__).parents[2] / CUSTOM_KERNELS
    if not kernels.exists():
        raise EngineError(f"this executorch has no {CUSTOM_KERNELS.name}, which writes the caches")
    torch.ops.load_library(kernels)
    torch.set_num_threads(1)  # torch itself only copies here
    return torch, native


def _constant(native: Any, name: str) -> Any:  # noqa: ANN401
    (value,) = native.load_method(name).call((), COPIED)
    return value
