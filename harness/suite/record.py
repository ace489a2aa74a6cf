"""What is on disk of a suite?

    <UTC time>-<suite>/
        suite.toml       the suite's text as it was run                  at the start
        suite.json       what was played, and how each part ended        at the start, and as each
                         (`SuiteRecord`)                                 part starts and ends
        playground.log   what the playground said, where we started it   while it runs
        <part>/          the run folder of a part, as any (`harness.results`)
        result.json, report.md, index.html, junit.xml                    at the end

The last four are derived from the others (the log apart), byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  (pydantic reads the annotations)
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from harness.errors import TraceError
from harness.fingerprint import Fingerprint  # noqa: TC001
from harness.results import Seen, read_text
from harness.scenario import digest
from harness.suite.parts import parse_suite

if TYPE_CHECKING:
    from pathlib import Path

    from harness.results import RunFolder
    from harness.suite.parts import Suite

__all__ = ["PartRecord", "SuiteRecord", "is_suite", "keep_suite", "keep_suite_text", "read_suite"]

SCHEMA = 1
TEXT, RECORD = "suite.toml", "suite.json"


@dataclass(frozen=True, slots=True)
class PartRecord:
    """One part, as it was asked and as it ended."""

    name: str
    """Also of its folder, below the suite's."""
    scenario: str
    """As the suite file names it."""
    asked: Mapping[str, int | str]
    """What was asked of the scenario, by the name of the option."""
    started_at: str | None = None
    """None where it was not begun."""
    seconds: float | None = None
    """How long it took; None while it is going on, and for ever where it was killed."""
    stopped: str = ""
    """Why it was not begun, or ended before its end; empty where it was played whole."""


@dataclass(frozen=True, slots=True)
class SuiteRecord:
    """What a suite was told, and found out apart from its parts."""

    suite: str
    suite_sha256: str
    quick: bool
    only: tuple[str, ...]
    """The parts that were asked for by name; empty for all."""
    started_at: str
    fingerprint: Fingerprint
    target: Seen
    parts: tuple[PartRecord, ...]
    ended_at: str | None = None
    """None while the suite is going on, and for ever where it was killed."""
    schema: int = field(default=SCHEMA)


_RECORD = TypeAdapter(SuiteRecord)


def is_suite(folder: Path) -> bool:
    """Whether this is the folder of a suite, and not of one run."""
    return (folder / RECORD).is_file()


def keep_suite_text(folder: RunFolder, text: str) -> None:
    """Keep the suite's text as it was run."""
    folder.keep(TEXT, text)


def keep_suite(folder: RunFolder, record: SuiteRecord) -> None:
    """Keep what is known of the suite by now."""
    folder.keep(RECORD, _RECORD.dump_json(record, indent=2).decode() + "\n")


def read_suite(folder: Path) -> tuple[SuiteRecord, Suite]:
    """What a suite left, its parts apart.

    Raises:
        TraceError: something is missing, was changed or cannot be read.
        ScenarioError: the suite kept in the folder is not one this version can read.
    """
    try:
        record = _RECORD.validate_json(read_text(folder / RECORD))
    except ValidationError as problem:
        first = problem.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        said = f"is not a record of schema {SCHEMA}: {key}: {first['msg']}"
        raise TraceError(folder / RECORD, said) from problem
    text = read_text(folder / TEXT)
    if digest(text) != record.suite_sha256:
        raise TraceError(folder / TEXT, "is not the suite that was run")
    return record, parse_suite(text, folder / TEXT)
