"""What does a run leave on disk, and when?

    reports/runs/<UTC time>-<scenario>/
        scenario.toml    the scenario's text as it was run               at the start
        cases.jsonl      the cases as they were asked, of an exam        at the start
        run.json         what the run was told and found out (`RunRecord`)   at the start, and
                                                                         as each repeat ends
        trace.jsonl      one line a turn                                 as each turn ends
        playground.log   what the playground said, where we started it   while it runs
        result.json, report.md, report.html, junit.xml                   as each repeat ends

The last four are derived from the others (the log apart) and can be derived again, byte for byte:
nothing in them depends on when or where they are rendered.  Each file but the trace is replaced
whole, so that a reader, or Ctrl-C, never meets half of one.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  (pydantic reads the annotations)
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pydantic import TypeAdapter, ValidationError

from harness.errors import TraceError, UsageError
from harness.fingerprint import Fingerprint  # noqa: TC001
from harness.plan import Promise  # noqa: TC001
from harness.scenario import Scenario, digest, parse_scenario
from harness.trace import Trace, TurnLabel, dump_trace, read_traces

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "RUNS",
    "CasesRun",
    "Driven",
    "Promised",
    "RunFolder",
    "RunRecord",
    "Seen",
    "changed_reports",
    "folder_name",
    "read_record",
    "read_run",
    "read_run_as",
    "read_text",
]

SCHEMA = 1
RUNS = Path("reports") / "runs"
"""Where runs are kept, below the folder that a command is given in."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Promised:
    """What was promised of one planned turn."""

    label: TurnLabel
    promise: Promise


@dataclass(frozen=True, slots=True)
class Seen:
    """The target, as it was met."""

    kind: str
    """`embedded` or `url`."""
    url: str
    """Without credentials."""
    model: str
    runtime: Mapping[str, Any] | None
    """`/api/runtime` before the first turn; None where the target has no such route."""
    runtime_after: Mapping[str, Any] | None = None
    """The same after the last repeat that ended: what its peak memory is read from."""
    ready_s: float | None = None
    """From the command that started it to its ready line; None where we did not start it."""


@dataclass(frozen=True, slots=True)
class CasesRun:
    """Which cases were asked, of an exam."""

    file: str
    """The name of the file, without its folder."""
    sha256: str
    repeat: int | None
    """How often every case was asked, where that was said on the command line."""
    first: int | None
    """How many cases of each group were asked, where that was said on the command line."""


@dataclass(frozen=True, slots=True)
class Driven:
    """Who played, where that was not our client alone."""

    by: Literal["http", "browser", "both"]
    browser: str = ""
    """Name and version of the browser; empty where there was none."""
    why_not: str = ""
    """Why the page could not be driven; empty where it could."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What a run was told, and found out apart from its turns."""

    scenario: str
    scenario_sha256: str
    repeats: int
    seed: int
    salt: str
    """What the fresh slots were drawn from."""
    started_at: str
    fingerprint: Fingerprint
    target: Seen
    promised: tuple[Promised, ...]
    ended_at: str | None = None
    """None while the run is going on, and for ever where it was killed."""
    stopped: str = ""
    """Why the run ended before its last turn; empty where it did not."""
    notes: tuple[str, ...] = ()
    """What went wrong beside the turns: a session that would not close."""
    cases: CasesRun | None = None
    """None where a conversation was played."""
    driven: Driven | None = None
    """None where our client alone played."""
    schema: int = field(default=SCHEMA)


_RECORD = TypeAdapter(RunRecord)


def folder_name(started_at: str, scenario: str) -> str:
    """`20260131T120000Z-warm-resume`, from an ISO 8601 time in UTC."""
    stamp = started_at.partition(".")[0].partition("+")[0].replace("-", "").replace(":", "")
    return f"{stamp}Z-{scenario}"


