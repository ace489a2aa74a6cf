"""Claims about what a scenario file of acts may say, and how a mistake in one is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.acts.scenario import parse_acts
from harness.errors import ScenarioError
from harness.kinds import kind_of

FILE = Path("some.toml")

GOOD = """\
name = "some"
question = "does it?"
answer = "whether it does"
[slots]
old = { digits = 4 }
[pictures]
cat = { file = "cat.png" }
[[opening]]
do = "ask"
says = "It is {old}."
[[cell]]
name = "first"
needs = ["maxNamedSessions=1", "contextLength"]
act = [
    { do = "edit", message = 2, says = "Noted." },
    { do = "again", expect = { reset = "mismatch" } },
    { by = "bob", do = "ask", says = "Hello?", max_tokens = "window+1", expect = { status = 400, code = "too_long" } },
    { do = "close" },
]
"""  # noqa: E501


def test_a_good_file_becomes_values() -> None:
    """Everything the file says is there, under the names it uses."""
    acts = parse_acts(GOOD, FILE)
    edit, again, ask, close = acts.cell[0].act

    assert kind_of(GOOD).name == "acts"
    assert acts.opening[0].says == "It is {old}."
    assert (edit.message, edit.says, edit.by) == (2, "Noted.", "ann")
    assert again.expect.reset == "mismatch"
    assert (ask.by, ask.max_tokens, ask.expect.code) == ("bob", "window+1", "too_long")
    assert close.do == "close"


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ('do = "again"', 'do = "repeat"', r"cell\[1\]\.act\[2\]\.do"),
        ("message = 2, ", "", r"act\[1\]\.message: goes with edit, and only with it"),
        ("message = 2", "message = 3", r"there are 2 messages by then, in 'first'"),
        (', says = "Noted."', "", r"act\[1\]\.says: goes with ask and edit"),
        ('do = "close"', 'do = "close", says = "Bye."', r"act\[4\]\.says: goes with ask and edit"),
        ('do = "close"', 'do = "close", cut = true', r"act\[4\]\.cut: goes with edit"),
        ('do = "close"', 'do = "close", repeats = 2.0', r"act\[4\]\.repeats: goes with ask"),
        ('do = "close"', 'do = "close", leaves = 2', r"act\[4\]\.leaves: goes with ask"),
        ("max_tokens", "leaves = 2, repeats = 2.0, max_tokens", r"leaves: goes without repeats"),
        ('do = "close"', 'by = "anonymous", do = "close"', r"anonymous has no session to close"),
        ('do = "close"', 'by = "bob", do = "again"', r"nothing was asked by then, in 'first'"),
        ("status = 400", "status = 200", r"code: goes with the status of a refusal"),
        ("It is {old}.", "It is {young}.", r"opening\[1\]\.says: no slot is called 'young'"),
        ('reset = "mismatch"', 'reset = "edited"', r"expect\.reset"),
        ('reset = "mismatch"', 'contains = ["{x}"]', r"expect\.contains: no slot is called 'x'"),
        ('reset = "mismatch"', 'matches = "("', r"expect\.matches: not a regular expression"),
        (', "contextLength"]', "]", r"needs: lacks 'contextLength', which its acts ask for"),
        (
            "message = 2, says",
            'message = 2, shows = ["dog"], says',
            r"shows: no picture is called 'dog'; there are: cat",
        ),
        (
            'do = "close"',
            'do = "close", shows = ["cat"]',
            r"act\[4\]\.shows: goes with ask and edit",
        ),
        ('"cat.png"', '"cat.png", url = "x"', r"pictures\.cat: needs either file or url"),
        ('file = "cat.png"', "", r"pictures\.cat: needs either file or url"),
        ('"cat.png"', '"cat"', r"pictures\.cat\.file: ends in none of \.bmp, .*; say its type"),
        ('file = "cat.png"', 'url = "x", type = "y"', r"pictures\.cat\.type: goes with file"),
        ('do = "close"', 'do = "close", restarts = "kill"', r"restarts: goes with ask and restart"),
        ('do = "close"', 'do = "restart"', r"needs: lacks 'restart', which its acts ask for"),
        ('do = "close"', 'do = "restart", restarts = "burn"', r"act\[4\]\.restarts"),
        ("needs", "wants", r"cell\[1\]\.wants: no such key"),
    ],
)
def test_a_mistake_is_told_with_its_key(right: str, wrong: str, message: str) -> None:
    """A misspelt promise is not a promise forgotten."""
    with pytest.raises(ScenarioError, match=message):
        parse_acts(GOOD.replace(right, wrong), FILE)


def test_two_cells_of_one_name_are_refused() -> None:
    """Their requests could not be told apart."""
    more = '[[cell]]\nname = "first"\nact = [{ do = "forget" }]\n'

    with pytest.raises(ScenarioError, match=r"two cells are called 'first'"):
        parse_acts(GOOD + more, FILE)
