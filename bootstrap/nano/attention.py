"""Who sees whom in a row that several documents or pictures share?

On a GPU the rules become flex attention's block masks, elsewhere plain boolean masks. The text
model's layers come in two kinds, `full_attention` and `sliding_attention`; documents are told
apart by counting their BOS tokens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.nn import functional
from torch.nn.attention.flex_attention import BlockMask, create_block_mask, flex_attention

from bootstrap.nano.configuration import NANO

if TYPE_CHECKING:
    from torch import Tensor

__all__ = [
    "PACKED",
    "BlockMasks",
    "Masks",
    "PictureMask",
    "dense_masks",
    "dense_picture_mask",
    "documents",
    "packed_attention",
    "register",
]

PACKED = "nano_packed"
_BOS = NANO.control("<|begin_of_text|>")

Masks = dict[str, Any]  # "full_attention" and "sliding_attention"


def packed_attention(
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


def register() -> None:
    """Make `packed_attention` known to transformers under the name `PACKED`."""
    from transformers import AttentionInterface  # noqa: PLC0415  (takes seconds to import)

    AttentionInterface.register(PACKED, packed_attention)


def documents(ids: Tensor) -> Tensor:
    """Which document each token of `ids[B, T]` belongs to."""
    return (ids == _BOS).cumsum(dim=1).int()


def dense_masks(ids: Tensor) -> Masks:
    """Boolean masks `[B, 1, T, T]` for rows of packed documents."""
    document = documents(ids)
    place = torch.arange(ids.shape[1], device=ids.device)
    back = place[:, None] - place[None, :]
    same = document[:, None, :, None] == document[:, None, None, :]
    return {
        "full_attention": same & (back >= 0),
        "sliding_attention": same & (back >= 0) & (back < NANO.sliding_window),
    }


def dense_picture_mask(pictures: Tensor) -> Tensor:
    """A boolean mask `[S, 1, T, T]` for sheets of packed pictures, `pictures[S, T]`."""
    return pictures[:, None, :, None] == pictures[:, None, None, :]


class BlockMasks:
    """Flex attention's masks for rows of one fixed shape; the document buffer is reused."""

    def __init__(self, rows: int, length: int, device: str) -> None:
        self._shape = rows, length
        self._device = device
        self._documents = torch.zeros(rows, length, dtype=torch.int32, device=device)
        self._create = torch.compile(create_block_mask)
        document, window = self._documents, NANO.sliding_window

        def whole(b: Tensor, h: Tensor, q: Tensor, k: Tensor) -> Tensor:  # noqa: ARG001
            return (q >= k) & (document[b, q] == document[b, k])

        def near(b: Tensor, h: Tensor, q: Tensor, k: Tensor) -> Tensor:  # noqa: ARG001
            return (q >= k) & (q - k < window) & (document[b, q] == document[b, k])

        self._rules = {"full_attention": whole, "sliding_attention": near}

    def __call__(self, ids: Tensor) -> Masks:
        """The masks for these ids; valid until the next call."""
        self._documents.copy_(documents(ids))
        rows, length = self._shape
        return {
            name: self._create(rule, rows, None, length, length, device=self._device)
            for name, rule in self._rules.items()
        }


class PictureMask:
    """Flex attention's mask for sheets of one fixed shape; the buffer is reused."""

    def __init__(self, sheets: int, length: int, device: str) -> None:
        self._shape = sheets, length
        self._device = device
        self._pictures = torch.zeros(sheets, length, dtype=torch.int32, device=device)
        self._create = torch.compile(create_block_mask)
        picture = self._pictures

        def same(b: Tensor, h: Tensor, q: Tensor, k: Tensor) -> Tensor:  # noqa: ARG001
            return picture[b, q] == picture[b, k]

        self._rule = same

    def __call__(self, pictures: Tensor) -> BlockMask:
        """The mask for these sheets, `pictures[S, T]`; valid until the next call."""
        self._pictures.copy_(pictures)
        sheets, length = self._shape
        mask: BlockMask = self._create(
            self._rule, sheets, None, length, length, device=self._device
        )
        return mask
