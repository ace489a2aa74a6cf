"""Do two pins say the same? One hash of all that a pin says.

Names, reasons, folders, and where files are published are left out: they change nothing that runs.
So a release that is pinned under a name, and the same release asked for by its number, have one
digest.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bootstrap.pinning.pins import Pin

__all__ = ["digest"]

NO_MATTER = {"name", "why", "folder", "platform", "products", "url"}


def digest(pin: Pin) -> str:
    """SHA-256, in hexadecimal, of a pin's content."""
    runtime = {key: value for key, value in asdict(pin.runtime).items() if key not in NO_MATTER}
    if pin.runtime.patch is not None:
        runtime["patch"] = pin.runtime.patch.sha256
    model = {key: value for key, value in asdict(pin.model).items() if key not in NO_MATTER}
    for file in model["files"]:
        del file["source"]
    model["files"] = sorted(model["files"], key=lambda file: str(file["path"]))
    if not model["manifest"]:  # one that is shipped is among the files
        del model["manifest"]
    options = {**asdict(pin.options), "worker": pin.module}
    said = {"runtime": runtime, "model": model, "options": options}
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
