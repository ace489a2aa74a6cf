"""Calls are put together from their fragments and compared as JSON."""

from __future__ import annotations

import json

import pytest

from harness.testing import DONE, frame, trace
from harness.tool_calls import calls_in, same_json
from harness.wire import observe


def test_fragments_of_two_calls_may_be_mixed() -> None:
    """They are told apart by their index."""
    frames = [
        frame(calls=[{"index": 0, "function": {"name": "one", "arguments": "{"}}]),
        frame(calls=[{"index": 1, "function": {"name": "two", "arguments": "[1"}}]),
        frame(calls=[{"index": 0, "function": {"arguments": "}"}}]),
        frame(calls=[{"index": 1, "function": {"arguments": "]"}}]),
        frame(finish="tool_calls"),
        DONE,
    ]

    calls = calls_in(observe(trace(*((float(at), text) for at, text in enumerate(frames)))))

    assert [(call.name, call.arguments) for call in calls] == [("one", {}), ("two", [1])]


def test_a_buffered_reply_tells_each_call_whole() -> None:
    """Without an index."""
    calls = [{"id": str(n), "function": {"name": "f", "arguments": "{}"}} for n in (1, 2)]
    choice = {"index": 0, "message": {"tool_calls": calls}, "finish_reason": "tool_calls"}
    body = json.dumps({"choices": [choice]})

    seen = observe(trace((1.0, body), request={}, content_type="application/json"))

    assert [str(call) for call in calls_in(seen)] == ["f({})", "f({})"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": 1, "b": [2.0]}, {"b": [2], "a": 1.0}, True),
        ({"a": True}, {"a": 1}, False),
        ({"a": None}, {}, False),
        ([1, 2], [2, 1], False),
        ([1], [1, 1], False),
        ("1", 1, False),
    ],
)
def test_values_are_equal_as_json(one: object, other: object, *, same: bool) -> None:
    """The order of keys is nothing, the order of a list is."""
    assert same_json(one, other) is same
