"""Claims about what a scenario file may say, and how a mistake in one is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.errors import ScenarioError, UnknownScenario
from harness.kinds import json_schema, load_scenario
from harness.scenario import parse_scenario, placeholders
from harness.scenario_files import (
    SCENARIOS,
    find_scenario,
    known_scenarios,
)

FILE = Path("some.toml")
GOOD = '''\
name = "some"
question = "does it?"
answer = "whether it does"

[lists]
people = ["Ada", "Ben"]
towns = ["Oslo", "Rome"]

[slots]
who = { from = "people" }
nonce = { digits = 6, fresh = true }
notes = { count = 2, mark = "{n}. ", each = ["{people} lives in {towns}."] }

[[turn]]
user = """
{nonce}
{notes}
I am {who}."""

[[turn]]
user = "Who am I?"
expect.contains = ["{who}"]

[[leg]]
name = "warm"
session = "kept"
resets = ["new", "exact_prefix"]

[[leg]]
name = "cold"
replays = "warm"

[[compare]]
name = "resume"
metric = "client.ttft"
baseline = "cold"
candidate = "warm"
turns = [2]
'''


def test_a_good_file_becomes_values() -> None:
    """Everything the file says is there, under the names it uses."""
    scenario = parse_scenario(GOOD, FILE)

    assert scenario.turn[1].expect.contains == ("{who}",)
    assert [leg.session for leg in scenario.leg] == ["kept", "none"]
    assert scenario.slots["who"].from_ == "people"
    assert scenario.compare[0].turns == (2,)


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        (
            "expect.contains",
            "expect.contians",
            "some.toml:22: turn[2].expect.contians: no such key",
        ),
        ('"kept"', '"kpt"', "some.toml:26: leg[1].session: input should be 'kept', 'fresh' or"),
        ("digits = 6", "digits = '6'", "some.toml:11: slots.nonce.digits: input should be a valid"),
        ('question = "does it?"\n', "", "some.toml: question: is missing"),
        ('"Who am I?"', '"Who is {whom}?"', "some.toml:21: turn[2].user: no slot is called 'whom'"),
        ('"Who am I?"', '"Who is {?"', "some.toml:21: turn[2].user: "),
        ('"Who am I?"', '"Who is {who!r}?"', "some.toml:21: turn[2].user: {who} is not a plain"),
        ("{people} lives", "{persons} lives", "some.toml:12: slots.notes.each: no list is called"),
        ('from = "people"', 'from = "person"', "some.toml:10: slots.who.from: no list is called"),
        ('["Ada", "Ben"]', "[]", "some.toml:6: lists.people: tuple should have at least 1 item"),
        ('["Ada", "Ben"]', '["Ada", "Ada"]', "some.toml:6: lists.people: says a value twice"),
        ("digits = 6,", "", "some.toml:11: slots.nonce: needs exactly one of from, digits"),
        ("count = 2, ", "", "some.toml:12: slots.notes: count and each go together"),
        ('"exact_prefix"]', '"exact_prefix", "new"]', "some.toml:27: leg[1].resets: has 3 for 2"),
        ('replays = "warm"', 'replays = "hot"', "some.toml:31: leg[2].replays: no earlier leg is"),
        ('name = "cold"', 'name = "warm"', "some.toml:30: leg[2].name: two legs are called 'warm'"),
        ('baseline = "cold"', 'baseline = "old"', "some.toml:36: compare[1].baseline: no leg is"),
        ("client.ttft", "ttft", "some.toml:35: compare[1].metric: no metric is called 'ttft'"),
        ('"{n}. "', '"{m}. "', "some.toml:12: slots.notes.mark: no mark but {n} is called 'm'"),
        ('{ from = "people" }', "{ number = [9, 3] }", "some.toml:10: slots.who.number: the lower"),
        (
            '{ from = "people" }',
            "{ number = [1, 3], fresh = true }",
            "some.toml:10: slots.who.fresh: goes with from or digits",
        ),
        (
            '{ from = "people" }',
            '{ from = "people", mark = "-" }',
            "some.toml:10: slots.who: among and mark go with count and each",
        ),
        (
            "count = 2,",
            'count = 1, among = ["a", "b"],',
            "some.toml:12: slots.notes.among: has 2 lines of 1",
        ),
        (
            "count = 2,",
            'count = 2, among = ["{nonce}"],',
            "some.toml:12: slots.notes.among: no slot of one value is called 'nonce'",
        ),
        (
            'expect.contains = ["{who}"]',
            'expect.matches = "("',
            "some.toml:22: turn[2].expect.matches: not a regular expression",
        ),
        (
            'replays = "warm"',
            'replays = "warm"\nsession = "kept"',
            "some.toml:32: leg[2].session: a replay is sent cold: fresh or none",
        ),
        (
            'replays = "warm"',
            'replays = "warm"\n[[leg]]\nname = "third"\nreplays = "cold"',
            "some.toml:34: leg[3].replays: 'cold' is itself a replay",
        ),
        ("turns = [2]", "turns = [3]", "some.toml:38: compare[1].turns: there is no turn 3"),
        ("turns = [2]", "turns = [2", "some.toml:38: "),
        ("[lists]", "[lists", "some.toml:5: "),
    ],
)
def test_a_mistake_is_told_with_file_line_and_key(right: str, wrong: str, message: str) -> None:
    """One line says where, what and, for a name, which ones there are."""
    assert right in GOOD

    with pytest.raises(ScenarioError) as caught:
        parse_scenario(GOOD.replace(right, wrong), FILE)

    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_list_must_have_a_value_for_every_slot_that_draws_from_it() -> None:
    """Two slots never share a value, so a short list is a mistake in the file."""
    more = "\nme = { from = 'people' }\nyou = { from = 'people' }\n[[turn]]"

    with pytest.raises(ScenarioError, match="3 slots draw from it, it has 2 values"):
        parse_scenario(GOOD.replace("\n[[turn]]", more, 1), FILE)


def test_an_unknown_name_lists_the_known_ones() -> None:
    """The message is enough to go on with."""
    with pytest.raises(
        UnknownScenario, match=r"unknown scenario 'warm-resum'; known: .*warm-resume"
    ):
        find_scenario("warm-resum")


def test_a_file_is_found_by_its_path(tmp_path: Path) -> None:
    """A scenario need not be one of ours."""
    path = tmp_path / "mine.toml"
    path.write_text(GOOD, encoding="utf-8")

    assert load_scenario(find_scenario(str(path)))[1].name == "some"


def test_a_missing_file_is_told_by_name() -> None:
    """A path that ends in .toml is taken as a path."""
    with pytest.raises(ScenarioError, match=r"^no/such\.toml: cannot be read"):
        load_scenario(find_scenario("no/such.toml"))


@pytest.mark.parametrize("path", known_scenarios().values(), ids=lambda path: path.stem)
def test_every_shipped_scenario_is_well_formed(path: Path) -> None:
    """It loads, is named for its file, and its opening comment tells question and result."""
    _, scenario, text = load_scenario(path)
    opening = text[: text.index(f'name = "{scenario.name}"')]

    assert scenario.name == path.stem
    assert "Question:" in opening
    assert "Final result:" in opening


def test_every_shipped_scenario_is_in_the_table() -> None:
    """scenarios/README.md is one table with a row for each."""
    table = (SCENARIOS / "README.md").read_text(encoding="utf-8")

    assert [name for name in known_scenarios() if f"`{name}`" not in table] == []


def test_the_shipped_schema_is_the_current_one() -> None:
    """Editors complete and check scenario files by the schema of this very version."""
    shipped = json.loads((SCENARIOS / "scenario.schema.json").read_text(encoding="utf-8"))

    assert shipped == json_schema()


@pytest.mark.parametrize(
    ("text", "names"),
    [("", ()), ("a {b} c {d}", ("b", "d")), ("{{not}} {one}", ("one",))],
)
def test_placeholders_are_the_plain_names_in_braces(text: str, names: tuple[str, ...]) -> None:
    """Doubled braces are text."""
    assert placeholders(text) == names
