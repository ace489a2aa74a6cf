"""A file of visits says what is done in the page, or is refused with line and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import ScenarioError
from harness.visits.plan import plan_visits
from harness.visits.scenario import Visits, parse_visits

HEAD = """\
name = "some"
question = "does it?"
answer = "whether it does"
system = "Code {nonce}"
[slots]
nonce = { digits = 6, fresh = true }
lucky = { number = [10, 99] }
[pictures]
left = { file = "left.png" }
[[visit]]
name = "talk"
step = [
    { do = "ask", says = "My number is {lucky}." },
    { do = "figures" },
    { do = "edit", message = 1, says = "It is {lucky}.", expect = { contains = ["{lucky}"] } },
    { do = "edit", message = 2, says = "Noted." },
    { do = "edit", message = 1, says = "No.", save = false },
    { do = "stop", says = "Tell me more.", after = "content" },
]
"""


def parse(text: str) -> Visits:
    """The visits of a text."""
    return parse_visits(text, Path("some.toml"))


def test_turns_and_looks_are_counted_apart() -> None:
    """An edit of a question asks for a turn; of an answer, or cancelled, it does not."""
    (visit,) = plan_visits(parse(HEAD), repeats=1, seed=1, salt="salt")

    labels = [(step.step.do, step.label.leg, step.label.turn) for step in visit.steps]
    assert labels == [
        ("ask", "talk", 1),
        ("figures", "talk.looks", 1),
        ("edit", "talk", 2),
        ("edit", "talk.looks", 2),
        ("edit", "talk.looks", 3),
        ("stop", "talk", 3),
    ]
    assert visit.leaving.turn == 4
    number = visit.steps[0].says.removeprefix("My number is ").rstrip(".")
    assert visit.steps[2].promise.contains == (number,)


def test_a_code_is_new_in_each_run_and_a_fact_is_not() -> None:
    """By the salt and by the seed."""
    (one,) = plan_visits(parse(HEAD), repeats=1, seed=1, salt="salt")
    (other,) = plan_visits(parse(HEAD), repeats=1, seed=1, salt="pepper")

    assert one.system != other.system
    assert one.steps == other.steps


@pytest.mark.parametrize(
    ("step", "wrong"),
    [
        ('{ do = "ask" }', "says: goes with ask"),
        ('{ do = "reload", says = "Hi" }', "says: goes with ask"),
        ('{ do = "stop", says = "Hi" }', "after: goes with stop"),
        ('{ do = "fit" }', "widths: goes with fit"),
        ('{ do = "edit", says = "Hi" }', "message: goes with edit"),
        ('{ do = "ask", says = "Hi", save = false }', "save: goes with edit"),
        ('{ do = "figures", expect = { contains = ["x"] } }', "nothing is asked for"),
        ('{ do = "attach", picture = "right" }', "no picture file is called 'right'"),
        ('{ do = "ask", says = "{luck}" }', "no slot is called 'luck'"),
        ('{ do = "dance" }', "step"),
    ],
)
def test_a_step_that_says_too_little_or_too_much_is_refused(step: str, wrong: str) -> None:
    """With the key that is wrong."""
    with pytest.raises(ScenarioError) as refused:
        parse(f'{HEAD}[[visit]]\nname = "other"\nstep = [{step}]\n')

    assert wrong in str(refused.value)


def test_settings_that_the_page_has_no_field_for_are_refused() -> None:
    """Since the page could not be told."""
    with pytest.raises(ScenarioError, match="no field for muse"):
        parse(HEAD.replace("[slots]", "[settings]\nextra.muse.dflash = false\n[slots]"))


def test_two_visits_have_two_names() -> None:
    """They would be told apart by nothing else."""
    with pytest.raises(ScenarioError, match="two visits are called 'talk'"):
        parse(f'{HEAD}[[visit]]\nname = "talk"\nstep = [{{ do = "reload" }}]\n')
