"""The suite against two servers that are broken on purpose: red in exactly the right places.

A harness that only ever said "passed" would be worth nothing, and one that turns red all over
helps nobody to find the fault.  So each of the two servers (`tests/acceptance/broken/faults.py`)
stands in front of the embedded playground, the suite is run against it, and what failed has to be
what is broken, and only that.

    leaky   every answer that is looked at for control text shows it; every stop that nobody is told
            of leaves its stream running, and is answered as if it had been heard; the rest is sound
    lying   every figure that is held against the client's clock, or against another of the same
            reply, is caught; the stream itself, the answers, the refusals and the stops are sound
"""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness.cli import main
from harness.target import missing_extra

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.embedded,
    pytest.mark.skipif(bool(missing_extra()), reason="needs the extra [embedded]"),
]

ROOT = Path(__file__).parents[2]
LEAK = frozenset({"answer.no_control_text"})
LIES = frozenset({"clocks.agree", "counts.agree", "resume.accounts", "resume.reuses_resident"})
SOUND: frozenset[str] = frozenset()

RED: Mapping[str, Mapping[str, frozenset[str]]] = {
    "leaky": {
        "warm-resume": LEAK,
        "warm-resume-cells": LEAK,
        "edit-cold-refill": LEAK,
        "sessions": LEAK,
        "cancel-races": frozenset({"cancel.acknowledged", "cancel.quiet"}),
        "reasoning-isolation": LEAK,
        "vision": LEAK,
        # An exam has a goal for it: no turn of all is malformed.
        "picture-probe": frozenset({"goal.malformed"}),
        "context-limits": LEAK,
        "sse-conformance": frozenset({"text.no_control"}),
        "load": LEAK,
        # A stop that was lost is one that the turn does not know of, and the next one is not cold.
        "metrics-truth": LEAK | {"cancel.told", "resume.cold", "resume.reset_reason"},
    },
    "lying": {
        "warm-resume": LIES,
        "warm-resume-cells": LIES,
        "edit-cold-refill": LIES,
        "sessions": LIES,
        # The turn after a stop is cold there, and of what is cold nothing is claimed.
        "cancel-races": SOUND,
        "reasoning-isolation": LIES,
        "vision": LIES,
        # An exam is about answers.
        "picture-probe": SOUND,
        "context-limits": LIES,
        # Nothing but the OpenAI dialect is looked at, and that is sound.
        "sse-conformance": SOUND,
        # No conversation goes on there, so nothing is reused that could be lied about.
        "load": frozenset({"clocks.agree"}),
        "metrics-truth": LIES,
    },
}
"""By fault and part of the suite: the checks that fail. No other check does."""

MAY_FAIL: Mapping[str, Mapping[str, frozenset[str]]] = {
    # A worker that goes on for nobody frees itself late; on a busy machine that cannot be told.
    "leaky": {"cancel-races": frozenset({"cancel.frees"})},
}
"""What fails in some runs and not in others, and why that is right."""

EXCUSED = ("cancel.", "clocks.agree", "compare.at_least", "load.")
"""Checks, by how their names begin, that may not be told where the machine was busy."""


@contextlib.contextmanager
def started(*command: str, ready: str) -> Iterator[str]:
    """A server of ours for as long as the block runs; the URL of its ready line."""
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline().strip()
        assert line.startswith(ready), line
        yield line.removeprefix(ready).strip()
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(20)
        assert process.stdout is not None
        process.stdout.close()


@pytest.fixture(scope="module")
def sound() -> Iterator[str]:
    """The embedded playground; where it is."""
    command = ("playground", "--port", "0", "--no-ui", "--threads", "1")
    with started(*command, ready="muse-playground ready ") as url:
        yield url


@pytest.fixture(scope="module", params=list(RED))
def ran(
    request: pytest.FixtureRequest, sound: str, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path]:
    """Which server was broken, and the folder of the quick suite that was run against it."""
    fault, folder = request.param, tmp_path_factory.mktemp("suite") / "run"
    command = ("tests.acceptance.broken", fault, "--target", sound)
    with started(*command, ready="broken ready ") as url:
        asked = ["run", "--suite", "acceptance", "--quick", "--target", url, "--out", str(folder)]
        out, err = io.StringIO(), io.StringIO()
        assert main(asked, out, err) == 1, err.getvalue()
    return fault, folder


def parts_of(folder: Path) -> dict[str, Any]:
    """The parts of a suite by name."""
    result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    return {part["name"]: part for part in result["parts"]}


def checks_of(folder: Path, outcome: str) -> set[str]:
    """The checks that ended so somewhere in a run."""
    result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    return {v["check"] for v in result["verdicts"] if v["outcome"] == outcome}


@pytest.mark.parametrize("name", list(RED["leaky"]))
def test_what_is_broken_is_red_and_nothing_else(ran: tuple[str, Path], name: str) -> None:
    """What fails is what this server does wrong, and all of it."""
    fault, folder = ran
    expected, may = RED[fault][name], MAY_FAIL.get(fault, {}).get(name, SOUND)
    if name not in parts_of(folder):
        pytest.skip(f"{name} is no part of the quick run")

    failed, unsure = (checks_of(folder / name, outcome) for outcome in ("fail", "inconclusive"))

    assert failed - may == expected
    assert [check for check in unsure if not check.startswith(EXCUSED)] == []
    assert parts_of(folder)[name]["problem"] == ""


def test_every_part_that_can_be_run_is_expected_to_end_in_some_way(ran: tuple[str, Path]) -> None:
    """A part without its row would be a part that nobody looks at."""
    fault, folder = ran

    judged = {name for name, part in parts_of(folder).items() if part["outcome"] != "skip"}

    assert sorted(judged - set(RED[fault])) == []


def test_both_servers_are_held_against_the_same() -> None:
    """A part that one of them is spared would hide what it does there."""
    assert list(RED["leaky"]) == list(RED["lying"])
