"""How do others get our weights: the checkpoint as a Hugging Face folder with its tokenizer.

The checkpoint has no tokenizer beside it and ours has no settings; a few keys make it one that
transformers opens. Weights are passed on as they are; every peer rounds them in its own way.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.benchmarks.peers.workplace import PreparationFailed, digest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.benchmarks.peers.workplace import Workplace

__all__ = ["Weights", "prepare"]

TOKENIZER = ("tokenizer.json", "chat_template.jinja")
TOKENIZER_SETTINGS = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "bos_token": "<|begin_of_text|>",
    "eos_token": "<|eot|>",
    "pad_token": "<|pad|>",
    "add_bos_token": False,
    "clean_up_tokenization_spaces": False,
    "model_max_length": 2048,
}


@dataclass(frozen=True, slots=True)
class Weights:
    """One checkpoint as others read it."""

    key: str
    """Twelve digits of its contents: what is made from it carries them in its name."""
    folder: Path
    """Checkpoint, tokenizer and template."""


def prepare(place: Workplace, checkpoint: Path, model_dir: Path) -> Weights:
    """Put the folder together.

    Raises:
        PreparationFailed: there is no checkpoint, or the program that ships is not made from it.
    """
    shards = sorted(checkpoint.glob("*.safetensors"))
    if not shards:
        raise PreparationFailed(f"{checkpoint} has no *.safetensors; say --checkpoint FOLDER")
    _same_training(checkpoint, model_dir)
    key = digest([*shards, checkpoint / "config.json", model_dir / "tokenizer.json"])

    def make(folder: Path) -> None:
        folder.mkdir()
        kept = (path for path in checkpoint.iterdir() if path.suffix in {".json", ".safetensors"})
        for path in (*kept, *(model_dir / name for name in TOKENIZER)):
            shutil.copy(path, folder / path.name)
        settings = json.dumps(TOKENIZER_SETTINGS, indent=2)
        (folder / "tokenizer_config.json").write_text(settings, encoding="utf-8")

    folder = place.step("weights: for others to read", place.root / f"weights-{key}", make)
    return Weights(key, folder)


def _same_training(checkpoint: Path, model_dir: Path) -> None:
    """Refuse to compare a program with a checkpoint that it was not made from."""
    trained = checkpoint / "training.json"
    manifest = json.loads((model_dir / "manifest.json").read_text(encoding="utf-8"))
    if trained.exists() and manifest.get("recipe") != json.loads(trained.read_text("utf-8")):
        raise PreparationFailed(
            f"{model_dir} was not exported from {checkpoint}: their training facts differ;"
            " run python -m bootstrap.nano.export, or say --checkpoint and --model-dir"
        )
