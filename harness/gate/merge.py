"""What do the gates of several machines come to, side by side?

Each machine keeps its own figures and its own verdict; the whole is as bad as the worst of them.
Nothing is pooled: a ratio that is a mean over machines is true on none of them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.errors import UsageError
from harness.gate.baseline import machine_of
from harness.gate.result import RULING_CODES, WORST_FIRST, Ruling

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.gate.result import GateResult, Measured

__all__ = ["Merged", "Row", "Runner", "merge"]


@dataclass(frozen=True, slots=True)
class Runner:
    """One gate, on one machine."""

    name: str
    """The machine's, with a number where two gates are of the same."""
    where: str
    """The way to its folder from that of the merged reports."""
    result: GateResult


@dataclass(frozen=True, slots=True)
class Row:
    """One metric of one policy, on every machine."""

    policy: str
    metric: str
    cells: tuple[Measured | None, ...]
    """By runner; None where it was not measured there."""

    @property
    def first(self) -> Measured:
        """The metric as the first machine that measured it has it."""
        return next(cell for cell in self.cells if cell is not None)


@dataclass(frozen=True, slots=True)
class Merged:
    """Several gates."""

    runners: tuple[Runner, ...]
    rows: tuple[Row, ...]
    """Gated ones first."""
    doubts: tuple[str, ...]
    """Why the columns may not be about the same."""

    @property
    def ruling(self) -> Ruling:
        """The worst of all; a fail on one machine stands, whatever another one refused."""
        rulings = {each.result.ruling for each in self.runners}
        return Ruling.FAIL if Ruling.FAIL in rulings else min(rulings, key=WORST_FIRST.index)

    @property
    def exit_code(self) -> int:
        """As of a gate."""
        return RULING_CODES[self.ruling]


def merge(gates: Sequence[tuple[str, GateResult]]) -> Merged:
    """Gates side by side, each with the way to its folder.

    Raises:
        UsageError: one of them is named twice.
    """
    twice = [where for where, times in Counter(where for where, _ in gates).items() if times > 1]
    if twice:
        raise UsageError(f"{twice[0]} is named twice")
    runners = tuple(
        Runner(name, where, result)
        for name, (where, result) in zip(_names(gates), gates, strict=True)
    )
    keys = dict.fromkeys(
        (each.result.record.policy, metric.name)
        for each in runners
        for metric in each.result.metrics
    )
    rows = [Row(*key, tuple(_cell(each.result, *key) for each in runners)) for key in keys]
    rows.sort(key=lambda row: not row.first.gated)
    return Merged(runners, tuple(rows), tuple(_doubts(runners)))


def _names(gates: Sequence[tuple[str, GateResult]]) -> Iterator[str]:
    machines = [machine_of(result.record.fingerprint) for _, result in gates]
    seen = Counter[str]()
    for machine in machines:
        seen[machine] += 1
        yield f"{machine} ({seen[machine]})" if machines.count(machine) > 1 else machine


def _cell(result: GateResult, policy: str, metric: str) -> Measured | None:
    if result.record.policy != policy:
        return None
    return next((each for each in result.metrics if each.name == metric), None)


def _doubts(runners: Sequence[Runner]) -> Iterator[str]:
    results = [each.result for each in runners]
    texts = {(r.record.policy, r.record.policy_sha256) for r in results}
    names = {policy for policy, _ in texts}
    if len(names) > 1:
        yield f"the gates are of several policies: {', '.join(sorted(names))}"
    elif len(texts) > 1:
        yield "the gates are of one policy in several wordings: margins and metrics may differ"
    pins = {(r.baseline.digest, r.candidate.digest) for r in results}
    if len(pins) > 1:
        yield "the gates do not compare the same two pins"
    if len({machine_of(r.record.fingerprint) for r in results}) < len(results):
        yield "several gates are of one machine: they are told apart by a number, and not pooled"
    for each in runners:
        if each.result.record.stopped:
            yield f"{each.name}: it was stopped: {each.result.record.stopped}"
