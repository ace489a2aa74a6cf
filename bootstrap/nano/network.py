"""How is Nano's network built, run over packed rows, saved and loaded?

The modules are transformers' own. Only the loop over the layers is written here, so that packed
rows can bring their own attention masks: on a GPU flex attention's block masks, elsewhere plain
boolean ones.
"""

# ruff: noqa: PLC0415  (transformers takes seconds to import, and only building needs it)

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import torch
from torch.nn import functional
from torch.nn.attention.flex_attention import (
    BlockMask,
    create_block_mask,
    flex_attention,
)

from bootstrap.nano.configuration import NANO, glimmer_configuration

if TYPE_CHECKING:
    from pathlib import Path

    from torch import Tensor

__all__ = ["BlockMasks", "build", "dense_masks", "hidden_states", "load", "logits", "save"]

_BOS = NANO.control("<|begin_of_text|>")
_PACKED = "nano_packed"
_SHARD = "14MB"

Masks = dict[str, Any]  # "full_attention" and "sliding_attention"


def _packed_attention(
    module: Any,  # noqa: ANN401, ARG001
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Any,  # noqa: ANN401
    scaling: float,
    **_: Any,  # noqa: ANN401
) -> tuple[Tensor, None]:
    """Attention under a mask of our own; query `[B, H, T, D]`, result `[B, T, H, D]`."""
    if isinstance(attention_mask, BlockMask):
        out = flex_attention(
            query, key, value, block_mask=attention_mask, scale=scaling, enable_gqa=True
        )
    else:
        out = functional.scaled_dot_product_attention(
            query, key, value, attn_mask=attention_mask, scale=scaling, enable_gqa=True
        )
    return out.transpose(1, 2), None


def build(seed: int) -> Any:  # noqa: ANN401
    """A `MuseGlimmerForConditionalGeneration` with freshly drawn float32 weights."""
    from transformers import AttentionInterface, MuseGlimmerForConditionalGeneration

    AttentionInterface.register(_PACKED, _packed_attention)
    torch.manual_seed(seed)
    return MuseGlimmerForConditionalGeneration(glimmer_configuration())


def hidden_states(model: Any, ids: Tensor, masks: Masks) -> Tensor:  # noqa: ANN401
    """The text model over `ids[B, T]`, after the last norm: `[B, T, hidden]`."""
    text = model.model.language_model
    text.config._attn_implementation = _PACKED  # noqa: SLF001
    x = text.embed_tokens(ids)
    positions = torch.arange(ids.shape[1], device=ids.device)[None]
    rotation = text.rotary_emb(x, positions)
    for index, layer in enumerate(text.layers):
        everywhere = NANO.is_global(index)
        x = layer(
            x,
            attention_mask=masks["full_attention" if everywhere else "sliding_attention"],
            position_embeddings=None if everywhere else rotation,
        )
    return text.norm(x)


def logits(model: Any, hidden: Tensor) -> Tensor:  # noqa: ANN401
    """Float32 logits, scaled and capped as the architecture says."""
    raw = model.lm_head(hidden).float()
    cap = NANO.final_logit_softcapping
    return cap * torch.tanh(raw * (NANO.output_multiplier / cap))


def _documents(ids: Tensor) -> Tensor:
    """Which document each token of `ids[B, T]` belongs to."""
    return (ids == _BOS).cumsum(dim=1).int()


def dense_masks(ids: Tensor) -> Masks:
    """Boolean masks `[B, 1, T, T]` for rows of packed documents."""
    documents = _documents(ids)
    place = torch.arange(ids.shape[1], device=ids.device)
    back = place[:, None] - place[None, :]
    same = documents[:, None, :, None] == documents[:, None, None, :]
    return {
        "full_attention": same & (back >= 0),
        "sliding_attention": same & (back >= 0) & (back < NANO.sliding_window),
    }


class BlockMasks:
    """Flex attention's masks for rows of one fixed shape; the document buffer is reused."""

    def __init__(self, rows: int, length: int, device: str) -> None:
        self._shape = rows, length
        self._device = device
        self._documents = torch.zeros(rows, length, dtype=torch.int32, device=device)
        self._create = torch.compile(create_block_mask)
        documents, window = self._documents, NANO.sliding_window

        def whole(b: Tensor, h: Tensor, q: Tensor, k: Tensor) -> Tensor:  # noqa: ARG001
            return (q >= k) & (documents[b, q] == documents[b, k])

        def near(b: Tensor, h: Tensor, q: Tensor, k: Tensor) -> Tensor:  # noqa: ARG001
            return (q >= k) & (q - k < window) & (documents[b, q] == documents[b, k])

        self._rules = {"full_attention": whole, "sliding_attention": near}

    def __call__(self, ids: Tensor) -> Masks:
        """The masks for these ids; valid until the next call."""
        self._documents.copy_(_documents(ids))
        rows, length = self._shape
        return {
            name: self._create(rule, rows, None, length, length, device=self._device)
            for name, rule in self._rules.items()
        }


def save(model: Any, folder: Path) -> None:  # noqa: ANN401
    """Write the checkpoint in Hugging Face layout: bfloat16 shards under 16 MiB."""
    model.config.text_config._attn_implementation = None  # noqa: SLF001
    model.save_pretrained(folder, max_shard_size=_SHARD)
    eos = [NANO.control("<|eot|>"), NANO.control("<|end_of_text|>")]
    generation = {"bos_token_id": _BOS, "eos_token_id": eos, "do_sample": False}
    (folder / "generation_config.json").write_text(json.dumps(generation, indent=2) + "\n")


def load(folder: Path, dtype: torch.dtype = torch.float32) -> Any:  # noqa: ANN401
    """The checkpoint that `save` wrote."""
    from transformers import AttentionInterface, MuseGlimmerForConditionalGeneration

    AttentionInterface.register(_PACKED, _packed_attention)
    return MuseGlimmerForConditionalGeneration.from_pretrained(folder, dtype=dtype).eval()
