"""What do the lowered target, draft and vision tower have in common?

Matrices are int8 by output row, their inputs int8 by token at run time; or float32, for tests that
ask whether the rest is exact. The draft's are of 4 bits by output row: what it proposes is judged
anyway. Where a norm's gain stands before a matrix, it is folded into it.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

__all__ = [
    "AS_SHIPPED",
    "FORBIDDEN",
    "Lowering",
    "Matrices",
    "Matrix",
    "Norm",
    "Slots",
    "folded",
    "quarter_turn",
    "slots_of",
    "turns",
    "with_ones",
]

Slots = tuple[Tensor, Tensor]
"""Where keys and values are written, see `slots_of`."""
FORBIDDEN = -1e4  # as a logit: exp of it is 0 in float32
TINY = 1e-8
COARSE = 7  # steps to a side, of 4 bits
TINY_GAIN = 1e-4


@dataclass(frozen=True)
class Lowering:
    """Choices of the lowering, apart from the model's own sizes."""

    max_prefill_chunk: int = 64
    max_rewind: int = 16  # what a rejected draft needs; each costs a row of every local layer
    step: int = 64  # global caches are read in multiples of this many rows
    quantised: bool = True
    draft_bits: int = 4  # of the draft's matrices, where they are quantised


AS_SHIPPED = Lowering()


class Matrix(nn.Module):
    """`x @ weight.T + bias`, of so many bits (8 or 4) or float32."""

    def __init__(
        self, weight: Tensor, *, bias: Tensor | None = None, quantised: bool, bits: int = 8
    ) -> None:
        super().__init__()
        self.quantised = quantised
        self.register_buffer("bias", bias)
        # XNNPACK takes 4 bits from -8, 8 bits from -127.
        self.largest = 2 ** (bits - 1) - 1
        self.smallest = -8 if bits == 4 else -self.largest
        if quantised:
            scale = self.steps(weight)
            weight = self.rounded(weight, scale).to(torch.int8)
            self.register_buffer("scale", scale)
            self.register_buffer("zero", torch.zeros(len(scale), dtype=torch.int64))
        self.register_buffer("weight", weight.contiguous())

    def steps(self, weight: Tensor) -> Tensor:
        """Choose the step of each output row.

        Of 8 bits, the largest weight takes the last of them; of 4 it may be cut off, where that
        brings the row as a whole nearer.
        """
        whole = weight.abs().amax(1).clamp(min=TINY) / self.largest
        if self.largest > COARSE:
            return whole
        shares = torch.stack([whole * share for share in torch.linspace(0.5, 1.0, 26)])
        errors = torch.stack(
            [(self.rounded(weight, s) * s[:, None] - weight).pow(2).sum(1) for s in shares]
        )
        return shares.gather(0, errors.argmin(0, keepdim=True))[0]

    def rounded(self, weight: Tensor, scale: Tensor) -> Tensor:
        """Count each row in steps of its own."""
        return torch.round(weight / scale[:, None]).clamp(self.smallest, self.largest)

    def forward(self, x: Tensor) -> Tensor:
        """Map `[..., inputs]` to `[..., outputs]`."""
        return self.times(in_int8(x) if self.quantised else x)

    def times(self, x: Tensor) -> Tensor:
        """Map `[..., inputs]` that `in_int8` has seen, if this matrix is int8."""
        if not self.quantised:
            return functional.linear(x, self.weight, self.bias)
        weight = torch.ops.quantized_decomposed.dequantize_per_channel(
            self.weight, self.scale, self.zero, 0, self.smallest, self.largest, torch.int8
        )
        return functional.linear(x, weight, self.bias)


class Matrices(nn.Module):
    """Several matrices for one input, which is made int8 once."""

    def __init__(self, *matrices: Matrix) -> None:
        super().__init__()
        self.matrices = nn.ModuleList(matrices)

    def forward(self, x: Tensor) -> list[Tensor]:
        """Map `[..., inputs]` to `[..., outputs]` for each of them."""
        if self.matrices[0].quantised:
            x = in_int8(x)
        return [matrix.times(x) for matrix in self.matrices]


def in_int8(x: Tensor) -> Tensor:
    """Round every row of `[..., n]` to 256 steps of its own, from its least to its largest."""
    ops = torch.ops.quantized_decomposed
    scale, zero = ops.choose_qparams_per_token_asymmetric(x, torch.int8)
    x = ops.quantize_per_token(x, scale, zero, -128, 127, torch.int8)
    rounded: Tensor = ops.dequantize_per_token(x, scale, zero, -128, 127, torch.int8, torch.float32)
    return rounded


class Norm(nn.Module):
    """`gain * x / sqrt(mean(x ** 2) + eps)` over the last dimension, of size `n`.

    The mean square is a product with a row of 1/n, its epsilon the bias. With `within`, these gains
    `[n]` are in x already, from the matrix that made it: `x / sqrt(mean((x / within)**2) + eps)`.
    """

    def __init__(self, n: int, eps: float, gain: float = 1.0, within: Tensor | None = None) -> None:
        super().__init__()
        mean = torch.full((1, n), 1 / (n * gain**2))
        self.register_buffer("mean", mean if within is None else mean / within**2)
        self.register_buffer("eps", torch.full((1,), eps / gain**2))

    def forward(self, x: Tensor) -> Tensor:
        """Norm each of `[..., n]`."""
        return x * torch.rsqrt(functional.linear(x * x, self.mean, self.eps))


def folded(gain: Tensor) -> Tensor:
    """Return gains that can be divided by."""
    return torch.where(gain.abs() < TINY_GAIN, TINY_GAIN, gain)


def with_ones(values: Tensor, kv: int) -> tuple[Tensor, Tensor]:
    """Give each key head's values `[kv * d, D]` a row that is always 1: no weight, a bias of 1.

    Returns the matrix `[kv * (d + 1), D]` and its bias. Probabilities times such values bring their
    own sum along.
    """
    d = len(values) // kv
    rows = functional.pad(values.view(kv, d, -1), (0, 0, 0, 1)).flatten(0, 1)
    return rows, functional.pad(torch.zeros(kv, d), (0, 1), value=1.0).flatten()


def quarter_turn(d: int) -> Tensor:
    """Return the matrix of (a, b) -> (-b, a) on the halves of a head."""
    eye = torch.eye(d // 2)
    zero = torch.zeros_like(eye)
    return torch.cat([torch.cat([zero, -eye], 1), torch.cat([eye, zero], 1)])


def turns(positions: int, d: int, theta: float) -> tuple[Tensor, Tensor]:
    """Return cos and sin of every position from 0, `[positions, 1, d]`."""
    exponents = torch.arange(0, d, 2).float() / d
    angles = torch.outer(torch.arange(positions).float(), 1.0 / theta**exponents)
    angles = torch.cat([angles, angles], 1).unsqueeze(1)
    return angles.cos().contiguous(), angles.sin().contiguous()


def slots_of(positions: Tensor, ring: int, written: tuple[Tensor, Tensor]) -> Slots:
    """Return where in a ring the rows of i64 `[T]` belong: for keys `[kv, …]`, values `[n, d, …]`.

    Each row of keys and of values has the slots for itself, i64 `[kv, T]` and `[n * d, T]`; they
    are the same in all layers.
    """
    keys, values = written
    slots = (positions % ring).view(1, -1)
    of_keys = slots.expand(keys.shape[0], slots.shape[1])
    of_values = slots.expand(values.shape[0] * values.shape[1], slots.shape[1])
    return of_keys.contiguous(), of_values.contiguous()
