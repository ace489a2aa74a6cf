"""Which browser drives the page? One that is installed; none is downloaded."""

from __future__ import annotations

import os
import shutil

__all__ = ["find_chromium"]

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")


def find_chromium() -> str | None:
    """The command that MUSE_CHROMIUM names, else the first of the usual ones that is there."""
    named = os.environ.get("MUSE_CHROMIUM")
    found = (path for name in CHROMIUMS if (path := shutil.which(name)))
    return named or next(found, None)
