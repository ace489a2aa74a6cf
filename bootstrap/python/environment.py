"""How is the environment of a Python worker made? Four stages, in this order:

    venv      an environment of the Python that runs bootstrap, or of the pin's
    install   ExecuTorch, torch and what else the worker imports, by pip
    link      this checkout, importable there after everything that is installed
    probe     what the worker loads there: versions, and native libraries by hash

pip is the user's: its configuration and its variables hold, and `MUSE_PIP_ARGS` or `--pip-args`
adds to its arguments.  An interrupted `install` may have left half a package, which pip would take
for a whole one, so it begins with a fresh environment again; what was downloaded is in pip's cache.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from bootstrap.errors import StageFailed
from bootstrap.pinning.verification import file_sha256
from bootstrap.running.commands import CommandFailed
from bootstrap.running.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bootstrap.layout import RuntimeFolder
    from bootstrap.pinning.pins import Runtime
    from bootstrap.running.commands import Run

__all__ = [
    "Interpreter",
    "environment_stages",
    "find_interpreter",
    "kept_interpreter",
    "link_checkout",
    "links_in",
]

DOWNLOAD_BYTES, DISK_BYTES = 300_000_000, 1_500_000_000
"""Of ExecuTorch and torch's CPU build, about."""
LINK = "muse-checkout.pth"
TOLD = ("Downloading ", "Installing collected packages")
"""Lines of pip's that say what takes so long."""
PATIENCE_S = 30.0
"""For a Python to say which one it is."""
SCRIPT = Path(__file__).with_name("probing.py")


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python that environments are made of."""

    command: str
    version: str
    """`3.11`."""


def find_interpreter(wanted: str, path: str | None = None) -> Interpreter:
    """The Python of this version; the one that runs us where none is wanted.

    `path` is where it is looked for, by default the PATH.

    Raises:
        StageFailed: there is none that runs.
    """
    running = f"{sys.version_info.major}.{sys.version_info.minor}"
    if wanted in {"", running}:
        return Interpreter(sys.executable, running)
    folders = (os.environ.get("PATH", os.defpath) if path is None else path).split(os.pathsep)
    found = (shutil.which(f"python{wanted}", path=folder) for folder in folders if folder)
    for command in filter(None, found):
        if _is(command, wanted):
            return Interpreter(command, wanted)
    raise StageFailed(
        "venv", f"there is no python{wanted} on the PATH that runs", hint=f"install Python {wanted}"
    )


@cache
def _is(command: str, wanted: str) -> bool:
    """Whether it runs, and is what its name says: version managers leave names that do not."""
    ask = [command, "-I", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    try:
        said = subprocess.run(ask, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return said.returncode == 0 and said.stdout.strip() == wanted


def kept_interpreter(venv: Path, wanted: str) -> Interpreter:
    """The Python that an environment was made of, so that it stays whichever one runs us next.

    Another one where that is gone, or is not what is wanted: see `find_interpreter`.
    """
    try:
        text = (venv / "pyvenv.cfg").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return find_interpreter(wanted)
    lines = (line.partition("=") for line in text.splitlines())
    said = {key.strip(): value.strip() for key, _, value in lines}
    version = ".".join(said.get("version", "").split(".")[:2])
    command = Path(said.get("home", "")) / f"python{version}"
    if wanted not in {"", version} or not command.is_absolute() or not command.exists():
        return find_interpreter(wanted)
    return Interpreter(str(command), version)


def environment_stages(
    runtime: Runtime,
    folder: RuntimeFolder,
    root: Path,
    *,
    interpreter: Interpreter,
    pip_args: Sequence[str],
    run: Run,
    tell: Callable[[str], None],
) -> tuple[Stage, ...]:
    """The stages for one runtime; `root` is the checkout that is to be importable."""
    work = _Environment(runtime, folder, root, interpreter, tuple(pip_args), run, tell)
    loaded_by = root / (runtime.loads.partition(":")[0].replace(".", "/") + ".py")
    return (
        Stage(
            "venv",
            f"an environment of Python {interpreter.version}",
            {"python": interpreter.version},
            work.make_venv,
            folder.python.exists,
        ),
        Stage(
            "install",
            ", ".join(work.requirements),
            {"requirements": work.requirements},
            work.install,
            spoils="venv",
            download_bytes=DOWNLOAD_BYTES,
            disk_bytes=DISK_BYTES,
            network="--no-index" not in pip_args,
        ),
        Stage(
            "link",
            "this checkout, after what is installed",
            {"root": str(root)},
            work.link,
            lambda: all(link.exists() for link in links_in(folder.venv)),
        ),
        Stage(
            "probe",
            "what the worker loads",
            {
                "loads": runtime.loads,
                "script": file_sha256(SCRIPT),
                "loader": file_sha256(loaded_by) if loaded_by.is_file() else "",
            },
            work.probe,
            folder.probe.exists,
        ),
    )


def links_in(venv: Path) -> list[Path]:
    """Where an environment's link to a checkout is, or belongs."""
    packages = (venv / "lib").glob("python*/site-packages")
    return [each / LINK for each in packages] or [venv / "lib" / LINK]


