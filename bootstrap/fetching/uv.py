"""Where does a Python come from that the system does not have? From uv, which is fetched by hash.

    .runtime/tools/uv-<version>/uv     the program: out of the archive that the pin knows
    .runtime/python/                   the Pythons that it brings
    .runtime/cache/downloads/          its archive; uv's own cache is where UV_CACHE_DIR says

The archive's hash is pinned, and uv knows those of its Pythons: a pinned uv brings pinned Pythons.
Nothing of it is global: no program is linked anywhere, no shell's settings are changed.
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
import shutil
import tarfile
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from bootstrap.errors import StageFailed
from bootstrap.fetching.fetching import FetchFailed, Wanted, World, fetch
from bootstrap.python.environment import Interpreter, find_interpreter
from bootstrap.running.commands import CommandFailed
from bootstrap.running.stages import Stage, Work

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bootstrap.layout import Layout
    from bootstrap.pinning.pins import Tool
    from bootstrap.running.commands import Run

__all__ = [
    "PythonSource",
    "python_source",
    "python_stage",
    "uv_archive",
    "uv_platform",
    "uv_program",
    "uv_python",
    "uv_stage",
]

PLATFORMS = {
    ("Darwin", "arm64"): "aarch64-apple-darwin",
    ("Darwin", "x86_64"): "x86_64-apple-darwin",
    ("Linux", "x86_64"): "x86_64-unknown-linux-gnu",
    ("Linux", "aarch64"): "aarch64-unknown-linux-gnu",
}
"""This machine, as uv's releases name it."""
AGAIN = "run it again; or install the Python that is needed yourself (python.org)"
ARCHIVE_BYTES = 25 * 1000 * 1000
PROGRAM_BYTES = 60 * 1000 * 1000
PYTHON_BYTES = 35 * 1000 * 1000
UNPACKED_BYTES = 120 * 1000 * 1000
"""About; for the plan."""


@dataclass(frozen=True, slots=True)
class PythonSource:
    """Where a Python of some version comes from."""

    work: Work | None
    """The row, `uv`, that has to be done first; None where the system has that Python.

    It is one of its own: an environment need not be made again for another uv."""
    interpreter: Callable[[], Interpreter]
    """The Python, when that is done; raises StageFailed."""


def python_source(
    version: str,
    tool: Tool | None,
    places: Layout,
    *,
    world: World,
    run: Run,
    url: str = "",
    cache: Path | None = None,
) -> PythonSource:
    """A Python of a version: the system's, or else one that uv brings; it only looks.

    One that uv has brought already is kept to, whatever the system gets later.
    """
    system = partial(find_interpreter, version)
    if tool is None or not version:
        return PythonSource(None, system)
    if _brought(version, places) is None:
        with contextlib.suppress(StageFailed):
            system()
            return PythonSource(None, system)
    program = uv_program(tool, places)
    stages = (
        uv_stage(tool, places, world=world, run=run, url=url, cache=cache),
        python_stage(version, program, places, run=run),
    )
    return PythonSource(
        Work("uv", places.work("uv"), stages),
        lambda: uv_python(version, program, places, run=run),
    )


def uv_platform() -> str:
    """This machine, as uv names it; empty where it has no name for it that we know."""
    return PLATFORMS.get((platform.system(), platform.machine()), "")


def uv_program(tool: Tool, places: Layout) -> Path:
    """Where uv is, or belongs."""
    return places.made / "tools" / f"uv-{tool.version}" / "uv"


def uv_archive(tool: Tool, *, on: str, url: str = "") -> str:
    """The address of its archive; `url` stands in for the pin's, with the same two places."""
    return (url or tool.url).replace("{version}", tool.version).replace("{platform}", on)


