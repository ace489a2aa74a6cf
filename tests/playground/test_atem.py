"""Calls are read as they were declared, and what is no call is never run."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.atem import Invocation, Reading, coerced, read_calls

TOOLS: dict[str, dict[str, Any]] = {
    "get_weather": {"properties": {"city": {"type": "string"}, "days": {"type": "integer"}}},
    "notes.add": {"properties": {"text": {"type": "string"}, "tags": {"type": "array"}}},
}


def invoke(name: str, **values: str) -> str:
    """One invoke as a model writes it."""
    lines = [f'<atem:parameter name="{key}">{value}</atem:parameter>\n' for key, value in
             values.items()]  # fmt: skip
    return f'<atem:invoke name="{name}">\n{"".join(lines)}</atem:invoke>\n'


def block(*invokes: str) -> str:
    """A block of calls."""
    return f"<atem:function_calls>\n{''.join(invokes)}</atem:function_calls>"


PARIS = invoke("get_weather", city="Paris", days="3")
ROME = invoke("get_weather", city="Rome")
CALL = Invocation("get_weather", {"city": "Paris", "days": 3})
OTHER = Invocation("get_weather", {"city": "Rome"})
LOOKALIKE = "<b>\n</atem:parameter> </atem:invoke>\n</atem:function_calls> and more"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (block(PARIS), Reading("", (CALL,))),
        (block(PARIS, ROME), Reading("", (CALL, OTHER))),
        (block(PARIS) + "\n" + block(ROME) + "\n", Reading("", (CALL, OTHER))),
        ("I look.\n" + block(PARIS), Reading("I look.", (CALL,))),
        (block(invoke("notes.add")), Reading("", (Invocation("notes.add", {}),))),
        (block(PARIS).replace("\n", ""), Reading("", (CALL,))),
        (
            block(invoke("notes.add", text=LOOKALIKE, tags='["a"]')),
            Reading("", (Invocation("notes.add", {"text": LOOKALIKE, "tags": ["a"]}),)),
        ),
        (
            block(invoke("notes.add", text=" two\nlines ")),
            Reading("", (Invocation("notes.add", {"text": " two\nlines "}),)),
        ),
    ],
)
def test_calls_are_read(text: str, expected: Reading) -> None:
    """Several in a block or several blocks, text before them, values that look like markup."""
    assert read_calls(text, TOOLS) == expected


UNDECLARED = block(PARIS, invoke("rm", path="/"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"city": "Paris"}', Reading('{"city": "Paris"}', flawed=True)),
        (UNDECLARED, Reading(UNDECLARED, flawed=True)),
        ("Let me see. " + block(PARIS)[:-70], Reading("Let me see.", flawed=True)),
        ("Hm <atem:function_calls>\n", Reading("Hm", flawed=True)),
        (block(PARIS, ROME)[:-40], Reading("", (CALL,), flawed=True)),
        (PARIS, Reading("", flawed=True)),
        ("So: " + block(), Reading("So:", flawed=True)),
        ("So: " + block("x", PARIS), Reading("So:", flawed=True)),
        ("So: " + block(PARIS, "x"), Reading("So:", flawed=True)),
        ("So: " + block(PARIS) + " tail", Reading("So:", flawed=True)),
    ],
)
def test_what_is_no_call_degrades_to_text(text: str, expected: Reading) -> None:
    """Nothing undeclared or broken is called; the table at the top of the module says what is."""
    assert read_calls(text, TOOLS) == expected


TWO_BLOCKS = block(PARIS, ROME) + "\n" + block(PARIS)


@pytest.mark.parametrize("end", range(len(TWO_BLOCKS)))
def test_a_message_cut_anywhere_gives_its_whole_calls(end: int) -> None:
    """Wherever a limit cuts, in a tag too: every call that was written to its end, and no other."""
    whole = TWO_BLOCKS[:end].count("</atem:invoke>")

    reading = read_calls(TWO_BLOCKS[:end], TOOLS)

    assert [CALL, OTHER, CALL][:whole] == list(reading.calls)
    assert "atem:" not in reading.text


@pytest.mark.parametrize(
    ("value", "schema", "expected"),
    [
        (" x ", {"type": "string"}, " x "),
        ("12", {"type": "string"}, "12"),
        ("TRUE", {"type": "boolean"}, True),
        ("yes", {"type": "boolean"}, "yes"),
        ("-12", {"type": "integer"}, -12),
        ("1.0", {"type": "integer"}, "1.0"),
        ("١٢", {"type": "integer"}, "١٢"),
        ("7" * 5000, {"type": "integer"}, "7" * 5000),
        ("1.5e3", {"type": "number"}, 1500.0),
        ("12", {"type": "number"}, 12),
        ("NaN", {"type": "number"}, "NaN"),
        ("1e999", {"type": "number"}, "1e999"),
        ("null", {"type": "null"}, None),
        ("null", {"type": ["string", "null"]}, None),
        ("nil", {"type": ["integer", "null"]}, "nil"),
        ("12", {"anyOf": [{"type": "string"}, {"type": "null"}]}, "12"),
        ("null", {"anyOf": [{"type": "string"}, {"type": "null"}]}, None),
        ("12", {"oneOf": [{"type": ["boolean", "integer"]}, {"const": 3}]}, 12),
        ("12", {"anyOf": "nonsense"}, 12),
        ('["a", 1]', {"type": "array"}, ["a", 1]),
        ("a, b", {"type": "array"}, "a, b"),
        ('{"a": null}', {"type": "object"}, {"a": None}),
        ("[NaN]", {"type": "array"}, "[NaN]"),
        ("[1e999]", {"type": "array"}, "[1e999]"),
        ('["\\ud800"]', {"type": "array"}, '["\\ud800"]'),
        ("[" * 5000, {"type": "array"}, "[" * 5000),
        ("12", None, 12),
        ("Paris", {}, "Paris"),
        ("2", {"enum": ["1", "2"]}, "2"),
    ],
)
def test_a_value_becomes_what_its_schema_says(value: str, schema: object, expected: object) -> None:
    """Where it does not fit it stays the string that the model wrote."""
    made = coerced(value, schema)

    assert made == expected
    assert type(made) is type(expected)


PIECES = st.sampled_from(
    [
        *["<atem:function_calls>", "</atem:function_calls>", "</atem:invoke>"],
        *['<atem:invoke name="get_weather">', '<atem:invoke name="rm">', "</atem:parameter>"],
        *['<atem:parameter name="city">', '<atem:parameter name="days">', "\n", " ", "x", "3"],
    ]
)


@given(pieces=st.lists(PIECES, max_size=14))
def test_only_declared_functions_are_ever_called(pieces: list[str]) -> None:
    """Whatever a model may write, and every call can be told as JSON."""
    reading = read_calls("".join(pieces), TOOLS)

    assert {call.name for call in reading.calls} <= TOOLS.keys()
    json.dumps([call.arguments for call in reading.calls], allow_nan=False)


@pytest.mark.parametrize("seed", range(60))
def test_the_calls_of_the_recipe_are_read_back(seed: int) -> None:
    """What the model is trained to write comes back as the call it was made from."""
    rendering = pytest.importorskip("bootstrap.nano.rendering")
    talk = pytest.importorskip("bootstrap.nano.tools.talk")
    made = talk.tool_talk(Random(seed), 6000)
    tools = {tool.name: dict(tool.parameters) for tool in made.tools}
    calls = [call for one in made.exchanges for step in one.steps for call in step.calls]

    for call in calls:
        text = rendering.call_text(call)
        assert re.fullmatch(r"(?s)<atem:function_calls>.*</atem:function_calls>", text)
        assert read_calls(text, tools) == Reading("", (Invocation(call.name, call.arguments),))
