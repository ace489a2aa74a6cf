"""`muse-bench gate` against real processes, which answer from a script, stopped at any moment."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.cli import main
from tests.harness.gate.playing.stage import SUITE, TALK

if TYPE_CHECKING:
    from collections.abc import Callable

pytest.importorskip("fastapi", reason="needs the extra [server]")

POLICY = """\
name = "tiny"
question = "Is it as good?"
scenarios = ["talk"]
suite = "small"
pairs = 2
least = 2
confirm = 2
cooldown_s = 0
[[metric]]
name = "completion"
title = "tokens"
measure = "frames.bearing"
scenario = "talk"
leg = "warm"
margin = 0.9
gated = true
"""

PROGRAM = """
import sys
from dataclasses import replace
from pathlib import Path
from harness.errors import HarnessError
from harness.fingerprint import Commit, fingerprint
from harness.gate.bench import system_bench
from harness.gate.command import GateOptions, gate_command
from harness.gate.order import GateAsked
from harness.gate.pins import Pin

folder, resume = Path(sys.argv[1]), sys.argv[2:] == ["resume"]

def load(name, pins):
    script = ("--script", f"{folder}/{name}.json")
    return Pin(name, "pin", name * 8, {"name": name}, arguments=script)

options = GateOptions(
    GateAsked(policy=f"{folder}/tiny.toml"),
    baseline=None if resume else "old",
    candidate=None if resume else "new",
    resume=folder / "gate" if resume else None,
    out=None if resume else folder / "gate",
)
here = replace(fingerprint(), commit=Commit("c" * 40, dirty=False))
sys.exit(
    gate_command(options, sys.stdout, sys.stderr, load=load, bench=system_bench, here=here)
)
"""
PATIENCE_S = 120


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    """A policy, what it plays, and two scripts, whose turns last a while."""
    reply = {"text": f" to=user<|message|>In Oslo.{' Yes.' * 20}<|eot|>"}
    texts = {"talk": TALK, "small": SUITE, "tiny": POLICY}
    for name, text in texts.items():
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    for name in ("old", "new"):
        script = json.dumps({"step_ms": 3.0, "replies": [reply]})
        (tmp_path / f"{name}.json").write_text(script, encoding="utf-8")
    return tmp_path


def start(folder: Path, *how: str) -> subprocess.Popen[str]:
    """The gate as a process."""
    command = [sys.executable, "-c", PROGRAM, str(folder), *how]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def end(gate: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Its exit code, stdout and stderr, once it has ended."""
    out, err = gate.communicate(timeout=PATIENCE_S)
    return gate.returncode, out, err


def wait_for(there: Callable[[], object], gate: subprocess.Popen[str]) -> None:
    """Until something is there; a gate that ends before says why."""
    until = time.monotonic() + PATIENCE_S
    while not there():
        assert gate.poll() is None, end(gate)
        assert time.monotonic() < until
        time.sleep(0.01)


def left_behind(folder: Path) -> list[str]:
    """Processes that were started for this folder and still run."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().decode("utf-8", "replace").split("\0")
        except OSError:  # it ended while we looked
            continue
        if any(str(folder) in word for word in words) and path.parent.name != str(os.getpid()):
            found.append(" ".join(words))
    return found


def check(folder: Path) -> tuple[int, str]:
    """Whether every report is what the evidence says: exit code and stderr."""
    out, err = io.StringIO(), io.StringIO()
    return main(["report", str(folder / "gate"), "--check"], out, err), err.getvalue()


def test_a_gate_starts_and_stops_both_sides_and_leaves_its_reports(folder: Path) -> None:
    """Two pairs and two suites; everything can be derived again."""
    code, out, err = end(start(folder))

    gate = folder / "gate"
    assert code == 0, out + err
    assert out.splitlines()[-1].strip().startswith("Pass: ")
    assert len([line for line in err.splitlines() if line.startswith("[start ")]) == 4
    assert sorted(path.name for path in gate.iterdir()) == [
        *("gate.json", "junit.xml", "policy.toml", "report.html", "report.md", "result.json"),
        *("starts", "suites"),
    ]
    assert check(folder) == (0, "")
    first = json.loads(next(iter(sorted(gate.glob("starts/001-*/start.json")))).read_text())
    assert first["ready_s"] > 0
    assert first["anchor_before_s"] > 0
    assert first["runtime"]["memory"]["workerPeakBytes"] > 0
    if Path("/proc").exists():
        assert first["worker_peak_bytes"] >= first["worker_steady_bytes"] > 2**20
        assert left_behind(folder) == []


@pytest.mark.parametrize(
    ("number", "sign"),
    [
        (signal.SIGINT, "suites/baseline/playground.log"),
        (signal.SIGTERM, "starts/*/talk/run.json"),
        (signal.SIGINT, "starts/003-*/start.json"),
    ],
)
def test_who_stops_it_is_left_reports_and_no_process(
    folder: Path, number: signal.Signals, sign: str
) -> None:
    """As a side is started, in a turn, before a start; and it can be gone on with."""
    gate = start(folder)
    wait_for(lambda: list((folder / "gate").glob(sign)), gate)
    gate.send_signal(number)

    code, out, err = end(gate)

    assert code == 3, err
    assert "stopped by hand" in out
    assert err.splitlines()[-1] == ("muse-bench: stopped by hand; what was finished is reported")
    assert check(folder) == (0, "")
    assert left_behind(folder) == []
    code, out, err = end(start(folder, "resume"))
    assert code == 0, out + err
    assert left_behind(folder) == []


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ([], "a gate needs --baseline PIN and --candidate PIN, or --resume DIR"),
        (["--baseline", "embedded"], "a gate needs --baseline PIN and --candidate PIN, or"),
        (["--pairs", "0"], "argument --pairs: '0' is not a number from 1 to 100"),
        (["--pairs", "many"], "argument --pairs: 'many' is not a number from 1 to 100"),
        (["--budget", "0"], "argument --budget: '0' is not a number of minutes above 0"),
        (["--budget", "nan"], "argument --budget: 'nan' is not a number of minutes above 0"),
        (["--resume", "no-such"], "no-such: no gate was begun there; give the folder of one to"),
        (["--resume", "x", "--baseline", "embedded"], "--baseline is in the folder that --resume"),
        (["--resume", "x", "--out", "y"], "--out is in the folder that --resume names; leave it"),
    ],
)
def test_wrong_use_is_one_line_and_code_2(argv: list[str], said: str) -> None:
    """And nothing is started."""
    out, err = io.StringIO(), io.StringIO()

    code = main(["gate", *argv], out, err)

    assert (code, out.getvalue()) == (2, "")
    assert said in err.getvalue()
    assert err.getvalue().count("\n") == 1
