"""How does Muse Nano become a program that XNNPACK runs as one call a step?

The same function as transformers' eager model (`tests/bootstrap/nano/test_lowering.py`), written so
that nothing but reading positions and writing caches happens outside XNNPACK:

    z = W_z norm(x)                      queries, keys, values and gates in one matrix
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
normed, in half precision. Not covered: images, drafts, batches.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from executorch.exir import (
    EdgeCompileConfig,
    ExecutorchBackendConfig,
    to_edge_transform_and_lower,
)
from executorch.exir.passes import MemoryPlanningPass
from executorch.extension.llm.custom_ops import custom_ops as _custom_ops  # noqa: F401
from torch import Tensor, nn
from torch import _check as bound
from torch.nn import functional

from bootstrap.nano.configuration import NANO, NanoConfiguration
from bootstrap.nano.xnnpack import partitioner

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Lowering", "NanoProgram", "lower"]

FORBIDDEN = -1e4  # as a logit: exp of it is 0 in float32
TINY = 1e-8
ROW_DIMENSION = 1  # of every cache: the one that counts tokens


@dataclass(frozen=True)
class Lowering:
    """Choices of the lowering, apart from the model's own sizes."""

    max_prefill_chunk: int = 64
    max_rewind: int = 16  # what a rejected draft needs; each costs a row of every local layer
    step: int = 64  # global caches are read in multiples of this many rows
    quantised: bool = True


class Matrix(nn.Module):
    """`x @ weight.T + bias`, int8 or float32."""

    def __init__(self, weight: Tensor, *, bias: Tensor | None = None, quantised: bool) -> None:
        super().__init__()
        self.quantised = quantised
        self.register_buffer("bias", bias)
        if quantised:
            scale = weight.abs().amax(1).clamp(min=TINY) / 127
            weight = torch.round(weight / scale[:, None]).to(torch.int8)
            self.register_buffer("scale", scale)
            self.register_buffer("zero", torch.zeros(len(scale), dtype=torch.int64))
        self.register_buffer("weight", weight.contiguous())

    def forward(self, x: Tensor) -> Tensor:
        if not self.quantised:
            return functional.linear(x, self.weight, self.bias)
        ops = torch.ops.quantized_decomposed
        scale, zero = ops.choose_qparams_per_token_asymmetric(x, torch.int8)
        x = ops.quantize_per_token(x, scale, zero, -128, 127, torch.int8)
        x = ops.dequantize_per_token(x, scale, zero, -128, 127, torch.int8, torch.float32)
        weight = ops.dequantize_per_channel(
            self.weight, self.scale, self.zero, 0, -127, 127, torch.int8
        )
        return functional.linear(x, weight, self.bias)


