"""Which work is still to be done, and how is it gone on with after a kill?

Work is a row of stages.  A stage that is done leaves a stamp: a hash of what it was made of, and of
the stage before it.  So a change anywhere makes everything behind it be done again, an unchanged
second run finds every stamp right and does nothing, and nothing depends on times of files.

    stamps/<stage>         the hash; written when the stage has ended
    stamps/<stage>.begun   written before it begins, removed at its end

A stage that was begun and has no stamp was cut.  Most can simply be done again; one that may have
left half of something names the stage that makes its ground new: what it `spoils`.
"""

from __future__ import annotations

import errno
import hashlib
import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from bootstrap.errors import StageFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence
    from pathlib import Path

__all__ = ["Stage", "Work", "WorkFolder", "due", "run_stages", "void"]

FULL = {errno.ENOSPC, errno.EDQUOT}
ELSE = "is that disk connected, and may you write there? then run it again"


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of the work."""

    name: str
    about: str
    """What it does, for the line that tells so."""
    made_of: Mapping[str, object]
    """Everything that its product depends on, as JSON."""
    make: Callable[[], None]
    """Does it, from the beginning; raises StageFailed."""
    is_there: Callable[[], bool] = field(default=lambda: True)
    """Whether its product is still there."""
    spoils: str = ""
    """The stage to begin again at where this one was cut, or was done of something else."""
    download_bytes: int = 0
    """What it fetches, about; for the plan."""
    disk_bytes: int = 0
    """What it leaves on the disk, about; for the plan, and for a look at the disk beforehand."""
    network: bool = False
    """Whether it cannot be done without the network; refused with `--offline` where it is due."""


@dataclass(frozen=True, slots=True)
class Work:
    """A row of stages, and the folder that keeps what is known of them.

    Rows do not depend on one another: a model need not be fetched again for another runtime.
    """

    name: str
    """`server`, `muse-m5`, `muse-glimmer`, `page`: unique, and the folder's name."""
    folder: WorkFolder
    stages: tuple[Stage, ...]


class WorkFolder(Protocol):
    """Where a row of stages keeps its lock, its stamps and its log."""

    @property
    def lock(self) -> Path:
        """Held by whoever works on it."""

    @property
    def log(self) -> Path:
        """What its commands said."""

    @property
    def stamps(self) -> Path:
        """Which stages are done, and of what."""


def run_stages(
    stages: Sequence[Stage], stamps: Path, tell: Callable[[str], None], *, until: str = ""
) -> tuple[str, ...]:
    """Do what is not done; the names of the stages that were run.

    `until` names the last stage to be run; those behind it are left, void if it was run.

    Raises:
        StageFailed: of the stage that failed; those before it stay done.
    """
    names = [stage.name for stage in stages]
    keys = _keys(stages)
    first = _first_to_do(stages, keys, stamps)
    end = names.index(until) + 1 if until else len(stages)
    for place in range(first, end):
        stage = stages[place]
        _begin(stage, stages[place:], stamps)
        tell(f"{stage.name}: {stage.about} …")
        begun = time.monotonic()
        _make(stage)
        _finish(stage, keys[place], stamps)
        tell(f"{stage.name}: done in {time.monotonic() - begun:.1f} s")
    return tuple(names[first:end])


def due(
    stages: Sequence[Stage], stamps: Path, forced: Container[str] = frozenset()
) -> tuple[str, ...]:
    """The names of the stages that a run would do; `forced` are those that it would `void` first.

    It only looks.
    """
    return tuple(
        stage.name for stage in stages[_first_to_do(stages, _keys(stages), stamps, forced) :]
    )


def void(stages: Sequence[Stage], stamps: Path, name: str) -> None:
    """Have a stage, and all behind it, be done again: as if it had been cut."""
    place = [stage.name for stage in stages].index(name)
    _begin(stages[place], stages[place:], stamps)


def _make(stage: Stage) -> None:
    """Make it; what the system refuses is told as a failure of the stage."""
    try:
        stage.make()
    except OSError as problem:
        hint = "make room on that disk, and run it again" if problem.errno in FULL else ELSE
        raise StageFailed(stage.name, str(problem), hint=hint) from problem


def _keys(stages: Sequence[Stage]) -> list[str]:
    keys: list[str] = []
    for stage in stages:
        said = [stage.name, stage.made_of, keys[-1] if keys else ""]
        keys.append(hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest())
    return keys


def _first_to_do(
    stages: Sequence[Stage], keys: Sequence[str], stamps: Path, forced: Container[str] = frozenset()
) -> int:
    first = next(
        (
            place
            for place, (stage, key) in enumerate(zip(stages, keys, strict=True))
            if stage.name in forced or _stamp(stage, stamps) != key or not stage.is_there()
        ),
        len(stages),
    )
    for stage in stages[first:]:
        cut = stage.name in forced or _begun(stage, stamps).exists()
        if stage.spoils and (cut or _stamp(stage, stamps)):
            first = min(first, [each.name for each in stages].index(stage.spoils))
    return first


def _stamp(stage: Stage, stamps: Path) -> str:
    try:
        return (stamps / stage.name).read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _begun(stage: Stage, stamps: Path) -> Path:
    return stamps / f"{stage.name}.begun"


def _begin(stage: Stage, behind: Sequence[Stage], stamps: Path) -> None:
    """Void this stage and all behind it, in this order: cut between, it is begun here again."""
    stamps.mkdir(parents=True, exist_ok=True)
    for each in behind:
        (stamps / each.name).unlink(missing_ok=True)
        _begun(each, stamps).unlink(missing_ok=True)
    _begun(stage, stamps).touch()


def _finish(stage: Stage, key: str, stamps: Path) -> None:
    fresh = stamps / f"{stage.name}.new"
    fresh.write_text(f"{key}\n", encoding="ascii")
    fresh.replace(stamps / stage.name)
    _begun(stage, stamps).unlink()
