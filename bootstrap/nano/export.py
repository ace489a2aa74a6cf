"""`python -m bootstrap.nano.export`: from the checkpoints to the program that the worker runs.

    python -m bootstrap.nano.export [--checkpoint DIR] [--draft DIR] [--out DIR]

Reads the safetensors of the model and of its draft, lowers them (see `lowering`), writes
`muse-nano.pte` and the vision tower's position table `pos_embed.bin`, and enters the size and hash
of every shipped file in the folder's `manifest.json`, with the facts of the training runs; the
manifest's other keys stay as they are. The same checkpoints and versions give the same bytes.

Needs torch 2.13.0, executorch 1.5.1 and safetensors; takes about two minutes on one core.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bootstrap.nano.configuration import (
    CHECKPOINT,
    DRAFT,
    DRAFT_CHECKPOINT,
    NANO,
    SHIPPED,
    VISION,
    DraftConfiguration,
)
from playground.worker.model_directory import MANIFEST, record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from torch import Tensor

__all__ = ["ARTIFACT", "export", "main", "read_checkpoint"]

ARTIFACT = "muse-nano.pte"
POSITIONS = "pos_embed.bin"
POSITION_TABLE = "model.vision_tower.patch_embedder.position_embedding_table.weight"
DEFAULTS = {"temperature": 1.0, "top_p": 0.95, "top_k": 64, "reasoning_strength": "high"}
SHIPPED_FILES = (ARTIFACT, "tokenizer.json", "chat_template.jinja", POSITIONS)


def main(argv: Sequence[str]) -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="bootstrap.nano.export", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--checkpoint", type=Path, default=CHECKPOINT)
    parser.add_argument("--draft", type=Path, default=DRAFT_CHECKPOINT)
    parser.add_argument("--out", type=Path, default=SHIPPED)
    options = parser.parse_args(argv)
    size = export(options.checkpoint, options.draft, options.out)
    print(f"{options.out / ARTIFACT}: {size / 1e6:.1f} MB")
    return 0


def export(checkpoint: Path, draft: Path, out: Path) -> int:
    """Lower both into `out` and keep the manifest; returns the program's size in bytes."""
    warnings.filterwarnings("ignore")  # the exporter warns of its own future, a page of it
    logging.getLogger().setLevel(logging.ERROR)
    from bootstrap.nano.lowering import lower  # noqa: PLC0415  (torch and executorch, seconds)

    weights = read_checkpoint(checkpoint)
    proposer = read_checkpoint(draft), read_draft_configuration(draft)
    program = lower(weights, draft=proposer, vision=VISION)
    positions = weights[POSITION_TABLE].float().numpy().astype("<f4").tobytes()
    out.mkdir(parents=True, exist_ok=True)
    for name, data in ((ARTIFACT, program), (POSITIONS, positions)):
        fresh = out / f"{name}.new"
        fresh.write_bytes(data)
        fresh.replace(out / name)  # a process that has the old one mapped keeps it
    _write_manifest(out, checkpoint, draft)
    return len(program)


def read_checkpoint(folder: Path) -> Mapping[str, Tensor]:
    """Read every tensor of a checkpoint in Hugging Face's layout, by transformers' name."""
    from safetensors.torch import load_file  # noqa: PLC0415  (the recipe's, not the product's)

    shards = sorted(folder.glob("*.safetensors"))
    if not shards:
        sys.exit(f"{folder} has no *.safetensors: train first, or say where they are")
    return {name: tensor for shard in shards for name, tensor in load_file(shard).items()}


def read_draft_configuration(folder: Path) -> DraftConfiguration:
    """Read what a draft's checkpoint says of itself: which layers it taps, and how many it has."""
    said = json.loads((folder / "config.json").read_bytes())
    names = ("block_size", "num_hidden_layers", "intermediate_size", "sliding_window")
    sizes = {name: int(said[name]) for name in names}
    return replace(DRAFT, target_layer_ids=tuple(said["target_layer_ids"]), **sizes)


def _write_manifest(out: Path, checkpoint: Path, draft: Path) -> None:
    path = out / MANIFEST
    manifest: dict[str, Any] = json.loads(path.read_bytes()) if path.exists() else _fresh()
    for key, facts in (
        ("recipe", checkpoint / "training.json"),
        ("draft_recipe", draft / "draft.json"),
    ):
        if facts.exists():
            manifest[key] = json.loads(facts.read_bytes())
    manifest.setdefault("defaults", dict(DEFAULTS))
    present = [name for name in SHIPPED_FILES if (out / name).exists()]
    manifest["files"] = {name: record(out / name).to_json() for name in present}
    path.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")


def _fresh() -> dict[str, Any]:
    """Return what a manifest says before the recipe adds where the weights came from."""
    return {
        "schema": 1,
        "model_id": "muse-nano",
        "name": "Muse Nano",
        "artifact": ARTIFACT,
        "tokenizer": "tokenizer.json",
        "chat_template": "chat_template.jinja",
        "pos_embed": POSITIONS,
        "image_wrapped": False,
        "bos": "<|begin_of_text|>",
        "eos": ["<|eot|>", "<|end_of_text|>"],
        "context_length": NANO.max_position_embeddings,
        "parameters": NANO.parameters,
        "licence": "BSD-3-Clause",
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
