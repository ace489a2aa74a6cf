"""Gates built by hand: a result as the judge makes it, of figures that a test chooses."""

from __future__ import annotations

import math
import statistics
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.fingerprint import Commit, Fingerprint
from harness.gate.pins import Pin
from harness.gate.policy import Policy, parse_policy
from harness.gate.record import GateRecord, Side, keep_gate, keep_policy_text
from harness.gate.result import GateResult, Measured, PairValue, Ruling, StartValue
from harness.results import RunFolder
from harness.scenario import digest
from harness.units import SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Gate = Callable[..., GateResult]

GIB = 2**30
POLICY_TEXT = """\
name = "small"
question = "Is it as quick?"
scenarios = ["talk"]
pairs = 4

[[metric]]
name = "ttft"
title = "TTFT"
measure = "client.ttft"
scenario = "talk"
leg = "warm"
turns = [2]
margin = 0.05
gated = true
"""
POLICY = parse_policy(POLICY_TEXT, Path("small.toml"))


def pin(name: str = "old", digest: str = "a1") -> Pin:
    """A side."""
    return Pin(name, "pin", digest, {"executorch": f"1.5.{digest[-1]}"})


def machine(
    processor: str = "Apple M5", commit: str = "0" * 40, *, dirty: bool = False
) -> Fingerprint:
    """A machine, and the harness on it."""
    return Fingerprint(
        "Darwin 27.0", "arm64", processor, 10, 32 * GIB, "CPython 3.11", {}, Commit(commit, dirty)
    )


def measured(
    pairs: Sequence[tuple[float, float]], ruling: Ruling = Ruling.PASS, name: str = "ttft"
) -> Measured:
    """A metric of such pairs, in seconds; its interval is two standard errors wide."""
    logs = [math.log(candidate / baseline) for baseline, candidate in pairs]
    mean, sd = statistics.fmean(logs), statistics.stdev(logs)
    half = 2 * sd / math.sqrt(len(logs))
    sides = ((Side.BASELINE, 0), (Side.CANDIDATE, 1))
    return Measured(
        name=name,
        title="TTFT",
        unit=SECONDS,
        gated=True,
        ruling=ruling,
        why="as a test has it",
        margin=0.05,
        starts=tuple(
            StartValue(2 * at + place + 1, side, at + 1, confirms=False, value=pair[place])
            for at, pair in enumerate(pairs)
            for side, place in sides
        ),
        pairs=tuple(PairValue(at + 1, False, *pair) for at, pair in enumerate(pairs)),
        n=len(pairs),
        ratio=math.exp(mean),
        low=math.exp(mean - half),
        high=math.exp(mean + half),
        confidence=0.9,
        noise=sd,
    )


PAIRS = ((0.100, 0.101), (0.102, 0.100), (0.099, 0.100), (0.101, 0.103))


@pytest.fixture(name="policy")
def _policy() -> Policy:
    """One metric."""
    return POLICY


@pytest.fixture(name="gate")
def _gate() -> Gate:
    """Makes the result of a gate."""

    def made(
        *,
        ruling: Ruling = Ruling.PASS,
        baseline: Pin | None = None,
        candidate: Pin | None = None,
        pairs: Sequence[tuple[float, float]] = PAIRS,
        started_at: str = "2026-11-30T12:00:00.000+00:00",
        on: Fingerprint | None = None,
        allowed: tuple[str, ...] = (),
        refused: str = "",
        stopped: str = "",
    ) -> GateResult:
        old, new = baseline or pin(), candidate or pin("new", "b2")
        record = GateRecord(
            policy=POLICY.name,
            policy_sha256=digest(POLICY_TEXT),
            baseline=old,
            candidate=new,
            pairs=10,
            budget_min=20.0,
            seed=1,
            salt="salt",
            started_at=started_at,
            fingerprint=on or machine(),
            machine={},
            scenarios={"talk": "d4"},
            allowed=allowed,
            refused=refused,
            ended_at=started_at,
            stopped=stopped,
        )
        return GateResult(
            record=record,
            question=POLICY.question,
            ruling=ruling,
            headline=f"it is a {ruling.value}",
            reasons=(),
            baseline=old,
            candidate=new,
            differences=(),
            metrics=(measured(pairs, ruling),),
            checks=(),
            answers=None,
            pairs=len(pairs),
        )

    return made


@pytest.fixture(name="aa")
def _aa(gate: Gate) -> Callable[..., GateResult]:
    """Makes the result of an A/A gate."""
    return lambda **given: gate(baseline=pin(), candidate=pin(), **given)


@pytest.fixture(name="elsewhere")
def _elsewhere() -> Fingerprint:
    """Another machine than that of every gate."""
    return machine("Apple M4")


@pytest.fixture(name="on_disk")
def _on_disk(tmp_path: Path) -> Callable[[GateResult], Path]:
    """Writes a gate's record and policy, and not one start: there is nothing to judge by."""

    def written(result: GateResult) -> Path:
        folder = RunFolder.create(tmp_path / "gate")
        keep_policy_text(folder, POLICY_TEXT)
        keep_gate(folder, result.record)
        return folder.path

    return written
