"""Everything that can stop bootstrap, and the exit code of each.

BootstrapError               code  what is wrong
├── UsageError                2    the command line
│   ├── UnknownPin            2    a name that the pins file does not have
│   ├── PinsFileWrong         2    a pins file, with the table and key
│   ├── FileWrong             2    a file that is not what its pin says
│   ├── NotPreparable         2    a pin that is declared, and cannot be prepared here
│   └── UnknownStage          2    a stage or work that the profile does not have
├── CannotStart               1    what the machine lacks for what is due; nothing was begun
├── InUse                     1    something runs from what is to be removed
├── StageFailed               1    a stage of the work, with what it said and where its log is
└── Stopped                 130    Ctrl-C, SIGTERM or SIGHUP; the next run goes on from here
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = [
    "BootstrapError",
    "CannotStart",
    "FileWrong",
    "InUse",
    "NotPreparable",
    "PinsFileWrong",
    "StageFailed",
    "Stopped",
    "UnknownPin",
    "UnknownStage",
    "UsageError",
]


class BootstrapError(Exception):
    """The root: `str()` is what a person is shown; `exit_code` is what the shell gets."""

    exit_code: ClassVar[int] = 1


class UsageError(BootstrapError):
    """It was asked for something that it will not do; the message says what to ask instead."""

    exit_code = 2


class UnknownPin(UsageError):
    """No pin, model or runtime has this name."""

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str = "") -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        listed = ", ".join(self.known) or "none"
        super().__init__(f"unknown {kind} {name!r}; known: {listed}{hint}")


class PinsFileWrong(UsageError):
    """A pins file says something that cannot be used."""

    def __init__(self, path: Path, where: str, problem: str) -> None:
        self.path, self.where, self.problem = path, where, problem
        super().__init__(f"{path}: {f'{where}: ' if where else ''}{problem}")


class FileWrong(UsageError):
    """A file is missing, or is another one than the pin says."""

    def __init__(self, path: Path, owner: str, problem: str) -> None:
        self.path, self.owner, self.problem = path, owner, problem
        super().__init__(
            f"{path} is not the file of {owner}: {problem}; "
            "restore it, or pin what is there if that is meant"
        )


class NotPreparable(UsageError):
    """The pin is known, and this machine cannot make it ready."""

    def __init__(self, name: str, because: str) -> None:
        self.name, self.because = name, because
        super().__init__(f"{name} cannot be prepared here: it {because}")


class UnknownStage(UsageError):
    """The profile has no such stage."""

    def __init__(self, name: str, profile: str, known: Iterable[str]) -> None:
        self.name, self.profile, self.known = name, profile, tuple(known)
        super().__init__(f"profile {profile} has no stage {name!r}; it has {', '.join(self.known)}")


class CannotStart(BootstrapError):
    """Something is lacking for what is due; all of it is told at once."""

    def __init__(self, profile: str, obstacles: Iterable[str]) -> None:
        self.profile, self.obstacles = profile, tuple(obstacles)
        told = "".join(f"\n  {obstacle}" for obstacle in self.obstacles)
        super().__init__(f"profile {profile} cannot be set up yet; nothing was changed:{told}")


class InUse(BootstrapError):
    """Something still works on, or runs from, what is to be removed."""

    def __init__(self, users: Iterable[str]) -> None:
        self.users = tuple(users)
        told = "".join(f"\n  {user}" for user in self.users)
        super().__init__(f"nothing was removed, since it is in use:{told}\n  end them first")


class StageFailed(BootstrapError):
    """A stage did not come to its end."""

    def __init__(
        self, stage: str, problem: str, *, hint: str = "", log: Path | None = None
    ) -> None:
        self.stage, self.problem, self.hint, self.log = stage, problem, hint, log
        told = [f"stage {stage}: {problem}", hint and f"try: {hint}", log and f"log: {log}"]
        super().__init__("\n  ".join(str(line) for line in told if line))


class Stopped(BootstrapError):
    """Whoever started it has ended it."""

    exit_code = 130

    def __init__(self) -> None:
        super().__init__("stopped; the next run goes on from here")
