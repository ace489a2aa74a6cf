"""What did the setup make, is it in use, and how is it removed?

Only what the setup makes is removed: known names directly below `.runtime` and in the folders there
that others may have too, folders of rows of stages, and the Finder's launcher.  Whatever else lies
there stays, whoever's folder MUSE_RUNTIME_DIR named, as does a model folder that was told.  Links
are removed, never followed.

It is in use where somebody holds one of its locks, or a process was started from there.
"""

from __future__ import annotations

import contextlib
import glob
import os
import shutil
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from bootstrap.errors import InUse, UsageError
from bootstrap.pinning.model_folder import MANIFEST
from bootstrap.pinning.recorded import RECORDED, records
from bootstrap.running.lock import held_if_free, owner_of
from bootstrap.setup.remembered import TOLD, told_before

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from bootstrap.layout import Layout
    from bootstrap.machine.asking import Ask

__all__ = ["Removal", "removals", "remove", "unused"]

REMOVED = ".muse-removed"
"""What is being removed, so that it is known for ours when a kill has left a part of it."""
LOG = "prepare.log"
OF_FINDER = ".DS_Store"
FILES = {TOLD, f".{TOLD}.new", "profile.json", ".profile.json.new", OF_FINDER}
INSIDE = {
    "cache": ("pip", "uv", "npm", "downloads"),
    "launch": ("*.lock", "*.json", "*.new"),
    "metal": (LOG,),
    "python": ("cpython-*", ".gitignore", ".lock", ".temp"),
    "tools": ("uv-*", ".uv.*"),
}
"""What the setup, uv and the playground put into folders whose names are anybody's."""
MODELS = "models"
OF_MODELS = (RECORDED, MANIFEST, "*.part", "*.part.json", "*.new", OF_FINDER)
PROC = Path("/proc")
Parts = tuple[list[Path], list[Path]]
"""What is ours, and what is not."""


@dataclass(frozen=True, slots=True)
class Removal:
    """One thing to be removed."""

    path: Path
    bytes: int


@dataclass(frozen=True, slots=True)
class Removals:
    """What is removed, and what stays."""

    removed: tuple[Removal, ...]
    kept: tuple[Path, ...]
    """What the setup did not make, or is asked to leave."""

    @property
    def bytes(self) -> int:
        """All of it."""
        return sum(each.bytes for each in self.removed)


def removals(places: Layout, launcher: Path | None, *, keep_models: bool) -> Removals:
    """What would be removed; it only looks."""
    entries = sorted(places.made.iterdir()) if places.made.is_dir() else []
    models = {MODELS, TOLD, *_names(places.made / MODELS)} if keep_models else set()
    told = _told_folder(places)
    parts = [
        ([], [entry])
        if entry.name in models or (told is not None and told.is_relative_to(entry))
        else _sorted_out(entry)
        for entry in entries
    ]
    ours = [path for mine, _ in parts for path in mine]
    if launcher is not None:
        ours.append(launcher)
    kept = tuple(path for _, others in parts for path in others)
    return Removals(tuple(Removal(each, _size(each)) for each in ours), kept)


@contextlib.contextmanager
def unused(places: Layout, ask: Ask, proc: Path = PROC) -> Iterator[None]:
    """See that nobody uses what was made, and hold its locks while the block runs.

    Raises:
        InUse: with who does.
    """
    with contextlib.ExitStack() as stack:
        users = [
            f"process {owner_of(lock)} holds {lock}"
            for lock in sorted([*places.made.glob("*/lock"), *places.made.glob("launch/*.lock")])
            if lock.is_file() and not stack.enter_context(held_if_free(lock))
        ]
        users += [
            f"process {number}: {command}"
            for number, command in _running(places.made, ask, proc).items()
        ]
        if users:
            raise InUse(users)
        yield


def remove(what: Removals, made: Path, delete: Callable[[Path], object] = shutil.rmtree) -> None:
    """Remove it, and the folder of all where nothing else is left in it."""
    for each in what.removed:
        if each.path.is_dir() and not each.path.is_symlink():
            delete(_set_aside(each.path, made))
        else:
            each.path.unlink(missing_ok=True)
    for folder in (made / REMOVED, made):
        with contextlib.suppress(OSError):
            folder.rmdir()


