"""`lower`: from the tensors of a checkpoint to the bytes of a `.pte`.

Without a draft the program has `embed_text` and `forward_from_embeddings`; with one, `embed_text`,
`target_forward_from_embeddings`, `target_prefill_from_embeddings` and `draft_forward`; with a
vision tower also `vision_encoder`. How each is computed is told where it is: `target_lowering`,
`draft_lowering`, `vision_lowering`. Methods share their constants in the file and their caches in
memory, but XNNPACK packs the matrices of each method for itself: the prefill, which spares a chunk
the head over all its rows, costs as many bytes of memory as the target has parameters.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import torch
from executorch.exir import (
    EdgeCompileConfig,
    ExecutorchBackendConfig,
    to_edge_transform_and_lower,
)
from executorch.exir.passes import MemoryPlanningPass
from executorch.extension.llm.custom_ops import custom_ops as _custom_ops  # noqa: F401

from bootstrap.nano.configuration import NANO
from bootstrap.nano.draft_lowering import DraftProgram
from bootstrap.nano.lowered_layers import AS_SHIPPED
from bootstrap.nano.target_lowering import EmbedText, NanoProgram, TargetPrefill, TargetProgram
from bootstrap.nano.vision_lowering import VisionProgram
from bootstrap.nano.xnnpack import partitioner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import Tensor

    from bootstrap.nano.configuration import (
        DraftConfiguration,
        NanoConfiguration,
        VisionConfiguration,
    )
    from bootstrap.nano.lowered_layers import Lowering

    Tensors = Mapping[str, Tensor]

__all__ = ["lower"]

ROW_DIMENSION = 1  # of every cache: the one that counts tokens
EXAMPLE = 8  # tokens of the inputs that the methods are traced with


def lower(
    weights: Tensors,
    nano: NanoConfiguration = NANO,
    how: Lowering = AS_SHIPPED,
    *,
    draft: tuple[Tensors, DraftConfiguration] | None = None,
    vision: VisionConfiguration | None = None,
) -> bytes:
    """Lower a checkpoint's tensors (transformers' names) to the bytes of a `.pte`.

    `draft` brings the tensors of the draft's own checkpoint; the tower's are among `weights`.
    """
    values = constants(nano, how)
    with torch.no_grad():
        if draft is None:
            methods, caches = solo(NanoProgram(weights, nano, how), how)
        else:
            methods, caches = speculative(weights, nano, how, *draft)
            values |= draft_constants(nano, how, draft[1])
        if vision is not None:
            methods["vision_encoder"] = vision_encoder(weights, vision, how)
            values |= vision_constants(vision)
    values["get_mutable_buffer_metadata"] = json.dumps(
        {"version": 1, "mutable_buffers": caches, "row_dimension": ROW_DIMENSION}
    )
    edge = to_edge_transform_and_lower(
        methods,
        partitioner=[partitioner()],
        constant_methods=values,
        compile_config=EdgeCompileConfig(_check_ir_validity=False, _skip_dim_order=True),
    )
    program = edge.to_executorch(
        ExecutorchBackendConfig(
            emit_mutable_buffer_names=True,
            memory_planning_pass=MemoryPlanningPass(
                alloc_graph_input=False, share_mutable_buffers=True
            ),
        )
    )
    return bytes(program.buffer)


def solo(program: NanoProgram, how: Lowering) -> tuple[dict[str, Any], list[str]]:
    """Export the text model alone: methods and names of caches."""
    methods = {
        "embed_text": exported_embedding(program, how),
        "forward_from_embeddings": exported_target(program, how),
    }
    return methods, program.cache_names


def speculative(
    weights: Tensors,
    nano: NanoConfiguration,
    how: Lowering,
    draft_weights: Tensors,
    draft: DraftConfiguration,
) -> tuple[dict[str, Any], list[str]]:
    """Export the text model and its draft: methods and names of caches."""
    target = TargetProgram(weights, nano, how, draft.target_layer_ids)
    prefill = TargetPrefill(weights, nano, how, draft.target_layer_ids)
    proposer = DraftProgram(draft_weights, draft, target, weights, nano, how).eval()
    rows = torch.export.Dim("rows", min=1, max=proposer.ring)
    width = len(draft.target_layer_ids) * nano.hidden_size
    methods = {
        "embed_text": exported_embedding(target, how),
        "target_forward_from_embeddings": exported_target(target, how),
        "target_prefill_from_embeddings": exported_target(prefill, how),
        "draft_forward": torch.export.export(
            proposer,
            (
                torch.zeros(1, draft.block_size, dtype=torch.int64),
                torch.zeros(1, EXAMPLE, width),
                torch.zeros(1, dtype=torch.int64),
            ),
            dynamic_shapes=({}, {1: rows}, {}),
        ),
    }
    return methods, target.cache_names + proposer.cache_names


def exported_embedding(program: NanoProgram, how: Lowering) -> Any:  # noqa: ANN401
    """Export `embed_text`."""
    tokens = torch.export.Dim("tokens", min=1, max=how.max_prefill_chunk)
    example = torch.zeros(1, EXAMPLE, dtype=torch.int64)
    return torch.export.export(EmbedText(program), (example,), dynamic_shapes=({1: tokens},))


def exported_target(program: NanoProgram, how: Lowering) -> Any:  # noqa: ANN401
    """Export the model from embeddings to logits."""
    tokens = torch.export.Dim("tokens", min=1, max=how.max_prefill_chunk)
    example = torch.zeros(1, EXAMPLE, program.width), torch.arange(EXAMPLE)
    return torch.export.export(program.eval(), example, dynamic_shapes=({1: tokens}, {0: tokens}))


def vision_encoder(weights: Tensors, vision: VisionConfiguration, how: Lowering) -> Any:  # noqa: ANN401
    """Export the vision tower; the number of patches is a multiple of a cell's."""
    cell = vision.merge_size**2
    patches = cell * torch.export.Dim("cells", min=1, max=vision.most_cells)
    program = VisionProgram(weights, vision, how).eval()
    return torch.export.export(
        program,
        program.example(2 * cell),
        dynamic_shapes=(
            {1: patches},
            {1: patches},
            {0: patches},
            {0: patches},
            {0: patches},
            {0: patches},
            {2: patches, 3: patches},
            {2: patches, 3: patches},
            {0: patches},
        ),
    )


