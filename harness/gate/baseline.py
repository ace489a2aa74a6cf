"""What is kept of the gates that were accepted, and which noise is known of a machine?

    reports/baselines/<policy>/<pin>.json      every accepted gate whose candidate the pin was
    reports/baselines/<policy>/<pin>.aa.json   what pairs of the pin with itself differed by

They are committed: small, in a fixed order, a metric a line, so that a diff shows what changed.
Both say on which machine, and nothing is ever carried over from one machine to another.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Mapping  # noqa: TC003  (pydantic reads the annotations)
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import TypeAdapter, ValidationError

from harness.errors import TraceError
from harness.gate.plain_json import plain_json
from harness.gate.record import Noise, Side

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.fingerprint import Fingerprint
    from harness.gate.pins import Pin
    from harness.gate.policy import GateMetric, Policy
    from harness.gate.result import GateResult, Measured

__all__ = [
    "BASELINES",
    "Accepted",
    "AcceptedMetric",
    "KeptNoise",
    "accepted_of",
    "is_aa",
    "keep_accepted",
    "keep_noise",
    "kept_noise",
    "machine_of",
    "measures",
    "noise_of",
    "policies_kept",
    "read_accepted",
]

BASELINES = Path("reports") / "baselines"
GIB = 2**30
FIGURES = 4
"""Significant figures that are kept: more than any of these numbers has."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AcceptedMetric:
    """One metric of an accepted gate."""

    title: str
    unit: str
    gated: bool
    baseline: float | None
    """Median over the starts, in the base unit; None where there was no start."""
    candidate: float | None
    n: int
    ratio: float | None
    low: float | None
    high: float | None
    margin: float | None


@dataclass(frozen=True, slots=True)
class Accepted:
    """A gate that was accepted, in short."""

    at: str
    """When the gate began, UTC."""
    machine: str
    """As `machine_of` calls it."""
    pin: str
    digest: str
    baseline: str
    """The pin that it was compared with, and its digest; the same for an A/A gate."""
    baseline_digest: str
    policy_sha256: str
    commit: str
    """Of the harness; empty where it did not run from a checkout."""
    pairs: int
    facts: Mapping[str, str]
    """What the pin is made of."""
    metrics: Mapping[str, AcceptedMetric]
    allowed: tuple[str, ...] = ()
    """Differences that were allowed, in the gate and again when it was accepted."""


@dataclass(frozen=True, slots=True)
class KeptNoise:
    """The noise of one machine."""

    at: str
    machine: str
    digest: str
    """Of the pin that was compared with itself."""
    pairs: int
    measures: Mapping[str, str]
    """By metric, what it was the median of: noise is of that, and of nothing else."""
    noise: Mapping[str, Noise] = field(default_factory=dict)


_ACCEPTED = TypeAdapter(tuple[Accepted, ...])
_NOISE = TypeAdapter(tuple[KeptNoise, ...])


def machine_of(fingerprint: Fingerprint) -> str:
    """What a machine is called here: results of two are never pooled.

    Of the system only the name: a new build of it is the same machine, and may be what changed a
    number.  The memory is rounded, for a system keeps some of it for itself.
    """
    memory = fingerprint.memory_bytes
    told = [
        fingerprint.processor,
        f"{fingerprint.cores} cores",
        f"{math.ceil(memory / GIB)} GiB" if memory else "",
        f"{fingerprint.system.partition(' ')[0]} {fingerprint.machine}",
    ]
    return ", ".join(part for part in told if part)


def measures(metric: GateMetric) -> str:
    """What a metric of a policy is the median of, in a line."""
    turns = ",".join(str(turn) for turn in metric.turns)
    return " ".join(part for part in (metric.measure, metric.scenario, metric.leg, turns) if part)


def is_aa(result: GateResult) -> bool:
    """Whether both sides were the same pin."""
    return bool(result.baseline.digest) and result.baseline.digest == result.candidate.digest


def accepted_of(result: GateResult) -> Accepted:
    """What is kept of a gate."""
    record = result.record
    commit = record.fingerprint.commit
    return Accepted(
        at=record.started_at,
        machine=machine_of(record.fingerprint),
        pin=result.candidate.name,
        digest=result.candidate.digest,
        baseline=result.baseline.name,
        baseline_digest=result.baseline.digest,
        policy_sha256=record.policy_sha256,
        commit=commit.revision if commit else "",
        pairs=result.pairs,
        facts=result.candidate.facts,
        metrics={metric.name: _in_short(metric) for metric in result.metrics},
        allowed=record.allowed,
    )


def noise_of(result: GateResult, policy: Policy) -> KeptNoise:
    """What the pairs of an A/A gate differed by."""
    asked = {metric.name: measures(metric) for metric in policy.metric}
    noise = {
        metric.name: Noise(metric.n, _short(metric.noise), _half_width(metric))
        for metric in result.metrics
        if metric.noise is not None and metric.name in asked
    }
    return KeptNoise(
        at=result.record.started_at,
        machine=machine_of(result.record.fingerprint),
        digest=result.baseline.digest,
        pairs=result.pairs,
        measures={name: asked[name] for name in noise},
        noise=noise,
    )


