"""From a gate that was played to a baseline that is kept, through all that lies between."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from harness.errors import UsageError
from harness.fingerprint import Commit
from harness.gate.accepting import accept_gate
from harness.gate.baseline import kept_noise, read_accepted
from harness.gate.record import keep_gate, read_gate, start_path
from harness.gate.rederive import rederive_gate
from harness.results import RunFolder
from tests.harness.gate.playing.stage import NEW, OLD, POLICY, Stage

if TYPE_CHECKING:
    from pathlib import Path

    from harness.gate.pins import Pin
    from tests.harness.gate.playing.stage import Gate, Played


def finish(played: Played) -> Path:
    """Its reports, as if it had been measured from a clean checkout."""
    folder = RunFolder(played.folder)
    machine = replace(played.record.fingerprint, commit=Commit("0" * 40, dirty=False))
    keep_gate(folder, replace(played.record, fingerprint=machine))
    _, reports = rederive_gate(folder.path)
    folder.keep_reports(reports)
    return folder.path


def accept(folder: Path, reports: Path, now: Pin) -> None:
    """The same checkout, and the pin as it is now."""
    accept_gate(
        folder,
        reports,
        allow=(),
        today=lambda _: now.digest,
        dirty=False,
        moved=lambda _: False,
    )


def test_a_gate_that_passed_is_the_baseline_from_then_on(gate: Gate, tmp_path: Path) -> None:
    """With the medians of its starts."""
    folder = finish(gate.play())

    accept(folder, tmp_path / "r", NEW)

    (kept,) = read_accepted("tiny", tmp_path / "r" / "baselines")
    assert (kept.pin, kept.metrics["ready"].candidate) == ("new", 1.0)


def test_an_aa_gate_leaves_the_noise_that_the_next_gate_reads(gate: Gate, tmp_path: Path) -> None:
    """Of this machine, which is the one that it was played on."""
    all_pairs = POLICY.replace("pairs = 6", "pairs = 2")
    folder = finish(gate.play(Stage(loaded={"old": "1"}), candidate=OLD, policy=all_pairs))
    accept(folder, tmp_path / "r", OLD)
    record, policy = read_gate(folder)

    found = kept_noise(policy, OLD, record.fingerprint, tmp_path / "r" / "baselines")

    assert found is not None
    assert found["ready"].sd == 0.0


def test_a_candidate_that_is_slower_is_never_the_baseline(gate: Gate, tmp_path: Path) -> None:
    """Whoever accepts it, and however often."""
    folder = finish(gate.play(Stage(ready_s={"new": 2.0})))

    with pytest.raises(UsageError, match="it is no pass"):
        accept(folder, tmp_path / "r", NEW)


def test_a_gate_of_which_a_pair_was_taken_away_is_found(gate: Gate, tmp_path: Path) -> None:
    """Even where all reports were made again since."""
    played = gate.play(Stage(decides=3))
    for start in played.starts:
        if start.pair == 1:
            shutil.rmtree(played.folder / start_path(start))

    with pytest.raises(UsageError, match="a pair is missing: there are 2"):
        accept(finish(played), tmp_path / "r", NEW)


def test_a_start_that_was_edited_is_found(gate: Gate, tmp_path: Path) -> None:
    """The reports say another thing than the evidence."""
    folder = finish(gate.play())
    start = next((folder / "starts").iterdir()) / "start.json"
    start.write_text(start.read_text().replace('"ready_s": 1.0', '"ready_s": 1.01'))

    with pytest.raises(UsageError, match=r"result\.json is not what its evidence says"):
        accept(folder, tmp_path / "r", NEW)
