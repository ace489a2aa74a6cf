"""The first scenario against the real thing: embedded model, real processes, over HTTP.

What is asserted is what must hold on any machine: promises and token counts.  How much sooner a
warm turn comes is asserted by the scenario itself, as a ratio with an interval.
"""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from harness.cli import main
from harness.target import missing_extra

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.embedded,
    pytest.mark.skipif(bool(missing_extra()), reason="needs the extra [embedded]"),
]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, dict[str, Any], Path, str]:
    """One run of the scenario: exit code, result, folder, and what was said meanwhile."""
    folder = tmp_path_factory.mktemp("acceptance") / "run"
    out, err = io.StringIO(), io.StringIO()
    argv = ["run", "--scenario", "warm-resume", "--repeat", "5", "--json", "--out", str(folder)]
    code = main(argv, out, err)
    return code, json.loads(out.getvalue() or "{}"), folder, err.getvalue()


def test_every_promise_is_kept(run: tuple[int, dict[str, Any], Path, str]) -> None:
    """Nothing failed, nothing was skipped; open may be whether clocks agree, on a busy machine."""
    code, result, _, said = run

    told = [v for v in result.get("verdicts", ()) if v["outcome"] != "pass"]
    unsure = [v for v in told if (v["check"], v["outcome"]) == ("clocks.agree", "inconclusive")]

    assert [v for v in told if v not in unsure] == [], said
    assert code == (3 if unsure else 0)
    assert len(result["verdicts"]) > 200


def test_warm_turns_reuse_to_the_token_what_was_resident(
    run: tuple[int, dict[str, Any], Path, str],
) -> None:
    """Turns 2 and 3 prefill only what is new: the conversation's long beginning is not."""
    _, result, _, _ = run
    warm = {(t["repeat"], t["turn"]): t["reuse"] for t in result["turns"] if t["leg"] == "warm"}

    assert len(warm) == 18
    for (repeat, turn), told in warm.items():
        assert told["reused"] + told["prefilled"] == told["prompt"]
        if turn == 1:
            assert (told["reused"], told["reset_reason"]) == (0, "new")
            assert told["prompt"] >= 600
        else:
            before = warm[repeat, turn - 1]
            assert told["reused"] == before["prompt"] + before["completion"]
            assert told["prefilled"] < 50


def test_the_run_tells_how_long_it_took_to_be_ready_and_its_peak_memory(
    run: tuple[int, dict[str, Any], Path, str],
) -> None:
    """Both processes report their peak, and the command its time to ready."""
    _, result, _, _ = run
    memory = result["target"]["runtime_after"]["memory"]

    assert memory["serverPeakBytes"] > 0
    assert memory["workerPeakBytes"] > 0
    assert result["target"]["ready_s"] > 0


def test_its_reports_are_derived_again_byte_for_byte(
    run: tuple[int, dict[str, Any], Path, str],
) -> None:
    """From what is on disk alone."""
    _, _, folder, _ = run

    assert main(["report", str(folder), "--check"], io.StringIO(), io.StringIO()) == 0