def uv_stage(
    tool: Tool,
    places: Layout,
    *,
    world: World,
    run: Run,
    url: str = "",
    cache: Path | None = None,
    on: str | None = None,
) -> Stage:
    """The stage `uv`; `on` is the machine as uv names it, None for this one.

    `url` stands in for the archive's address, `cache` for the folder of caches.
    """
    system = uv_platform() if on is None else on
    program = uv_program(tool, places)
    sha256 = tool.archives.get(system, "")
    address = uv_archive(tool, on=system, url=url)
    archive = (cache or places.cache) / "downloads" / f"uv-{tool.version}-{system}.tar.gz"

    here = program.exists() or archive.exists()

    def make() -> None:
        if not sha256:
            known = ", ".join(tool.archives)
            raise StageFailed(
                "uv",
                f"no archive of uv {tool.version} is pinned for this machine ({known})",
                hint="install the Python that is needed yourself, or pin an archive",
            )
        if not program.exists():  # `setup.sh` may have brought the same one
            try:
                fetch(Wanted(address, archive, sha256=sha256, ours=True), world)
            except FetchFailed as problem:
                raise StageFailed("uv", problem.problem, hint=problem.hint) from problem
            _unpack(archive, f"uv-{system}/uv", program)
        said: list[str] = []
        try:
            run([str(program), "--version"], on_line=said.append)
        except CommandFailed as problem:
            program.unlink()
            raise StageFailed("uv", f"it does not run here: {problem}", hint=AGAIN) from problem
        if tool.version not in " ".join(said).split():
            program.unlink()
            other = f"uv {tool.version} is pinned, and this one says {said}"
            raise StageFailed("uv", other, hint="run it again: that one was removed")

    return Stage(
        "uv",
        f"uv {tool.version}, which brings a Python",
        {"version": tool.version, "archive": sha256},
        make,
        lambda: os.access(program, os.X_OK),
        download_bytes=0 if here else ARCHIVE_BYTES,
        disk_bytes=PROGRAM_BYTES,
        network=not here,
    )


def python_stage(version: str, program: Path, places: Layout, *, run: Run) -> Stage:
    """The stage `python`, behind `uv`: a Python of this version (`3.12`)."""
    there = _brought(version, places) is not None

    def make() -> None:
        uv_python(version, program, places, run=run)

    return Stage(
        "python",
        f"Python {version}, brought by uv",
        {"version": version},
        make,
        lambda: _brought(version, places) is not None,
        download_bytes=0 if there else PYTHON_BYTES,
        disk_bytes=0 if there else UNPACKED_BYTES,
        network=not there,
    )


def uv_python(version: str, program: Path, places: Layout, *, run: Run) -> Interpreter:
    """A Python of this version (`3.12`), brought by uv where it is not here yet.

    Raises:
        StageFailed: uv could not bring it.
    """
    found = _brought(version, places)
    if found is None:
        command = [str(program), "python", "install", "--no-bin", "--no-progress"]
        command += ["--install-dir", str(places.made / "python"), version]
        try:
            run(command, on_line=lambda _: None)
        except CommandFailed as problem:
            hint = "is GitHub within reach? UV_PYTHON_INSTALL_MIRROR names another place"
            raise StageFailed("python", str(problem), hint=hint) from problem
        found = _brought(version, places)
    if found is None:
        missing = f"uv has brought no Python {version} to {places.made}/python"
        raise StageFailed("python", missing, hint=f"install Python {version} yourself (python.org)")
    return Interpreter(str(found), version)


def _brought(version: str, places: Layout) -> Path | None:
    """The newest Python of this version that uv has brought."""
    named = re.compile(rf"cpython-{re.escape(version)}\.(\d+)-")
    found = [
        (int(told[1]), program)
        for folder in (places.made / "python").glob("cpython-*")
        if (told := named.match(folder.name))
        and (program := folder / "bin" / f"python{version}").exists()
    ]
    return max(found)[1] if found else None


def _unpack(archive: Path, member: str, program: Path) -> None:
    """Take the one program out of its archive, and nothing else."""
    program.parent.mkdir(parents=True, exist_ok=True)
    fresh = program.with_suffix(".new")
    try:
        with tarfile.open(archive, "r:gz") as packed:
            inside = packed.getmember(member)
            source = packed.extractfile(inside) if inside.isreg() else None
            if source is None:
                raise StageFailed("uv", f"{member} in {archive} is no file", hint=AGAIN)
            with source, fresh.open("wb") as file:
                shutil.copyfileobj(source, file)
                os.fsync(file.fileno())
    except (KeyError, tarfile.TarError, EOFError) as problem:
        raise StageFailed(
            "uv", f"{archive} does not hold {member}: {problem}", hint=AGAIN
        ) from problem
    fresh.chmod(0o755)
    fresh.replace(program)
