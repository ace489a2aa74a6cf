"""How is the environment made that a native worker is built in? By venv and pip, whole each time.

torch is there for its headers and its code generator, which the build runs; CMake and Ninja come as
packages, so that they are pinned like everything else.  The worker itself loads none of it.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bootstrap.errors import StageFailed
from bootstrap.python.environment import TOLD
from bootstrap.running.commands import CommandFailed, what_to_do
from bootstrap.running.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bootstrap.layout import RuntimeFolder
    from bootstrap.pinning.pins import Runtime
    from bootstrap.python.environment import Interpreter
    from bootstrap.running.commands import Run

__all__ = ["native_environment_stage"]

STAGE = "environment"
DOWNLOAD_BYTES = 200_000_000
DISK_BYTES = 800_000_000
"""Of torch for macOS, and a few small packages; about."""


def native_environment_stage(
    runtime: Runtime,
    folder: RuntimeFolder,
    *,
    interpreter: Callable[[], Interpreter],
    pip_args: Sequence[str],
    run: Run,
    tell: Callable[[str], None],
) -> Stage:
    """The stage that leaves the environment in `folder.venv`; asks for the Python when it runs."""
    work = _NativeEnvironment(runtime, folder, interpreter, tuple(pip_args), run, tell)
    here = folder.python.exists()
    return Stage(
        STAGE,
        f"Python {runtime.python}, {', '.join(work.requirements)}",
        {
            "python": runtime.python,
            "requirements": work.requirements,
            # Its programs begin with this path, and CMake's cache is full of it: one that was moved
            # could neither be used nor gone on with.
            "folder": str(folder.venv.resolve()),
        },
        work.make,
        folder.python.exists,
        download_bytes=0 if here else DOWNLOAD_BYTES,
        disk_bytes=0 if here else DISK_BYTES,
        network=True,
    )


@dataclass(frozen=True, slots=True)
class _NativeEnvironment:
    runtime: Runtime
    folder: RuntimeFolder
    interpreter: Callable[[], Interpreter]
    pip_args: tuple[str, ...]
    run: Run
    tell: Callable[[str], None]

    @property
    def requirements(self) -> list[str]:
        """What pip is asked for."""
        torch = [f"torch=={self.runtime.torch}"] if self.runtime.torch else []
        return [*torch, *self.runtime.packages]

    def make(self) -> None:
        shutil.rmtree(self.folder.venv, ignore_errors=True)
        python = self.interpreter().command
        self._run([python, "-I", "-m", "venv", str(self.folder.venv)])
        if self.requirements:
            pip = [str(self.folder.python), "-I", "-m", "pip", "install", "--no-input"]
            self._run([*pip, *self.pip_args, *self.requirements])

    def _run(self, command: Sequence[str]) -> None:
        hint = "is the index within reach? MUSE_PIP_ARGS adds arguments, such as --index-url"
        if "venv" in command:
            hint = "on Debian and Ubuntu: apt install python3-venv"
        try:
            self.run(command, on_line=self._heard)
        except CommandFailed as problem:
            raise StageFailed(
                STAGE, str(problem), hint=what_to_do(problem, hint), log=self.folder.log
            ) from problem

    def _heard(self, line: str) -> None:
        if line.strip().startswith(TOLD):
            self.tell(line.strip())
