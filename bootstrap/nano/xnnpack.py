"""Which operations may XNNPACK take that ExecuTorch's stock partitioner leaves behind?

A step of the model is one XNNPACK call when every operation between the embeddings and the logits
goes into it; each one left behind splits the call and costs copies. The stock rules refuse three
things that XNNPACK itself can do, and take one that is better left outside:

- a dimension whose size is read from data (`pos[0].item()`): refused in case it were empty. Ours
  are bounded from below by `torch._check`, so they pass.
- a slice of a tensor with any dynamic dimension. XNNPACK's static slice treats size 0 as "all of
  this dimension", so only the sliced dimension has to be known.
- a view of a cache: taken, and then it is a copy of the whole cache. Left outside, ExecuTorch
  turns it into another name for the same memory.

`partitioner()` gives the stock partitioner with these rules. Calling it replaces, in this process,
how a slice is written for XNNPACK; a slice of a static tensor comes out as before.
"""

from __future__ import annotations

from typing import Any

import torch
from executorch.backends.xnnpack.operators.node_visitor import NodeVisitor, register_node_visitor
from executorch.backends.xnnpack.partition.config import ALL_PARTITIONER_CONFIGS
from executorch.backends.xnnpack.partition.config.generic_node_configs import (
    SliceCopyConfig,
    ViewCopyConfig,
)
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.serialization.xnnpack_graph_schema import XNNStaticSlice, XNode
from torch.fx.experimental.symbolic_shapes import has_free_unbacked_symbols

__all__ = ["partitioner"]

WHOLE_DIMENSION = 0  # as a size in XNNPACK's static slice


def partitioner() -> XnnpackPartitioner:
    """Return XNNPACK's partitioner with the rules of this module."""
    register_node_visitor(SliceWriter)
    return XnnpackPartitioner(configs=[_with_our_rules(rule) for rule in ALL_PARTITIONER_CONFIGS])


def _with_our_rules(rule: type) -> type:
    ours = {SliceCopyConfig: OneStaticDimensionSlice, ViewCopyConfig: ViewOfComputed}
    return type(rule.__name__, (SizesFromData, ours.get(rule, rule)), {})


class SizesFromData:
    """Float operations may have dimensions whose size is read from data."""

    def _check_inputs_are_valid_dtypes(self, node: torch.fx.Node, valid: set[torch.dtype]) -> bool:
        values = [argument.meta.get("val") for argument in node.all_input_nodes]
        tensors = [value for value in values if isinstance(value, torch.Tensor)]
        if not any(has_free_unbacked_symbols(tensor) for tensor in tensors):
            return bool(super()._check_inputs_are_valid_dtypes(node, valid))  # type: ignore[misc]
        dtypes = {tensor.dtype for tensor in tensors}
        return len(tensors) == len(values) and len(dtypes) == 1 and dtypes <= valid


class OneStaticDimensionSlice(SliceCopyConfig):
    """A slice needs a known size in the dimension it cuts, and in no other."""

    def check_constraints(self, node: torch.fx.Node, ep: Any) -> bool:  # noqa: ANN401
        source, *cut = node.args
        size = source.meta["val"].shape[cut[0]]
        known = isinstance(size, int) and all(isinstance(bound, int) for bound in cut)
        return known and len(cut) < 4 and self.check_common_constraints(node, ep)


class ViewOfComputed(ViewCopyConfig):
    """A view of an input or a buffer stays outside, where it costs nothing."""

    def check_constraints(self, node: torch.fx.Node, ep: Any) -> bool:  # noqa: ANN401
        return node.args[0].op != "placeholder" and bool(super().check_constraints(node, ep))


class SliceWriter(NodeVisitor):
    """Write a slice with `WHOLE_DIMENSION` for every dimension that is not cut."""

    target = "aten.slice_copy.Tensor"

    def define_node(
        self,
        node: torch.fx.Node,
        xnn_graph: Any,  # noqa: ANN401
        vals_to_ids: dict[torch.fx.Node, int],
        debug_handle: int,
    ) -> None:
        """Append the slice to `xnn_graph`."""
        self.define_nodes_tensor_inputs_outputs(node, xnn_graph, vals_to_ids)
        source, dimension, *bounds = node.args
        shape = node.meta["val"].shape
        offsets = [0] * len(shape)
        sizes = [WHOLE_DIMENSION] * len(shape)
        begin = int(bounds[0] or 0) if bounds else 0
        offsets[dimension] = begin if begin >= 0 else begin + source.meta["val"].shape[dimension]
        sizes[dimension] = int(shape[dimension])
        cut = XNNStaticSlice(
            num_dims=len(shape),
            offsets=offsets,
            sizes=sizes,
            input_id=vals_to_ids[source],
            output_id=vals_to_ids[node],
            flags=0,
        )
        xnn_graph.xnodes.append(XNode(xnode_union=cut, debug_handle=debug_handle))
