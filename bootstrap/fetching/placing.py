"""Where are the files of a model that is fetched?

Where `--model-dir` or `MUSE_MODEL_DIR` says; else in the folder of its pin, which lies below
`.runtime` and moves with that where `MUSE_RUNTIME_DIR` says another.  A model that ships with the
project stays where it is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from bootstrap.layout import Layout
    from bootstrap.pinning.pins import Pin

__all__ = ["placed"]


def placed(pin: Pin, places: Layout, model_dir: Path | None) -> Pin:
    """The pin, with the folder of its model as it is on this machine."""
    if not pin.model.url:
        return pin
    folder, usual = pin.model.folder, places.root / ".runtime"
    if model_dir is not None:
        folder = model_dir
    elif folder.is_relative_to(usual):
        folder = places.made / folder.relative_to(usual)
    return replace(pin, model=replace(pin.model, folder=folder))
