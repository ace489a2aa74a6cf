"""Which stages are meant by `--only` and `--force`?

Both take the name of a stage, or of a work for all of its stages.
`--only` a stage: that one, and what is still due before it in its row; nothing else.
`--force` a stage: it is done again, and so is all behind it in its row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bootstrap.errors import UnknownStage, UsageError
from bootstrap.running.stages import due

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bootstrap.running.stages import Work
    from bootstrap.setup.request import Request

__all__ = ["Selection", "select"]


@dataclass(frozen=True, slots=True)
class Selection:
    """What is to be looked at."""

    last: Mapping[str, str]
    """By work that is meant: the last stage that is."""
    forced: frozenset[str]
    """Stages that are done again."""

    def due(self, work: Work) -> tuple[str, ...]:
        """The stages of a work that a run would do."""
        if work.name not in self.last:
            return ()
        names = [stage.name for stage in work.stages]
        meant = names[: names.index(self.last[work.name]) + 1]
        found = due(work.stages, work.folder.stamps, self.forced)
        return tuple(name for name in found if name in meant)

    def forced_of(self, work: Work) -> tuple[str, ...]:
        """The stages of a work that are to be done again."""
        return tuple(stage.name for stage in work.stages if stage.name in self.forced)


def select(works: Sequence[Work], request: Request, profile: str) -> Selection:
    """What a request means.

    Raises:
        UnknownStage: the profile has no stage or work of the name.
        UsageError: a stage is forced that `--only` leaves out.
    """
    last = {work.name: work.stages[-1].name for work in works if not request.only}
    for name in request.only:
        work, stage = _found(name, works, profile)
        names = [each.name for each in work.stages]
        # A work is meant whole.
        wanted = names[-1] if name == work.name else stage
        before = names.index(last[work.name]) if work.name in last else -1
        last[work.name] = names[max(before, names.index(wanted))]
    forced = set()
    for name in request.force:
        work, stage = _found(name, works, profile)
        names = [each.name for each in work.stages]
        if work.name not in last or names.index(stage) > names.index(last[work.name]):
            raise UsageError(f"--force {name}: --only leaves it out")
        forced.add(stage)
    return Selection(last, frozenset(forced))


def _found(name: str, works: Sequence[Work], profile: str) -> tuple[Work, str]:
    """The work, and the first of its stages that is meant."""
    for work in works:
        for stage in work.stages:
            if stage.name == name:
                return work, name
    for work in works:
        if work.name == name:
            return work, work.stages[0].name
    known = [
        known for work in works for known in (work.name, *(stage.name for stage in work.stages))
    ]
    raise UnknownStage(name, profile, dict.fromkeys(known))
