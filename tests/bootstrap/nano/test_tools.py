"""Tool conversations: calls that the declarations allow, and answers that need the results."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from bootstrap.nano.rendering import call_text
from bootstrap.nano.tools.functions import FUNCTIONS
from bootstrap.nano.tools.talk import tool_talk
from bootstrap.nano.tools.uses import declare, draw_use

if TYPE_CHECKING:
    from bootstrap.nano.conversation import Conversation
    from bootstrap.nano.replies import Call, Exchange

SEEDS = range(150)
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z_][A-Za-z0-9_-]*)*")


def made(seed: int) -> Conversation:
    """Make the conversation of a seed."""
    return tool_talk(Random(seed), 5500)


def calls_of(conversation: Conversation) -> list[Call]:
    """All calls of a conversation."""
    return [
        call
        for exchange in conversation.exchanges
        for step in exchange.steps
        for call in step.calls
    ]


def fits(value: object, schema: dict[str, Any]) -> bool:
    """Whether a value is what its schema asks for."""
    kinds: dict[str, tuple[type, ...]] = {
        "string": (str,), "boolean": (bool,), "integer": (int,), "number": (int, float),
        "array": (list,),
    }  # fmt: skip
    if isinstance(value, bool) and schema["type"] != "boolean":
        return False
    return isinstance(value, kinds[schema["type"]]) and value in schema.get("enum", [value])


@pytest.mark.parametrize("seed", SEEDS)
def test_calls_satisfy_the_declared_schema(seed: int) -> None:
    """A declared function, its required parameters, known names and the right types."""
    conversation = made(seed)
    declared = {tool.name: tool for tool in conversation.tools}

    for call in calls_of(conversation):
        schema = declared[call.name].parameters
        assert set(schema["required"]) <= set(call.arguments) <= set(schema["properties"])
        for name, value in call.arguments.items():
            assert fits(value, schema["properties"][name])


@pytest.mark.parametrize("seed", SEEDS)
def test_declared_names_can_be_recipients(seed: int) -> None:
    """Dotted identifiers, each name once, parameters that differ from one another."""
    tools = made(seed).tools

    assert all(NAME.fullmatch(tool.name) for tool in tools)
    assert len({tool.name for tool in tools}) == len(tools)
    for tool in tools:
        assert all(re.fullmatch(r"[A-Za-z0-9_-]+", name) for name in tool.parameters["properties"])


@pytest.mark.parametrize("seed", SEEDS)
def test_a_call_says_only_what_the_user_or_a_result_said(seed: int) -> None:
    """Every argument but a boolean and a choice is written in the conversation before it."""
    for exchange in made(seed).exchanges:
        known = exchange.user.lower()
        for step in exchange.steps:
            for call in step.calls:
                for value in call.arguments.values():
                    parts = value if isinstance(value, list) else [value]
                    told = [str(part).lower() for part in parts if not isinstance(part, bool)]
                    assert all(part in known for part in told)
            known += " ".join(step.outputs).lower()


def answered(exchange: Exchange) -> bool:
    """Whether the answer is one that its own reply would pass."""
    reply = exchange.reply
    if reply.pattern:
        return re.search(reply.pattern, reply.answer) is not None
    return reply.value.lower() in reply.answer.lower() and reply.value != ""


@pytest.mark.parametrize("seed", SEEDS)
def test_the_answer_is_what_the_results_say(seed: int) -> None:
    """Its value is in the last outputs, so it cannot be known without them."""
    for exchange in made(seed).exchanges:
        assert answered(exchange)
        if exchange.steps and exchange.reply.value:
            assert exchange.reply.value in exchange.steps[-1].outputs[-1]


def test_fields_that_nobody_asked_for_leave_the_others_alone() -> None:
    """A result may be called like one of them and is given all the same."""
    gives = tuple((key, "number") for key in ("updated", "source", "version", "elapsed", "page"))
    function = replace(FUNCTIONS["time"], gives=gives)

    for seed in range(200):
        rng = Random(seed)
        use, _ = draw_use(rng, declare(rng, function), {})
        assert all(str(value) in use.output for value in use.given.values())


def test_turns_without_a_call_are_there_as_well() -> None:
    """About a quarter of all turns, and both kinds under the same declarations."""
    turns = [bool(one.steps) for seed in SEEDS for one in made(seed).exchanges]
    mixed = [seed for seed in SEEDS if len({bool(one.steps) for one in made(seed).exchanges}) == 2]

    assert 0.15 < turns.count(False) / len(turns) < 0.45
    assert len(mixed) > len(SEEDS) / 5


def test_there_are_parallel_calls_and_chains() -> None:
    """Two calls in one step, and two steps in one turn."""
    exchanges = [one for seed in SEEDS for one in made(seed).exchanges]

    assert any(len(step.calls) > 1 for one in exchanges for step in one.steps)
    assert any(len(one.steps) > 1 for one in exchanges)


def test_the_table_has_forty_functions() -> None:
    """Every one of them with wordings that fill in, whatever is drawn."""
    assert len(FUNCTIONS) >= 40
    for function in FUNCTIONS.values():
        keys = {parameter.key for parameter in function.parameters}
        for text in (*function.asks, function.want):
            assert set(re.findall(r"{(\w+)}", text)) <= keys
        given = {key for key, _ in function.gives}
        assert set(re.findall(r"{(\w+)}", function.answer)) <= keys | given


def test_a_call_is_written_as_text_for_strings_and_as_json_for_the_rest() -> None:
    """Strings stand as they are, without quotes."""
    seed = next(seed for seed in SEEDS if calls_of(made(seed)))
    call = calls_of(made(seed))[0]

    text = call_text(call)

    assert text.startswith(f'<atem:function_calls>\n<atem:invoke name="{call.name}">\n')
    assert text.endswith("</atem:invoke>\n</atem:function_calls>")
    assert text.count("<atem:parameter") == len(call.arguments)
