"""Which browser drives the page?  One that is installed; none is downloaded."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec

__all__ = ["find_chromium", "why_no_browser"]

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")


def find_chromium(named: str | None = None) -> str | None:
    """The command that is named, here or by MUSE_CHROMIUM, else the first usual one there is."""
    named = named or os.environ.get("MUSE_CHROMIUM")
    found = (path for name in NAMES if (path := shutil.which(name)))
    return named or next(found, None)


def why_no_browser(named: str | None = None) -> str:
    """What keeps a browser from being driven here, and what to do; empty where nothing does."""
    if find_spec("playwright") is None:
        return "Playwright is not installed; try: pip install 'muse-bench[browser]'"
    command = find_chromium(named)
    if command is None:
        return (
            "there is no Chromium on the path; install one (Debian: chromium), "
            "or name it with --chromium or MUSE_CHROMIUM"
        )
    if shutil.which(command) is None:
        return f"{command} is no program that can be run; name another with --chromium"
    return ""
