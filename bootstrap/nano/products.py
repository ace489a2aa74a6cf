"""What would a step cost if it were nothing but its weights' products?

`lower_products` makes a program of all matrices of the text model, one after the other, int8 as the
model has them and in XNNPACK as well: the floor under the time of a step. What the matrices hold
does not matter for time, so they are drawn.
"""

from __future__ import annotations

import torch
from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower
from torch import Tensor, nn

from bootstrap.nano.configuration import NANO, NanoConfiguration
from bootstrap.nano.lowered_layers import Matrix
from bootstrap.nano.xnnpack import partitioner

__all__ = ["lower_products"]


class Products(nn.Module):
    """Each matrix takes a part of what the one before it made."""

    def __init__(self, nano: NanoConfiguration) -> None:
        super().__init__()
        self.shapes = shapes(nano)
        self.matrices = nn.ModuleList(
            Matrix(torch.randn(out, into), quantised=True) for into, out in self.shapes
        )

    def forward(self, x: Tensor) -> Tensor:
        """Map `[T, hidden_size]` to `[T, vocab_size]`."""
        for (into, _), matrix in zip(self.shapes, self.matrices, strict=True):
            x = matrix(x[:, :into])
        return x


def shapes(nano: NanoConfiguration) -> list[tuple[int, int]]:
    """Inputs and outputs of every matrix."""
    width = nano.hidden_size
    queries = nano.num_attention_heads * nano.head_dim
    keys = nano.num_key_value_heads * nano.head_dim
    layer = [
        (width, 2 * queries + 2 * keys),
        (queries, width),
        (width, 2 * nano.intermediate_size),
        (nano.intermediate_size, width),
    ]
    return layer * nano.num_hidden_layers + [(width, nano.vocab_size)]


def lower_products(nano: NanoConfiguration = NANO, most_rows: int = 64) -> bytes:
    """Return a `.pte` whose `forward` maps f32 `[1..most_rows, hidden_size]`."""
    rows = torch.export.Dim("rows", min=1, max=most_rows)
    example = (torch.zeros(2, nano.hidden_size),)
    exported = torch.export.export(Products(nano), example, dynamic_shapes=({0: rows},))
    edge = to_edge_transform_and_lower(
        exported,
        partitioner=[partitioner()],
        compile_config=EdgeCompileConfig(_check_ir_validity=False, _skip_dim_order=True),
    )
    return bytes(edge.to_executorch().buffer)
