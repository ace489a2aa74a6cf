"""How is Nano's network built, run over packed rows, saved and loaded?

The modules are transformers' own. Only the loop over the layers is written here, so that packed
rows can bring their own attention masks, and the outputs of single layers can be had.
"""

# ruff: noqa: PLC0415  (transformers takes seconds to import, and only building needs it)

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import torch

from bootstrap.nano.attention import PACKED, register
from bootstrap.nano.configuration import NANO, glimmer_configuration

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from torch import Tensor

    from bootstrap.nano.attention import Masks

__all__ = ["build", "embedded", "hidden_states", "load", "logits", "save", "tapped", "text_layer"]

_BOS = NANO.control("<|begin_of_text|>")
_SHARD = "14MB"


def build(seed: int) -> Any:  # noqa: ANN401
    """A `MuseGlimmerForConditionalGeneration` with freshly drawn float32 weights."""
    from transformers import MuseGlimmerForConditionalGeneration

    register()
    torch.manual_seed(seed)
    return MuseGlimmerForConditionalGeneration(glimmer_configuration())


def embedded(
    model: Any,  # noqa: ANN401
    ids: Tensor,
    soft: Tensor | None = None,
    cells: Tensor | None = None,
) -> Tensor:
    """Embeddings `[B, T, hidden]` of `ids[B, T]`.

    Row n of `soft` takes the place of flat token number `cells[n]`; rows with B * T there go
    nowhere.
    """
    x = model.model.language_model.embed_tokens(ids)
    if soft is None or cells is None:
        return x
    flat = torch.cat([x.flatten(0, 1), x.new_zeros(1, x.shape[-1])])
    return flat.index_put((cells,), soft.to(x.dtype))[:-1].view_as(x)


def text_layer(layer: Any, x: Tensor, mask: Any, rotation: tuple[Tensor, Tensor] | None) -> Tensor:  # noqa: ANN401
    """One layer of the text model."""
    out: Tensor = layer(x, attention_mask=mask, position_embeddings=rotation)
    return out


def tapped(
    model: Any,  # noqa: ANN401
    x: Tensor,
    masks: Masks,
    layers: Sequence[int] = (),
    run: Callable[..., Tensor] = text_layer,
) -> tuple[Tensor, list[Tensor]]:
    """The text model over embeddings, after the last norm, and the outputs of some `layers`.

    `run` is `text_layer`, compiled or not.
    """
    text = model.model.language_model
    text.config._attn_implementation = PACKED  # noqa: SLF001
    positions = torch.arange(x.shape[1], device=x.device)[None]
    rotation = text.rotary_emb(x, positions)
    taps = []
    for index, layer in enumerate(text.layers):
        everywhere = NANO.is_global(index)
        mask = masks["full_attention" if everywhere else "sliding_attention"]
        x = run(layer, x, mask, None if everywhere else rotation)
        if index in layers:
            taps.append(x)
    return text.norm(x), taps


def hidden_states(
    model: Any,  # noqa: ANN401
    ids: Tensor,
    masks: Masks,
    soft: Tensor | None = None,
    cells: Tensor | None = None,
) -> Tensor:
    """The text model over `ids[B, T]`, after the last norm: `[B, T, hidden]`; see `embedded`."""
    return tapped(model, embedded(model, ids, soft, cells), masks)[0]


def logits(model: Any, hidden: Tensor) -> Tensor:  # noqa: ANN401
    """Float32 logits, scaled and capped as the architecture says."""
    raw = model.lm_head(hidden).float()
    cap = NANO.final_logit_softcapping
    return cap * torch.tanh(raw * (NANO.output_multiplier / cap))


def save(model: Any, folder: Path) -> None:  # noqa: ANN401
    """Write the checkpoint in Hugging Face layout: bfloat16 shards under 16 MiB."""
    model.config.text_config._attn_implementation = None  # noqa: SLF001
    model.save_pretrained(folder, max_shard_size=_SHARD)
    eos = [NANO.control("<|eot|>"), NANO.control("<|end_of_text|>")]
    generation = {"bos_token_id": _BOS, "eos_token_id": eos, "do_sample": False}
    (folder / "generation_config.json").write_text(json.dumps(generation, indent=2) + "\n")


def load(folder: Path, dtype: torch.dtype = torch.float32) -> Any:  # noqa: ANN401
    """The checkpoint that `save` wrote."""
    from transformers import MuseGlimmerForConditionalGeneration

    register()
    return MuseGlimmerForConditionalGeneration.from_pretrained(folder, dtype=dtype).eval()