def keep_accepted(accepted: Accepted, policy: str, root: Path = BASELINES) -> Path:
    """Add an accepted gate to those of its pin, in the order of time; the file.

    Raises:
        TraceError: the file that is there cannot be read.
    """
    path = root / policy / f"{_file_name(accepted.pin)}.json"
    there = [each for each in _read(path, _ACCEPTED) if _which(each) != _which(accepted)]
    return _write(path, _ACCEPTED, tuple(sorted([*there, accepted], key=_which)))


def policies_kept(root: Path = BASELINES) -> tuple[str, ...]:
    """The policies of which something was accepted."""
    return tuple(
        sorted({path.parent.name for path in root.glob("*/*.json") if not _is_noise(path)})
    )


def read_accepted(policy: str, root: Path = BASELINES) -> tuple[Accepted, ...]:
    """Every accepted gate of a policy, of all pins and machines, in the order of time.

    Raises:
        TraceError: a file cannot be read.
    """
    files = sorted(path for path in (root / policy).glob("*.json") if not _is_noise(path))
    return tuple(sorted((each for path in files for each in _read(path, _ACCEPTED)), key=_which))


def keep_noise(kept: KeptNoise, policy: str, pin: str, root: Path = BASELINES) -> Path:
    """Keep the noise of a machine in place of what was kept of it; the file.

    Raises:
        TraceError: the file that is there cannot be read.
    """
    path = root / policy / f"{_file_name(pin)}.aa.json"
    there = [each for each in _read(path, _NOISE) if each.machine != kept.machine]
    return _write(path, _NOISE, tuple(sorted([*there, kept], key=lambda each: each.machine)))


def kept_noise(
    policy: Policy, pin: Pin, fingerprint: Fingerprint, root: Path = BASELINES
) -> Mapping[str, Noise] | None:
    """What pairs of a pin with itself differed by on such a machine, by metric.

    A metric that is the median of something else by now is left out.  None where no A/A gate was
    kept on such a machine, or where the pin was another one under this name.

    Raises:
        TraceError: the file cannot be read.
    """
    machine = machine_of(fingerprint)
    path = root / policy.name / f"{_file_name(pin.name)}.aa.json"
    for kept in _read(path, _NOISE):
        if (kept.machine, kept.digest) == (machine, pin.digest):
            now = {metric.name: measures(metric) for metric in policy.metric}
            same = (name for name in kept.noise if now.get(name) == kept.measures.get(name))
            return {name: kept.noise[name] for name in same}
    return None


def _in_short(metric: Measured) -> AcceptedMetric:
    sides = {
        side: [start.value for start in metric.starts if start.side is side and not start.confirms]
        for side in Side
    }
    middles = {side: statistics.median(values) for side, values in sides.items() if values}
    return AcceptedMetric(
        title=metric.title,
        unit=metric.unit.name,
        gated=metric.gated,
        baseline=_known(middles.get(Side.BASELINE)),
        candidate=_known(middles.get(Side.CANDIDATE)),
        n=metric.n,
        ratio=_known(metric.ratio),
        low=_known(metric.low),
        high=_known(metric.high),
        margin=metric.margin,
    )


def _half_width(metric: Measured) -> float | None:
    if not metric.low or not metric.high:
        return None
    return _short(math.log(metric.high / metric.low) / 2)


def _short(number: float) -> float:
    """A number with as many figures as are kept."""
    return float(f"{number:.{FIGURES}g}")


def _known(number: float | None) -> float | None:
    return None if number is None else _short(number)


def _which(accepted: Accepted) -> tuple[str, str, str]:
    return accepted.at, accepted.pin, accepted.machine


def _file_name(pin: str) -> str:
    """A pin's name as a file: `executorch==1.5.0,dflash=off` has characters of its own."""
    return re.sub(r"[^A-Za-z0-9._=,-]+", "-", pin).strip("-.") or "pin"


def _is_noise(path: Path) -> bool:
    return path.name.endswith(".aa.json")


def _read(path: Path, adapter: TypeAdapter[tuple[T, ...]]) -> tuple[T, ...]:
    if not path.exists():
        return ()
    try:
        return adapter.validate_json(path.read_text(encoding="utf-8"))
    except ValidationError as problem:
        first = problem.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise TraceError(path, f"is not what `accept` keeps: {key}: {first['msg']}") from problem


def _write(path: Path, adapter: TypeAdapter[tuple[T, ...]], kept: Sequence[T]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_text(plain_json(adapter.dump_python(tuple(kept), mode="json")), encoding="utf-8")
    part.replace(path)
    return path
