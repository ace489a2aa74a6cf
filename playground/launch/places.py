"""Where does a launch keep its lock and its state?

    MUSE_RUNTIME_DIR/launch        where that is set
    CHECKOUT/.runtime/launch       where the playground runs from a checkout
    TEMPORARY/muse-playground-UID  else: a folder of this user's alone

One of the first two that is another user's, or that everybody may write to, is passed over: what
is noted there names processes to be ended.

Two names for each address and port: `127.0.0.1-3939.lock` and `127.0.0.1-3939.json`.
"""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from playground.checkout import RUNTIME_DIR, checkout, runtime_folder
from playground.settings import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["launch_folder", "stem_of"]

CHECKOUT = checkout()


def launch_folder(
    environ: Mapping[str, str], root: Path | None = CHECKOUT, temporary: Path | None = None
) -> Path:
    """The folder, made where it is missing; `root` is the checkout.

    Raises:
        SettingsError: there can be none, or it is not this user's alone.
    """
    runtime = runtime_folder(environ, root)
    if runtime is not None:
        folder = runtime / "launch"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            if environ.get(RUNTIME_DIR):
                raise SettingsError(f"{folder}: {error.strerror}; see {RUNTIME_DIR}") from error
        if os.access(folder, os.W_OK) and _is_ours(folder.stat(), os.getuid()):
            return folder
    return _own_folder(temporary or Path(tempfile.gettempdir()), os.getuid())


def _own_folder(parent: Path, uid: int) -> Path:
    """A folder that nobody else can have put there, or look into."""
    folder = parent / f"muse-playground-{uid}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        raise SettingsError(f"{folder}: {error.strerror}") from error
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != uid or found.st_mode & 0o077:
        raise SettingsError(
            f"{folder} is not this user's alone, so it is not used; remove it, or name another"
            f" folder by {RUNTIME_DIR}"
        )
    return folder


def _is_ours(found: os.stat_result, uid: int) -> bool:
    return found.st_uid == uid and not found.st_mode & stat.S_IWOTH


def stem_of(address: str, port: int) -> str:
    """What the files of a port are called."""
    return f"{address.replace(':', '_')}-{port}"
