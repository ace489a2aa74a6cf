"""`muse-bench list` says of each scenario what it asks, what it needs and how long it takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.acts.scenario import parse_acts
from harness.exam.scenario import parse_exam
from harness.races.scenario import parse_races
from harness.report.listing import Listed, listing, needs_of
from harness.scenario_files import known_scenarios
from harness.suite.parts import parse_suite

ACTS = """\
name = "towns"
question = "Does it go on?"
answer = "whether it does"
[[cell]]
name = "stranger"
needs = ["maxNamedSessions=1"]
act = [{ do = "ask", says = "Hello?" }]
[[cell]]
name = "picture"
needs = ["vision", "maxNamedSessions=1"]
act = [{ do = "ask", says = "Hello?" }]
"""
EXAM = """\
name = "sums"
question = "Does it add?"
answer = "how often"
needs = ["dflash"]
cases.file = "sums.jsonl"
[[leg]]
name = "plain"
"""
SUITE = """\
name = "small"
question = "Is it good?"
[[part]]
scenario = "sums"
budget_s = 90
[[part]]
scenario = "towns"
budget_s = 45
quick = false
"""


@pytest.fixture(scope="module", name="text")
def _text() -> str:
    """The listing of two scenarios and a suite."""
    return listing(
        [
            Listed("sums", "exam", parse_exam(EXAM, Path("sums.toml"))),
            Listed("towns", "acts", parse_acts(ACTS, Path("towns.toml"))),
        ],
        [parse_suite(SUITE, Path("small.toml"))],
    )


def test_what_only_parts_need_is_told_apart() -> None:
    """A target that lacks it can still be asked the rest."""
    assert needs_of(parse_exam(EXAM, Path("sums.toml"))) == (("dflash",), ())
    assert needs_of(parse_acts(ACTS, Path("towns.toml"))) == (
        (),
        ("maxNamedSessions=1", "vision"),
    )


def test_what_a_moment_or_a_way_needs_is_told_of_races() -> None:
    """They are claimed as the needs of cells are."""
    path = known_scenarios()["cancel-races"]
    races = parse_races(path.read_text(encoding="utf-8"), path)

    assert needs_of(races) == ((), ("vision", "cancel", "maxNamedSessions"))


def test_a_scenario_in_the_page_says_that_it_needs_one() -> None:
    """And a browser."""
    assert "page; needs our page, the extra `browser` and a Chromium" in listing(
        [Listed("visits", "page", parse_acts(ACTS, Path("towns.toml")))], []
    )


def test_a_scenario_is_listed_with_kind_time_and_needs(text: str) -> None:
    """Under its question."""
    assert (
        "\nsums\n    Does it add?\n"
        "    exam; up to 90 s on two idle cores, as the suites play it; needs dflash\n"
    ) in text
    assert "; parts of it need maxNamedSessions=1, vision\n" in text


def test_a_suite_is_listed_with_its_parts(text: str) -> None:
    """And with those of its quick run."""
    assert (
        "\nsmall\n    Is it good?\n    2 parts, up to 3 min on two idle cores\n"
        "    all: sums, towns\n    --quick: sums\n"
    ) in text
