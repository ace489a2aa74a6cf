"""How do pictures of different sizes go through the vision tower in one batch?

As conversations do: packed into rows of one length. A *sheet* is 2048 places for patches; pictures
lie in it one after the other, cell by cell, four patches to a cell, and attention never crosses
from one to another. The modules are transformers' own; only the loop over the layers is written
here.

Positions are gathered per axis and in float32, as `playground.vision.patches` has them: along an
axis of n patches and t table entries, patch i lies at (i + 0.5) * t/n - 0.5, and entry k weighs
1 minus its distance, if that is positive. The two steps of time are the same picture, so the two
halves of the patch embedding's weights are added instead of the pixels doubled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch.nn import functional

from bootstrap.nano.attention import packed_attention
from bootstrap.nano.configuration import VISION

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

__all__ = ["Sheets", "picture_rows", "vision_layer"]


class Sheets(NamedTuple):
    """Packed pictures, and where in the tokens their rows go; S sheets of T places."""

    patches: Tensor  # u8 [S, T, 588]: channel, y, x
    places: Tensor  # u8 [S, T, 4]: row, column, and the picture's rows and columns, in patches
    pictures: Tensor  # i32 [S, T]: which picture; 0 where there is none
    cells: Tensor  # i64 [S * T/4]: index into the flat tokens; their number where there is none


def vision_layer(layer: Any, x: Tensor, rotation: tuple[Tensor, Tensor], mask: Any) -> Tensor:  # noqa: ANN401
    """One layer of the tower."""
    x = x + _attention(layer.attn, layer.norm1(x), rotation, mask)
    out: Tensor = x + layer.mlp(layer.norm2(x))
    return out


def picture_rows(
    model: Any,  # noqa: ANN401
    sheets: Sheets,
    mask: Any,  # noqa: ANN401
    run: Callable[..., Tensor] = vision_layer,
) -> Tensor:
    """What takes the place of `<|patch|>` embeddings: `[S * T/4, hidden]`, in the order of cells.

    `mask` lets places of one picture see each other: a block mask, or bool `[S, 1, T, T]`. `run` is
    `vision_layer`, compiled or not.
    """
    tower = model.model.vision_tower
    x = tower.ln_pre(_embedded(tower.patch_embedder, sheets))
    rotation = _rotation(tower, sheets.places, x)
    for layer in tower.layers:
        x = run(layer, x, rotation, mask)
    x = tower.ln_post(x)
    x = x.reshape(-1, VISION.merge_size**2, x.shape[-1]).transpose(1, 2).flatten(1)
    x = model.model.vision_projection(model.model.vision_adapter(x))
    return model.model.perception_emb_norm(x)


def _embedded(embedder: Any, sheets: Sheets) -> Tensor:  # noqa: ANN401
    weight = embedder.patch_embedding.weight
    pixels = (sheets.patches.float() / 127.5 - 1).to(weight.dtype)
    half = weight.shape[1] // 2
    x = functional.linear(pixels, weight[:, :half] + weight[:, half:])
    row, column, rows, columns = sheets.places.float().unbind(-1)
    weights = _nearness(row, rows)[..., :, None] * _nearness(column, columns)[..., None, :]
    positions = weights.flatten(-2) @ embedder.position_embedding_table.weight.float()
    return x + positions.to(x.dtype)


def _nearness(place: Tensor, size: Tensor) -> Tensor:
    """How much each entry of a table's axis weighs at these places: `[..., table_side]`."""
    at = (place + 0.5) * VISION.table_side / size.clamp(min=1) - 0.5
    entries = torch.arange(VISION.table_side, device=place.device)
    return (1 - (at[..., None] - entries).abs()).clamp(min=0)


def _rotation(tower: Any, places: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:  # noqa: ANN401
    """Cosines and sines `[S, T, head]`, of column + 1 and row + 1."""
    positions = places[..., [1, 0]].flatten(0, 1).long() + 1
    cos, sin = tower.rotary_emb(x.float(), positions)
    return cos.view(*x.shape[:2], -1), sin.view(*x.shape[:2], -1)


def _attention(attn: Any, x: Tensor, rotation: tuple[Tensor, Tensor], mask: Any) -> Tensor:  # noqa: ANN401
    heads = (*x.shape[:2], attn.num_heads, attn.head_dim)
    query, key, value = (
        project(x).view(heads) for project in (attn.q_proj, attn.k_proj, attn.v_proj)
    )
    query, key = _rotated(query, *rotation), _rotated(key, *rotation)
    query, key, value = (each.transpose(1, 2) for each in (query, key, value))
    out, _ = packed_attention(attn, query, key, value, mask, attn.scaling)
    return attn.proj(out.flatten(2))


def _rotated(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Pairs (i, i + head/2) of `[S, T, heads, head]` turned by their angles, in float32."""
    first, second = x.float().chunk(2, dim=-1)
    turned = torch.cat([-second, first], dim=-1)
    return (x.float() * cos[:, :, None] + turned * sin[:, :, None]).to(x.dtype)
