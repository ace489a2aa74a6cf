"""A run folder holds whole files only, and what a result is derived from; it refuses the rest."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from harness.errors import TraceError, UsageError
from harness.results import RunFolder, folder_name, read_run
from harness.testing import trace

GOLDEN = Path(__file__).parent.parent / "data" / "golden-run"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the golden run."""
    return Path(shutil.copytree(GOLDEN, tmp_path / "run"))


def test_a_folder_is_named_for_its_time_and_scenario() -> None:
    """Sorted by name is sorted by time."""
    assert folder_name("2026-01-31T12:00:00.123+00:00", "warm") == "20260131T120000Z-warm"


def test_what_was_kept_is_read_again(folder: Path, tmp_path: Path) -> None:
    """Record, scenario and traces survive a trip to disk."""
    record, _, traces = read_run(folder)
    other = RunFolder.create(tmp_path / "other")
    other.keep_scenario((folder / "scenario.toml").read_text())
    other.keep_record(record)
    for each in traces:
        other.append(each)

    assert read_run(other.path)[0] == record
    assert read_run(other.path)[2] == traces
    assert (other.path / "run.json").read_bytes() == (folder / "run.json").read_bytes()
    assert (other.path / "trace.jsonl").read_bytes() == (folder / "trace.jsonl").read_bytes()


def test_each_turn_is_on_disk_when_it_was_appended(tmp_path: Path) -> None:
    """A line a turn."""
    run = RunFolder.create(tmp_path / "run")

    counts = []
    for _ in range(3):
        run.append(trace((1.0, "data: [DONE]\n\n")))
        counts.append((run.path / "trace.jsonl").read_text().count("\n"))

    assert counts == [1, 2, 3]


def test_a_run_without_a_turn_can_be_read(folder: Path) -> None:
    """Stopped in its first turn: no trace, and still a record."""
    (folder / "trace.jsonl").unlink()

    assert read_run(folder)[2] == ()


def test_another_scenario_beside_old_traces_is_found_out(folder: Path) -> None:
    """Verdicts belong to the promises that were made."""
    with (folder / "scenario.toml").open("a") as file:
        file.write("# changed\n")

    with pytest.raises(TraceError, match="is not the scenario that was run"):
        read_run(folder)


def test_a_record_of_another_schema_is_told_by_key(folder: Path) -> None:
    """Which key, and of which file."""
    text = (folder / "run.json").read_text().replace('"seed": 1', '"seed": "one"')
    (folder / "run.json").write_text(text)

    with pytest.raises(TraceError, match=r"run\.json: is not a record of schema 1: seed: "):
        read_run(folder)


def test_a_folder_that_cannot_be_made_is_told_with_what_to_try(tmp_path: Path) -> None:
    """A file in the way, for one."""
    (tmp_path / "file").write_text("")

    with pytest.raises(UsageError, match="try --out DIR"):
        RunFolder.create(tmp_path / "file" / "run")


def test_a_folder_is_discarded_only_while_it_says_nothing(tmp_path: Path) -> None:
    """What a playground said before it died is kept."""
    empty, told = RunFolder.create(tmp_path / "a"), RunFolder.create(tmp_path / "b")
    (told.path / "playground.log").write_text("why")

    empty.discard_if_empty()
    told.discard_if_empty()

    assert (empty.path.exists(), told.path.exists()) == (False, True)
