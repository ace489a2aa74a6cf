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
from typing import TYPE_CHECKING, TypeVar

from pydantic import TypeAdapter, ValidationError

from harness.errors import TraceError
from harness.fingerprint import Fingerprint  # noqa: TC001
from harness.gate.pins import Loaded, Pin  # noqa: TC001
from harness.gate.policy import parse_policy
from harness.gate.result import Difference  # noqa: TC001
from harness.results import read_text
from harness.scenario import digest

if TYPE_CHECKING:
    from pathlib import Path

    from harness.gate.policy import Policy
    from harness.results import RunFolder

__all__ = [
    "GateRecord",
    "Noise",
    "Side",
    "StartRecord",
    "is_gate",
    "keep_gate",
    "keep_policy_text",
    "keep_start",
    "read_gate",
    "read_starts",
    "start_path",
    "suite_path",
]

SCHEMA = 1
POLICY, RECORD, STARTS, START, SUITES = "policy.toml", "gate.json", "starts", "start.json", "suites"

T = TypeVar("T")


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
    worker_peak_bytes: int | None = None
    """The most that it had resident by then; None where the system does not tell."""
    anchor_before_s: float | None = None
    """What a fixed piece of work of our own took before the block; see `anchor`."""
    anchor_after_s: float | None = None
    ended_at: str | None = None
    stopped: str = ""
    """Why it ended before its end: a crash, a scenario that could not be played."""

    @property
    def whole(self) -> bool:
        """Whether it was played to its end, so that its numbers count.

        One that has ended and is not whole broke: that is a fact about its side, and the start is
        tried once more with the next index.  One that has not ended was cut by hand, and says
        nothing.
        """
        return self.ended_at is not None and not self.stopped


@dataclass(frozen=True, slots=True)
class Noise:
    """How far the pairs of one metric lay apart where both sides were the same."""

    n: int
    """Pairs."""
    sd: float
    """Standard deviation of the paired log ratios."""
    half_width: float | None
    """Half the width of the interval of the mean log ratio; None where there was none."""


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
    noise: Mapping[str, Noise] = field(default_factory=dict)
    """By metric, as an A/A gate on such a machine left it with the baseline (`baseline`); empty
    where none was kept."""
    together: bool = False
    """Whether both sides of a pair were up at once, and were asked in turn."""
    suite: bool = True
    """Whether the acceptance suite was to be played; where not, nothing passes."""
    differences: tuple[Difference, ...] = ()
    """What was found to differ and is no part of the pins: of both sides, or of two sessions."""
    allowed: tuple[str, ...] = ()
    """Differences that `--allow` named."""
    spent_s: float = 0.0
    """Seconds that it took by now, of all its sessions together."""
    refused: str = ""
    """Why the gate was refused: what is not comparable, what was not loaded; empty where not."""
    notes: tuple[str, ...] = ()
    ended_at: str | None = None
    stopped: str = ""
    """Why it ended before its end."""
    schema: int = field(default=SCHEMA)


_GATE = TypeAdapter(GateRecord)
_START = TypeAdapter(StartRecord)


def is_gate(folder: Path) -> bool:
    """Whether this is the folder of a gate, and not of a suite or of one run."""
    return (folder / RECORD).is_file()


def start_path(start: StartRecord) -> str:
    """Where a start is, below the gate's folder: `starts/007-candidate`."""
    return f"{STARTS}/{start.index:03}-{start.side.value}"


def suite_path(side: Side, *, again: bool = False) -> str:
    """Where the suite of a side is, below the gate's folder: `suites/candidate-again`."""
    return f"{SUITES}/{side.value}{'-again' if again else ''}"


def keep_policy_text(folder: RunFolder, text: str) -> None:
    """Keep the policy's text as it was."""
    folder.keep(POLICY, text)


def keep_gate(folder: RunFolder, record: GateRecord) -> None:
    """Keep what is known of the gate by now."""
    folder.keep(RECORD, _GATE.dump_json(record, indent=2).decode() + "\n")


def keep_start(folder: RunFolder, start: StartRecord) -> None:
    """Keep what is known of a start by now; its folder is made where there is none."""
    (folder.path / start_path(start)).mkdir(parents=True, exist_ok=True)
    folder.keep(f"{start_path(start)}/{START}", _START.dump_json(start, indent=2).decode() + "\n")


def read_gate(folder: Path) -> tuple[GateRecord, Policy]:
    """What a gate was asked, and found out apart from its starts.

    Raises:
        TraceError: something is missing, was changed or cannot be read.
        ScenarioError: the policy that was kept is none that this version can read.
    """
    record = _read(_GATE, folder / RECORD)
    text = read_text(folder / POLICY)
    if digest(text) != record.policy_sha256:
        raise TraceError(folder / POLICY, "is not the policy of this gate")
    return record, parse_policy(text, folder / POLICY)


def read_starts(folder: Path) -> tuple[StartRecord, ...]:
    """Every start that left a record, in the order played; those that were cut among them.

    Raises:
        TraceError: one of them cannot be read.
    """
    found = (_read(_START, path) for path in (folder / STARTS).glob(f"*/{START}"))
    return tuple(sorted(found, key=lambda start: start.index))


def _read(adapter: TypeAdapter[T], path: Path) -> T:
    try:
        return adapter.validate_json(read_text(path))
    except ValidationError as problem:
        first = problem.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        said = f"is not a record of schema {SCHEMA}: {key}: {first['msg']}"
        raise TraceError(path, said) from problem
