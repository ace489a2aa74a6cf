"""Claims about what a scenario file of cases may say, and how a mistake in one is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import ScenarioError
from harness.exam.plan import chosen
from harness.exam.scenario import Exam, check_against, parse_exam
from harness.kinds import load_scenario
from harness.scenario_files import cases_of, known_scenarios

FILE = Path("some.toml")
GOOD = """\
name = "some"
question = "does it?"
answer = "how often"
needs = ["dflash"]
[cases]
file = "cases.jsonl"
[settings]
max_tokens = 20
[[leg]]
name = "plain"
settings = { temperature = 0.0, extra = { muse = { dflash = false } } }
[[leg]]
name = "fast"
groups = ["sums"]
first = 3
repeat = 2
[[goal]]
leg = "plain"
of = "overall"
at_least = 0.9
[[goal]]
leg = "fast"
of = "malformed"
at_most = 0
[[compare]]
name = "rate"
metric = "server.decode_rate"
baseline = "plain"
candidate = "fast"
at_least = 1.5
[[identical]]
legs = ["plain", "fast"]
at_least = 0.99
"""


def test_a_good_file_becomes_values() -> None:
    """Everything the file says is there, under the names it uses."""
    exam = parse_exam(GOOD, FILE)

    assert exam.cases.file == "cases.jsonl"
    assert exam.leg[0].settings.extra == {"muse": {"dflash": False}}
    assert (exam.leg[1].groups, exam.leg[1].first, exam.leg[1].repeat) == (("sums",), 3, 2)
    assert (exam.goal[1].of, exam.goal[1].at_most) == ("malformed", 0)
    assert exam.identical[0].legs == ("plain", "fast")


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ('name = "fast"', 'name = "plain"', "some.toml:13: leg[2].name: two legs are called"),
        ("repeat = 2", "repaet = 2", "some.toml:16: leg[2].repaet: no such key"),
        ("first = 3", 'resets = ["new"]', "some.toml:15: leg[2].resets: no such key"),
        (
            "max_tokens = 20",
            "send_reasoning = true",
            "some.toml:8: settings.send_reasoning: is for",
        ),
        ("temperature = 0.0", "send_reasoning = true", "some.toml:11: leg[1].settings.send_reaso"),
        ('of = "overall"', 'of = "some"', "some.toml:19: goal[1].of: input should be 'overall'"),
        ('leg = "fast"', 'leg = "slow"', "some.toml:22: goal[2].leg: no leg is called 'slow'"),
        ("at_most = 0", "", "some.toml:21: goal[2]: malformed needs at_most"),
        (
            "at_least = 0.9\n",
            "at_least = 95\n",
            "some.toml:20: goal[1].at_least: is a share of 1, n",
        ),
        (
            "at_least = 0.9\n",
            "at_least = 0.9\nat_most = 1\n",
            "some.toml:21: goal[1].at_most: over",
        ),
        ("server.decode_rate", "decode", "some.toml:27: compare[1].metric: no metric is called"),
        ("server.decode_rate", "tokens.prompt", "some.toml:27: compare[1].metric: has no better"),
        ('candidate = "fast"', 'candidate = "x"', "some.toml:29: compare[1].candidate: no leg is"),
        ('["plain", "fast"]', '["plain", "x"]', "some.toml:32: identical[1].legs: no leg is calle"),
        ('["plain", "fast"]', '["fast", "fast"]', "some.toml:32: identical[1].legs: a leg is alwa"),
        ('["dflash"]', '["magic"]', "some.toml:4: needs[1]: input should be 'dflash' or 'vision'"),
        ('file = "cases.jsonl"\n', "", "some.toml:5: cases.file: is missing"),
    ],
)
def test_a_mistake_is_told_with_file_line_and_key(right: str, wrong: str, message: str) -> None:
    """One line says where, what and, for a name, which ones there are."""
    assert right in GOOD

    with pytest.raises(ScenarioError) as caught:
        parse_exam(GOOD.replace(right, wrong, 1), FILE)

    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_group_that_no_case_is_of_is_a_mistake_of_the_scenario() -> None:
    """It would be a leg that asks nothing."""
    exam = parse_exam(GOOD, FILE)

    check_against(exam, ("words", "sums"), GOOD, FILE)
    with pytest.raises(
        ScenarioError, match=r"some\.toml:14: leg\[2\]\.groups: no case is of 'sums'"
    ):
        check_against(exam, ("words",), GOOD, FILE)


@pytest.mark.parametrize("path", known_scenarios().values(), ids=lambda path: path.stem)
def test_every_shipped_exam_finds_its_cases(path: Path) -> None:
    """The file is there, beside the scenario, and every leg has something to ask."""
    _, scenario, text = load_scenario(path)
    if not isinstance(scenario, Exam):
        return

    cases = cases_of(scenario, path)
    check_against(scenario, cases.groups, text, path)

    assert all(chosen(leg, cases.cases) for leg in scenario.leg)