def link_checkout(venv: Path, root: Path) -> None:
    """Make a checkout importable in an environment, after everything that is installed there."""
    # A line that begins with `import` is run; so the path may hold any character, whatever
    # encoding the environment's Python reads the file with.
    line = f"import sys; sys.path.append({str(root)!a})\n"
    for link in links_in(venv):
        fresh = link.with_suffix(".new")
        fresh.write_text(line, encoding="ascii")
        fresh.replace(link)


@dataclass(frozen=True, slots=True)
class _Environment:
    runtime: Runtime
    folder: RuntimeFolder
    root: Path
    interpreter: Interpreter
    pip_args: tuple[str, ...]
    run: Run
    tell: Callable[[str], None]

    @property
    def requirements(self) -> list[str]:
        """What pip is asked for; torch first, so that it is found in the list."""
        runtime = self.runtime
        return [
            f"torch=={runtime.torch}",
            f"executorch=={runtime.executorch}",
            *runtime.packages,
        ]

    def make_venv(self) -> None:
        shutil.rmtree(self.folder.venv, ignore_errors=True)
        command = [self.interpreter.command, "-I", "-m", "venv", str(self.folder.venv)]
        self._run("venv", command, hint="on Debian and Ubuntu: apt install python3-venv")

    def install(self) -> None:
        python = [str(self.folder.python), "-I", "-m", "pip"]
        command = [*python, "install", "--no-input", *self.pip_args, *self.requirements]
        self._run(
            "install",
            command,
            hint="is the index within reach? MUSE_PIP_ARGS adds arguments, such as --index-url",
            on_line=lambda line: self.tell(line) if line.strip().startswith(TOLD) else None,
        )

    def link(self) -> None:
        link_checkout(self.folder.venv, self.root)

    def probe(self) -> None:
        packages = ["executorch", "torch"]
        command = [str(self.folder.python), "-I", str(SCRIPT), str(self.folder.probe)]
        hint = "the log says what cannot be loaded; --force install installs all of it anew"
        self._run("probe", [*command, self.runtime.loads, *packages], hint=hint)
        found = json.loads(self.folder.probe.read_bytes())
        for package, pinned in (
            ("executorch", self.runtime.executorch),
            ("torch", self.runtime.torch),
        ):
            installed = str(found["versions"][package])
            if installed.partition("+")[0] != pinned.partition("+")[0]:
                self.folder.probe.unlink()
                raise StageFailed(
                    "probe",
                    f"{package} {installed} is installed, and {pinned} is pinned",
                    hint="does something hold pip to it, as PIP_CONSTRAINT? then --force install",
                    log=self.folder.log,
                )

    def _run(
        self,
        stage: str,
        command: Sequence[str],
        *,
        hint: str,
        on_line: Callable[[str], None] = lambda _: None,
    ) -> None:
        try:
            self.run(command, on_line=on_line)
        except CommandFailed as problem:
            raise StageFailed(stage, str(problem), hint=hint, log=self.folder.log) from problem
