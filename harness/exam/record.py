"""What is on disk of a run of an exam?

The folder of any run (`harness.results`), and beside its scenario `cases.jsonl`: the cases as they
were asked, so that the result can be derived again when the file they came from has changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.errors import TraceError
from harness.exam.cases import parse_cases
from harness.exam.scenario import parse_exam
from harness.results import read_record, read_text
from harness.scenario import digest
from harness.trace import read_traces

if TYPE_CHECKING:
    from pathlib import Path

    from harness.exam.cases import Case
    from harness.exam.scenario import Exam
    from harness.results import RunRecord
    from harness.trace import Trace

__all__ = ["read_exam_run"]


def read_exam_run(path: Path) -> tuple[RunRecord, Exam, tuple[Case, ...], tuple[Trace, ...]]:
    """Everything that the reports are derived from; `path` is the folder or its trace.

    Raises:
        TraceError: something is missing, was changed or cannot be read.
        ScenarioError: the scenario or the cases are none that this version can read.
    """
    folder = path if path.is_dir() else path.parent
    record = read_record(folder / "run.json")
    if record.cases is None:
        raise TraceError(folder / "run.json", "is the record of a conversation, not of an exam")
    text, told = read_text(folder / "scenario.toml"), read_text(folder / "cases.jsonl")
    for name, said, sha256 in (
        ("scenario.toml", text, record.scenario_sha256),
        ("cases.jsonl", told, record.cases.sha256),
    ):
        if digest(said) != sha256:
            raise TraceError(folder / name, "is not what was run")
    trace = folder / "trace.jsonl" if path.is_dir() else path
    return (
        record,
        parse_exam(text, folder / "scenario.toml"),
        parse_cases(told, folder / "cases.jsonl"),
        tuple(read_traces(trace)) if trace.exists() else (),
    )
