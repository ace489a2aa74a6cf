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
LIES = frozenset({"clocks.agree", "resume.accounts", "resume.reuses_resident"})
SOUND: frozenset[str] = frozenset()

RED: Mapping[str, Mapping[str, frozenset[str]]] = {
    "leaky": {
        "warm-resume": LEAK,
        "edit-cold-refill": LEAK,
        "sessions": LEAK,
        "context-limits": LEAK,
        "reasoning-isolation": LEAK,
        "vision": LEAK,
        "cancel-races": frozenset({"cancel.acknowledged", "cancel.quiet"}),
        "sse-conformance": frozenset({"text.no_control"}),
    },
    "lying": {
        "warm-resume": LIES,
        "edit-cold-refill": LIES,
        "sessions": LIES,
        "context-limits": LIES,
        "reasoning-isolation": LIES,
        "vision": LIES,
        # Neither rates nor what is reused is looked at there: the next turn is cold on purpose.
        "cancel-races": SOUND,
        # Nothing but the OpenAI dialect is, and that is sound.
        "sse-conformance": SOUND,
    },
}
"""By fault and scenario: the checks that fail. Every other check passes, or is skipped."""

UNSURE: Mapping[str, Mapping[str, frozenset[str]]] = {
    # Who was slow cannot be told where the machine was busy: then it fails, or cannot be told.
    "leaky": {"cancel-races": frozenset({"cancel.frees"})},
}
"""What may fail besides."""

QUICK = {
    "warm-resume": ("--repeat", "3"),
    "cancel-races": ("--rounds", "42"),
}
"""Enough to see it."""


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
def broken(request: pytest.FixtureRequest, sound: str) -> Iterator[tuple[str, str]]:
    """One of the broken servers before it: which, and where."""
    command = ("tests.acceptance.broken", request.param, "--target", sound)
    with started(*command, ready="broken ready ") as url:
        yield request.param, url


def run(scenario: str, url: str, folder: Path) -> tuple[int, dict[str, Any]]:
    """Exit code and result of a scenario against a server."""
    out, err = io.StringIO(), io.StringIO()
    asked = ["run", "--scenario", scenario, *QUICK.get(scenario, ()), "--target", url]
    code = main([*asked, "--json", "--out", str(folder)], out, err)
    assert out.getvalue(), err.getvalue()
    result: dict[str, Any] = json.loads(out.getvalue())
    return code, result


@pytest.mark.parametrize("scenario", list(RED["leaky"]))
def test_what_is_broken_is_red_and_nothing_else(
    broken: tuple[str, str], scenario: str, tmp_path: Path
) -> None:
    """Whatever neither passes nor is skipped is what this server does wrong, and all of it is."""
    fault, url = broken
    expected, unsure = RED[fault][scenario], UNSURE.get(fault, {}).get(scenario, SOUND)

    code, result = run(scenario, url, tmp_path / "run")

    good = {"pass", "skip", "note"}
    red = {v["check"] for v in result["verdicts"] if v["outcome"] not in good}
    failed = {v["check"] for v in result["verdicts"] if v["outcome"] == "fail"}
    assert red - unsure == expected
    assert failed - unsure == expected
    assert result["unplayed"] == []
    assert code == (1 if expected else 0)


def test_both_servers_are_held_against_the_same() -> None:
    """A scenario that one of them is spared would hide what it does there."""
    assert list(RED["leaky"]) == list(RED["lying"])
