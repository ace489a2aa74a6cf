"""What did one start come to, metric by metric, and for what is there no number?

The runs of a start are judged as any run is; a metric of its turns is the median over them, so
that a start has one number and not many (`policy`).  Numbers of the start itself stand in its
record.  What cannot be told is missing with its reason, and never 0.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.dirty import is_dirty
from harness.errors import HarnessError
from harness.gate.policy import OF_START
from harness.gate.record import start_path
from harness.gate.result import Sample, StartValue
from harness.kinds import derive
from harness.played import PlayedTurn

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from harness.gate.policy import GateMetric, Policy
    from harness.gate.record import StartRecord
    from harness.judged import JudgedRun

__all__ = ["StartSeen", "read_start", "turns_of"]


class _Missing(Exception):
    """There is no such number of a start; the message says why."""


@dataclass(frozen=True, slots=True)
class StartSeen:
    """A start, with all that follows from it."""

    start: StartRecord
    runs: Mapping[str, JudgedRun]
    """By scenario, in the order played; those that left something to judge."""
    values: Mapping[str, StartValue]
    """By metric."""
    missing: Mapping[str, str]
    """By metric: why there is no value."""

    def place(self, scenario: str, trace: str) -> str:
        """Where a trace is, below the gate's folder: `starts/001-baseline/gate-speed#ID`."""
        return f"{start_path(self.start)}/{scenario}#{trace}"


def read_start(gate: Path, start: StartRecord, policy: Policy) -> StartSeen:
    """Everything that follows from a start, from what it left below the folder of its gate."""
    runs = {}
    for scenario in policy.scenarios:
        try:
            runs[scenario] = derive(gate / start_path(start) / scenario)
        except HarnessError:  # it broke before it was played: its record says so
            continue
    seen = StartSeen(start, runs, {}, {})
    values, missing = {}, {}
    for metric in policy.metric:
        try:
            values[metric.name] = _value(metric, seen)
        except _Missing as why:
            missing[metric.name] = str(why)
    return StartSeen(start, runs, values, missing)


def turns_of(run: JudgedRun) -> tuple[PlayedTurn, ...]:
    """The chat turns of a run, of whichever kind; warm-ups are not among them."""
    turns = getattr(run, "turns", ())
    return tuple(t for t in turns if isinstance(t, PlayedTurn) and t.label.repeat >= 1)


def _value(metric: GateMetric, seen: StartSeen) -> StartValue:
    """Raises _Missing."""
    if metric.measure in OF_START:
        return _told(seen.start, _of_start(metric.measure, seen.start))
    if metric.scenario not in seen.runs:
        raise _Missing(f"{metric.scenario} left nothing to measure")
    turns = [
        turn
        for turn in turns_of(seen.runs[metric.scenario])
        if turn.label.leg == metric.leg and (not metric.turns or turn.label.turn in metric.turns)
    ]
    if not turns:
        raise _Missing(f"{metric.leg} of {metric.scenario} was not played")
    samples, dirty, reasons = [], 0, []
    for turn in turns:
        measured = turn.measurements[metric.measure]
        if measured.value is None:
            reasons.append(measured.reason)
        else:
            place = seen.place(metric.scenario, turn.seen.trace.trace_id)
            samples.append(Sample(measured.value, place))
            dirty += is_dirty(turn.seen.trace)
    if not samples:
        raise _Missing("; ".join(dict.fromkeys(reasons)))
    middle = statistics.median(sample.value for sample in samples)
    return _told(seen.start, middle, tuple(samples), dirty)


def _told(
    start: StartRecord, value: float, samples: tuple[Sample, ...] = (), dirty: int = 0
) -> StartValue:
    if value <= 0:
        raise _Missing(f"it is {value:g}, and nothing can be a multiple of that")
    return StartValue(start.index, start.side, start.pair, start.confirms, value, samples, dirty)


def _of_start(measure: str, start: StartRecord) -> float:
    if measure == "start.ready":
        if start.ready_s is None:
            raise _Missing("the server was not started here")
        return start.ready_s
    if measure == "memory.worker_steady":
        if start.worker_steady_bytes is None:
            raise _Missing("the memory of the worker could not be read")
        return start.worker_steady_bytes
    if measure == "memory.worker_peak" and start.worker_peak_bytes is not None:
        return start.worker_peak_bytes  # our own reading, before the server's word
    if start.runtime is None:
        raise _Missing("the server has no /api/runtime")
    path, per = _IN_RUNTIME[measure]
    found: object = start.runtime
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    if not isinstance(found, int | float) or isinstance(found, bool):
        raise _Missing(f"/api/runtime does not tell {'.'.join(path)}")
    return found / per


_IN_RUNTIME = {
    "start.load": (("loadTimeMs",), 1e3),
    "memory.worker_peak": (("memory", "workerPeakBytes"), 1),
    "memory.server_peak": (("memory", "serverPeakBytes"), 1),
}
"""Where a number stands in `/api/runtime`, and by what it is divided to be in its unit."""
