"""How does the text model become a program that XNNPACK runs as one call a step?

The same function as transformers' eager model (`tests/bootstrap/nano/test_lowering.py`), written so
that nothing but reading positions and writing caches happens outside XNNPACK:

    z = W_z norm(x)                      queries, keys, values and gates
    q, k = turn(norm(q), norm(k)) * sqrt(3.87 / sqrt(head_dim))
    p_old = exp(K q + mask), p_new = exp(k q + mask)
    out, sum = V p_old + v p_new         values carry a row of ones, so the sum comes along
    x += w norm(W_o (out / sum * sigmoid(gate)))
    x += w norm(W_d (silu(W_g norm(x)) * W_u norm(x)))
    logits = 20 tanh(W_h norm(x_last))   output multiplier and 1/20 are inside W_h

What makes it fast, and why it may:

- *Attend first, write after.* A step reads the old rows from the caches and its own rows from
  their registers, so all layers are one XNNPACK call and the caches are filled after it.
- *No maximum in the softmax.* Queries and keys have unit mean square, so a score is at most
  3.87 * sqrt(head_dim) = 31; exp(31) is far from overflow and the shift changes nothing.
- *Caches on the left.* XNNPACK repacks the right operand of a product on each call. The small
  operand (queries, probabilities) stands there; keys `[kv, rows, d]` and transposed values
  `[kv, d + 1, rows]` are read in place. The right operand has `heads / kv * T` columns and XNNPACK
  works 16 at a time, so attending with 5 tokens costs what it costs with 1.
- *Gains are folded.* Norm gains ahead of a matrix go into the matrix. A mean square is a product
  with a row of 1/n, its epsilon the bias.
- *Global layers read `start` rounded up to `STEP` rows*, local layers a ring.

Ring: position p is in slot p mod `ring`; the slot j of a step that begins at `start` holds
j + ring * floor((start - 1 - j) / ring), and a query at p sees it if that is >= 0 and less than
`window` behind p. Nothing is overwritten before it is read, so `ring = window` would be exact for
any chunk; the extra `max_rewind` slots let a caller step back that far and go another way.

Matrices are int8 by output row, their inputs int8 by token at run time. Embeddings are stored
normed, in half precision. Not covered: batches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch import _check as bound
from torch.nn import functional

from bootstrap.nano.configuration import NANO, NanoConfiguration
from bootstrap.nano.lowered_layers import (
    AS_SHIPPED,
    FORBIDDEN,
    Lowering,
    Matrices,
    Matrix,
    Norm,
    Slots,
    folded,
    quarter_turn,
    slots_of,
    turns,
    with_ones,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["EmbedText", "NanoProgram", "TargetPrefill", "TargetProgram"]

BEYOND = 8
"""Positions after the context on which a draft's block may stand."""


@dataclass(frozen=True)
class Step:
    """What all layers of a step share, T tokens wide, `g` query heads to a key head.

    Masks hold 0 or `FORBIDDEN` and are `[1, rows, T * g]`, `by_query` last.
    """

    cos: Tensor  # [T, 1, d]
    sin: Tensor  # [T, 1, d]
    within: Tensor  # the step's own rows
    local: Tensor  # the ring
    everything: Tensor  # the global cache, `rows` of it
    rows: Any  # int, or a symbol while exporting


