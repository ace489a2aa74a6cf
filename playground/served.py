"""Which model is served, and what does the server have to know of it?

Two kinds: a folder with a manifest and what it names, or a script for the scripted engine.
Either way the worker process loads the model; the server needs its tokenizer and chat template.
Of the program, which may have 21 GB, it looks at the size: to read it for its hash would take as
long as to load it. Whoever fetches a program hashes it, and so does `muse-bench pins --verify`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playground.prompt import IMAGE_END, IMAGE_START
from playground.settings import MODEL_DIR
from playground.template import ChatTemplate
from playground.tokens import ScriptedTokenizer, TokenizerError, load_tokenizer
from playground.vision.grid import MOST_CELLS
from playground.vision.pixels import MAX_IMAGE_BYTES
from playground.worker.dialects import DIALECTS, Loads, Serves
from playground.worker.errors import EngineError
from playground.worker.model_directory import MANIFEST, check

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from playground.settings import Settings
    from playground.tokens import Tokenizer
    from playground.worker.dialects import Dialect

__all__ = ["ModelUnusable", "ServedModel", "load_served_model", "worker_argv"]

BOS = "<|begin_of_text|>"
REQUIRED = {
    "artifact",
    "bos",
    "chat_template",
    "context_length",
    "model_id",
    "name",
    "tokenizer",
}
"""What the server needs of a manifest; the worker and the recipe have more in it."""


class ModelUnusable(Exception):
    """The model folder lacks something, or holds something else; the message names the file."""


@dataclass(frozen=True, slots=True)
class ServedModel:
    """The model as the server knows it."""

    model_id: str
    name: str
    tokenizer: Tokenizer
    template: ChatTemplate
    worker_flags: tuple[str, ...]
    """What the worker is told, so that it loads the same model."""
    context_length: int = 4096
    """In tokens; where the worker says it too, its word counts."""
    artifact: Path | None = None
    """The program; None where there is none."""
    artifact_sha256: str | None = None
    """The program's hash as its manifest has it: nobody has computed it at this start."""
    backend: str | None = None
    """What the program was lowered for, as its manifest has it."""
    image_wrapped: bool = False
    """Whether pictures stand between `<|image_start|>` and `<|image_end|>`."""
    max_image_cells: int = MOST_CELLS
    """Tokens that a picture takes at most; where the worker says it too, its word counts."""
    defaults: Mapping[str, Any] | None = None
    """The publisher's advice on sampling, for whoever asks; requests do not fall back on it."""

    @property
    def artifact_bytes(self) -> int | None:
        """The program's size; None where there is none."""
        return self.artifact.stat().st_size if self.artifact else None

    @property
    def reasoning_strength(self) -> str:
        """For requests that name none."""
        return str((self.defaults or {}).get("reasoning_strength", "high"))


def load_served_model(settings: Settings) -> ServedModel:
    """The model that the settings name.

    Raises:
        ModelUnusable: its folder is not complete.
    """
    if settings.script:
        return _scripted(settings.script)
    return _from_folder(settings.model_dir, DIALECTS[settings.worker_kind])


def worker_argv(model: ServedModel, settings: Settings) -> list[str]:
    """The command that starts this model's worker."""
    dialect = DIALECTS[settings.worker_kind]
    serves = Serves(settings.max_sessions, MAX_IMAGE_BYTES, settings.threads, settings.dflash)
    return [
        *(settings.worker or dialect.program),
        *model.worker_flags,
        *dialect.server_flags(serves),
    ]


def _scripted(script: Path) -> ServedModel:
    tokenizer = ScriptedTokenizer()
    template = (MODEL_DIR / "chat_template.jinja").read_text(encoding="utf-8")
    return ServedModel(
        model_id="scripted",
        name="Scripted engine",
        tokenizer=tokenizer,
        template=ChatTemplate(template, controls=tokenizer.controls, bos=BOS),
        worker_flags=("--script", str(script)),
    )


def _from_folder(folder: Path, dialect: Dialect) -> ServedModel:
    manifest = _read_manifest(folder / MANIFEST)
    tokenizer_path = _existing(folder, manifest, "tokenizer")
    artifact = _existing(folder, manifest, "artifact")
    template_path = _existing(folder, manifest, "chat_template")
    bos = str(manifest["bos"])
    try:
        records = check(folder)
        tokenizer = load_tokenizer(tokenizer_path)
        flags = dialect.model_flags(
            Loads(artifact, tokenizer_path, tokenizer, bos, _positions(folder, manifest))
        )
    except (EngineError, TokenizerError) as error:
        raise ModelUnusable(str(error)) from error
    recorded = records.get(str(manifest["artifact"]))
    return ServedModel(
        model_id=str(manifest["model_id"]),
        name=str(manifest["name"]),
        tokenizer=tokenizer,
        template=ChatTemplate(
            template_path.read_text(encoding="utf-8"), controls=tokenizer.controls, bos=bos
        ),
        worker_flags=flags,
        context_length=int(manifest["context_length"]),
        artifact=artifact,
        artifact_sha256=recorded.sha256 if recorded else None,
        backend=manifest.get("backend"),
        image_wrapped=_wrapped(manifest, tokenizer),
        max_image_cells=int(manifest.get("max_image_cells", MOST_CELLS)),
        defaults=manifest.get("defaults"),
    )


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads(path.read_bytes())
    except OSError as error:
        raise ModelUnusable(f"{path}: {error.strerror}; is this a model folder?") from error
    except ValueError as error:
        raise ModelUnusable(f"{path}: not JSON: {error}") from error
    if not isinstance(manifest, dict):
        raise ModelUnusable(f"{path}: not a JSON object")
    if missing := sorted(REQUIRED - manifest.keys()):
        raise ModelUnusable(f"{path}: {', '.join(missing)} missing")
    return manifest


def _positions(folder: Path, manifest: Mapping[str, Any]) -> Path | None:
    """The vision encoder's position table, where the manifest names one."""
    return _existing(folder, manifest, "pos_embed") if "pos_embed" in manifest else None


def _wrapped(manifest: Mapping[str, Any], tokenizer: Tokenizer) -> bool:
    """The manifest's `image_wrapped`, true or false; absent is false."""
    wrapped = manifest.get("image_wrapped", False)
    if not isinstance(wrapped, bool):
        raise ModelUnusable(f"{MANIFEST}: image_wrapped is {wrapped!r}; it is to be true or false")
    if wrapped and (missing := {IMAGE_START, IMAGE_END} - tokenizer.controls.keys()):
        raise ModelUnusable(
            f"{MANIFEST}: image_wrapped, and the vocabulary has no {', '.join(sorted(missing))}"
        )
    return wrapped


def _existing(folder: Path, manifest: Mapping[str, Any], key: str) -> Path:
    """The file that the manifest names, which has to be there."""
    path = folder / str(manifest[key])
    if not path.is_file():
        raise ModelUnusable(f"{path}: no such file, though {folder / MANIFEST} names it")
    return path
