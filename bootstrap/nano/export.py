"""`python -m bootstrap.nano.export`: from the checkpoint to the program that the worker runs.

    python -m bootstrap.nano.export [--checkpoint DIR] [--out DIR]

Reads the safetensors shards, lowers them (see `lowering`), writes `muse-nano.pte` and enters the
size and hash of every shipped file in the folder's `manifest.json`, with the facts of the training
run; the manifest's other keys stay as they are. The same checkpoint and versions give the same
bytes.

Needs torch 2.13.0, executorch 1.5.1 and safetensors; takes about a minute and a half on one core.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bootstrap.nano.configuration import CHECKPOINT, NANO, SHIPPED
from playground.worker.model_directory import MANIFEST, record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from torch import Tensor

__all__ = ["export", "main", "read_checkpoint"]

ARTIFACT = "muse-nano.pte"
DEFAULTS = {"temperature": 0.0, "top_p": 1.0, "top_k": 0, "reasoning_strength": "high"}
SHIPPED_FILES = (ARTIFACT, "tokenizer.json", "chat_template.jinja")


def main(argv: Sequence[str]) -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="bootstrap.nano.export", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--checkpoint", type=Path, default=CHECKPOINT)
    parser.add_argument("--out", type=Path, default=SHIPPED)
    options = parser.parse_args(argv)
    size = export(options.checkpoint, options.out)
    print(f"{options.out / ARTIFACT}: {size / 1e6:.1f} MB")
    return 0


def export(checkpoint: Path, out: Path) -> int:
    """Lower `checkpoint` into `out` and keep the manifest; returns the program's size in bytes."""
    warnings.filterwarnings("ignore")  # the exporter warns of its own future, a page of it
    logging.getLogger().setLevel(logging.ERROR)
    from bootstrap.nano.lowering import lower  # noqa: PLC0415  (torch and executorch, seconds)

    program = lower(read_checkpoint(checkpoint))
    out.mkdir(parents=True, exist_ok=True)
    fresh = out / f"{ARTIFACT}.new"
    fresh.write_bytes(program)
    fresh.replace(out / ARTIFACT)  # a process that has the old one mapped keeps it
    _write_manifest(out, checkpoint)
    return len(program)


def read_checkpoint(folder: Path) -> Mapping[str, Tensor]:
    """Read every tensor of a checkpoint in Hugging Face's layout, by transformers' name."""
    from safetensors.torch import load_file  # noqa: PLC0415  (the recipe's, not the product's)

    shards = sorted(folder.glob("*.safetensors"))
    if not shards:
        sys.exit(f"{folder} has no *.safetensors: train first, or give --checkpoint")
    return {name: tensor for shard in shards for name, tensor in load_file(shard).items()}


def _write_manifest(out: Path, checkpoint: Path) -> None:
    path = out / MANIFEST
    manifest: dict[str, Any] = json.loads(path.read_bytes()) if path.exists() else _fresh()
    trained = checkpoint / "training.json"
    if trained.exists():
        manifest["recipe"] = json.loads(trained.read_bytes())
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
        "bos": "<|begin_of_text|>",
        "eos": ["<|eot|>", "<|end_of_text|>"],
        "context_length": NANO.max_position_embeddings,
        "parameters": NANO.parameters,
        "licence": "BSD-3-Clause",
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
