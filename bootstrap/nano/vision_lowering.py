"""How does the vision tower become a program?

The same function as transformers' `get_image_features` for one picture, on inputs that
`playground.vision.patches` makes of it. All of Nano's layers attend to the whole picture, so what
tells tiles apart (`sparse_perm`, `inv_perm`, `sparse_mask`) is taken, as the contract has it, and
not used:

    x = norm(W_p patches + positions)            norms have gain and bias here
    q, k, v = W norm(x) + b                      q, k turned by column and row
    x += W_o softmax(q k / sqrt(d) + mask) v + b
    x += W_2 gelu(W_1 norm(x) + b) + b
    y = norm(x), four patches to a cell, channel by channel
    rows = norm(W_v gelu(W_b gelu(W_a y)))       W_p, W_a, W_b, W_v have no bias
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

from bootstrap.nano.configuration import NANO
from bootstrap.nano.lowered_layers import FORBIDDEN, Lowering, Matrices, Matrix, Norm, quarter_turn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bootstrap.nano.configuration import VisionConfiguration

    Weight = Callable[[str], Tensor]

__all__ = ["VisionProgram"]

NORM_EPS = 1e-5


class VisionLayer(nn.Module):
    """One layer of the tower."""

    def __init__(self, weight: Weight, vision: VisionConfiguration, how: Lowering) -> None:
        super().__init__()
        self.heads = vision.num_attention_heads
        self.d = vision.hidden_size // self.heads

        def matrix(name: str, scale: float = 1.0) -> Matrix:
            bias = weight(f"{name}.bias") * scale
            return Matrix(weight(f"{name}.weight") * scale, bias=bias, quantised=how.quantised)

        # The gain 1 / sqrt(d) of the scores is in the queries' matrix.
        self.attention_in = Matrices(
            matrix("attn.q_proj", self.d**-0.5), matrix("attn.k_proj"), matrix("attn.v_proj")
        )
        self.attention_out = matrix("attn.proj")
        self.feed_in, self.feed_out = matrix("mlp.fc1"), matrix("mlp.fc2")
        self.norm_attention = layer_norm(weight, "norm1")
        self.norm_feed = layer_norm(weight, "norm2")
        self.register_buffer("quarter_turn", quarter_turn(self.d))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, mask: Tensor) -> Tensor:
        """Map `[P, W]` to `[P, W]`; cos and sin are `[P, 1, d]`, mask `[1, P, P]`."""
        queries, keys, values = (
            z.view(-1, self.heads, self.d) for z in self.attention_in(self.norm_attention(x))
        )
        queries, keys = (
            z * cos + functional.linear(z, self.quarter_turn) * sin for z in (queries, keys)
        )
        scores = torch.bmm(queries.permute(1, 0, 2), keys.permute(1, 2, 0)) + mask
        out = torch.bmm(torch.softmax(scores, -1), values.permute(1, 0, 2))
        out = out.permute(1, 0, 2).contiguous().view(-1, self.heads * self.d)
        x = x + self.attention_out(out)
        return x + self.feed_out(functional.gelu(self.feed_in(self.norm_feed(x))))


class VisionProgram(nn.Module):
    """The tower and what joins it to the text model."""

    def __init__(
        self,
        weights: Mapping[str, Tensor],
        vision: VisionConfiguration,
        how: Lowering,
        eps: float = NANO.rms_norm_eps,
    ) -> None:
        super().__init__()

        def tower(name: str) -> Tensor:
            return weights[f"model.vision_tower.{name}"].float()

        def layer(index: int) -> Weight:
            return lambda name: tower(f"layers.{index}.{name}")

        self.vision = vision
        self.embed = Matrix(tower("patch_embedder.patch_embedding.weight"), quantised=how.quantised)
        self.layers = nn.ModuleList(
            VisionLayer(layer(index), vision, how) for index in range(vision.num_hidden_layers)
        )
        self.norm_first, self.norm_last = layer_norm(tower, "ln_pre"), layer_norm(tower, "ln_post")
        names = ("vision_adapter.fc1", "vision_adapter.fc2", "vision_projection")
        adapters = [weights[f"model.{name}.weight"].float() for name in names]
        self.first, self.second, self.last = (
            Matrix(matrix, quantised=how.quantised) for matrix in adapters
        )
        self.norm = Norm(len(adapters[-1]), eps)
        self.register_buffer("forbidden", torch.full((1, 1, 1), FORBIDDEN))

    def forward(  # noqa: PLR0913, PLR0917  (the contract's nine)
        self,
        patches: Tensor,
        pos_emb: Tensor,
        cos: Tensor,
        sin: Tensor,
        sparse_perm: Tensor,  # noqa: ARG002
        inv_perm: Tensor,  # noqa: ARG002
        global_mask: Tensor,
        sparse_mask: Tensor,  # noqa: ARG002
        pixel_perm: Tensor,
    ) -> Tensor:
        """Run the nine inputs of `playground.vision.patches`; f32 `[1, P / 4, D]`."""
        x = self.norm_first(self.embed(patches.squeeze(0)) + pos_emb.squeeze(0))
        cos = torch.cat([cos, cos], 1).unsqueeze(1)
        sin = torch.cat([sin, sin], 1).unsqueeze(1)
        hidden_from = torch.logical_not(global_mask).squeeze(0).float()
        mask = hidden_from * self.forbidden
        for layer in self.layers:
            x = layer(x, cos, sin, mask)
        cell = self.vision.merge_size**2
        x = self.norm_last(x).index_select(0, pixel_perm)
        x = x.view(-1, cell, self.vision.hidden_size).permute(0, 2, 1).contiguous()
        x = functional.gelu(self.first(x.view(-1, cell * self.vision.hidden_size)))
        return self.norm(self.last(functional.gelu(self.second(x)))).unsqueeze(0)

    def example(self, patches: int) -> tuple[Tensor, ...]:
        """Return inputs of the right shapes."""
        half = self.vision.hidden_size // self.vision.num_attention_heads // 2
        order = torch.arange(patches)
        mask = torch.ones(1, 1, patches, patches, dtype=torch.bool)
        return (
            torch.zeros(1, patches, self.embed.weight.shape[1]),
            torch.zeros(1, patches, self.vision.hidden_size),
            torch.ones(patches, half),
            torch.zeros(patches, half),
            order,
            order.clone(),
            mask,
            mask.clone(),
            order.clone(),
        )


def layer_norm(weight: Weight, name: str) -> nn.LayerNorm:
    """Return transformers' norm with its gain and bias."""
    gain = weight(f"{name}.weight")
    norm = nn.LayerNorm(len(gain), eps=NORM_EPS)
    norm.load_state_dict({"weight": gain, "bias": weight(f"{name}.bias")})
    return norm
