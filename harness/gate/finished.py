"""What did a finished run come to, whichever it was: numbers, checks, and what was measured?

    a gate's folder    its candidate, start by start, in the metrics of its policy
    a run's folder     each turn of each leg, repeat by repeat; of other kinds than a conversation
                       each leg, turn by turn
    a suite's folder   the same of each part

A run is one start of a server, and its repeats are not starts: what differs from one start to the
next is not in them.  Whoever compares them has to say so (`SHARED_START`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from harness.dirty import is_dirty
from harness.errors import UsageError
from harness.gate.extract import read_start, turns_of
from harness.gate.pins import Pin
from harness.gate.policy import OF_START
from harness.gate.record import Side, is_gate, read_gate, read_starts, start_path
from harness.gate.result import Sample
from harness.gate.tally import count
from harness.judge import Result
from harness.kinds import derive
from harness.metrics import METRICS
from harness.results import read_record
from harness.scenario import digest
from harness.suite.judge import judge_suite
from harness.suite.record import is_suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from harness.fingerprint import Fingerprint
    from harness.gate.tally import Key, Tally
    from harness.judged import JudgedRun
    from harness.results import Seen
    from harness.units import Unit

__all__ = ["SHARED_START", "Figure", "Finished", "Value", "read_finished"]

COMPARED = (
    "client.ttft",
    "client.ttfv",
    "client.e2e",
    "client.decode_rate",
    "server.prefill_rate",
    "draft.per_round",
)
"""The metrics of the turns of a run."""
SHARED_START = (
    "each side was started once: its values are repeats of one start, and what differs from one "
    "start to the next is in no interval here"
)
FACTS = (
    "model",
    "artifactSha256",
    "executorchVersion",
    "torchVersion",
    "workerPythonVersion",
    "backend",
    "threads",
    "dflashEnabled",
)
"""What `/api/runtime` tells of what a side is made of."""


class Value(NamedTuple):
    """One value of one start, or of one repeat."""

    value: float
    samples: tuple[Sample, ...] = ()
    dirty: int = 0


@dataclass(frozen=True, slots=True)
class Figure:
    """One metric of one side."""

    title: str
    unit: Unit
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """One side of a comparison."""

    kind: str
    """`gate`, `run` or `suite`."""
    name: str
    """Of the policy, the scenario or the suite."""
    sha256: str
    pin: Pin
    """What was measured, as far as it is known."""
    fingerprint: Fingerprint
    machine: Mapping[str, str]
    scenarios: Mapping[str, str]
    """SHA-256 by name."""
    started_at: str
    ended_at: str | None
    stopped: str
    figures: Mapping[str, Figure]
    tallies: Mapping[Key, Tally]


def read_finished(folder: Path, where: str) -> Finished:
    """All that follows from a finished run; `where` is the way to it from the report.

    Raises:
        UsageError: it is no folder of a run, a suite or a gate.
        TraceError, ScenarioError: what it left cannot be read.
    """
    if is_gate(folder):
        return _of_gate(folder, where)
    if is_suite(folder):
        return _of_suite(folder, where)
    if (folder / "run.json").is_file():
        return _of_run(folder, where)
    raise UsageError(f"{folder} is not the folder of a run, a suite or a gate")


def _of_gate(folder: Path, where: str) -> Finished:
    record, policy = read_gate(folder)
    starts = [
        start
        for start in read_starts(folder)
        if start.side is Side.CANDIDATE and start.whole and not start.confirms
    ]
    found: dict[str, list[Value]] = {}
    tallies: dict[Key, Tally] = {}
    for start in starts:
        seen = read_start(folder, start, policy)
        for name, each in seen.values.items():
            samples = tuple(Sample(s.value, f"{where}/{s.trace}") for s in each.samples)
            # A number of the start itself is told in the report of what was played first.
            first = f"{where}/{start_path(start)}/{policy.scenarios[0]}"
            samples = samples or (Sample(each.value, first),)
            found.setdefault(name, []).append(Value(each.value, samples, each.dirty))
        for scenario, run in seen.runs.items():
            path = f"{where}/{start_path(start)}/{scenario}"
            count(tallies, scenario, run, at=path, source=path)
    figures = {
        metric.name: Figure(metric.title, metric.unit, tuple(found.get(metric.name, ())))
        for metric in policy.metric
    }
    return Finished(
        "gate",
        record.policy,
        record.policy_sha256,
        record.candidate,
        record.fingerprint,
        record.machine,
        record.scenarios,
        record.started_at,
        record.ended_at,
        record.stopped,
        figures,
        tallies,
    )


def _of_suite(folder: Path, where: str) -> Finished:
    result = judge_suite(folder)
    record = result.record
    played = [part.record.name for part in result.parts if part.run is not None]
    figures = dict(_of_server(record.target, f"{where}/{played[0]}")) if played else {}
    tallies: dict[Key, Tally] = {}
    scenarios = {}
    for part in result.parts:
        name = part.record.name
        if part.run is None:
            continue
        scenarios[name] = read_record(folder / name / "run.json").scenario_sha256
        path = f"{where}/{name}"
        figures.update(_of_turns(part.run, path, f"{name}: "))
        count(tallies, name, part.run, at=path, source=path)
    return Finished(
        "suite",
        record.suite,
        record.suite_sha256,
        _pin(record.target),
        record.fingerprint,
        {},
        scenarios,
        record.started_at,
        record.ended_at,
        "; ".join(f"{p.record.name}: {p.problem}" for p in result.parts if p.problem),
        figures,
        tallies,
    )


def _of_run(folder: Path, where: str) -> Finished:
    record, run = read_record(folder / "run.json"), derive(folder)
    tallies: dict[Key, Tally] = {}
    count(tallies, record.scenario, run, at=where, source=where)
    return Finished(
        "run",
        record.scenario,
        record.scenario_sha256,
        _pin(record.target),
        record.fingerprint,
        {},
        {record.scenario: record.scenario_sha256},
        record.started_at,
        record.ended_at,
        record.stopped,
        {**dict(_of_server(record.target, where)), **dict(_of_turns(run, where))},
        tallies,
    )


def _of_turns(run: JudgedRun, where: str, prefix: str = "") -> Iterator[tuple[str, Figure]]:
    """A figure for each turn of each leg, or for each leg, and each of `COMPARED`."""
    conversation = isinstance(run, Result)
    groups: dict[str, list[Any]] = {}
    for turn in turns_of(run):
        label = turn.label
        name = f"{label.leg} turn {label.turn}" if conversation else label.leg
        groups.setdefault(name, []).append(turn)
    for group, turns in groups.items():
        for name in COMPARED:
            metric = METRICS[name]
            values = []
            for turn in turns:
                value = turn.measurements[name].value
                if value is not None and value > 0:
                    trace = turn.seen.trace
                    sample = Sample(value, f"{where}#{trace.trace_id}")
                    values.append(Value(value, (sample,), int(is_dirty(trace))))
            if values:
                title = f"{prefix}{group}: {metric.title}"
                yield f"{prefix}{group} {name}", Figure(title, metric.unit, tuple(values))


def _of_server(target: Seen, where: str) -> Iterator[tuple[str, Figure]]:
    """What is known of a start itself."""
    runtime: Any = target.runtime_after or target.runtime or {}
    memory = runtime.get("memory") or {}
    for name, title, value in (
        ("start.ready", "command to ready", target.ready_s),
        ("memory.worker_peak", "peak memory, worker", memory.get("workerPeakBytes")),
        ("memory.server_peak", "peak memory, server", memory.get("serverPeakBytes")),
    ):
        if value:
            sample = (Sample(float(value), where),)
            yield name, Figure(title, OF_START[name], (Value(float(value), sample),))


def _pin(target: Seen) -> Pin:
    """What a run measured, as far as it told."""
    runtime = target.runtime or {}
    facts = {name: str(runtime[name]) for name in FACTS if runtime.get(name) is not None}
    facts = facts or {"model": target.model}
    sha256 = digest(json.dumps(facts, sort_keys=True))
    if target.kind == "embedded":
        return Pin("embedded", "run", sha256, facts)
    return Pin(target.url, "url", sha256, facts)
