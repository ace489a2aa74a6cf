"""Replies are read with tolerance for what is extra and none for what is wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.events import (
    Channel,
    Comment,
    Delta,
    Done,
    Ending,
    Event,
    Extension,
    Finish,
    HttpError,
    InBandError,
    Role,
    UsageSeen,
    Violation,
)
from harness.testing import DONE, frame, trace
from harness.wire import RULES, Observer, observe, read_reply
from harness.wire_fixtures import FIXTURES


def chunk(delta: object = None, **fields: object) -> dict[str, Any]:
    """A chunk object with one choice."""
    return {"choices": [{"index": 0, "delta": delta, **fields}]}


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (chunk({"role": "assistant", "content": ""}), [Role("assistant")]),
        (chunk({"content": "a"}), [Delta(Channel.CONTENT, "a")]),
        (chunk({"content": None}), []),
        (chunk({"reasoning_content": "a"}), [Delta(Channel.REASONING, "a")]),
        (chunk({"reasoning": "a"}), [Delta(Channel.REASONING, "a")]),
        (
            chunk({"reasoning": "a", "reasoning_content": "a"}),
            [Delta(Channel.REASONING, "a")],
        ),
        (
            chunk({"tool_calls": [{"index": 0, "function": {"arguments": "{"}}]}),
            [Delta(Channel.TOOL, '{"index":0,"function":{"arguments":"{"}}')],
        ),
        (chunk({"tool_calls": [{}]}), []),
        (chunk({}, finish_reason="stop"), [Finish("stop")]),
        (chunk(None, finish_reason="length"), [Finish("length")]),
        ({"choices": []}, []),
        ({"choices": None, "id": "x", "created": 1, "model": "m", "object": "o"}, []),
        (
            {"usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}},
            [UsageSeen(1, 2)],
        ),
        (
            {
                "usage": {
                    "prompt_tokens": 1,
                    "completion_tokens": True,
                    "prompt_tokens_details": {"cached_tokens": 1},
                    "completion_tokens_details": {"reasoning_tokens": 4},
                }
            },
            [UsageSeen(1, None, 1, 4)],
        ),
        ({"muse_metrics": {"a": 1}, "x": None}, [Extension("muse_metrics", {"a": 1})]),
        ({"error": {"message": "m", "type": "t", "code": 7}}, [InBandError("m", "t", "7")]),
        ({"error": "m"}, [InBandError("m")]),
        (
            chunk({"role": "assistant", "content": "c", "reasoning": "r"}, finish_reason="stop")
            | {"timings": {}, "usage": {}},
            [
                Role("assistant"),
                Delta(Channel.REASONING, "r"),
                Delta(Channel.CONTENT, "c"),
                Finish("stop"),
                UsageSeen(None, None),
                Extension("timings", {}),
            ],
        ),
    ],
)
def test_an_object_is_read_into_events(reply: object, expected: list[Event]) -> None:
    """Each part of a chunk is one event; extras are kept, nulls and empty text are nothing."""
    assert list(read_reply(reply, "delta")) == expected


@pytest.mark.parametrize(
    ("reply", "rule"),
    [
        ([], "shape"),
        ("text", "shape"),
        ({"choices": {}}, "shape"),
        ({"choices": ["x"]}, "shape"),
        ({"choices": [{"delta": "x"}]}, "shape"),
        (chunk({"content": 7}), "shape"),
        (chunk({"tool_calls": {}}), "shape"),
        ({"usage": 7}, "shape"),
        ({"choices": [{"index": 1, "delta": {"content": "x"}}]}, "choice_index"),
    ],
)
def test_a_wrong_part_is_told_and_read_no_further(reply: object, rule: str) -> None:
    """A part of the wrong type is one violation and no text."""
    events = list(read_reply(reply, "delta"))

    assert [type(event) for event in events] == [Violation]
    assert [event.rule for event in events if isinstance(event, Violation)] == [rule]


def test_every_event_has_its_index_its_stamp_and_its_frame() -> None:
    """Evidence can point at events; events of one frame share its number."""
    observation = observe(
        trace(
            (5, ": wait\n\n"),
            (10, frame(role="assistant", content="a")),
            (20, frame(finish="stop") + DONE),
        )
    )

    assert [(e.index, e.at_ns, e.frame, type(e.event)) for e in observation.events] == [
        (0, 5_000_000, 0, Comment),
        (1, 10_000_000, 1, Role),
        (2, 10_000_000, 1, Delta),
        (3, 20_000_000, 2, Finish),
        (4, 20_000_000, 3, Done),
    ]


def test_events_can_be_had_while_the_reply_comes() -> None:
    """feed() gives what the chunk completed, the whole observation is the same as at the end."""
    whole = trace((10, frame(content="a")[:-1]), (20, "\n" + frame(finish="stop") + DONE))
    observer = Observer(whole.request, whole.status, whole.headers)

    told = [[type(seen.event) for seen in observer.feed(chunk)] for chunk in whole.chunks]

    assert told == [[], [Delta, Finish, Done]]
    assert observer.finish(whole) == observe(whole)


def test_the_last_usage_and_extension_count() -> None:
    """With continuous usage the final figures are the turn's."""
    observation = observe(
        trace(
            (1, frame(content="a", usage={"completion_tokens": 1}, muse_metrics={"n": 1})),
            (2, frame(content="b", usage={"completion_tokens": 2}, muse_metrics={"n": 2})),
            (3, frame(finish="stop") + DONE),
        )
    )

    assert observation.usage == UsageSeen(None, 2)
    assert observation.extension("muse_metrics") == {"n": 2}
    assert observation.extension("timings") is None


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('{"error":{"message":"too long","code":"x"}}', "too long"),
        ('{"error":"too long"}', "too long"),
        ('{"detail":"too long"}', "too long"),
        ('{"detail":[{"msg":"too long"}]}', '[{"msg": "too long"}]'),
        ("too long", "too long"),
        ('["too long"]', '["too long"]'),
    ],
)
def test_a_refusal_keeps_the_servers_words(body: str, message: str) -> None:
    """Whatever shape an error body has, a person gets to read it."""
    observation = observe(trace((1, body), status=400, content_type="application/json"))
    refusals = [seen.event for seen in observation.of(HttpError)]

    assert [(r.status, r.message) for r in refusals if isinstance(r, HttpError)] == [(400, message)]
    assert observation.detail == f"HTTP 400: {message}"


