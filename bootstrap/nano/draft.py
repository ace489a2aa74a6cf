"""How does the draft guess the target's next tokens, a block at a time?

The modules are transformers' own `muse_glimmer_assistant`. A block is the last known token (the
anchor) and three masks, as raw rows of the target's embedding; the draft reads them together with
the outputs of some of the target's layers at all earlier positions, and guesses what stands where
the masks do, through the target's head, without multiplier and cap.

In training a packed row holds a block at every fourth place, from an offset of its own on, and
they are guessed at once: `Blocks` says who sees whom. A block sees itself, and of what the target
has computed the positions before its anchor, as many as the window is wide.
"""

# ruff: noqa: PLC0415  (transformers takes seconds to import)

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.nn import functional
from torch.nn.attention.flex_attention import BlockMask, create_block_mask

from bootstrap.nano.attention import PACKED, documents, register
from bootstrap.nano.configuration import DRAFT, NANO, DraftConfiguration, assistant_configuration

if TYPE_CHECKING:
    from pathlib import Path

    from torch import Tensor

__all__ = ["Blocks", "build_draft", "dense_blocks", "guesses", "load_draft", "save_draft"]

_BLOCK = DRAFT.block_size
_MASK = NANO.control("<|mask|>")


def build_draft(seed: int, draft: DraftConfiguration = DRAFT) -> Any:  # noqa: ANN401
    """A `MuseGlimmerAssistantModel` with freshly drawn float32 weights."""
    from transformers.models.muse_glimmer_assistant import MuseGlimmerAssistantModel

    register()
    torch.manual_seed(seed)
    model = MuseGlimmerAssistantModel(assistant_configuration(draft))
    model.config._attn_implementation = PACKED  # noqa: SLF001
    return model


def load_draft(folder: Path, dtype: torch.dtype = torch.float32) -> Any:  # noqa: ANN401
    """The draft that `save_draft` wrote."""
    from transformers.models.muse_glimmer_assistant import MuseGlimmerAssistantModel

    register()
    model = MuseGlimmerAssistantModel.from_pretrained(folder, dtype=dtype).eval()
    model.config._attn_implementation = PACKED  # noqa: SLF001
    return model


def save_draft(model: Any, folder: Path) -> None:  # noqa: ANN401
    """Write it in Hugging Face layout."""
    model.config._attn_implementation = None  # noqa: SLF001
    model.save_pretrained(folder)
    model.config._attn_implementation = PACKED  # noqa: SLF001


def guesses(
    draft: Any,  # noqa: ANN401
    target: Any,  # noqa: ANN401
    ids: Tensor,
    taps: Tensor,
    offset: Tensor,
    mask: Any,  # noqa: ANN401
) -> Tensor:
    """Float32 scores for every place of every block: `[B, T, vocab]`.

    `ids[B, T]` are the true tokens, `taps[B, T, taps * hidden]` the target's outputs. Place n of
    the result stands for position `offset + n`; the first of each four is the anchor's and means
    nothing.
    """
    length = ids.shape[1]
    place = torch.arange(length, device=ids.device)
    positions = offset + place
    anchors = ids[:, positions.clamp(max=length - 1)]
    block = torch.where(place % _BLOCK == 0, anchors, _MASK)
    raw = functional.embedding(block, target.model.language_model.embed_tokens.weight)
    context = draft.encoder(taps)
    rotation = draft.rotary_emb(raw, torch.cat([place, positions])[None])
    x = raw
    for layer in draft.layers:
        x = layer(
            x,
            context_hidden_states=context,
            position_embeddings=rotation,
            attention_mask=mask,
        )
    return target.lm_head(draft.norm(x)).float()


def dense_blocks(ids: Tensor, offset: Tensor, window: int = DRAFT.sliding_window) -> Tensor:
    """A boolean mask `[B, 1, T, 2T]`: the queries are blocks, the keys context and then blocks."""
    length = ids.shape[1]
    document = documents(ids)
    place = torch.arange(length, device=ids.device)
    anchor = place // _BLOCK * _BLOCK + offset
    owner = document[:, anchor.clamp(max=length - 1)]
    back = anchor[:, None] - place[None, :]
    context = (back > 0) & (back <= window) & (owner[:, :, None] == document[:, None, :])
    own = place[:, None] // _BLOCK == place[None, :] // _BLOCK
    return torch.cat([context, own.expand_as(context)], dim=-1)[:, None]


class Blocks:
    """The same as flex attention's block mask, for rows of one fixed shape."""

    def __init__(
        self, rows: int, length: int, device: str, window: int = DRAFT.sliding_window
    ) -> None:
        self._shape = rows, length
        self._device = device
        self._document = torch.zeros(rows, length, dtype=torch.int32, device=device)
        self._offset = torch.zeros((), dtype=torch.int64, device=device)
        self._create = torch.compile(create_block_mask)
        document, offset = self._document, self._offset

        def sees(b: Tensor, h: Tensor, q: Tensor, k: Tensor) -> Tensor:  # noqa: ARG001
            anchor = q // _BLOCK * _BLOCK + offset
            at = k.clamp(max=length - 1)
            back = anchor - k
            context = (back > 0) & (back <= window)
            context = context & (document[b, anchor.clamp(max=length - 1)] == document[b, at])
            return torch.where(k < length, context, (k - length) // _BLOCK == q // _BLOCK)

        self._rule = sees

    def __call__(self, ids: Tensor, offset: Tensor) -> BlockMask:
        """The mask for these ids; valid until the next call."""
        self._document.copy_(documents(ids))
        self._offset.copy_(offset)
        rows, length = self._shape
        mask: BlockMask = self._create(
            self._rule, rows, None, length, 2 * length, device=self._device
        )
        return mask
