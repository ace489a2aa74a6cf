"""What did the setup make, is it in use, and how is it removed?

Only what the setup makes is removed: known names directly below `.runtime`, folders there that have
stamps or a lock, and the Finder's launcher.  Whatever else lies there stays, as does a model folder
elsewhere.  Links are removed, never followed.

It is in use where somebody holds one of its locks, or a process was started from there.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bootstrap.errors import InUse
from bootstrap.running.lock import held_if_free, owner_of
from bootstrap.setup.remembered import TOLD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from bootstrap.layout import Layout
    from bootstrap.machine.asking import Ask

__all__ = ["Removal", "removals", "remove", "unused"]

REMOVED = "removed"
"""What is being removed, so that it is known for ours when a kill has left a part of it."""
KNOWN = {TOLD, REMOVED, "cache", "tools", "python", "metal", "launch", "profile.json"}
MODELS = "models"
PROC = Path("/proc")


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
    ours = [
        entry
        for entry in entries
        if entry.name not in models
        and (entry.name in {*KNOWN, MODELS} or (entry / "stamps").is_dir() or _has_lock(entry))
    ]
    kept = tuple(entry for entry in entries if entry not in ours)
    if launcher is not None:
        ours.append(launcher)
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
    if path.name in {*KNOWN, MODELS}:
        return path
    aside = made / REMOVED / path.name
    aside.parent.mkdir(exist_ok=True)
    if aside.exists():
        shutil.rmtree(aside)
    return path.rename(aside)


def _has_lock(entry: Path) -> bool:
    return (entry / "lock").is_file()


def _names(folder: Path) -> set[str]:
    """The models, whose rows of stages have their names."""
    return {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()


def _size(path: Path) -> int:
    """Bytes of all files; one that has several names is counted once."""
    files = {}
    for found in [
        path,
        *(Path(folder, name) for folder, _, names in os.walk(path) for name in names),
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