class Norm(nn.Module):
    """`gain * x / sqrt(mean(x ** 2) + eps)` over the last dimension, of size `n`."""

    def __init__(self, n: int, eps: float, gain: float = 1.0) -> None:
        super().__init__()
        self.register_buffer("mean", torch.full((1, n), 1 / (n * gain**2)))
        self.register_buffer("eps", torch.full((1,), eps / gain**2))

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(functional.linear(x * x, self.mean, self.eps))


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
        self.d, self.hidden = nano.head_dim, nano.intermediate_size

        def weight(name: str) -> Tensor:
            return weights[f"model.language_model.layers.{index}.{name}.weight"].float()

        def after(norm: str, *matrices: Tensor) -> Tensor:
            return torch.cat(matrices) * (1 + weight(norm))

        # Each key head's values get a row that is always 1: no weight, a bias of 1.
        values = weight("self_attn.v_proj").view(self.kv, self.d, -1)
        values = functional.pad(values, (0, 0, 0, 1)).flatten(0, 1)
        ones = functional.pad(torch.zeros(self.kv, self.d), (0, 1), value=1.0).flatten()
        names = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.gate_proj")
        queries, keys, gates = map(weight, names)
        before = len(queries) + len(keys)
        self.splits = (before, before + len(values))
        self.attention_in = Matrix(
            after("input_layernorm", queries, keys, values, gates),
            bias=functional.pad(ones, (before, len(gates))),
            quantised=how.quantised,
        )
        self.attention_out = Matrix(weight("self_attn.o_proj"), quantised=how.quantised)
        self.feed_in = Matrix(
            after("pre_feedforward_layernorm", weight("mlp.gate_proj"), weight("mlp.up_proj")),
            quantised=how.quantised,
        )
        self.feed_out = Matrix(weight("mlp.down_proj"), quantised=how.quantised)
        self.register_buffer("attention_gain", 1 + weight("post_attention_layernorm"))
        self.register_buffer("feed_gain", 1 + weight("post_feedforward_layernorm"))

        width = nano.hidden_size
        self.norm_in = Norm(width, nano.rms_norm_eps)
        self.norm_out = Norm(width, nano.post_norm_eps)
        # The gain 3.87 / sqrt(d) of the scores, half of it on either side.
        self.norm_heads = Norm(
            self.d, nano.rms_norm_eps, gain=(nano.qk_scale_factor / self.d**0.5) ** 0.5
        )
        self.register_buffer("quarter_turn", _quarter_turn(self.d))

        rows = (
            nano.max_position_embeddings if self.sees_all else nano.sliding_window + how.max_rewind
        )
        self.register_buffer("keys", torch.zeros(self.kv, rows, 1, self.d))
        self.register_buffer("values", torch.zeros(self.kv * (self.d + 1), rows, 1, 1))

    def forward(self, x: Tensor, step: Step) -> tuple[Tensor, Tensor, Tensor]:
        """Map `[T, D]` to `[T, D]`, new keys `[kv, T, d]` and new values `[kv, d + 1, T]`."""
        out, keys, values = self.attend(self.norm_in(x), step)
        x = x + self.norm_out(self.attention_out(out)) * self.attention_gain
        gate_up = self.feed_in(self.norm_in(x))
        fed = functional.silu(gate_up[:, : self.hidden]) * gate_up[:, self.hidden :]
        return x + self.norm_out(self.feed_out(fed)) * self.feed_gain, keys, values

    def attend(self, h: Tensor, step: Step) -> tuple[Tensor, Tensor, Tensor]:
        """Gated attention of `[T, D]` to the cache and to itself."""
        z = self.attention_in(h)
        before, behind = self.splits
        heads = self.norm_heads(z[:, :before].view(-1, self.heads + self.kv, self.d))
        if not self.sees_all:
            turned = functional.linear(heads, self.quarter_turn)
            heads = heads * step.cos + turned * step.sin
        keys = heads[:, self.heads :].permute(1, 0, 2)
        values = z[:, before:behind].view(-1, self.kv, self.d + 1).permute(1, 2, 0)
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
        gate = torch.sigmoid(z[:, behind:])
        return out.contiguous().view(-1, self.heads * self.d) * gate, keys, values

    def write(self, keys: Tensor, values: Tensor, start: Any, slots: Tensor) -> None:  # noqa: ANN401
        """Put a step's rows into the cache: at `start`, or at `slots` `[1, T]` of the ring."""
        tokens = keys.shape[1]
        keys = keys.reshape(self.kv, tokens, 1, self.d)
        values = values.reshape(self.kv * (self.d + 1), tokens, 1, 1)
        for rows, cache in ((keys, self.keys), (values, self.values)):
            if self.sees_all:
                torch.ops.llama.update_cache(rows, cache, start)
            else:
                where = slots.expand(len(rows), tokens).contiguous()
                torch.ops.llama.update_cache_with_indices(rows, cache, start, where)


class NanoProgram(nn.Module):
    """The whole model, with the caches of one session as its buffers."""

    def __init__(
        self,
        weights: Mapping[str, Tensor],
        nano: NanoConfiguration = NANO,
        how: Lowering = Lowering(),
    ) -> None:
        super().__init__()
        self.context, self.how, self.window = nano.max_position_embeddings, how, nano.sliding_window
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
        self.head = Matrix(
            weights["lm_head.weight"].float() * gain * scale, quantised=how.quantised
        )
        cos, sin = _turns(nano)
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

    def embed_text(self, tokens: Tensor) -> Tensor:
        """Look up i64 `[1, T]`; normed f32 `[1, T, D]`."""
        return self.embeddings.index_select(0, tokens.view(-1)).float().unsqueeze(0)

    def forward(self, x: Tensor, pos: Tensor) -> Tensor:
        """Run f32 `[1, T, D]` at i64 `[T]` consecutive positions; f32 `[1, V]`, the last row's."""
        start = self.start_of(pos)
        step, last = self.prepare(pos, start)
        hidden = x.reshape(-1, x.shape[2])
        written = []
        for layer in self.layers:
            hidden, keys, values = layer(hidden, step)
            written.append((keys, values))
        hidden = torch.bmm(last, hidden.view(1, -1, hidden.shape[1])).view(1, -1)
        logits = torch.tanh(self.head(self.norm(hidden))) * self.cap.view(1, 1)
        slots = (pos % self.ring).view(1, -1)
        for layer, (keys, values) in zip(self.layers, written, strict=True):
            layer.write(keys, values, start, slots)
        return logits

    def start_of(self, pos: Tensor) -> Any:  # noqa: ANN401
        """Read the first position as a number, with the bounds that exporting needs."""
        start = pos[0].item()
        bound(start >= 0)
        bound(start < self.context)
        bound(start + pos.shape[0] <= self.context)
        return start

    def prepare(self, pos: Tensor, start: Any) -> tuple[Step, Tensor]:  # noqa: ANN401
        """Compute what the layers share, and the row `[1, 1, T]` that picks the last token."""
        tokens, columns = pos.shape[0], pos.shape[0] * self.group
        rows = start // self.how.step * self.how.step + self.how.step
        bound(rows >= self.how.step)
        bound(rows <= self.context)
        # Reshaped as integers, which XNNPACK does not take, so that no small call comes of it.
        by_query = pos.view(-1, 1).expand(tokens, self.group).reshape(1, 1, columns).float()
        first = pos[:1].view(1, 1, 1).expand(1, 1, columns).float()
        down, along = pos.view(1, -1, 1).float(), pos.view(1, 1, -1).float()
        last = pos[tokens - 1 :].view(1, 1, 1).float()

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
        return step, self.one - torch.clamp(last - along, 0.0, 1.0)


