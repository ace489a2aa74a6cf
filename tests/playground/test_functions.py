"""Which declarations of functions are taken, and what is said of those that are not?"""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from playground.errors import InvalidRequest, UnsupportedParameter
from playground.functions import MAX_TOOLS
from playground.schemas import ChatRequest, read_chat_request

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def tool(name: str = "get_weather", **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """A declaration."""
    return {"type": "function", "function": {"name": name, "parameters": CITY, **fields}}


def read(**fields: Any) -> ChatRequest:  # noqa: ANN401 - JSON
    """A request with these fields."""
    messages = [{"role": "user", "content": "Hi"}]
    return read_chat_request(json.dumps({"messages": messages, **fields}).encode())


def test_declarations_reach_the_template_as_it_knows_them() -> None:
    """A missing description is empty, and missing parameters are none."""
    bare = {"type": "function", "function": {"name": "notes.list"}}
    request = read(tools=[tool(description="Weather."), bare], tool_choice="auto")

    assert [one.as_template() for one in request.offered_tools] == [
        {
            "type": "function",
            "function": {"name": "get_weather", "description": "Weather.", "parameters": CITY},
        },
        {
            "type": "function",
            "function": {
                "name": "notes.list",
                "description": "",
                "parameters": {"type": "object", "properties": {}},
            },
        },
    ]


@pytest.mark.parametrize("fields", [{}, {"tools": None}, {"tools": []}])
def test_nothing_is_offered_where_nothing_is_declared(fields: dict[str, Any]) -> None:
    """Absent, null and empty are the same."""
    assert list(read(**fields).offered_tools) == []


def test_the_choice_none_offers_nothing() -> None:
    """The functions may stay in the request; the model is not told of them."""
    assert list(read(tools=[tool()], tool_choice="none").offered_tools) == []


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        (tool("get weather"), "tools[0].function.name should be identifiers joined by dots"),
        (tool("a..b"), "tools[0].function.name should be identifiers joined by dots"),
        (tool("self"), 'tools[0].function.name may not be "self"'),
        (tool("user"), 'tools[0].function.name may not be "user"'),
        (tool(parameters=[]), "tools[0].function.parameters should be an object, got []"),
        (tool(parameters={"type": "string"}), 'should have the type "object", got "string"'),
        (tool(parameters={"properties": []}), "should have its properties as an object"),
        (
            tool(parameters={"properties": {"a": "string"}}),
            'tools[0].function.parameters should have a schema for the property "a"',
        ),
        (tool(parameters={"required": "a"}), "should have required as a list of names"),
        (tool(parameters={"maximum": math.inf}), "should hold no number beyond the finite ones"),
        ({"type": "function"}, "tools[0].function is required"),
        (tool(description=5), "tools[0].function.description should be a valid string"),
    ],
)
def test_a_declaration_that_is_wrong_is_refused_by_its_place(declared: Any, said: str) -> None:  # noqa: ANN401
    """The message names the field, and what it should be."""
    with pytest.raises(InvalidRequest, match=r"tools\[0\]") as refused:
        read(tools=[declared])

    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"tools": [{"type": "web_search"}]}, 'tools[0].type can only be "function" here'),
        ({"tools": [tool(strict=True)]}, "tools[0].function.strict can only be null or false"),
        ({"tools": [tool(returns={})]}, "tools[0].function.returns is not a field known here"),
        ({"tools": [tool()], "tool_choice": "required"}, "tool_choice can only be"),
        (
            {"tools": [tool()], "tool_choice": {"type": "function", "function": {"name": "f"}}},
            "tool_choice can only be",
        ),
        ({"tools": [tool()], "parallel_tool_calls": False}, "parallel_tool_calls can only be"),
    ],
)
def test_what_cannot_be_promised_is_refused(fields: dict[str, Any], said: str) -> None:
    """Forced calls, single calls and calls that obey a schema are not ours to give."""
    with pytest.raises(UnsupportedParameter) as refused:
        read(**fields)

    assert said in str(refused.value)


def test_a_name_is_declared_once() -> None:
    """A second function of the same name could never be told from the first."""
    with pytest.raises(InvalidRequest) as refused:
        read(tools=[tool(), tool("notes.list"), tool()])

    assert str(refused.value).startswith('tools declares "get_weather" twice')


def test_there_is_a_limit() -> None:
    """Of the number of functions."""
    with pytest.raises(InvalidRequest, match="tools should have at most"):
        read(tools=[tool(f"f{number}") for number in range(MAX_TOOLS + 1)])


def test_a_call_may_bring_its_index_from_a_stream() -> None:
    """A client that keeps the deltas as they came sends it back; it says nothing."""
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}

    def history(**fields: int) -> ChatRequest:
        told = [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "tool_calls": [{**call, **fields}]},
        ]
        return read_chat_request(json.dumps({"messages": told}).encode())

    assert history(index=0).messages[1].role == history().messages[1].role == "assistant"
