"""Is the memory of a process read from the process, and held against what is said of it?"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.gate.memory import (
    believable,
    parse_ps,
    parse_statm,
    parse_status,
    peak_bytes,
    resident_bytes,
)
from harness.gate.record import Side, StartRecord
from harness.verdict import Outcome

MIB = 2**20
STATUS = "Name:\tpython3\nVmPeak:\t  90000 kB\nVmHWM:\t   20480 kB\nVmRSS:\t   10240 kB\n"


def test_resident_memory_is_parsed_as_each_system_counts_it() -> None:
    """Pages of /proc, KiB of ps; one that has ended holds nothing that could be told."""
    assert parse_statm("9000 250 100 1 0 300 0\n", 4096) == 250 * 4096
    assert parse_statm("0 0 0 0 0 0 0\n", 4096) is None
    assert parse_ps(" 1024\n") == MIB
    assert parse_ps("") is None


def test_the_peak_is_of_resident_memory() -> None:
    """And not of the addresses, which are many times as much; a zombie has neither."""
    assert parse_status(STATUS) == 20 * MIB
    assert parse_status("Name:\tpython3\nState:\tZ (zombie)\n") is None


def test_a_process_that_is_gone_has_no_peak(tmp_path: Path) -> None:
    """As no process has where there is no /proc."""
    assert peak_bytes(os.getpid(), tmp_path) is None


HOLDS = "import sys; x = bytearray(b'x') * (64 << 20); del x; print(flush=True); sys.stdin.read()"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells a peak")
def test_what_a_process_let_go_is_in_its_peak() -> None:
    """It held 64 MiB for a moment, of which nothing is resident any more."""
    command = [sys.executable, "-c", HOLDS]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        now, peak = resident_bytes(process.pid), peak_bytes(process.pid)
        process.communicate(timeout=20)

    assert now is not None
    assert peak is not None
    assert peak > now + 48 * MIB


@pytest.mark.parametrize(
    ("claim", "peak", "steady", "outcome"),
    [
        (100, 100, 90, Outcome.PASS),
        (91, 100, 90, Outcome.PASS),
        (300, 100, 90, Outcome.PASS),
        (89, 100, 80, Outcome.FAIL),
        (89, None, 100, Outcome.FAIL),
        (91, None, 100, Outcome.PASS),
        (100, None, None, Outcome.INCONCLUSIVE),
        (None, 100, 90, Outcome.INCONCLUSIVE),
    ],
)
def test_a_claim_that_is_less_than_what_was_seen_is_not_believed(
    claim: int | None, peak: int | None, steady: int | None, outcome: Outcome
) -> None:
    """By more than a tenth; where no peak can be read, it is held against what is resident."""
    start = StartRecord(
        *(1, Side.CANDIDATE, 1, 1, False, "now", "salt"),
        runtime={"memory": {"workerPeakBytes": claim and claim * MIB}},
        worker_peak_bytes=peak and peak * MIB,
        worker_steady_bytes=steady and steady * MIB,
    )

    assert believable(start).outcome is outcome
