"""What is kept of gates: each on its machine, in files whose diffs can be read."""

from __future__ import annotations

import json
import math
import statistics
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from harness.errors import TraceError
from harness.fingerprint import Fingerprint
from harness.gate.baseline import (
    accepted_of,
    is_aa,
    keep_accepted,
    keep_noise,
    kept_noise,
    machine_of,
    noise_of,
    read_accepted,
)
from harness.gate.pins import Pin

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from harness.gate.policy import Policy
    from harness.gate.result import GateResult

    Gate = Callable[..., GateResult]

GIB = 2**30
OLD = Pin("old", "pin", "a1", {})
M5 = Fingerprint("Darwin 27.0", "arm64", "Apple M5", 10, 32 * GIB, "CPython 3.11", {}, None)


def test_a_noise_that_was_kept_is_found_again(aa: Gate, policy: Policy, tmp_path: Path) -> None:
    """Its standard deviation is that of the log ratios of the pairs."""
    result = aa(on=M5)
    keep_noise(noise_of(result, policy), policy.name, "old", tmp_path)

    found = kept_noise(policy, OLD, M5, tmp_path)

    logs = [math.log(p.candidate / p.baseline) for p in result.metrics[0].pairs]
    assert found is not None
    assert found["ttft"].n == 4
    assert found["ttft"].sd == pytest.approx(statistics.stdev(logs), rel=1e-3)


@pytest.mark.parametrize(
    "other",
    [
        replace(M5, processor="Apple M5 Max"),
        replace(M5, cores=8),
        replace(M5, memory_bytes=64 * GIB),
        replace(M5, machine="x86_64"),
        replace(M5, system="Linux 6.1"),
    ],
    ids=["processor", "cores", "memory", "architecture", "system"],
)
def test_noise_is_of_one_machine(
    aa: Gate, policy: Policy, tmp_path: Path, other: Fingerprint
) -> None:
    """Another one has none, and is told so."""
    keep_noise(noise_of(aa(on=M5), policy), policy.name, "old", tmp_path)

    assert kept_noise(policy, OLD, other, tmp_path) is None


def test_noise_is_of_one_pin_and_not_of_its_name(aa: Gate, policy: Policy, tmp_path: Path) -> None:
    """A pin that is another one by now has none."""
    keep_noise(noise_of(aa(on=M5), policy), policy.name, "old", tmp_path)

    assert kept_noise(policy, replace(OLD, digest="c3"), M5, tmp_path) is None


def test_a_new_build_of_the_system_is_the_same_machine() -> None:
    """And so are a little memory that it keeps for itself, and another Python."""
    later = replace(M5, system="Darwin 27.1", memory_bytes=32 * GIB - 300_000_000, python="3.13")

    assert machine_of(later) == machine_of(M5) == "Apple M5, 10 cores, 32 GiB, Darwin arm64"


def test_noise_of_a_metric_that_means_something_else_by_now_is_not_used(
    aa: Gate, policy: Policy, tmp_path: Path
) -> None:
    """The policy asks of turn 3 what it asked of turn 2."""
    keep_noise(noise_of(aa(on=M5), policy), policy.name, "old", tmp_path)
    changed = replace(policy, metric=(replace(policy.metric[0], turns=(3,)),))

    assert kept_noise(changed, OLD, M5, tmp_path) == {}


def test_a_machine_has_one_noise_and_the_last_one_stands(
    aa: Gate, policy: Policy, tmp_path: Path
) -> None:
    """Of two machines both are kept."""
    other = replace(M5, processor="Apple M4")
    louder = ((0.1, 0.2), (0.2, 0.1), (0.1, 0.1), (0.1, 0.1))
    for result in (aa(on=M5), aa(on=other), aa(on=M5, pairs=louder)):
        path = keep_noise(noise_of(result, policy), policy.name, "old", tmp_path)

    found = kept_noise(policy, OLD, M5, tmp_path)

    assert found is not None
    assert found["ttft"].sd > 0.1
    assert [each["machine"].partition(",")[0] for each in json.loads(path.read_text())] == [
        "Apple M4",
        "Apple M5",
    ]


def test_accepted_gates_are_read_in_the_order_of_time(gate: Gate, tmp_path: Path) -> None:
    """Whatever order they were accepted in, and under whatever name."""
    days = ("2026-11-03", "2026-11-01", "2026-11-02")
    for day in days:
        keep_accepted(accepted_of(gate(started_at=f"{day}T12:00:00+00:00")), "small", tmp_path)

    assert [each.at[:10] for each in read_accepted("small", tmp_path)] == sorted(days)


def test_the_same_gate_is_kept_once(gate: Gate, tmp_path: Path) -> None:
    """Who accepts twice changes nothing."""
    path = keep_accepted(accepted_of(gate()), "small", tmp_path)
    before = path.read_bytes()

    keep_accepted(accepted_of(gate()), "small", tmp_path)

    assert path.read_bytes() == before
    assert len(read_accepted("small", tmp_path)) == 1


def test_what_is_kept_is_text_of_short_lines(gate: Gate, tmp_path: Path) -> None:
    """A metric is a line, numbers have four figures, and the file ends with one newline."""
    text = keep_accepted(accepted_of(gate()), "small", tmp_path).read_text()

    line = next(line for line in text.splitlines() if '"ttft"' in line)
    assert '"baseline": 0.1005, "candidate": 0.1005' in line
    assert text.endswith("]\n")
    assert max(len(line) for line in text.splitlines()) < 250


def test_the_names_of_releases_and_addresses_make_files_too(gate: Gate, tmp_path: Path) -> None:
    """And never one outside the folder."""
    result = gate()
    odd = replace(result, candidate=replace(result.candidate, name="../executorch==1.5.0,x=/y"))

    path = keep_accepted(accepted_of(odd), "small", tmp_path)

    assert path.resolve().parent == (tmp_path / "small").resolve()
    assert read_accepted("small", tmp_path)[0].pin == "../executorch==1.5.0,x=/y"


def test_a_file_that_was_written_by_hand_is_told_by_name(policy: Policy, tmp_path: Path) -> None:
    """With the key that is wrong."""
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "old.aa.json").write_text('[{"at": 1}]')

    with pytest.raises(TraceError, match=r"old\.aa\.json: is not what `accept` keeps"):
        kept_noise(policy, OLD, M5, tmp_path)


def test_both_sides_being_the_same_pin_makes_an_aa_gate(gate: Gate, aa: Gate) -> None:
    """By their digests and not by their names."""
    assert (is_aa(aa()), is_aa(gate())) == (True, False)
