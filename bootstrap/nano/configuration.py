"""How large is Muse Nano, and where is it kept?

Muse Nano is transformers' own `muse_glimmer` with small numbers. What the publisher fixed for the
architecture (softcap 20, output multiplier 1/sqrt(26), query gain 3.87, norm epsilons, RoPE base
5e5, a global layer without positions every fourth layer counted from the end, an untied head) is
kept as it is; only widths, depth, window and vocabulary shrink.

The numbers here are the single source: the tokenizer, the training, the lowering and the manifest
read them. This module needs nothing but the standard library; `glimmer_configuration` imports
transformers when called.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = [
    "CHECKPOINT",
    "CONTROL_TOKENS",
    "NANO",
    "SHIPPED",
    "NanoConfiguration",
    "glimmer_configuration",
]

ROOT = Path(__file__).resolve().parents[2]
CHECKPOINT = ROOT / "bootstrap" / "nano" / "checkpoint"
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


NANO = NanoConfiguration()


def glimmer_configuration(nano: NanoConfiguration = NANO) -> Any:  # noqa: ANN401
    """Transformers' `MuseGlimmerConfig` for `nano`.

    The class insists on a vision tower, so it gets the smallest that it accepts; Nano has never
    seen an image, and the tower's numbers are as they were drawn.
    """
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
            "hidden_size": 16,
            "intermediate_size": 32,
            "num_hidden_layers": 1,
            "num_attention_heads": 1,
            "pos_emb_height": 2,
            "pos_emb_width": 2,
            "max_position_embeddings": 4,
        },
        image_token_id=nano.control("<|patch|>"),
        video_token_id=nano.control("<|video|>"),
        out_hidden_size=64,
        projector_hidden_size=16,
        tie_word_embeddings=False,
    )
