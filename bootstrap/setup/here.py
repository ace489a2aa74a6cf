"""What has the setup to do with on this machine? Its collaborators, built by the command alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from bootstrap.layout import Layout
    from bootstrap.machine.asking import Ask
    from bootstrap.machine.facts import Machine
    from bootstrap.machine.room import LookAtDisk
    from bootstrap.pinning.pins import Pin
    from bootstrap.running.commands import Commands
    from bootstrap.running.stages import Work
    from bootstrap.setup.request import Request

__all__ = ["Build", "Here", "Row", "Rows"]


class Build(Protocol):
    """Makes the stages of a row."""

    def __call__(self, run: Commands, tell: Callable[[str], None]) -> Work:
        """It only looks; `run` and `tell` are for when its stages are made."""
        ...


@dataclass(frozen=True, slots=True)
class Row:
    """One work of a profile, before it is built.

    It is built for the plan, and once more under its own lock, with a `run` that passes that on.
    """

    where: Path
    """The folder that it fills, or one on the same disk."""
    build: Build
    needs: tuple[str, ...] = ()
    """Conditions of `toolchain`."""


class Rows(Protocol):
    """Says which works a profile takes: the seam where tests have short ones."""

    def __call__(
        self, profile: str, pin: Pin, machine: Machine, request: Request, here: Here
    ) -> tuple[Row, ...]:
        """In the order in which they are run."""
        ...


@dataclass(frozen=True, slots=True)
class Here:
    """All of it."""

    places: Layout
    environ: Mapping[str, str]
    """What commands get, caches included."""
    ask: Ask
    look_at_disk: LookAtDisk
    tell: Callable[[str], None]
    rows: Rows
