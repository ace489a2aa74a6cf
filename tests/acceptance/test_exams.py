"""Every exam against the real thing, in short: embedded model, real processes, over HTTP.

A case or two of each group show that a scenario runs from its file to its reports; how good and
how fast the model is, the scenarios themselves say on all their cases.  What is asserted is what
must hold on any machine, so neither times nor ratios of times.
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


def run(scenario: str, folder: Path, *more: str) -> dict[str, Any]:
    """One run of a scenario on a few cases; its result, after its reports were derived again."""
    out, err = io.StringIO(), io.StringIO()
    argv = ["run", "--scenario", scenario, "--first", "1", "--json", "--out", str(folder), *more]
    code = main(argv, out, err)
    assert out.getvalue(), err.getvalue()
    result: dict[str, Any] = json.loads(out.getvalue())

    assert code == result["exit_code"]
    assert result["unplayed"] == []
    assert main(["report", str(folder), "--check"], io.StringIO(), io.StringIO()) == 0
    return result


def whole(result: dict[str, Any], leg: str, key: str) -> dict[str, Any]:
    """What a result says of a leg over all groups."""
    (found,) = [each for each in result[key] if (each["leg"], each["group"]) == (leg, "")]
    return dict(found)


def goal(result: dict[str, Any], check: str) -> list[str]:
    """The outcomes of the goals of a kind."""
    return [v["outcome"] for v in result["verdicts"] if v["check"] == check]


def test_nano_skills_asks_every_group_greedily_and_sampled(tmp_path: Path) -> None:
    """Most answers are right, and no turn is malformed."""
    result = run("nano-skills", tmp_path)

    assert {turn["leg"] for turn in result["turns"]} == {"greedy", "sampled"}
    assert whole(result, "greedy", "rates")["n"] == len({t["group"] for t in result["turns"]}) > 20
    assert whole(result, "greedy", "rates")["share"] >= 0.8
    assert goal(result, "goal.malformed") == ["pass", "pass"]


def test_nano_malformed_samples_with_nothing_cut_off(tmp_path: Path) -> None:
    """And the grammar holds."""
    result = run("nano-malformed", tmp_path, "--repeat", "1")

    assert goal(result, "goal.malformed") == ["pass"]
    assert result["scenario"]["settings"]["top_p"] == 1.0


def test_dflash_writes_the_same_with_fewer_steps_of_the_target(tmp_path: Path) -> None:
    """Rounds give more than a token each, and their counts add up."""
    result = run("dflash", tmp_path)
    drafting = whole(result, "dflash", "drafting")

    assert drafting["tokens_per_round"] > 1.5
    assert len(drafting["acceptance"]) == 3
    assert goal(result, "goal.figures") == ["pass"]
    assert result["identities"][0]["share"] >= 0.9


def test_picture_probe_sees_both_pictures_of_a_pair(tmp_path: Path) -> None:
    """Blindness is right at most half the time and never on both sides."""
    result = run("picture-probe", tmp_path)
    pairs = whole(result, "greedy", "rates")["pairs"]

    assert pairs["n"] == 7
    assert pairs["share"] > 0.5
    assert goal(result, "goal.malformed") == ["pass"]
