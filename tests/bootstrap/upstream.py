"""An upstream to build a native worker from, and a toolchain that takes no time.

The upstream is a git repository in a folder, and its submodule has one itself.  The toolchain is
a `cmake` that writes what the real one would, and a Python whose `venv` and `pip` only take notes.
All of them are run as what they stand for: by their names, from the PATH.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bootstrap.layout import Layout
from bootstrap.native.work import Means, native_work
from bootstrap.pinning.pins import PinnedFile, Runtime
from bootstrap.python.environment import Interpreter
from bootstrap.running.commands import Commands
from bootstrap.running.stages import run_stages

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bootstrap.layout import RuntimeFolder

__all__ = ["PROGRAM", "ROOT", "Bench", "bench", "commit", "git", "patch_of", "repositories"]

ROOT = Path(__file__).parents[2]
PROGRAM = "cmake-out/examples/worker/a_worker"
KERNELS = "cmake-out/lib/mlx.metallib"
BUILD = ("cmake --workflow --preset all", "cd examples/worker && cmake --workflow --preset worker")

CMAKE = """#!/bin/sh
# A step that was done is not done again, as with the real one; BREAK names one that fails.
set -e
[ -z "$NOTE" ] || env > "$NOTE"
if [ "$3" = all ]; then
    mkdir -p cmake-out/lib cmake-out/examples/worker
    echo "[1/2] Building kernels"
    [ -e cmake-out/lib/mlx.metallib ] || { echo kernels >> cmake-out/steps
        cat third-party/mlx/kernels third-party/mlx/fmt/format > cmake-out/lib/mlx.metallib; }
    exit 0
fi
cd ../..
if [ "$BREAK" = worker ]; then echo "main.txt:1: error: no such thing"; exit 2; fi
if [ -n "$CUT" ]; then "$CUT" build; fi
echo "[2/2] Linking worker"
echo worker >> cmake-out/steps
out=cmake-out/examples/worker/a_worker
{ echo "#!/bin/sh"; echo "# $(cat main.txt other.txt | tr '\\n' ' ')"
  echo "echo 'a model is required' >&2; exit ${CODE:-1}"; } > $out
chmod +x $out
"""

PYTHON = """#!/bin/sh
# `-I -m venv FOLDER`, and what that makes: `-I -m pip install …`; `-I -c …` asks which one it is.
if [ "$2" = -c ]; then echo 3.99; exit 0; fi
if [ "$3" = venv ]; then mkdir -p "$4/bin"; cp "$0" "$4/bin/python"; exit 0; fi
echo "$@" >> "$(dirname "$0")/../pip"
"""

CUT = """#!/bin/sh
# Kills the bootstrap whose process id the lock has, and everything beside us, at one's turn.
echo "$1" >> "$CUT_CALLS"
if [ "$(grep -c "^$1$" "$CUT_CALLS")" = "$CUT_AT" ] && [ "$1" = "$CUT_IN" ]; then
    kill -9 "$(cat "$CUT_LOCK")"; kill -9 0
fi
"""
FILTER = """#!/bin/sh
[ -z "$CUT" ] || "$CUT" file
exec cat
"""
PACKING = """#!/bin/sh
if [ -z "$CUT" ]; then exec "$@"; fi
"$@" > "$CUT_CALLS.pack"
head -c 100 "$CUT_CALLS.pack"
"$CUT" pack
tail -c +101 "$CUT_CALLS.pack"
"""

PREPARE = """
import os, sys
from pathlib import Path
from bootstrap.layout import Layout
from bootstrap.pinning.pins_file import read_pins
from bootstrap.setup.preparing import prepare

pins, made = map(Path, sys.argv[1:])
pin = read_pins(pins).pins["p"]
prepare(pin, Layout(pins.parent, made), environ=os.environ, tell=lambda line: print(line))
"""

CONFIG = """
[user]
    name = Nobody
    email = nobody@example.invalid
[protocol "file"]
    allow = always
[init]
    defaultBranch = main
[core]
    attributesFile = {attributes}
    autocrlf = true
[filter "cut"]
    smudge = {filter}