class RunFolder:
    """The folder of one run; only this writes in it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, path: Path) -> RunFolder:
        """A new folder.

        Raises:
            UsageError: it cannot be made, or a run is in it already.
        """
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise UsageError(f"cannot make {path}: {problem.strerror}; try --out DIR") from problem
        if any(path.iterdir()):
            raise UsageError(f"{path} is not empty; name another folder with --out DIR")
        return cls(path)

    @property
    def has_record(self) -> bool:
        """Whether the target was met, so that there is something to report."""
        return (self.path / "run.json").exists()

    def discard_if_empty(self) -> None:
        """Leave no folder behind that says nothing."""
        if not any(self.path.iterdir()):
            self.path.rmdir()

    def keep_scenario(self, text: str) -> None:
        """Keep the scenario's text as it was run."""
        self.keep("scenario.toml", text)

    def keep_cases(self, text: str) -> None:
        """Keep the cases as they were asked."""
        self.keep("cases.jsonl", text)

    def keep_record(self, record: RunRecord) -> None:
        """Keep what is known of the run by now."""
        self.keep("run.json", _RECORD.dump_json(record, indent=2).decode() + "\n")

    def append(self, trace: Trace) -> None:
        """Add one turn; it is on disk when this returns."""
        with (self.path / "trace.jsonl").open("a", encoding="utf-8", newline="\n") as file:
            file.write(dump_trace(trace) + "\n")

    def keep_reports(self, reports: Mapping[str, str]) -> None:
        """Keep what was derived, by file name."""
        for name, text in reports.items():
            self.keep(name, text)

    def keep(self, name: str, text: str) -> None:
        """Keep a file whole, in place of what it was."""
        whole = self.path / name
        part = whole.with_name(f".{whole.name}.part")
        part.write_text(text, encoding="utf-8", newline="\n")
        part.replace(whole)


def read_run(path: Path) -> tuple[RunRecord, Scenario, tuple[Trace, ...]]:
    """`read_run_as` of a conversation."""
    return read_run_as(parse_scenario, path)


def read_run_as(
    parse: Callable[[str, Path], T], path: Path
) -> tuple[RunRecord, T, tuple[Trace, ...]]:
    """Everything a run left that its reports are derived from; `path` is the folder or its trace.

    `parse` reads the scenario, whose kind the caller knows.

    Raises:
        TraceError: something is missing or cannot be read, by file and what to try.
        ScenarioError: the scenario kept in the folder is not one this version can read.
    """
    folder = path if path.is_dir() else path.parent
    record = read_record(folder / "run.json")
    text = read_text(folder / "scenario.toml")
    if digest(text) != record.scenario_sha256:
        raise TraceError(folder / "scenario.toml", "is not the scenario that was run")
    trace = folder / "trace.jsonl" if path.is_dir() else path
    # A run stopped in its first turn has no trace yet, and that is a result too.
    traces = tuple(read_traces(trace)) if trace.exists() else ()
    return record, parse(text, folder / "scenario.toml"), traces


def read_record(path: Path) -> RunRecord:
    """The record of a run.

    Raises:
        TraceError: it is missing, or of a schema that this version cannot read.
    """
    text = read_text(path)
    try:
        return _RECORD.validate_json(text)
    except ValidationError as problem:
        first = problem.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise TraceError(
            path, f"is not a record of schema {SCHEMA}: {key}: {first['msg']}"
        ) from problem


def changed_reports(folder: Path, reports: Mapping[str, str]) -> tuple[str, ...]:
    """The reports on disk that are missing, or are not what the evidence says."""
    return tuple(
        name
        for name, text in reports.items()
        if not (folder / name).exists() or (folder / name).read_bytes() != text.encode()
    )


def read_text(path: Path) -> str:
    """A file of a run folder.

    Raises:
        TraceError: it is not there.
    """
    try:
        return path.read_text(encoding="utf-8")
    except OSError as problem:
        reason = "is not there; give a run folder as `muse-bench run` leaves it"
        raise TraceError(path, reason) from problem
