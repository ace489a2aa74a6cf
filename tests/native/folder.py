"""A model folder for a native worker that plays a script: one token a byte, on both sides.

The server reads its tokenizer from a file, so here is one that says what `ScriptedTokenizer` does:
ids 0 to 255 are the bytes, the control tokens follow in the order of `CONTROL_TOKENS`.
"""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from playground.settings import MODEL_DIR
from playground.tokens import CONTROL_TOKENS, _byte_of_character
from playground.worker.model_directory import record

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[2]
PLAYED = (
    "env",
    f"PYTHONPATH={ROOT}",
    sys.executable,
    "-m",
    "tests.native.worker",
)
"""The command of the native worker that is played."""


def server_arguments(
    worker: tuple[str, ...] = PLAYED, folder: Path | None = None, *more: str
) -> list[str]:
    """Arguments of `muse-playground` for a native worker, with a model folder or the embedded."""
    model = [] if folder is None else ["--model-dir", str(folder)]
    return ["--worker-kind", "native", "--worker", shlex.join(worker), *model, *more]


def make_folder(folder: Path, script: Mapping[str, Any], **manifest: object) -> Path:
    """A model whose program is this script; `manifest` is said of it besides."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "script.pte").write_text(json.dumps(script), encoding="utf-8")
    byte_tokenizer().save(str(folder / "tokenizer.json"))
    shutil.copy(MODEL_DIR / "chat_template.jinja", folder)
    told = {
        "schema": 1,
        "model_id": "played",
        "name": "Played native",
        "artifact": "script.pte",
        "tokenizer": "tokenizer.json",
        "chat_template": "chat_template.jinja",
        "bos": "<|begin_of_text|>",
        "context_length": script.get("context_length", 4096),
        "backend": "played",
        **({"max_image_cells": cells} if (cells := script.get("max_image_cells")) else {}),
        **manifest,
    }
    files = {path.name: record(path).to_json() for path in sorted(folder.iterdir())}
    (folder / "manifest.json").write_text(json.dumps({**told, "files": files}), encoding="utf-8")
    return folder


def byte_tokenizer() -> Tokenizer:
    """One token a byte, and the control tokens."""
    vocabulary = dict(_byte_of_character().items())
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(name, special=True) for name in CONTROL_TOKENS])
    return tokenizer