[uploadpack]
    packObjectsHook = {packing}
"""


def git(folder: Path, *arguments: str, environ: Mapping[str, str]) -> str:
    """What git says in a folder."""
    said = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        env=dict(environ),
        capture_output=True,
        text=True,
        check=True,
    )
    return said.stdout.strip()


@dataclass
class Bench:
    """An upstream, the tools, and the folder in which a worker is made."""

    folder: Path
    environ: dict[str, str]
    commit: str
    patch: PinnedFile | None = None
    toolchain: dict[str, str] = field(default_factory=dict)
    mirror: str = ""
    made_in: str = "made é"
    told: list[str] = field(default_factory=list)

    @property
    def upstream(self) -> Path:
        """The repository that the worker comes from."""
        return self.folder / "upstream"

    @property
    def runtime(self) -> Runtime:
        """What is pinned."""
        return Runtime(
            "muse",
            "why",
            "native",
            self.commit,
            "a_worker",
            repository=f"file://{self.upstream}",
            python="3.99",
            build=BUILD,
            products=(PROGRAM, KERNELS),
            flags=("--mode=fast",),
            patch=self.patch,
            folder=self.folder,
        )

    @property
    def places(self) -> Layout:
        """Where it is made."""
        return Layout(self.folder, self.folder / self.made_in)

    @property
    def made(self) -> RuntimeFolder:
        """The folder of the runtime."""
        return self.places.runtime(self.runtime)

    @property
    def tree(self) -> Path:
        """Where the source is."""
        return self.made.source

    @property
    def steps(self) -> list[str]:
        """What the build has done since its folder was empty."""
        return (self.tree / "cmake-out" / "steps").read_text().split()

    def prepare(self, runtime: Runtime | None = None, **environ: str) -> tuple[str, ...]:
        """Make it, in this process; the names of the stages that were run."""
        run = Commands(self.made.log, {**self.environ, **environ})
        interpreter = Interpreter(str(self.folder / "bin" / "python3.99"), "3.99")
        means = Means(lambda: interpreter, self.toolchain, self.mirror)
        work = native_work(
            runtime or self.runtime, self.places, means, run=run, tell=self.told.append
        )
        return run_stages(work.stages, work.folder.stamps, self.told.append)

    def cut(self, where: str, at: int, runtime: Runtime | None = None) -> None:
        """Make it in a process of its own, which is killed where it does something for a time.

        `where` is `pack` (what a server sends), `file` (what a checkout writes) or `build`.
        """
        calls = self.folder / "calls"
        calls.unlink(missing_ok=True)
        environ = {
            **self.environ,
            "CUT": str(self.folder / "bin" / "cut"),
            "CUT_IN": where,
            "CUT_AT": str(at),
            "CUT_CALLS": str(calls),
            "CUT_LOCK": str(self.made.lock),
        }
        said = subprocess.run(
            [sys.executable, "-c", PREPARE, str(self.pins(runtime)), str(self.places.made)],
            env=environ,
            cwd=ROOT,
            start_new_session=True,
            capture_output=True,
            text=True,
            check=False,
        )
        assert said.returncode == -9, said.stderr

    def pins(self, runtime: Runtime | None = None) -> Path:
        """A pins file that says the same."""
        runtime = runtime or self.runtime
        patch = f'patch = {{ path = "{runtime.patch.path}" }}' if runtime.patch else ""
        (self.folder / "m.pte").write_bytes(b"abc")
        path = self.folder / "pins.toml"
        path.write_text(
            f"""
            [runtime.muse]
            why = "why"
            worker = "native"
            executorch = "{runtime.executorch}"
            module = "a_worker"
            repository = "{runtime.repository}"
            python = "3.99"
            build = {list(runtime.build)}
            products = {list(runtime.products)}
            flags = {list(runtime.flags)}
            {patch}
            [model.m]
            why = "why"
            folder = "."
            files = [{{ path = "m.pte", role = "program" }}]
            [pin.p]
            why = "why"
            runtime = "muse"
            model = "m"
            """,
            encoding="utf-8",
        )
        return path

    def commit_upstream(self, **files: str) -> str:
        """Another commit upstream, with these files; its hash."""
        for name, text in files.items():
            (self.upstream / f"{name}.txt").write_text(f"{text}\n")
        return commit(self.upstream, self.environ)

    def files(self) -> dict[str, str]:
        """Every file of the source tree but git's own and those of the build, with its content."""
        paths = (path for path in self.tree.rglob("*") if path.is_file())
        named = {str(path.relative_to(self.tree)): path for path in paths}
        return {
            name: path.read_text()
            for name, path in named.items()
            if ".git" not in Path(name).parts and not name.startswith("cmake-out/")
        }


