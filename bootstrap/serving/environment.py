"""How is the server's own environment made? Three stages, in this order:

    server-venv      an environment of the Python that runs bootstrap, or of one that was brought
    server-install   what `requirements/server.txt` locks, each file by its hash, by pip
    server-link      this checkout, importable there after everything that is installed, and the
                     commands `muse-playground` and `muse-bench`

No model runtime is in it: a worker has an environment of its own, or is a program of its own.
As in `environment`, pip is the user's, and an installation that was cut begins with a fresh
environment.
"""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from bootstrap.errors import StageFailed
from bootstrap.layout import RUNTIME_DIR
from bootstrap.pinning.verification import file_sha256
from bootstrap.python.environment import TOLD, link_checkout, links_in
from bootstrap.running.commands import CommandFailed
from bootstrap.running.stages import Stage, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bootstrap.layout import Layout
    from bootstrap.python.environment import Interpreter
    from bootstrap.running.commands import Run

__all__ = ["COMMANDS", "LOCKED", "command_script", "server_work"]

LOCKED = Path(__file__).parent.parent / "requirements" / "server.txt"
COMMANDS = {"muse-bench": "harness", "muse-playground": "playground"}
"""Each command of the environment, and the module that it is."""
DOWNLOAD_BYTES = 40_000_000
DISK_BYTES = 200_000_000


def server_work(
    places: Layout,
    *,
    interpreter: Interpreter,
    pip_args: Sequence[str],
    run: Run,
    tell: Callable[[str], None],
    locked: Path = LOCKED,
) -> Work:
    """The work that makes `.runtime/server/venv` of this interpreter, with what is locked."""
    folder = places.server
    scripts = [folder.venv / "bin" / name for name in COMMANDS]

    def do(stage: str, command: Sequence[str], hint: str) -> None:
        def heard(line: str) -> None:
            if line.strip().startswith(TOLD):
                tell(line.strip())

        try:
            run(command, on_line=heard)
        except CommandFailed as problem:
            raise StageFailed(stage, str(problem), hint=hint, log=folder.log) from problem

    def make_venv() -> None:
        shutil.rmtree(folder.venv, ignore_errors=True)
        command = [interpreter.command, "-I", "-m", "venv", str(folder.venv)]
        do("server-venv", command, "on Debian and Ubuntu: apt install python3-venv")

    def install() -> None:
        pip = [str(folder.python), "-I", "-m", "pip", "install", "--no-input", *pip_args]
        do(
            "server-install",
            [*pip, "--require-hashes", "--only-binary=:all:", "--requirement", str(locked)],
            "is the index within reach? MUSE_PIP_ARGS adds arguments, such as --index-url",
        )

    def link() -> None:
        link_checkout(folder.venv, places.root)
        for script in scripts:
            fresh = script.with_suffix(".new")
            fresh.write_bytes(os.fsencode(command_script(places, COMMANDS[script.name])))
            fresh.chmod(0o755)
            fresh.replace(script)

    return Work(
        "server",
        folder,
        (
            Stage(
                "server-venv",
                f"an environment of Python {interpreter.version} for the server",
                {"python": interpreter.version},
                make_venv,
                folder.python.exists,
            ),
            Stage(
                "server-install",
                "what the server and the harness import, as locked",
                {"locked": file_sha256(locked)},
                install,
                spoils="server-venv",
                download_bytes=DOWNLOAD_BYTES,
                disk_bytes=DISK_BYTES,
                network="--no-index" not in pip_args,
            ),
            Stage(
                "server-link",
                "this checkout, and the commands muse-playground and muse-bench",
                {
                    "root": str(places.root),
                    "commands": [command_script(places, each) for each in COMMANDS.values()],
                },
                link,
                lambda: all(each.exists() for each in (*links_in(folder.venv), *scripts)),
            ),
        ),
    )


def command_script(places: Layout, module: str) -> str:
    """A command of the environment: `/bin/sh`, since a `#!` line holds no path with spaces.

    Where things are made elsewhere than in the checkout, the command is told so.
    """
    made = ""
    if places.made != places.root / ".runtime":
        made = f"{RUNTIME_DIR}={shlex.quote(str(places.made))}\nexport {RUNTIME_DIR}\n"
    return f'#!/bin/sh\n{made}exec {shlex.quote(str(places.server.python))} -I -m {module} "$@"\n'
