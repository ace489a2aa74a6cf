"""Which contract does a program follow, and what do its constants say?

A program is a set of named methods. The ones that compute:

    embed_text(i64[1, T]) -> f32[1, T, D]
    forward_from_embeddings(f32[1, T, D], pos i64[T]) -> f32[1, V]     logits of the last row

or, in a speculative program (DFlash), in place of the second

    target_forward_from_embeddings(f32[1, T, D], pos i64[T]) -> f32[1, T, V], f32[1, T, H]
        logits of every row, and the hidden rows that the draft is conditioned on
    draft_forward(tokens i64[1, L], hidden f32[1, n, H], first i64[1]) -> f32[1, L, V]
        takes in the hidden rows of positions `first` and after, then proposes for the block
        `tokens`: the pending token and L - 1 masks. Row i proposes token i of the block
    target_prefill_from_embeddings(as the target's) -> f32[1, 1, V], f32[1, T, H]
        optional: logits of the last row only, for chunks longer than a block
    draft_prefill(as draft_forward's) -> ignored
        optional: takes in hidden rows without proposing

T is 1 to `get_max_prefill_chunk`, positions are consecutive. The others are constants, methods
without inputs:

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
    get_block_size               L; needed in a speculative program, as are the next three
    get_mask_token_id            what stands for a token that is to be proposed
    get_n_target_layers          how many of the target's layers make a hidden row
    get_draft_sliding_window     rows behind a block that the draft looks at; 0 is all
    get_max_draft_prefill_chunk  most hidden rows of one call; get_max_prefill_chunk if absent
    get_min_target_prefill_chunk, get_min_draft_prefill_chunk
                                 fewest rows of the optional methods; 1 if absent
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from playground.worker.errors import EngineError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "DRAFT",
    "DRAFT_PREFILL",
    "EMBED",
    "SOLO",
    "TARGET",
    "TARGET_PREFILL",
    "ArtifactMode",
    "Contract",
    "DraftContract",
    "is_constant",
    "read_contract",
]

EMBED = "embed_text"
SOLO = "forward_from_embeddings"
TARGET = "target_forward_from_embeddings"
TARGET_PREFILL = "target_prefill_from_embeddings"
DRAFT = "draft_forward"
DRAFT_PREFILL = "draft_prefill"

ArtifactMode = Literal["auto", "autoregressive", "dflash"]
"""Draft if the program can, never, or refuse a program that cannot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftContract:
    """What a speculative program says of its draft; see the constants above."""

    block_length: int
    mask_id: int
    window: int
    max_chunk: int
    prefill_from: int | None
    """Fewest hidden rows of `draft_prefill`; None where there is no such method."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """What a program is; see the constants above."""

    forward: str
    """The method that gives logits."""
    prefill_from: int | None
    """Fewest tokens of `target_prefill_from_embeddings`; None where it is not to be used."""
    context_length: int
    vocab_size: int
    max_prefill_chunk: int
    sliding_window: int
    max_rewind: int
    caches: tuple[str, ...]
    row_dimension: int | None
    draft: DraftContract | None
    """None where there is none, or none is wanted."""

    @property
    def ring_rows(self) -> int:
        """How many rows a local layer keeps."""
        return self.sliding_window + self.max_rewind


def read_contract(
    names: set[str], constants: Mapping[str, Any], mode: ArtifactMode = "auto"
) -> Contract:
    """Return what these methods and constants make; raise EngineError saying what they lack."""
    speculative = _is_speculative(names)
    if mode == "dflash" and not speculative:
        raise EngineError(f"the program has no {DRAFT}, so it cannot run as dflash")
    known = _Constants(constants)
    if (dtype := known.text("get_activation_dtype")) != "float32":
        raise EngineError(f"the program's activations are {dtype}; only float32 runs here")
    longest = known.number("get_max_seq_len")
    context_length = known.number("get_max_context_len", longest)
    caches = json.loads(known.text("get_mutable_buffer_metadata", "{}"))
    chunk = known.number("get_max_prefill_chunk", 1)
    draft = _draft(names, known, chunk) if speculative else None
    shortest = known.number("get_min_target_prefill_chunk", 1)
    return Contract(
        forward=TARGET if speculative else SOLO,
        prefill_from=(
            max(shortest, draft.block_length + 1) if draft and TARGET_PREFILL in names else None
        ),
        context_length=context_length,
        vocab_size=known.number("get_vocab_size"),
        max_prefill_chunk=chunk,
        sliding_window=known.number("get_sliding_window", 0),
        max_rewind=known.number("get_max_rewind", context_length),
        caches=tuple(caches.get("mutable_buffers", ())),
        row_dimension=caches.get("row_dimension"),
        draft=None if mode == "autoregressive" else draft,
    )


def is_constant(name: str) -> bool:
    """Whether a method of the contract is a constant, by its name."""
    return name.startswith(("get_", "use_", "has_", "enable_"))


def _is_speculative(names: set[str]) -> bool:
    speculative = DRAFT in names or TARGET in names
    needed = {EMBED, TARGET, DRAFT} if speculative else {EMBED, SOLO}
    if missing := sorted(needed - names):
        raise EngineError(
            f"the program lacks {', '.join(missing)} of {', '.join(sorted(needed))}; it has "
            f"{', '.join(sorted(name for name in names if not is_constant(name))) or 'no methods'}"
        )
    return speculative


def _draft(names: set[str], known: _Constants, chunk: int) -> DraftContract:
    known.number("get_n_target_layers")
    block_length = known.number("get_block_size")
    if block_length < 2:
        raise EngineError(f"get_block_size is {block_length}: no room for a proposal")
    shortest = known.number("get_min_draft_prefill_chunk", 1)
    return DraftContract(
        block_length=block_length,
        mask_id=known.number("get_mask_token_id"),
        window=known.number("get_draft_sliding_window"),
        max_chunk=known.number("get_max_draft_prefill_chunk", chunk),
        prefill_from=shortest if DRAFT_PREFILL in names else None,
    )


@dataclass(frozen=True, slots=True)
class _Constants:
    values: Mapping[str, Any]

    def number(self, name: str, default: int | None = None) -> int:
        return int(self._known(name, default))

    def text(self, name: str, default: str | None = None) -> str:
        return str(self._known(name, default))

    def _known(self, name: str, default: object) -> Any:  # noqa: ANN401
        value = self.values.get(name, default)
        if value is None:
            raise EngineError(f"the program has no constant {name}")
        return value