def commit(folder: Path, environ: Mapping[str, str]) -> str:
    """Commit all there is; the hash."""
    git(folder, "add", "--all", environ=environ)
    git(folder, "commit", "--quiet", "--message", "more", environ=environ)
    return git(folder, "rev-parse", "HEAD", environ=environ)


def repositories(folder: Path) -> None:
    """The upstream with one commit, its submodule `mlx`, and the submodule of that, `fmt`."""
    folder.mkdir(parents=True)
    environ = tools(folder)
    repository(folder / "fmt", environ, format="format\n")
    repository(folder / "mlx", environ, kernels="kernels\n")
    submodule(folder / "mlx", "../fmt", "fmt", environ)
    files = {"main.txt": "main\n", "other.txt": "other\n", ".gitignore": "cmake-out*\n"}
    repository(folder / "upstream", environ, **files, **{"examples/worker/CMakeLists.txt": ""})
    submodule(folder / "upstream", "../mlx", "third-party/mlx", environ)


def bench(folder: Path, made: Path) -> Bench:
    """Those repositories, in a folder that nothing was made in yet; `made` has them."""
    shutil.copytree(made, folder, symlinks=True)
    environ = tools(folder)
    return Bench(folder, environ, git(folder / "upstream", "rev-parse", "HEAD", environ=environ))


def tools(folder: Path) -> dict[str, str]:
    """The tools, and a configuration of git that would spoil much; the variables for both."""
    scripts = {"cmake": CMAKE, "python3.99": PYTHON, "cut": CUT, "filter": FILTER, "pack": PACKING}
    (folder / "bin").mkdir(exist_ok=True)
    for name, text in scripts.items():
        (folder / "bin" / name).write_text(text)
        (folder / "bin" / name).chmod(stat.S_IRWXU)
    attributes = folder / "attributes"
    attributes.write_text("*.txt filter=cut\nkernels filter=cut\nformat filter=cut\n")
    (folder / "gitconfig").write_text(
        CONFIG.format(
            attributes=f'"{attributes}"',
            filter=of_shell(folder / "bin" / "filter"),
            packing=of_shell(folder / "bin" / "pack"),
        )
    )
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "PIP_"))}
    return {
        **kept,
        "GIT_CONFIG_GLOBAL": str(folder / "gitconfig"),
        "PATH": os.pathsep.join((str(folder / "bin"), os.environ["PATH"])),
    }


def of_shell(path: Path) -> str:
    """A program as a value in git's configuration, which a shell will read."""
    return f"\"'{path}'\""


def repository(folder: Path, environ: Mapping[str, str], **files: str) -> Path:
    """A repository with one commit of these files."""
    folder.mkdir()
    git(folder, "init", "--quiet", environ=environ)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    commit(folder, environ)
    return folder


def submodule(folder: Path, of: str, path: str, environ: Mapping[str, str]) -> None:
    """Another commit, which has a repository as its submodule."""
    git(folder, "submodule", "--quiet", "add", of, path, environ=environ)
    commit(folder, environ)


def patch_of(bench: Bench, name: str, old: str, new: str, *, file: str = "main.txt") -> PinnedFile:
    """A patch that changes a file of one line, pinned."""
    text = f"--- a/{file}\n+++ b/{file}\n@@ -1 +1 @@\n-{old}\n+{new}\n"
    (bench.folder / name).write_text(text)
    return PinnedFile(name, sha256=hashlib.sha256(text.encode()).hexdigest())
