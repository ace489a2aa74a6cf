"""A suite file says which scenarios are played, how much of each, and what the quick run leaves."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from harness.errors import ScenarioError
from harness.kinds import load_scenario
from harness.playing import Asked
from harness.scenario_files import SUITES, known_scenarios, scenario_beside
from harness.suite.parts import Suite, parse_suite
from harness.suite.plan import plan_suite

HEAD = 'name = "some"\nquestion = "is it?"\n[[part]]\nscenario = "warm-resume"\n'


def parsed(text: str) -> Suite:
    """A suite of this text."""
    return parse_suite(text, Path("some.toml"))


def test_what_the_quick_run_does_not_change_stays() -> None:
    """Only what `quick` names is different."""
    (part,) = parsed(HEAD + "repeat = 5\nseed = 0\nquick = { repeat = 3 }").part

    assert part.asked(quick=False) == Asked(repeat=5, seed=0)
    assert part.asked(quick=True) == Asked(repeat=3, seed=0)


def test_a_part_may_be_none_of_the_quick_run() -> None:
    """`quick = false` leaves it out; `only` picks by name."""
    suite = parsed(HEAD + 'quick = false\n[[part]]\nname = "b"\nscenario = "sessions"')

    assert [part.called for part in suite.parts(quick=False)] == ["warm-resume", "b"]
    assert [part.called for part in suite.parts(quick=True)] == ["b"]
    assert [part.called for part in suite.parts(quick=False, only=["b"])] == ["b"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("repeat = 0", "some.toml:3: part[1]: repeat is 0; it must be above 0"),
        ("quick = { first = 0 }", "part[1]: quick: first is 0; it must be above 0"),
        ("often = 3", "some.toml:5: part[1].often: no such key"),
        (
            '[[part]]\nscenario = "warm-resume"',
            "part[2]: two parts are called 'warm-resume'; give one a name of its own",
        ),
    ],
)
def test_a_mistake_is_told_with_its_place(more: str, said: str) -> None:
    """In one line, as of any scenario file."""
    with pytest.raises(ScenarioError) as caught:
        parsed(HEAD + more)

    assert said in str(caught.value)


@pytest.mark.parametrize("path", known_scenarios(SUITES).values(), ids=lambda path: path.stem)
def test_every_suite_that_comes_with_the_harness_can_be_played(path: Path) -> None:
    """Its scenarios are there, and are of kinds that heed what is asked of them."""
    suite = parse_suite(path.read_text(encoding="utf-8"), path)

    assert suite.name == path.stem
    for part in suite.part:
        kind, _, _ = load_scenario(scenario_beside(path, part.scenario))
        for quick in (False, True):
            kind.refuse(part.asked(quick=quick))


def test_what_is_said_of_all_parts_goes_to_those_that_heed_it(tmp_path: Path) -> None:
    """Who plays, and in which browser; such a part needs the page."""
    path = tmp_path / "some.toml"
    text = HEAD + '[[part]]\nscenario = "sessions"\n[[part]]\nscenario = "page"\n'
    said = Asked(driver="both", chromium="some-browser")

    order = plan_suite(text, path, Console(quiet=True), asked=said)

    talk, acts, page = (part.asked for part in order.parts)
    assert (talk.driver, talk.chromium) == ("both", "some-browser")
    assert acts == Asked()
    assert (page.driver, page.chromium) == (None, "some-browser")
    assert [part.page for part in order.parts] == [True, False, True]
