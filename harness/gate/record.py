"""What does a gate leave on disk, and when?

    reports/runs/<UTC time>-gate-<policy>/
        policy.toml            the policy's text as it was                    at the start
        gate.json              what was asked, and found out (`GateRecord`)   as each start ends
        starts/<index>-<side>/ one start of one side                          as it is played
            start.json         which one it is, and what was seen (`StartRecord`)
            <scenario>/        a run folder of each scenario, as any (`harness.results`)
            playground.log
        suites/<side>/         the acceptance suite (`harness.suite.record`)
        suites/<side>-again/   its failed parts, once more
        result.json, report.html, report.md, junit.xml                        at the end

The last four are derived from the others (logs apart), byte for byte.  An index has three digits,
and counts every start in the order it was played: `007-candidate`.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  (pydantic reads the annotations)
from dataclasses import dataclass, field
from enum import Enum

from harness.fingerprint import Fingerprint  # noqa: TC001
from harness.gate.pins import Loaded, Pin  # noqa: TC001

__all__ = ["GateRecord", "Side", "StartRecord"]

SCHEMA = 1


class Side(Enum):
    """Which of the two."""

    BASELINE = "baseline"
    CANDIDATE = "candidate"


@dataclass(frozen=True, slots=True)
class StartRecord:
    """One start of one side, from its cooldown to its end."""

    index: int
    """From 1, in the order played."""
    side: Side
    block: int
    """From 1; a block is two pairs, ABBA or BAAB."""
    pair: int
    """From 1; the two starts of a pair lie side by side."""
    confirms: bool
    """Whether it belongs to the fresh block that has to find a fail again."""
    started_at: str
    salt: str
    """What the fresh slots of its scenarios were drawn from: the same for both sides of a pair
    where both are started here, so that they are asked the very same."""
    ready_s: float | None = None
    """From the command to its ready line; None at a URL."""
    loaded: Loaded | None = None
    """What its processes had loaded; None where nobody can tell."""
    runtime: Mapping[str, object] | None = None
    """`/api/runtime` after the last scenario."""
    worker_steady_bytes: int | None = None
    """Resident memory of the worker when all was played; None where it cannot be read."""
    anchor_before_s: float | None = None
    """What a fixed piece of work of our own took before the block; see `anchor`."""
    anchor_after_s: float | None = None
    ended_at: str | None = None
    stopped: str = ""
    """Why it ended before its end: a crash, a scenario that could not be played."""


@dataclass(frozen=True, slots=True)
class GateRecord:
    """What a gate was asked, and found out apart from its starts."""

    policy: str
    policy_sha256: str
    baseline: Pin
    candidate: Pin
    pairs: int
    """At most."""
    budget_min: float
    seed: int
    salt: str
    started_at: str
    fingerprint: Fingerprint
    machine: Mapping[str, str]
    """What has to be the same on both sides and is no part of them: power source, low-power mode,
    OS build, browser."""
    scenarios: Mapping[str, str]
    """SHA-256 of each scenario that is played, by name."""
    allowed: tuple[str, ...] = ()
    """Differences that `--allow` named."""
    refused: str = ""
    """Why the gate was refused: what is not comparable, what was not loaded; empty where not."""
    notes: tuple[str, ...] = ()
    ended_at: str | None = None
    stopped: str = ""
    """Why it ended before its end."""
    schema: int = field(default=SCHEMA)