def test_a_stream_that_comes_as_json_is_read_as_json_and_told() -> None:
    """A server that ignored `stream` has still answered."""
    body = json.dumps({"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}]})
    observation = observe(trace((9, body), content_type="application/json"))

    assert observation.text() == "Hi"
    assert observation.ending is Ending.OK
    assert [violation.rule for violation in observation.violations] == ["content_type"]


def test_a_buffered_body_that_is_no_json_is_told() -> None:
    """An HTML page with status 200 is no reply."""
    observation = observe(trace((9, "<html>"), request={}, content_type="text/html"))

    assert observation.ending is Ending.EMPTY
    assert [v.rule for v in observation.violations] == ["json", "content_type", "finish_missing"]


def test_a_line_that_breaks_after_done_is_told_and_no_failure() -> None:
    """The reply was complete; only its framing was not."""
    observation = observe(
        trace(
            (9, frame(content="a") + frame(finish="stop") + DONE),
            transport_error="the server broke HTTP: peer closed connection",
        )
    )

    assert observation.ending is Ending.OK
    assert [violation.rule for violation in observation.violations] == ["broken_after_done"]


def test_only_described_rules_are_named() -> None:
    """What the fixtures break is in the table of rules."""
    broken = {rule for fixture in FIXTURES.values() for rule in fixture.violations}

    assert broken <= set(RULES)