def _quarter_turn(d: int) -> Tensor:
    """Return the matrix of (a, b) -> (-b, a) on the halves of a head."""
    eye = torch.eye(d // 2)
    zero = torch.zeros_like(eye)
    return torch.cat([torch.cat([zero, -eye], 1), torch.cat([eye, zero], 1)])


def _turns(nano: NanoConfiguration) -> tuple[Tensor, Tensor]:
    """Return cos and sin of every position, `[context, 1, d]`."""
    exponents = torch.arange(0, nano.head_dim, 2).float() / nano.head_dim
    angles = torch.outer(
        torch.arange(nano.max_position_embeddings).float(), 1.0 / nano.rope_theta**exponents
    )
    angles = torch.cat([angles, angles], 1).unsqueeze(1)
    return angles.cos().contiguous(), angles.sin().contiguous()


class EmbedText(nn.Module):
    """`embed_text` as a module of its own, which is what `torch.export` takes."""

    def __init__(self, program: NanoProgram) -> None:
        super().__init__()
        self.register_buffer("embeddings", program.embeddings)

    forward = NanoProgram.embed_text


def constants(nano: NanoConfiguration, how: Lowering, caches: list[str]) -> dict[str, Any]:
    """Return the constant methods: name to value."""
    return {
        "get_max_seq_len": nano.max_position_embeddings,
        "get_max_context_len": nano.max_position_embeddings,
        "get_vocab_size": nano.vocab_size,
        "get_max_prefill_chunk": how.max_prefill_chunk,
        "get_max_rewind": how.max_rewind,  # ours: how far a session may step back
        "get_sliding_window": nano.sliding_window,  # ours
        "get_activation_dtype": "float32",
        "get_mutable_buffer_metadata": json.dumps(
            {"version": 1, "mutable_buffers": caches, "row_dimension": ROW_DIMENSION}
        ),
        "use_kv_cache": 1,
        "use_sdpa_with_kv_cache": 0,
        "enable_dynamic_shape": 1,
        "use_sampling": False,
        "has_vision_encoder": False,
    }


def lower(
    weights: Mapping[str, Tensor],
    nano: NanoConfiguration = NANO,
    how: Lowering = Lowering(),
) -> bytes:
    """Lower a checkpoint's tensors (transformers' names) to the bytes of a `.pte`."""
    program = NanoProgram(weights, nano, how).eval()
    tokens = torch.export.Dim("tokens", min=1, max=how.max_prefill_chunk)
    example = 8
    with torch.no_grad():
        embed = torch.export.export(
            EmbedText(program),
            (torch.zeros(1, example, dtype=torch.int64),),
            dynamic_shapes=({1: tokens},),
        )
        forward = torch.export.export(
            program,
            (torch.zeros(1, example, nano.hidden_size), torch.arange(example)),
            dynamic_shapes=({1: tokens}, {0: tokens}),
        )
    caches = [
        f"layers.{index}.{kind}"
        for index in range(nano.num_hidden_layers)
        for kind in ("keys", "values")
    ]
    edge = to_edge_transform_and_lower(
        {"embed_text": embed, "forward_from_embeddings": forward},
        partitioner=[partitioner()],
        constant_methods=constants(nano, how, caches),
        compile_config=EdgeCompileConfig(_check_ir_validity=False, _skip_dim_order=True),
    )
    program_manager = edge.to_executorch(
        ExecutorchBackendConfig(
            emit_mutable_buffer_names=True,
            memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False),
        )
    )
    return bytes(program_manager.buffer)
