"""Which files belong to a model that is named by nothing but its folder?

Its `manifest.json` lists them with sizes and hashes, as `playground/models/muse-nano` shows; the
manifest itself is taken as it is found.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from bootstrap.errors import UsageError
from bootstrap.pinning.pins import Model, PinnedFile

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["MANIFEST", "model_in"]

MANIFEST = "manifest.json"
ROLES = {
    "artifact": "program",
    "tokenizer": "tokenizer",
    "chat_template": "template",
    "pos_embed": "positions",
}
"""The manifest's keys that name a file, and what that file is."""


def model_in(folder: Path) -> Model:
    """The model of a folder.

    Raises:
        UsageError: it has no manifest that lists its files.
    """
    path = folder / MANIFEST
    try:
        data = path.read_bytes()
        told = json.loads(data)
        files = tuple(_file(name, entry, told) for name, entry in sorted(told["files"].items()))
    except OSError as problem:
        raise UsageError(f"{path}: {problem.strerror}; model= takes a model folder") from problem
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise UsageError(f"{path} does not list the model's files ({problem!r})") from problem
    own = PinnedFile(MANIFEST, "manifest", len(data), hashlib.sha256(data).hexdigest())
    return Model(folder.name, f"the model in {folder}", folder.resolve(), (*files, own))


def _file(name: str, entry: Any, told: dict[str, Any]) -> PinnedFile:  # noqa: ANN401  (JSON)
    role = next((role for key, role in ROLES.items() if told.get(key) == name), "")
    return PinnedFile(name, role, int(entry["bytes"]), str(entry["sha256"]))
