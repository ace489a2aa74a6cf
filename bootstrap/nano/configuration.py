"""How large is Muse Nano, and where is it kept?

Muse Nano is transformers' own `muse_glimmer` with small numbers. What the publisher fixed for the
architecture (softcap 20, output multiplier 1/sqrt(26), query gain 3.87, norm epsilons, RoPE base
5e5, a global layer without positions every fourth layer counted from the end, an untied head) is
kept as it is; only widths, depth, window and vocabulary shrink.

The same goes for the vision tower, and for the draft (`muse_glimmer_assistant`).
The numbers here are the single source: the tokenizer, the training, the lowering and the manifest
read them. This module needs nothing but the standard library; `glimmer_configuration` and
`assistant_configuration` import transformers when called.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = [
    "CHECKPOINT",
    "CONTROL_TOKENS",
    "DRAFT",
    "DRAFT_CHECKPOINT",
    "NANO",
    "SHIPPED",
    "VISION",
    "DraftConfiguration",
    "NanoConfiguration",
    "VisionConfiguration",
    "assistant_configuration",
    "glimmer_configuration",
]

ROOT = Path(__file__).resolve().parents[2]
CHECKPOINT = ROOT / "bootstrap" / "nano" / "checkpoint"
DRAFT_CHECKPOINT = ROOT / "bootstrap" / "nano" / "draft"
SHIPPED = ROOT / "playground" / "models" / "muse-nano"

# The names are Muse's own where it has one. They take the last ids of the vocabulary, in this
# order; every consumer looks them up by name.
CONTROL_TOKENS = (
    "<|begin_of_text|>",
    "<|end_of_text|>",
    "<|eom|>",
    "<|eot|>",
    "<|start|>",
    "<|message|>",
    "<|image_start|>",
    "<|image_end|>",
    "<|patch|>",
    "<|video|>",
    "<|pad|>",
    "<|mask|>",  # what DFlash drafts stand on
    "<|reserved_0|>",
    "<|reserved_1|>",
    "<|reserved_2|>",
    "<|reserved_3|>",
)


@dataclass(frozen=True)
class NanoConfiguration:
    """The sizes of the model; the fields carry transformers' names."""

    vocab_size: int = 4096
    hidden_size: int = 384
    intermediate_size: int = 1024
    num_hidden_layers: int = 8
    num_attention_heads: int = 6
    num_key_value_heads: int = 2
    head_dim: int = 64
    sliding_window: int = 256
    max_position_embeddings: int = 2048
    rope_theta: float = 500_000.0
    rms_norm_eps: float = 1e-5
    post_norm_eps: float = 1e-8
    final_logit_softcapping: float = 20.0
    output_multiplier: float = 0.19611613513818404
    qk_scale_factor: float = 3.87

    def is_global(self, layer: int) -> bool:
        """Whether `layer` sees the whole context, without positions."""
        return (self.num_hidden_layers - 1 - layer) % 4 == 0

    def control(self, name: str) -> int:
        """The id of a control token in Nano's own vocabulary."""
        return self.vocab_size - len(CONTROL_TOKENS) + CONTROL_TOKENS.index(name)

    @property
    def parameters(self) -> int:
        """How many numbers the text model has, embedding and head included."""
        queries = self.num_attention_heads * self.head_dim
        keys = self.num_key_value_heads * self.head_dim
        attention = self.hidden_size * (3 * queries + 2 * keys)  # q, gate, o and k, v
        feed_forward = 3 * self.hidden_size * self.intermediate_size
        layer = attention + feed_forward + 4 * self.hidden_size
        ends = 2 * self.vocab_size * self.hidden_size + self.hidden_size
        return self.num_hidden_layers * layer + ends


@dataclass(frozen=True)
class VisionConfiguration:
    """The sizes of the vision tower and of what joins it to the text model.

    A patch is `patch_size` pixels square; `merge_size` x `merge_size` patches make a cell, which
    takes the place of one `<|patch|>`. Every patch sees every other of its picture.
    """

    patch_size: int = 14
    patch_temporal: int = 2
    merge_size: int = 2
    hidden_size: int = 192
    intermediate_size: int = 768
    num_hidden_layers: int = 4
    num_attention_heads: int = 4
    table_side: int = 16  # of the square table of learned positions
    projector_hidden_size: int = 384
    most_cells: int = 64  # of one picture; larger pictures are shrunk

    @property
    def most_patches(self) -> int:
        """How many patches the largest picture has."""
        return self.most_cells * self.merge_size**2


