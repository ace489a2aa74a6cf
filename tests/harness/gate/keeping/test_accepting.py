"""On disk: what is kept of a gate, and that nothing is kept of one that is not accepted."""

from __future__ import annotations

import io
import subprocess
from typing import TYPE_CHECKING

import pytest

from harness.cli import main
from harness.errors import UsageError
from harness.gate.accepting import (
    accept_gate,
    digest_today,
    has_moved,
    is_dirty_checkout,
    keep,
    whole_pairs,
)
from harness.gate.baseline import kept_noise, read_accepted
from harness.gate.pins import load_pin
from harness.gate.record import Side, StartRecord
from harness.gate.rederive import rederive_gate
from harness.report.gate import gate_reports
from harness.results import RunFolder, changed_reports

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from harness.gate.policy import Policy
    from harness.gate.result import GateResult

    Gate = Callable[..., GateResult]
    OnDisk = Callable[[GateResult], Path]


def test_an_accepted_gate_is_kept_and_told_in_the_log(
    gate: Gate, on_disk: OnDisk, tmp_path: Path
) -> None:
    """Once, however often it is accepted."""
    folder = on_disk(gate())
    for _ in range(2):
        keep(gate(), folder, tmp_path)

    log = (tmp_path / "LOG.md").read_text()
    assert [each.pin for each in read_accepted("small", tmp_path / "baselines")] == ["new"]
    assert log.count("- `new` in place of `old`, policy `small`: accepted; ") == 1
    assert "## 2026-11-30: the upgrade gate" in log


def test_the_noise_of_an_aa_gate_is_there_for_the_next_gate(
    aa: Gate, on_disk: OnDisk, policy: Policy, tmp_path: Path
) -> None:
    """On the same machine, for the pin that it was of."""
    result = aa()
    keep(result, on_disk(result), tmp_path)

    found = kept_noise(policy, result.baseline, result.record.fingerprint, tmp_path / "baselines")

    assert found is not None
    assert set(found) == {"ttft"}


def test_a_gate_without_evidence_is_no_pass_and_nothing_is_written(
    gate: Gate, on_disk: OnDisk, tmp_path: Path
) -> None:
    """Whatever a report beside it says."""
    folder = on_disk(gate())
    RunFolder(folder).keep_reports(gate_reports(gate()))

    with pytest.raises(UsageError, match="it is no pass") as refusal:
        accept_gate(
            folder,
            tmp_path / "r",
            allow=(),
            today=lambda _: "b2",
            dirty=False,
            moved=lambda _: False,
        )

    assert "result.json is not what its evidence says" in str(refusal.value)
    assert not (tmp_path / "r").exists()


def test_reports_that_were_derived_here_are_not_changed(gate: Gate, on_disk: OnDisk) -> None:
    """One that somebody edited is, and so is one that is gone."""
    folder = on_disk(gate())
    _, reports = rederive_gate(folder)
    RunFolder(folder).keep_reports(reports)
    assert changed_reports(folder, reports) == ()

    (folder / "report.md").write_text("It is fine.")
    (folder / "junit.xml").unlink()

    assert changed_reports(folder, reports) == ("report.md", "junit.xml")


def test_the_command_refuses_with_every_reason(gate: Gate, on_disk: OnDisk, tmp_path: Path) -> None:
    """And ends with 2."""
    out, err = io.StringIO(), io.StringIO()

    code = main(
        ["accept", str(on_disk(gate(stopped="by hand"))), "--reports", str(tmp_path)], out, err
    )

    assert (code, out.getvalue()) == (2, "")
    assert "it did not come to its end: by hand" in err.getvalue()
    assert "it is stale: the pin new is not among the pins" in err.getvalue()


def test_what_is_no_gate_is_told(tmp_path: Path) -> None:
    """And how one is made."""
    err = io.StringIO()

    assert main(["accept", str(tmp_path)], io.StringIO(), err) == 2
    assert "as `muse-bench gate` leaves it" in err.getvalue()


def test_what_was_accepted_before_makes_a_checkout_not_dirty(tmp_path: Path) -> None:
    """Two gates may be accepted in one commit; anything else is a change."""
    git = ("git", "-C", str(tmp_path), "-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run([*git, "init", "-q"], check=True)
    (tmp_path / "reports" / "baselines").mkdir(parents=True)
    (tmp_path / "reports" / "baselines" / "a.json").write_text("[]")
    (tmp_path / "reports" / "LOG.md").write_text("# Log")

    assert not is_dirty_checkout(tmp_path)

    (tmp_path / "code.py").write_text("")
    assert is_dirty_checkout(tmp_path)


def test_a_checkout_has_moved_where_more_changed_than_what_was_accepted(tmp_path: Path) -> None:
    """A commit of baselines alone measures and judges nothing; one that is unknown may."""
    git = ("git", "-C", str(tmp_path), "-c", "user.name=A", "-c", "user.email=a@example.org")

    def commit(path: str) -> str:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x")
        for words in (("add", "-A"), ("commit", "-qm", path)):
            subprocess.run([*git, *words], check=True)
        told = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True)
        return told.stdout.decode().strip()

    subprocess.run([*git, "init", "-q"], check=True)
    measured = commit("code.py")
    commit("reports/baselines/a.json")
    assert not has_moved(measured, tmp_path)

    commit("more.py")
    assert has_moved(measured, tmp_path)
    assert has_moved("0" * 40, tmp_path)


def test_a_pair_is_whole_where_both_sides_came_to_their_end() -> None:
    """Of the second, one side broke; of the third, one is not there."""
    both = (Side.BASELINE, Side.CANDIDATE)
    made = [
        StartRecord(at, side, 1, pair, False, "then", "salt", ended_at="then", stopped=broke)
        for at, (pair, side, broke) in enumerate(
            [(1, both[0], ""), (1, both[1], ""), (2, both[0], ""), (2, both[1], "it died")]
        )
    ]
    alone = StartRecord(5, both[0], 2, 3, False, "then", "salt", ended_at="then")

    assert whole_pairs([*made, alone]) == (1,)


def test_the_digest_of_today_is_that_of_the_pins() -> None:
    """And none of a pin that is not among them."""
    assert digest_today("embedded") == load_pin("embedded", prepare=False).digest != ""
    assert digest_today("no-such-pin") == ""
