"""Does the playground run from a checkout, and where is what was made for that?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["RUNTIME_DIR", "checkout", "runtime_folder"]

RUNTIME_DIR = "MUSE_RUNTIME_DIR"
PACKAGE = Path(__file__).resolve().parent


def checkout(package: Path = PACKAGE) -> Path | None:
    """The checkout that this package belongs to; None where it was installed from a wheel."""
    root = package.parent
    return root if (root / "pyproject.toml").is_file() else None


def runtime_folder(environ: Mapping[str, str], root: Path | None) -> Path | None:
    """Where everything is that was made for a checkout; None where there is no such place."""
    if named := environ.get(RUNTIME_DIR):
        return Path(named).absolute()
    return None if root is None else root / ".runtime"
