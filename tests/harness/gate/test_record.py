"""What a gate leaves on disk is read back as it was kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.errors import TraceError
from harness.fingerprint import Fingerprint
from harness.gate.pins import Loaded, Pin
from harness.gate.record import (
    GateRecord,
    Side,
    StartRecord,
    is_gate,
    keep_gate,
    keep_policy_text,
    keep_start,
    read_gate,
    read_starts,
)
from harness.results import RunFolder
from harness.scenario import digest

if TYPE_CHECKING:
    from pathlib import Path

POLICY = """\
name = "small"
question = "Is it as good?"
scenarios = ["talk"]
[[metric]]
name = "ready"
title = "time to ready"
measure = "start.ready"
margin = 0.1
gated = true
"""
MACHINE = Fingerprint("Some 1", "arch", "Processor", 2, 2**30, "Python 3", {"httpx": "0"}, None)
RECORD = GateRecord(
    policy="small",
    policy_sha256=digest(POLICY),
    baseline=Pin("old", "pin", "a" * 64, {"executorch": "1.5.0"}),
    candidate=Pin("http://127.0.0.1:1", "url", "b" * 64, {}),
    pairs=4,
    budget_min=5.0,
    seed=7,
    salt="s",
    started_at="2026-01-01T00:00:00+00:00",
    fingerprint=MACHINE,
    machine={"power": "mains"},
    scenarios={"talk": "c" * 64},
)


def start(index: int, side: Side) -> StartRecord:
    """One of a pair."""
    return StartRecord(index, side, 1, 1, False, "2026-01-01T00:00:00+00:00", "s")


def kept(folder: Path) -> RunFolder:
    """A gate that has begun."""
    run = RunFolder.create(folder / "gate")
    keep_policy_text(run, POLICY)
    keep_gate(run, RECORD)
    return run


def test_a_gate_is_read_as_it_was_kept(tmp_path: Path) -> None:
    """With its policy."""
    run = kept(tmp_path)

    record, policy = read_gate(run.path)

    assert (record, policy.metric[0].measure) == (RECORD, "start.ready")
    assert (is_gate(run.path), is_gate(tmp_path)) == (True, False)


def test_starts_are_read_in_the_order_played(tmp_path: Path) -> None:
    """Whichever side they are of, and the tenth after the second."""
    run = kept(tmp_path)
    loaded = Loaded({"executorch": "1.5.1"}, "d" * 64, {"libx.so": "e" * 64})
    starts = [start(10, Side.BASELINE), start(2, Side.CANDIDATE)]
    starts.append(StartRecord(3, Side.BASELINE, 1, 1, True, "t", "s", 1.5, loaded, {"a": [1]}))
    for each in starts:
        keep_start(run, each)

    assert read_starts(run.path) == (starts[1], starts[2], starts[0])


def test_another_policy_is_not_taken_for_the_gates_own(tmp_path: Path) -> None:
    """Margins are not changed afterwards."""
    run = kept(tmp_path)
    keep_policy_text(run, POLICY.replace("0.1", "0.9"))

    with pytest.raises(TraceError, match="is not the policy of this gate"):
        read_gate(run.path)


def test_a_record_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """By its file, and by what is wrong in it."""
    run = kept(tmp_path)
    keep_start(run, start(1, Side.BASELINE))
    run.keep("starts/001-baseline/start.json", '{"index": 1}')

    with pytest.raises(TraceError, match=r"start\.json.*side: Field required"):
        read_starts(run.path)