def _set_aside(path: Path, made: Path) -> Path:
    """Where it is removed: what is known by its stamps must not lose them first."""
    if path.parent == made and path.name in {*INSIDE, MODELS, REMOVED}:
        return path
    aside = made / REMOVED / path.name
    aside.parent.mkdir(exist_ok=True)
    if aside.exists():
        shutil.rmtree(aside)
    return path.rename(aside)


def _told_folder(places: Layout) -> Path | None:
    """A model folder that was told, unless it is among the usual ones."""
    try:
        told = told_before(places).model_dir
    except UsageError:  # what is told by a file that nobody can read
        return None
    return None if told is None or told.is_relative_to(places.made / MODELS) else told


def _sorted_out(entry: Path) -> Parts:
    """What of an entry of `.runtime` is ours, and what is not."""
    if entry.name in {*FILES, REMOVED} or _is_row(entry):
        return [entry], []
    if entry.name == MODELS:
        return _apart(entry, _of_model)
    if entry.name in INSIDE:
        return _apart(entry, lambda path: _by_name(path, (*INSIDE[entry.name], OF_FINDER)))
    return [], [entry]


def _apart(folder: Path, look: Callable[[Path], Parts]) -> Parts:
    """The folder itself where all in it is ours, or else that alone."""
    if folder.is_symlink():
        return [folder], []
    if not folder.is_dir():
        return [], [folder]
    parts = [look(path) for path in sorted(folder.iterdir())]
    others = [path for _, theirs in parts for path in theirs]
    return ([path for mine, _ in parts for path in mine], others) if others else ([folder], [])


def _by_name(path: Path, patterns: Iterable[str]) -> Parts:
    known = any(fnmatchcase(path.name, pattern) for pattern in patterns)
    return ([path], []) if known else ([], [path])


def _of_model(folder: Path) -> Parts:
    """The model's files by the stages that fetched them, and by what is recorded of them."""
    row = folder.parent.parent / folder.name / "stamps"
    stages = [path.name.removesuffix(".begun") for path in row.glob("model-*")]
    try:
        recorded = [path.partition("/")[0] for path in records(folder)]
    except UsageError:
        recorded = []
    if not folder.is_dir() or not (stages or recorded):
        return _by_name(folder, (OF_FINDER,))
    names = {*(stage.removeprefix("model-") for stage in stages), *recorded}
    patterns = (*OF_MODELS, *map(glob.escape, names))
    return _apart(folder, lambda path: _by_name(path, patterns))


def _is_row(entry: Path) -> bool:
    """Whether it is of a row of stages: locked before anything else is made."""
    if not (entry / "lock").is_file():
        return False
    return (entry / "stamps").is_dir() or {path.name for path in entry.iterdir()} <= {"lock", LOG}


def _names(folder: Path) -> set[str]:
    """The models, whose rows of stages have their names."""
    return {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()


def _size(path: Path) -> int:
    """Bytes of all files; one that has several names is counted once, and a link as a link."""
    files = {}
    inside = [] if path.is_symlink() else os.walk(path)
    for found in [
        path,
        *(Path(folder, name) for folder, _, names in inside for name in names),
    ]:
        with contextlib.suppress(FileNotFoundError):
            state = found.lstat()
            files[state.st_dev, state.st_ino] = state.st_size
    return sum(files.values())


def _running(made: Path, ask: Ask, proc: Path) -> Mapping[int, str]:
    """Processes whose command names something in a folder, but us and who started us."""
    processes = _by_proc(proc) or _by_ps(ask)
    us: set[int] = set()
    number = os.getpid()
    while number in processes and number not in us:
        us.add(number)
        number = processes[number][0]
    return {
        number: command
        for number, (_, command) in sorted(processes.items())
        if f"{made}/" in command and number not in us
    }


def _by_ps(ask: Ask) -> dict[int, tuple[int, str]]:
    """The same by `ps`, as on a Mac; nothing where it does not tell."""
    said = ask("ps", "-axww", "-o", "pid=,ppid=,command=")
    lines = [line.split(None, 2) for line in said.out.splitlines()] if said.ok else []
    return {int(line[0]): (int(line[1]), line[2]) for line in lines if len(line) == 3}


def _by_proc(proc: Path) -> dict[int, tuple[int, str]]:
    """Parent and command of each process; nothing where the system has no such folder."""
    found = {}
    for folder in proc.glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
            parent = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[1]
            found[int(folder.name)] = (int(parent), os.fsdecode(command).strip())
    return found