class Layer(nn.Module):
    """One decoder layer and its cache."""

    def __init__(
        self, index: int, weights: Mapping[str, Tensor], nano: NanoConfiguration, how: Lowering
    ) -> None:
        super().__init__()
        self.sees_all = nano.is_global(index)
        self.heads, self.kv = nano.num_attention_heads, nano.num_key_value_heads
        self.d = nano.head_dim

        def weight(name: str) -> Tensor:
            return weights[f"model.language_model.layers.{index}.{name}.weight"].float()

        def matrix(weight: Tensor, bias: Tensor | None = None) -> Matrix:
            return Matrix(weight, bias=bias, quantised=how.quantised)

        def after(norm: str, *matrices: Tensor) -> Tensor:
            return torch.cat(matrices) * (1 + weight(norm))

        names = ("self_attn.q_proj", "self_attn.k_proj")
        values, ones = with_ones(weight("self_attn.v_proj"), self.kv)
        self.attention_in = Matrices(
            matrix(after("input_layernorm", *map(weight, names))),
            matrix(after("input_layernorm", values), ones),
            matrix(after("input_layernorm", weight("self_attn.gate_proj"))),
        )
        attention_gain = folded(1 + weight("post_attention_layernorm"))
        self.attention_out = matrix(weight("self_attn.o_proj") * attention_gain[:, None])
        self.feed_in = Matrices(
            matrix(after("pre_feedforward_layernorm", weight("mlp.gate_proj"))),
            matrix(after("pre_feedforward_layernorm", weight("mlp.up_proj"))),
        )
        feed_gain = folded(1 + weight("post_feedforward_layernorm"))
        self.feed_out = Matrix(
            weight("mlp.down_proj") * feed_gain[:, None], quantised=how.quantised
        )

        width = nano.hidden_size
        self.norm_in = Norm(width, nano.rms_norm_eps)
        self.norm_attended = Norm(width, nano.post_norm_eps, within=attention_gain)
        self.norm_fed = Norm(width, nano.post_norm_eps, within=feed_gain)
        # The gain 3.87 / sqrt(d) of the scores, half of it on either side.
        self.norm_heads = Norm(
            self.d, nano.rms_norm_eps, gain=(nano.qk_scale_factor / self.d**0.5) ** 0.5
        )
        self.register_buffer("quarter_turn", quarter_turn(self.d))

        rows = (
            nano.max_position_embeddings if self.sees_all else nano.sliding_window + how.max_rewind
        )
        self.register_buffer("keys", torch.zeros(self.kv, rows, 1, self.d))
        self.register_buffer("values", torch.zeros(self.kv * (self.d + 1), rows, 1, 1))

    def forward(self, x: Tensor, step: Step) -> tuple[Tensor, Tensor, Tensor]:
        """Map `[T, D]` to `[T, D]`, new keys `[kv, T, d]` and new values `[kv, d + 1, T]`."""
        out, keys, values = self.attend(self.norm_in(x), step)
        x = x + self.norm_attended(self.attention_out(out))
        gate, up = self.feed_in(self.norm_in(x))
        fed = functional.silu(gate) * up
        return x + self.norm_fed(self.feed_out(fed)), keys, values

    def attend(self, h: Tensor, step: Step) -> tuple[Tensor, Tensor, Tensor]:
        """Gated attention of `[T, D]` to the cache and to itself."""
        heads, values, gate = self.attention_in(h)
        heads = self.norm_heads(heads.view(-1, self.heads + self.kv, self.d))
        if not self.sees_all:
            turned = functional.linear(heads, self.quarter_turn)
            heads = heads * step.cos + turned * step.sin
        keys = heads[:, self.heads :].permute(1, 0, 2)
        values = values.view(-1, self.kv, self.d + 1).permute(1, 2, 0)
        by_key = heads[:, : self.heads].view(-1, self.kv, self.heads // self.kv, self.d)
        queries = by_key.permute(1, 3, 0, 2).contiguous().view(self.kv, self.d, -1)

        old_keys = self.keys.view(self.kv, -1, self.d)
        old_values = self.values.view(self.kv, self.d + 1, -1)
        if self.sees_all:
            old_keys = old_keys.narrow(1, 0, step.rows)
            old_values = old_values.narrow(2, 0, step.rows)
        mask = step.everything if self.sees_all else step.local
        old = torch.exp(torch.bmm(old_keys, queries) + mask)
        new = torch.exp(torch.bmm(keys, queries) + step.within)
        mixed = torch.bmm(old_values, old) + torch.bmm(values, new)  # [kv, d + 1, T * g]
        out = mixed[:, : self.d] / mixed[:, self.d :]
        out = out.view(self.kv, self.d, -1, self.heads // self.kv).permute(2, 0, 3, 1)
        out = out.contiguous().view(-1, self.heads * self.d)
        return out * torch.sigmoid(gate), keys, values

    def write(self, keys: Tensor, values: Tensor, start: Any, slots: Slots) -> None:  # noqa: ANN401
        """Put a step's rows into the cache: at `start`, or at `slots` of the ring."""
        tokens = keys.shape[1]
        keys = keys.reshape(self.kv, tokens, 1, self.d)
        values = values.reshape(self.kv * (self.d + 1), tokens, 1, 1)
        for rows, cache, where in zip((keys, values), (self.keys, self.values), slots, strict=True):
            if self.sees_all:
                torch.ops.llama.update_cache(rows, cache, start)
            else:
                torch.ops.llama.update_cache_with_indices(rows, cache, start, where)


class NanoProgram(nn.Module):
    """The whole model, with the caches of one session as its buffers."""

    def __init__(
        self,
        weights: Mapping[str, Tensor],
        nano: NanoConfiguration = NANO,
        how: Lowering = AS_SHIPPED,
    ) -> None:
        super().__init__()
        self.context, self.how, self.window = nano.max_position_embeddings, how, nano.sliding_window
        self.width = nano.hidden_size
        self.ring = nano.sliding_window + how.max_rewind
        self.group = nano.num_attention_heads // nano.num_key_value_heads
        self.layers = nn.ModuleList(
            Layer(index, weights, nano, how) for index in range(nano.num_hidden_layers)
        )
        embeddings = weights["model.language_model.embed_tokens.weight"].float()
        size = embeddings.pow(2).mean(1, keepdim=True) + nano.rms_norm_eps
        embeddings = embeddings * size.rsqrt()
        self.register_buffer("embeddings", embeddings.half() if how.quantised else embeddings)
        gain = weights["model.language_model.norm.weight"].float()
        scale = nano.output_multiplier / nano.final_logit_softcapping
        self.norm = Norm(nano.hidden_size, nano.rms_norm_eps)
        self.register_buffer("gain", gain * scale)
        self.head = Matrix(weights["lm_head.weight"].float(), quantised=how.quantised)
        cos, sin = turns(self.context + BEYOND, nano.head_dim, nano.rope_theta)
        self.register_buffer("cos", cos)
        self.register_buffer("sin", sin)
        self.register_buffer("positions", torch.arange(self.context).float().view(1, -1, 1))
        self.register_buffer("slots", torch.arange(self.ring).float().view(1, -1, 1))
        for name, value in (
            ("cap", nano.final_logit_softcapping),
            ("one", 1.0),
            ("a_half", 0.5),
            ("forbidden", FORBIDDEN),
            ("reach", self.window - 1.0),
            ("round", float(self.ring)),
            ("per_round", 1.0 / self.ring),
        ):
            # Buffers, since a number in the graph becomes a float64 constant outside XNNPACK.
            self.register_buffer(name, torch.full((1, 1, 1), value))

    @property
    def cache_names(self) -> list[str]:
        """Names of the caches, as buffers."""
        layers = range(len(self.layers))
        return [f"layers.{index}.{kind}" for index in layers for kind in ("keys", "values")]

    def embed_text(self, tokens: Tensor) -> Tensor:
        """Look up i64 `[1, T]`; normed f32 `[1, T, D]`."""
        return self.embeddings.index_select(0, tokens.view(-1)).float().unsqueeze(0)

    def forward(self, x: Tensor, pos: Tensor) -> Tensor:
        """Run f32 `[1, T, D]` at i64 `[T]` consecutive positions; f32 `[1, V]`, the last row's."""
        step, start = self.prepare(pos)
        outputs, written = self.run(x, step)
        logits = self.logits(self.last_row(outputs[-1], pos))
        self.write(written, start, pos)
        return logits

    def run(self, x: Tensor, step: Step) -> tuple[list[Tensor], list[tuple[Tensor, Tensor]]]:
        """Run all layers over `[1, T, D]`: their outputs `[T, D]`, their new keys and values."""
        hidden = x.reshape(-1, x.shape[2])
        outputs, written = [], []
        for layer in self.layers:
            hidden, keys, values = layer(hidden, step)
            outputs.append(hidden)
            written.append((keys, values))
        return outputs, written

    def logits(self, hidden: Tensor) -> Tensor:
        """Map the last layer's rows `[T, D]` to `[T, V]`."""
        return torch.tanh(self.head(self.norm(hidden) * self.gain)) * self.cap.view(1, 1)

    def last_row(self, hidden: Tensor, pos: Tensor) -> Tensor:
        """Pick the last of `[T, D]`: a product, since its place is known only at run time."""
        along = pos.view(1, 1, -1).float()
        last = pos[pos.shape[0] - 1 :].view(1, 1, 1).float()
        picked = self.one - torch.clamp(last - along, 0.0, 1.0)
        return torch.bmm(picked, hidden.view(1, -1, self.width)).view(1, -1)

    def write(self, written: list[tuple[Tensor, Tensor]], start: Any, pos: Tensor) -> None:  # noqa: ANN401
        """Put what `run` returned into the caches."""
        slots = slots_of(pos, self.ring, written[0])
        for layer, (keys, values) in zip(self.layers, written, strict=True):
            layer.write(keys, values, start, slots)

    def start_of(self, pos: Tensor) -> Any:  # noqa: ANN401
        """Read the first position as a number, with the bounds that exporting needs."""
        start = pos[0].item()
        bound(start >= 0)
        bound(start < self.context)
        bound(start + pos.shape[0] <= self.context)
        return start

    def prepare(self, pos: Tensor) -> tuple[Step, Any]:
        """Compute what the layers share; the first position as a number."""
        start = self.start_of(pos)
        tokens, columns = pos.shape[0], pos.shape[0] * self.group
        rows = start // self.how.step * self.how.step + self.how.step
        bound(rows >= self.how.step)
        bound(rows <= self.context)
        # Reshaped as integers, which XNNPACK does not take, so that no small call comes of it.
        by_query = pos.view(-1, 1).expand(tokens, self.group).reshape(1, 1, columns).float()
        first = pos[:1].view(1, 1, 1).expand(1, 1, columns).float()
        down = pos.view(1, -1, 1).float()

        # A mask is `forbidden` times a difference of whole numbers, cut to 0..1.
        held = self.slots + self.round * torch.floor(
            (first - self.slots - self.a_half) * self.per_round
        )
        too_old = torch.clamp(by_query - held - self.reach, 0.0, 1.0)
        never_written = torch.clamp(-held, 0.0, 1.0)
        unfilled = torch.clamp(self.positions.narrow(1, 0, rows) - first + self.one, 0.0, 1.0)
        step = Step(
            cos=self.cos.index_select(0, pos),
            sin=self.sin.index_select(0, pos),
            within=torch.clamp(down - by_query, 0.0, 1.0) * self.forbidden,
            local=(too_old + never_written) * self.forbidden,
            everything=unfilled * self.forbidden,
            rows=rows,
        )
        return step, start


class TargetProgram(NanoProgram):
    """The model as the target of a draft, which reads the outputs of the layers `taps`."""

    def __init__(
        self,
        weights: Mapping[str, Tensor],
        nano: NanoConfiguration,
        how: Lowering,
        taps: Sequence[int],
    ) -> None:
        super().__init__(weights, nano, how)
        self.taps = tuple(taps)

    def forward(self, x: Tensor, pos: Tensor) -> tuple[Tensor, Tensor]:
        """Run as `NanoProgram` does; f32 `[1, T, V]` of all rows and `[1, T, taps * D]`."""
        step, start = self.prepare(pos)
        outputs, written = self.run(x, step)
        logits = self.logits(self.judged(outputs[-1], pos)).unsqueeze(0)
        hidden = torch.cat([outputs[tap] for tap in self.taps], 1).unsqueeze(0)
        self.write(written, start, pos)
        return logits, hidden

    def judged(self, hidden: Tensor, pos: Tensor) -> Tensor:  # noqa: ARG002
        """Which rows get logits: all."""
        return hidden


class TargetPrefill(TargetProgram):
    """The target for a chunk of a prompt: f32 `[1, 1, V]`, of the last row alone."""

    def judged(self, hidden: Tensor, pos: Tensor) -> Tensor:
        """Which rows get logits: the last."""
        return self.last_row(hidden, pos)


class EmbedText(nn.Module):
    """`embed_text` as a module of its own, which is what `torch.export` takes."""

    def __init__(self, program: NanoProgram) -> None:
        super().__init__()
        self.register_buffer("embeddings", program.embeddings)

    forward = NanoProgram.embed_text
