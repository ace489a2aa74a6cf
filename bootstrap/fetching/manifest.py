"""What does `manifest.json` say of a model that is fetched?

What the server needs (`playground/served.py`): what the pin says of the model, which file is which,
and every file with the size and hash that it turned out to have.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from bootstrap.pinning.model_folder import ROLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bootstrap.pinning.pins import Model
    from bootstrap.pinning.recorded import Record

__all__ = ["manifest_text"]


def manifest_text(model: Model, known: Mapping[str, Record]) -> str | None:
    """The manifest; None while a file is not here yet."""
    if any(file.path not in known for file in model.files):
        return None
    by_role = {file.role: file.path for file in model.files}
    told = {
        "schema": 1,
        **model.manifest,
        **{key: by_role[role] for key, role in ROLES.items() if role in by_role},
        "repository": model.repository,
        "revision": model.revision,
        "files": {
            file.path: {"bytes": known[file.path].bytes, "sha256": known[file.path].sha256}
            for file in model.files
        },
    }
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"