@dataclass(frozen=True)
class DraftConfiguration:
    """The sizes of the draft; the fields carry transformers' names.

    `target_layer_ids` are the layers of the target whose outputs the draft reads.
    """

    block_size: int = 4  # the last known token and three masks
    num_hidden_layers: int = 2
    num_attention_heads: int = 6
    num_key_value_heads: int = 2
    head_dim: int = 64
    intermediate_size: int = 1024
    sliding_window: int = 256
    target_layer_ids: tuple[int, ...] = (3, 6)


NANO = NanoConfiguration()
VISION = VisionConfiguration()
DRAFT = DraftConfiguration()


def glimmer_configuration(
    nano: NanoConfiguration = NANO, vision: VisionConfiguration = VISION
) -> Any:  # noqa: ANN401
    """Transformers' `MuseGlimmerConfig` for these sizes."""
    from transformers import MuseGlimmerConfig  # noqa: PLC0415  (the recipe's, not the product's)

    return MuseGlimmerConfig(
        text_config={
            "model_type": "muse_glimmer_text",
            "vocab_size": nano.vocab_size,
            "hidden_size": nano.hidden_size,
            "intermediate_size": nano.intermediate_size,
            "num_hidden_layers": nano.num_hidden_layers,
            "num_attention_heads": nano.num_attention_heads,
            "num_key_value_heads": nano.num_key_value_heads,
            "head_dim": nano.head_dim,
            "sliding_window": nano.sliding_window,
            "max_position_embeddings": nano.max_position_embeddings,
            "rope_parameters": {"rope_type": "default", "rope_theta": nano.rope_theta},
            "rms_norm_eps": nano.rms_norm_eps,
            "post_norm_eps": nano.post_norm_eps,
            "final_logit_softcapping": nano.final_logit_softcapping,
            "output_multiplier": nano.output_multiplier,
            "qk_scale_factor": nano.qk_scale_factor,
            "tie_word_embeddings": False,
            "bos_token_id": nano.control("<|begin_of_text|>"),
            "eos_token_id": [nano.control("<|eot|>"), nano.control("<|end_of_text|>")],
            "pad_token_id": nano.control("<|pad|>"),
        },
        vision_config={
            "model_type": "muse_glimmer_vision",
            "patch_size": vision.patch_size,
            "patch_temporal": vision.patch_temporal,
            "merge_size": vision.merge_size,
            "hidden_size": vision.hidden_size,
            "intermediate_size": vision.intermediate_size,
            "num_hidden_layers": vision.num_hidden_layers,
            "num_attention_heads": vision.num_attention_heads,
            "pos_emb_height": vision.table_side,
            "pos_emb_width": vision.table_side,
            "max_position_embeddings": vision.table_side**2,
            "layer_types": ["full_attention"] * vision.num_hidden_layers,
        },
        image_token_id=nano.control("<|patch|>"),
        video_token_id=nano.control("<|video|>"),
        out_hidden_size=vision.hidden_size * vision.merge_size**2,
        projector_hidden_size=vision.projector_hidden_size,
        tie_word_embeddings=False,
    )


def assistant_configuration(
    draft: DraftConfiguration = DRAFT, nano: NanoConfiguration = NANO
) -> Any:  # noqa: ANN401
    """Transformers' `MuseGlimmerAssistantConfig` for a draft of the target `nano`."""
    from transformers import MuseGlimmerAssistantConfig  # noqa: PLC0415  (as above)

    return MuseGlimmerAssistantConfig(
        hidden_size=nano.hidden_size,
        intermediate_size=draft.intermediate_size,
        num_hidden_layers=draft.num_hidden_layers,
        num_attention_heads=draft.num_attention_heads,
        num_key_value_heads=draft.num_key_value_heads,
        head_dim=draft.head_dim,
        sliding_window=draft.sliding_window,
        rms_norm_eps=nano.rms_norm_eps,
        rope_parameters={"rope_type": "default", "rope_theta": nano.rope_theta},
        max_position_embeddings=nano.max_position_embeddings,
        block_size=draft.block_size,
        mask_token_id=nano.control("<|mask|>"),
        target_layer_ids=list(draft.target_layer_ids),
        bos_token_id=nano.control("<|begin_of_text|>"),
        eos_token_id=nano.control("<|eot|>"),
        pad_token_id=nano.control("<|pad|>"),
    )
