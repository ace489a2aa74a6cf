"""One `.pte` of the Muse method contract, loaded: call it, read its constants, copy its caches.

The contract
------------
    embed_text(i64[1, T]) -> f32[1, T, D]
    forward_from_embeddings(f32[1, T, D], pos i64[T]) -> f32[1, V]     logits of the last row

or, in a speculative program, `target_forward_from_embeddings` (f32[1, T, V] logits of every row,
and hidden rows) and `draft_forward` in place of the second. T is 1 to `get_max_prefill_chunk`,
positions are consecutive. Constants are methods without inputs:

    get_max_seq_len              needed
    get_activation_dtype         needed, "float32"
    get_max_context_len          get_max_seq_len if absent
    get_vocab_size               needed
    get_max_prefill_chunk        1 if absent
    get_mutable_buffer_metadata  JSON, `{"version": 1, "mutable_buffers": [name, ...]}`; ours adds
                                 `"row_dimension"`, the dimension of every cache that counts rows
    get_sliding_window, get_max_rewind
                                 ours: local layers are rings of so many rows together, and one
                                 may step back `get_max_rewind` rows when they have wrapped

The caches are live tensors of the program, reached by name; that part of the runtime's Python
interface is semi-private, as is the number of threads. That belongs to the process: a program that
is loaded already would lose its threads, so load all programs of a process for the same number.
Everything the runtime raises leaves here as EngineError.
"""

from __future__ import annotations

import json
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playground.worker.errors import EngineError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Program"]

EMBED = "embed_text"
SOLO = "forward_from_embeddings"
TARGET = "target_forward_from_embeddings"
DRAFT = "draft_forward"
BACKEND_NAMES = {"XnnpackBackend": "XNNPACK"}
CUSTOM_KERNELS = Path("extension", "llm", "custom_ops", "libcustom_ops_aot_lib.so")


class Program:
    """A loaded program; make it with `load`."""

    def __init__(self, native: Any, torch: Any, *, backend: str, threads: int) -> None:  # noqa: ANN401
        self.backend = backend
        self.threads = threads
        self._native = native
        self._torch = torch
        names = {native.get_method_name(index) for index in range(native.num_methods())}
        self._forward_name = forward_method(names)
        self._constants = {name: self._constant(name) for name in names if is_constant(name)}
        longest = self._known("get_max_seq_len")
        self.context_length = int(self._known("get_max_context_len", longest))
        self.vocab_size = int(self._known("get_vocab_size"))
        self.max_prefill_chunk = int(self._known("get_max_prefill_chunk", 1))
        if (dtype := self._known("get_activation_dtype")) != "float32":
            raise EngineError(f"the program's activations are {dtype}; only float32 runs here")
        self.max_rewind = int(self._known("get_max_rewind", self.context_length))
        self.ring_rows = int(self._known("get_sliding_window", 0)) + self.max_rewind
        self._embed = native.load_method(EMBED)
        self._forward = native.load_method(self._forward_name)
        caches = json.loads(self._known("get_mutable_buffer_metadata", "{}"))
        self._row_dimension: int | None = caches.get("row_dimension")
        self._caches = [
            self._forward.get_attribute(name) for name in caches.get("mutable_buffers", ())
        ]
        for cache in self._caches:
            cache.zero_()

    @classmethod
    def load(cls, path: Path, threads: int) -> Program:
        """Load a file for `threads` threads; raise EngineError saying what is wrong with it."""
        if not path.is_file():
            raise EngineError(f"{path} is no file: give the path of a .pte")
        torch, native = import_runtime()
        if native._threadpool_get_thread_count() != threads:  # noqa: SLF001
            native._unsafe_reset_threadpool(threads)  # noqa: SLF001
        try:
            program = native._load_program(  # noqa: SLF001
                str(path), program_verification=native.Verification.InternalConsistency
            )
            return cls(
                program,
                torch,
                backend=backend_of(path, native._get_registered_backend_names()),  # noqa: SLF001
                threads=native._threadpool_get_thread_count(),  # noqa: SLF001
            )
        except (RuntimeError, ValueError) as error:
            raise EngineError(f"{path} cannot be loaded: {error}") from error

    @property
    def can_swap(self) -> bool:
        """Whether the caches can be reached, so that several sessions can share the program."""
        return bool(self._caches)

    def forward(self, ids: Sequence[int], position: int) -> NDArray[np.float32]:
        """Run `ids` at `position` and after it on the caches; logits `[V]` of the last row."""
        torch = self._torch
        tokens = torch.tensor([list(ids)], dtype=torch.int64)
        positions = torch.arange(position, position + len(ids))
        try:
            (embedded,) = self._embed.call((tokens,), True)
            logits = self._forward.call((embedded, positions), True)[0]
        except RuntimeError as error:
            raise EngineError(
                f"{self._forward_name} failed for {len(ids)} tokens at {position}: {error}"
            ) from error
        row: NDArray[np.float32] = logits.reshape(-1, logits.shape[-1])[-1].numpy()
        if row.sum() != row.sum():  # a NaN would stay in the caches and spoil later sessions
            self.clear(self.context_length)
            raise EngineError(f"the logits at {position} are not numbers")
        return row

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

    def _filled(self, cache: Any, rows: int) -> Any:  # noqa: ANN401
        if self._row_dimension is None:
            return cache
        return cache.narrow(self._row_dimension, 0, min(rows, cache.shape[self._row_dimension]))

    def _constant(self, name: str) -> Any:  # noqa: ANN401
        (value,) = self._native.load_method(name).call((), True)
        return value

    def _known(self, name: str, default: Any = None) -> Any:  # noqa: ANN401
        value = self._constants.get(name, default)
        if value is None:
            raise EngineError(f"the program has no constant {name}")
        return value


def is_constant(name: str) -> bool:
    """Whether a method of the contract is a constant, by its name."""
    return name.startswith(("get_", "use_", "has_", "enable_"))


def forward_method(names: set[str]) -> str:
    """Return the method that gives logits; raise EngineError if a contract is incomplete."""
    needed = {EMBED, TARGET, DRAFT} if DRAFT in names or TARGET in names else {EMBED, SOLO}
    if missing := sorted(needed - names):
        raise EngineError(
            f"the program lacks {', '.join(missing)} of {', '.join(sorted(needed))}; it has "
            f"{', '.join(sorted(name for name in names if not is_constant(name))) or 'no methods'}"
        )
    return TARGET if TARGET in needed else SOLO


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
