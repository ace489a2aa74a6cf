"""How does the draft become a program that XNNPACK runs as one call?

The same function as transformers' `MuseGlimmerAssistantModel` with its cache. In one call it takes
in n hidden rows of the target, for positions `ctx_start` and after, and proposes for a block of L
tokens, which stands behind them:

    c = g_c norm(W_c hidden)                    n rows, the same for all layers
    b = g_b norm(x)                             the block's rows, x the *raw* embeddings at first
    k, v = W_kv [c; b],  q = W_q b              k = turn(g_k norm(k)), q likewise, over sqrt(d)
    x += W_o attention(q; earlier c, then [c; b])
    x += W_d (silu(W_g norm(x)) * W_u norm(x))
    logits = W_h (g norm(x))                    the target's head, without multiplier and cap

Attention is not causal: a block sees all of itself, and of the n rows and earlier ones those within
`sliding_window` of its token. Only keys and values of hidden rows are kept, in rings as the
target's local layers have (see `target_lowering`); to go back, give rows for earlier positions
again. What the block made of itself is forgotten. A call takes in as many rows as a ring has, so
that all that the draft will ever see of a prompt is taken in at once.

Queries and keys have gains here, so a score is bounded by their largest product times sqrt(d). The
softmax takes no maximum, and `lower` refuses a draft whose bound exp could not take.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch import _check as bound
from torch.nn import functional

from bootstrap.nano.lowered_layers import (
    FORBIDDEN,
    Lowering,
    Matrices,
    Matrix,
    Norm,
    Slots,
    quarter_turn,
    slots_of,
    with_ones,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bootstrap.nano.configuration import DraftConfiguration, NanoConfiguration
    from bootstrap.nano.target_lowering import NanoProgram

__all__ = ["DraftProgram"]

LARGEST_SCORE = 80.0
"""exp of it, times the rows of a ring, is within float32."""


class DraftLayer(nn.Module):
    """One layer of the draft and its cache."""

    def __init__(
        self,
        index: int,
        weights: Mapping[str, Tensor],
        draft: DraftConfiguration,
        nano: NanoConfiguration,
        how: Lowering,
    ) -> None:
        super().__init__()
        self.heads, self.kv = draft.num_attention_heads, draft.num_key_value_heads
        self.d = draft.head_dim

        def weight(name: str) -> Tensor:
            return weights[f"layers.{index}.{name}.weight"].float()

        def matrix(weight: Tensor, bias: Tensor | None = None) -> Matrix:
            return Matrix(weight, bias=bias, quantised=how.quantised, bits=how.draft_bits)

        queries_gain, keys_gain = weight("self_attn.q_norm"), weight("self_attn.k_norm")
        largest = float(queries_gain.abs().max() * keys_gain.abs().max()) * self.d**0.5
        if largest > LARGEST_SCORE:
            raise ValueError(
                f"scores of draft layer {index} may reach {largest:.0f}, over {LARGEST_SCORE:.0f}"
            )
        values, ones = with_ones(weight("self_attn.v_proj"), self.kv)
        self.both_in = Matrices(matrix(weight("self_attn.k_proj")), matrix(values, ones))
        self.queries_in = matrix(weight("self_attn.q_proj"))
        self.attention_out = matrix(weight("self_attn.o_proj"))
        feed_gain = weight("post_attention_layernorm")
        self.feed_in = Matrices(
            matrix(weight("mlp.gate_proj") * feed_gain), matrix(weight("mlp.up_proj") * feed_gain)
        )
        self.feed_out = matrix(weight("mlp.down_proj"))
        self.register_buffer("block_gain", weight("input_layernorm"))
        self.register_buffer("keys_gain", keys_gain)
        self.register_buffer("queries_gain", queries_gain)
        self.norm = Norm(nano.hidden_size, nano.rms_norm_eps)
        # The gain 1 / sqrt(d) of the scores, half of it on either side.
        self.norm_heads = Norm(self.d, nano.rms_norm_eps, gain=self.d**-0.25)
        self.register_buffer("quarter_turn", quarter_turn(self.d))

        rows = draft.sliding_window + how.max_rewind
        self.register_buffer("keys", torch.zeros(self.kv, rows, 1, self.d))
        self.register_buffer("values", torch.zeros(self.kv * (self.d + 1), rows, 1, 1))

    def forward(
        self,
        x: Tensor,
        context: Tensor,
        turn: tuple[Tensor, Tensor],
        block_turn: tuple[Tensor, Tensor],
        masks: tuple[Tensor, Tensor],
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Map the block `[L, D]` beside context rows `[n, D]`.

        `turn` is cos and sin of all n + L rows, `masks` those of the ring and of these rows, `[1,
        ring, L * heads / kv]` and `[1, n + L, L * heads / kv]`. Returns the block, keys `[kv, n +
        L, d]` and values `[kv, d + 1, n + L]`.
        """
        group = self.heads // self.kv
        block = self.norm(x) * self.block_gain
        keys, values = self.both_in(torch.cat([context, block], 0))
        keys = self.turned(keys, self.kv, self.keys_gain, turn)
        queries = self.turned(self.queries_in(block), self.heads, self.queries_gain, block_turn)
        keys = keys.permute(1, 0, 2)
        values = values.view(-1, self.kv, self.d + 1).permute(1, 2, 0)
        by_key = queries.view(-1, self.kv, group, self.d)
        queries = by_key.permute(1, 3, 0, 2).contiguous().view(self.kv, self.d, -1)

        old_keys = self.keys.view(self.kv, -1, self.d)
        old_values = self.values.view(self.kv, self.d + 1, -1)
        old = torch.exp(torch.bmm(old_keys, queries) + masks[0])
        new = torch.exp(torch.bmm(keys, queries) + masks[1])
        mixed = torch.bmm(old_values, old) + torch.bmm(values, new)  # [kv, d + 1, L * g]
        out = mixed[:, : self.d] / mixed[:, self.d :]
        out = out.view(self.kv, self.d, -1, group).permute(2, 0, 3, 1).contiguous()
        x = x + self.attention_out(out.view(-1, self.heads * self.d))
        gate, up = self.feed_in(self.norm(x))
        return x + self.feed_out(functional.silu(gate) * up), keys, values

    def turned(self, z: Tensor, heads: int, gain: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
        """Norm and turn heads `[rows, heads * d]`; `[rows, heads, d]`."""
        z = self.norm_heads(z.view(-1, heads, self.d)) * gain
        return z * turn[0] + functional.linear(z, self.quarter_turn) * turn[1]

    def write(self, keys: Tensor, values: Tensor, start: Any, slots: Slots) -> None:  # noqa: ANN401
        """Put the first rows, as many as there are `slots`, into the ring."""
        tokens = slots[0].shape[1]
        keys = keys[:, :tokens].reshape(self.kv, tokens, 1, self.d)
        values = values[:, :, :tokens].reshape(self.kv * (self.d + 1), tokens, 1, 1)
        for rows, cache, where in zip((keys, values), (self.keys, self.values), slots, strict=True):
            torch.ops.llama.update_cache_with_indices(rows, cache, start, where)


class DraftProgram(nn.Module):
    """The draft, with the caches of one session as its buffers, beside its target."""

    def __init__(
        self,
        weights: Mapping[str, Tensor],
        draft: DraftConfiguration,
        target: NanoProgram,
        target_weights: Mapping[str, Tensor],
        nano: NanoConfiguration,
        how: Lowering,
    ) -> None:
        super().__init__()
        self.context, self.ring = (
            nano.max_position_embeddings,
            draft.sliding_window + how.max_rewind,
        )
        self.block, self.group = (
            draft.block_size,
            draft.num_attention_heads // draft.num_key_value_heads,
        )
        self.draft = nn.ModuleList(
            DraftLayer(index, weights, draft, nano, how) for index in range(draft.num_hidden_layers)
        )
        self.encode, self.head = (
            Matrix(weight.float(), quantised=how.quantised, bits=how.draft_bits)
            for weight in (weights["encoder.fc.weight"], target_weights["lm_head.weight"])
        )
        self.norm = Norm(nano.hidden_size, nano.rms_norm_eps)
        self.register_buffer("encoded_gain", weights["encoder.output_norm_enc.weight"].float())
        self.register_buffer("gain", weights["norm.weight"].float())
        # The target's embeddings are stored normed; the draft wants them as they were.
        self.register_buffer("embeddings", target.embeddings)
        raw = target_weights["model.language_model.embed_tokens.weight"].float()
        sizes = (raw.pow(2).mean(1, keepdim=True) + nano.rms_norm_eps).sqrt()
        self.register_buffer("sizes", sizes)
        if draft.head_dim != nano.head_dim:
            raise ValueError(
                "a draft's heads are to be as wide as its target's, whose turns it uses"
            )
        self.register_buffer("cos", target.cos)
        self.register_buffer("sin", target.sin)
        self.register_buffer("places", torch.arange(self.ring + self.block))
        self.register_buffer("slots", torch.arange(self.ring).float().view(1, -1, 1))
        for name, value in (
            ("a_half", 0.5),
            ("forbidden", FORBIDDEN),
            ("reach", float(draft.sliding_window)),
            ("round", float(self.ring)),
            ("per_round", 1.0 / self.ring),
        ):
            self.register_buffer(name, torch.full((1, 1, 1), value))

    @property
    def cache_names(self) -> list[str]:
        """Names of the caches, as buffers."""
        layers = range(len(self.draft))
        return [f"draft.{index}.{kind}" for index in layers for kind in ("keys", "values")]

    def forward(self, tokens: Tensor, hidden: Tensor, ctx_start: Tensor) -> Tensor:
        """Take in f32 `[1, n, taps * D]` at `[1]`, propose for i64 `[1, L]`; f32 `[1, L, V]`."""
        rows = hidden.shape[1]
        start = ctx_start[0].item()
        bound(start >= 0)
        bound(start + rows <= self.context)
        places = self.places.narrow(0, 0, rows + self.block) + ctx_start
        turn = self.cos.index_select(0, places), self.sin.index_select(0, places)
        own = self.places.narrow(0, rows, self.block) + ctx_start
        block_turn = self.cos.index_select(0, own), self.sin.index_select(0, own)
        masks = self.masks(ctx_start, places, own)

        context = self.encode(hidden.view(rows, -1))
        context = self.norm(context) * self.encoded_gain
        ids = tokens.view(-1)
        x = self.embeddings.index_select(0, ids).float() * self.sizes.index_select(0, ids)
        written = []
        for layer in self.draft:
            x, keys, values = layer(x, context, turn, block_turn, masks)
            written.append((keys, values))
        logits = self.head(self.norm(x) * self.gain)
        slots = slots_of(self.places.narrow(0, 0, rows) + ctx_start, self.ring, written[0])
        for layer, (keys, values) in zip(self.draft, written, strict=True):
            layer.write(keys, values, start, slots)
        return logits.unsqueeze(0)

    def masks(self, ctx_start: Tensor, places: Tensor, own: Tensor) -> tuple[Tensor, Tensor]:
        """Return 0 or `FORBIDDEN` for every query and slot, or row of this call."""
        columns = self.block * self.group
        by_query = own.view(-1, 1).expand(self.block, self.group).reshape(1, 1, columns).float()
        first = ctx_start.view(1, 1, 1).expand(1, 1, columns).float()
        held = self.slots + self.round * torch.floor(
            (first - self.slots - self.a_half) * self.per_round
        )
        too_old = torch.clamp(by_query - held - self.reach, 0.0, 1.0)
        never_written = torch.clamp(-held, 0.0, 1.0)
        here = places.view(1, -1, 1).float()
        too_old_here = torch.clamp(by_query - here - self.reach, 0.0, 1.0)
        return (too_old + never_written) * self.forbidden, too_old_here * self.forbidden
