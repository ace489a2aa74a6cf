"""What follows from a run of load: a verdict for each promise, and the exit code.

A pure function of what is on disk, so that a result can be derived again from a folder at any time
and comes out the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from harness.capabilities import Capabilities, capabilities
from harness.checks import check_turn
from harness.judged import Judged, JudgedRun
from harness.load import fairness, service
from harness.load.plan import places_of, plan_load
from harness.load.seen import PROBED, Alone, Fate, alone_of, probes_of, seen_requests
from harness.played import play_back

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harness.load.scenario import Load
    from harness.load.seen import Probe, SeenRequest
    from harness.played import PlayedTurn
    from harness.results import RunRecord
    from harness.trace import Trace

__all__ = ["PROMISES", "LoadResult", "judge_load"]

PROMISES: Mapping[str, str] = dict(
    re.findall(
        r"^ *(load\.\w+) +(.+)$",
        f"{fairness.__doc__}\n{service.__doc__}",
        flags=re.MULTILINE,
    )
)
"""What load asks, in the words of the modules that judge it."""


@dataclass(frozen=True, slots=True)
class LoadResult(JudgedRun):
    """A run of load, judged."""

    promises: ClassVar[Mapping[str, str]] = PROMISES

    record: RunRecord
    scenario: Load
    can: Capabilities
    turns: tuple[PlayedTurn, ...]
    """Every request that was sent, probes not among them, as they ended."""
    requests: tuple[SeenRequest, ...]
    """The same on one clock, in the order they were sent."""
    alone: Alone
    probes: Mapping[str, tuple[Probe, ...]]
    loaded_from_s: float
    """When the loop began, on the client's clock."""

    def of(self, phase: str) -> tuple[SeenRequest, ...]:
        """The requests of a phase."""
        return tuple(each for each in self.requests if each.planned.phase == phase)

    def loaded(self, path: str) -> tuple[Probe, ...]:
        """The probes of a path that were sent while others asked too."""
        return tuple(p for p in self.probes.get(path, ()) if p.sent_s >= self.loaded_from_s)


def judge_load(record: RunRecord, load: Load, traces: Sequence[Trace]) -> LoadResult:
    """Everything that follows from a run."""
    plan = plan_load(
        load,
        rounds=record.repeats,
        seed=record.seed,
        salt=record.salt,
        places=places_of(record.target.runtime),
    )
    promises = {promised.label: promised.promise for promised in record.promised}
    turns = play_back(promises, traces)
    requests = seen_requests(plan.requests, turns)
    loop = [each.sent_s for each in requests if each.planned.phase == "loop"]
    played = {turn.label for turn in turns}
    result = LoadResult(
        judged=(),
        unplayed=tuple(label for label in promises if label not in played),
        record=record,
        scenario=load,
        can=capabilities(record.target.runtime, [turn.reuse for turn in turns]),
        turns=turns,
        requests=requests,
        alone=alone_of(requests),
        probes=probes_of(traces),
        loaded_from_s=min(loop, default=float("inf")),
    )
    return replace(result, judged=(*_judge_requests(result), *_judge_load(result)))


def _judge_requests(result: LoadResult) -> Iterator[Judged]:
    """What is promised of every turn; a burst may be refused, and whoever left has no answer."""
    for each in result.requests:
        if each.fate is Fate.LEFT or (
            each.planned.phase == "burst" and each.fate is not Fate.SERVED
        ):
            continue
        label = each.planned.label
        for verdict in check_turn(each.turn, result.can):
            yield Judged(verdict, label, f"{label.leg} request {label.turn}")


def _judge_load(result: LoadResult) -> Iterator[Judged]:
    weight, everybody, alone = result.scenario.load, result.requests, result.alone
    for phase in ("loop", "burst"):
        own = result.of(phase)
        yield Judged(fairness.in_order(own, weight.tie_ms / 1e3), None, phase)
        yield Judged(fairness.queue_told(own, everybody), None, phase)
        yield Judged(service.unmixed(own), None, phase)
    loop, burst = result.of("loop"), result.of("burst")
    yield Judged(service.goodput(loop, weight.goodput, weight.clients, alone), None, "loop")
    yield Judged(service.all_end(burst, weight.deadline_s), None, "burst")
    places = places_of(result.record.target.runtime)
    yield Judged(service.refused(burst, places, alone), None, "burst")
    for verdict in fairness.freed(everybody, alone):
        yield Judged(verdict, None, "gone")
    for path in PROBED:
        yield Judged(service.probed(path, result.loaded(path), weight.probe), None, path)
