"""What a file of probes may say, and how a mistake in it is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.conformance.heard import hear
from harness.conformance.judge import verdict_on
from harness.conformance.rules import RULES, rules_for
from harness.conformance.scenario import parse_probes
from harness.errors import ScenarioError
from harness.scenario_files import find_scenario
from harness.testing import trace
from harness.verdict import Outcome

HEAD = 'name = "some"\nquestion = "is it?"\nanswer = "whether"\n'


def probe(text: str, name: str = "one") -> str:
    """A probe of this name that says this besides."""
    return f'[[probe]]\nname = "{name}"\n{text}\n'


def test_a_probe_says_little_and_means_a_chat_request() -> None:
    """What it does not say is a POST of the common body."""
    probes = parse_probes(HEAD + probe('rules = ["sse.*"]'), Path("some.toml"))

    (one,) = probes.probe
    assert (one.method, one.path, one.cuts) == ("POST", "/v1/chat/completions", False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (probe('rules = ["sse.nothing"]'), "probe[1].rules[1]: no rule is called 'sse.nothing'"),
        (probe("rules = []"), "probe[1].rules"),
        (probe('rules = ["*"]\nbeside = "two"'), "probe[1].beside: 'two' is no earlier probe"),
        (
            probe('rules = ["stop.*"]\nbody = { stop = "{slice}" }'),
            "probe[1].beside: is missing: {slice} is a part of its answer",
        ),
        (probe('rules = ["refusal.exact"]'), "probe[1].status: is missing"),
        (probe('rules = ["refusal.names"]'), "probe[1].names: is missing"),
        (
            probe('rules = ["sse.*"]\ncontent = "{"\nbody = { n = 1 }'),
            "probe[1].content: goes without body",
        ),
        (probe('rules = ["sse.*"]') * 2, "probe[2].name: two probes are called 'one'"),
        (probe('rules = ["sse.*"]\nverb = "GET"'), "probe[1].verb: no such key"),
    ],
)
def test_a_mistake_is_told_with_its_key(text: str, said: str) -> None:
    """So that whoever writes a probe finds it."""
    with pytest.raises(ScenarioError) as problem:
        parse_probes(HEAD + text, Path("some.toml"))

    assert said in str(problem.value)


def test_the_scenario_that_comes_along_shows_every_rule() -> None:
    """A rule that no probe asks for would never be held against anybody."""
    path = find_scenario("sse-conformance")
    probes = parse_probes(path.read_text(encoding="utf-8"), path)

    shown = {rule.name for each in probes.probe for rule in rules_for(each.rules)}

    assert sorted(set(RULES) - shown) == []


@pytest.mark.parametrize("status", [500, None])
def test_no_probe_passes_over_a_server_that_breaks(status: int | None) -> None:
    """Whatever a probe is about, some rule of it fails where no answer comes, or a 500."""
    path = find_scenario("sse-conformance")
    probes = parse_probes(path.read_text(encoding="utf-8"), path)
    broken = trace(status=status, transport_error=None if status else "gone")

    passed_over = [
        probe.name
        for probe in probes.probe
        if not any(
            verdict_on(rule, hear(probe, broken)).outcome is Outcome.FAIL
            for rule in rules_for(probe.rules)
        )
    ]

    assert passed_over == []