def constants(nano: NanoConfiguration, how: Lowering) -> dict[str, Any]:
    """Return the constant methods of every program, the caches' names apart: name to value."""
    return {
        "get_max_seq_len": nano.max_position_embeddings,
        "get_max_context_len": nano.max_position_embeddings,
        "get_vocab_size": nano.vocab_size,
        "get_max_prefill_chunk": how.max_prefill_chunk,
        "get_max_rewind": how.max_rewind,  # ours: how far a session may step back
        "get_sliding_window": nano.sliding_window,  # ours
        "get_activation_dtype": "float32",
        "use_kv_cache": 1,
        "use_sdpa_with_kv_cache": 0,
        "enable_dynamic_shape": 1,
        "use_sampling": False,
        "has_vision_encoder": False,
    }


def draft_constants(
    nano: NanoConfiguration, how: Lowering, draft: DraftConfiguration
) -> dict[str, Any]:
    """Return what a speculative program says besides."""
    return {
        "get_block_size": draft.block_size,
        "get_mask_token_id": nano.control("<|mask|>"),
        "get_n_target_layers": len(draft.target_layer_ids),
        "get_draft_sliding_window": draft.sliding_window,
        "get_max_draft_prefill_chunk": draft.sliding_window + how.max_rewind,
        "get_min_target_prefill_chunk": draft.block_size + 1,
        "get_max_target_prefill_chunk": how.max_prefill_chunk,
    }


def vision_constants(vision: VisionConfiguration) -> dict[str, Any]:
    """Return what a program with a vision tower says besides."""
    return {
        "has_vision_encoder": True,
        "get_vision_hidden_size": vision.hidden_size,
        "get_max_vision_patches": vision.most_patches,
    }
