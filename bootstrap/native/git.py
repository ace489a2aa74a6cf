"""How is git run, so that what comes of it depends on nobody's configuration?

What a person has configured to reach a server (a proxy, a rewritten address, credentials) holds;
what would change the files, run something, or ask somebody does not.  All of it is said in
variables, so that it reaches the git that works in a submodule, and the one that CMake runs.

A git that was killed leaves locks behind.  Whoever works on a runtime holds the lock of its folder,
and the commands that it starts hold it with it (see `lock`), so a lock that is found in a
repository below belongs to nobody who lives.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = ["GITHUB", "git_environment", "remove_leftovers"]

GITHUB = "https://github.com/"
"""What a mirror stands in for."""

SETTINGS = {
    "core.autocrlf": "false",  # other line ends, and no patch would fit
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "submodule.recurse": "false",  # a reset is of the tree alone: see `patching`
    "fetch.unpackLimit": "1",  # what is fetched is one file: there whole, or not there
    "gc.auto": "0",  # nothing goes on behind our back
    "maintenance.auto": "false",
    "advice.detachedHead": "false",
    "init.defaultBranch": "main",
    "apply.whitespace": "nowarn",
    "apply.ignoreWhitespace": "no",
}
SOMEWHERE_ELSE = {
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CEILING_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
}
"""Set where we are run by a git hook, and then about that repository."""
FORMATS = {"GIT_DEFAULT_HASH": "sha1", "GIT_DEFAULT_REF_FORMAT": "files"}
"""Of a new repository: what a commit of GitHub's is hashed with, and what `source` reads."""


def git_environment(environ: Mapping[str, str], mirror: str = "") -> dict[str, str]:
    """The variables for a git of ours, or for a command that runs git; `mirror` is for GitHub."""
    settings = dict(SETTINGS)
    if mirror:
        settings[f"url.{mirror.rstrip('/')}/.insteadOf"] = GITHUB
    given = environ.get("GIT_CONFIG_COUNT", "")
    first = int(given) if given.isdecimal() else 0
    said = {key: value for key, value in environ.items() if key not in SOMEWHERE_ELSE}
    for place, (key, value) in enumerate(settings.items(), first):
        said[f"GIT_CONFIG_KEY_{place}"] = key
        said[f"GIT_CONFIG_VALUE_{place}"] = value
    count = str(first + len(settings))
    return {**said, **FORMATS, "GIT_CONFIG_COUNT": count, "GIT_TERMINAL_PROMPT": "0"}


def remove_leftovers(repository: Path) -> None:
    """Remove what a git that was killed has left in a `.git`, and in those of its submodules."""
    for path in _leftovers(repository):
        path.unlink(missing_ok=True)


def _leftovers(repository: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(repository):
        here = repository / folder
        for name in names:
            if name.endswith(".lock") or (here.name == "pack" and name.startswith("tmp_")):
                yield here / name
