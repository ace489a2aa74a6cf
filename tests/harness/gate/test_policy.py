"""A policy says what is measured; what it cannot mean is refused with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import ScenarioError
from harness.gate.policy import MOST_GATED, parse_policy

HEAD = """\
name = "small"
question = "Is it as fast?"
scenarios = ["gate-speed"]
"""
METRIC = """
[[metric]]
name = "{name}"
title = "ready"
measure = "start.ready"
margin = 0.05
gated = true
"""
PATH = Path("small.toml")


def metrics(count: int) -> str:
    """So many gated metrics."""
    return "".join(METRIC.format(name=f"metric-{place}") for place in range(count))


def test_a_policy_needs_only_what_it_measures() -> None:
    """The rest has defaults: ten pairs, a fail found again in six."""
    policy = parse_policy(HEAD + metrics(MOST_GATED), PATH)

    assert (policy.pairs, policy.least, policy.confirm) == (10, 4, 6)
    assert all(metric.gated for metric in policy.metric)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD + metrics(MOST_GATED + 1), "at most 6 can fail the gate"),
        (HEAD + metrics(1).replace("gated = true", ""), "one metric at least can fail the gate"),
        (HEAD + metrics(1) + metrics(1), "'metric-0' is there twice"),
        (HEAD + metrics(1).replace("margin = 0.05", ""), "what can fail the gate has a margin"),
        (HEAD + "least = 6\npairs = 4\n" + metrics(1), "more than the 4 pairs there are at most"),
    ],
)
def test_what_no_single_key_can_tell_is_refused_with_its_line(text: str, said: str) -> None:
    """The line is that of the key which breaks the rule."""
    with pytest.raises(ScenarioError, match=said) as refused:
        parse_policy(text, PATH)

    assert refused.value.line is not None
