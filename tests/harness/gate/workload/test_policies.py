"""Every policy that comes with the project can be played, and says only what there is."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.acts.plan import ASKS, plan_acts
from harness.errors import ScenarioError, UnknownPolicy
from harness.gate.policy import MOST_GATED, find_policy, known_policies, parse_policy
from harness.kinds import load_scenario
from harness.scenario_files import find_scenario, find_suite

if TYPE_CHECKING:
    from harness.acts.plan import PlannedCell
    from harness.gate.policy import Policy

POLICIES = known_policies()
SMALL = """\
name = "small"
question = "?"
scenarios = ["talk"]
[[metric]]
name = "warm"
title = "TTFT, warm"
measure = "client.ttft"
scenario = "talk"
leg = "warm.ann"
margin = 0.05
gated = true
"""


def policy_of(name: str) -> Policy:
    """A policy that comes with the project."""
    return parse_policy(POLICIES[name].read_text(encoding="utf-8"), POLICIES[name])


def planned(scenario: str, salt: str = "salt", seed: int = 1) -> tuple[PlannedCell, ...]:
    """Every cell of one repeat."""
    _, acts, _ = load_scenario(find_scenario(scenario))
    return plan_acts(acts, repeats=1, seed=seed, salt=salt)


def prompts(cell: PlannedCell) -> list[str]:
    """What is said in a cell, behind the system message."""
    return [f"{cell.system}\n{act.says}" for act in cell.acts if act.act.do in ASKS]


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_is_called_as_its_file_and_names_what_there_is(name: str) -> None:
    """Scenarios and suite exist, and every metric is of turns that are planned."""
    policy = policy_of(name)

    assert policy.name == name
    assert find_suite(policy.suite).is_file()
    sent = {
        (scenario, act.label.leg, act.label.turn)
        for scenario in policy.scenarios
        for cell in planned(scenario)
        for act in cell.acts
        if act.label
    }
    for metric in policy.metric:
        if metric.scenario:
            turns = metric.turns or (1,)
            assert {(metric.scenario, metric.leg, turn) for turn in turns} <= sent, metric.name


@pytest.mark.parametrize("name", POLICIES)
def test_what_is_gated_can_become_worse(name: str) -> None:
    """A unit that has no better way decides nothing."""
    gated = [metric for metric in policy_of(name).metric if metric.gated]

    assert 1 <= len(gated) <= MOST_GATED
    assert {metric.unit.better.value for metric in gated} <= {"lower", "higher"}


@pytest.mark.parametrize("name", POLICIES)
def test_both_sides_of_a_pair_are_asked_the_very_same(name: str) -> None:
    """A plan is a function of scenario, seed and salt; another salt begins every prompt anew."""
    for scenario in policy_of(name).scenarios:
        once, again, other = (
            [text for cell in planned(scenario, salt) for text in prompts(cell)]
            for salt in ("one", "one", "two")
        )
        assert once == again
        assert not set(once) & set(other)


@pytest.mark.parametrize("name", POLICIES)
def test_no_prompt_of_a_start_begins_as_another_cells_does(name: str) -> None:
    """What is timed shares no prefix with the warm-up, though both are drawn from one salt."""
    codes = [cell.system for scenario in policy_of(name).scenarios for cell in planned(scenario)]

    assert len(set(codes)) == len(codes)


def test_a_policy_is_found_by_name_or_is_a_file(tmp_path: Path) -> None:
    """As a scenario is."""
    assert find_policy("embedded").name == "embedded.toml"
    assert find_policy(str(tmp_path / "own.toml")) == tmp_path / "own.toml"
    with pytest.raises(UnknownPolicy, match=r"unknown policy 'nope'; known: .*embedded"):
        find_policy("nope")


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ('"client.ttft"', '"client.speed"', r"small.toml:7: metric\[1\].measure: no metric"),
        ('leg = "warm.ann"\n', "", "say of which scenario and leg"),
        ('"client.ttft"', '"start.load"', "has neither scenario, leg nor turns"),
        ('scenario = "talk"', 'scenario = "walk"', "'walk' is none of the scenarios"),
        ('question = "?"', 'question = "?"\npairz = 20', "no such key"),
    ],
)
def test_a_mistake_is_told_with_its_key(was: str, now: str, said: str) -> None:
    """Before anything is measured."""
    with pytest.raises(ScenarioError, match=said):
        parse_policy(SMALL.replace(was, now), Path("small.toml"))


OWN = {"name", "question", "budget_min", "cooldown_s", "together"}
"""What a policy of a Mac has of its own, and margins that nobody has measured there."""


def test_both_policies_ask_for_the_same() -> None:
    """Metric by metric, of the same turns of the same scenarios; what is gated is so in both."""
    ours, theirs = (asdict(policy_of(name)) for name in ("embedded", "muse"))

    for policy in (ours, theirs):
        for metric in policy["metric"]:
            metric["margin"] = metric["margin"] is not None
    assert {key for key in ours if ours[key] != theirs[key]} <= OWN
