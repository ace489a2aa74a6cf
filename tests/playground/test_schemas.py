"""What the server cannot honour it refuses by name; what cannot change an answer passes."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground import schemas
from playground.content import MAX_PARTS
from playground.errors import APIError, InvalidJSON, InvalidRequest, InvalidSessionId
from playground.errors import UnsupportedParameter as Unsupported
from playground.schemas import (
    IGNORED,
    MAX_MESSAGES,
    AssistantMessage,
    ChatRequest,
    check_session_id,
    read_chat_request,
)

HI = [{"role": "user", "content": "Hi"}]

Json = dict[str, Any]


def read(**fields: object) -> ChatRequest:
    """A request with these fields, and a message unless it brings its own."""
    return read_chat_request(json.dumps({"messages": HI, **fields}).encode())


def refusal(**fields: object) -> APIError:
    """How such a request is refused."""
    with pytest.raises(APIError) as caught:
        read(**fields)
    return caught.value


def message(**fields: object) -> Json:
    """A request with one message."""
    return {"messages": [fields]}


def called(arguments: str, **fields: object) -> Json:
    """An assistant message with one call."""
    function = {"name": "f", "arguments": arguments}
    return {"role": "assistant", "tool_calls": [{"id": "1", "function": function}], **fields}


HONOURED: dict[str, list[object]] = {
    "model": ["muse-nano", None],
    "stream": [True, False, None],
    "stream_options": [{"include_usage": True}, {"include_obfuscation": False}, {}, None],
    "temperature": [0, 0.5, 2, None],
    "top_p": [0.01, 1, None],
    "top_k": [0, 2**31 - 1, None],
    "seed": [1, 2**63 - 1, None],
    "max_tokens": [1, 10**9, None],
    "max_completion_tokens": [1, None],
    "stop": ["a", ["a", "b"], [], None, ["x" * 256], ["a"] * 16],
    "session_id": ["a", "!~" * 64, None],
    "chat_template_kwargs": [
        {"reasoning_strength": "xhigh", "return_reasoning": True},
        {"reasoning_strength": None},
        {},
        None,
    ],
    "reasoning_effort": ["minimal", "low", "medium", "high", "xhigh", None],
    "muse": [{"dflash": True}, {"dflash": False}, {"dflash": None}, {}, None],
}
NO_OPS: dict[str, list[object]] = {
    "n": [1, None],
    "presence_penalty": [0, 0.0, None],
    "frequency_penalty": [0, None],
    "logit_bias": [{}, None],
    "response_format": [{"type": "text"}, None],
    "modalities": [["text"], None],
    "logprobs": [False, None],
    "top_logprobs": [0, None],
    "parallel_tool_calls": [True, None],
    "tools": [[], None],
    "tool_choice": ["none", "auto", None],
}
PASSED_OVER: dict[str, list[object]] = {name: ["x", True, {"a": [1]}, None] for name in IGNORED}
ACCEPTED = HONOURED | NO_OPS | PASSED_OVER


@pytest.mark.parametrize("field", ACCEPTED)
def test_a_field_passes_with_each_value_that_it_may_have(field: str) -> None:
    """Honoured, asking for nothing, or unable to change an answer."""
    for value in ACCEPTED[field]:
        assert read(**{field: value}).messages


def test_every_field_is_one_of_the_three_kinds() -> None:
    """No field of the schema is left out of the tables above, and none of them is invented."""
    assert set(ACCEPTED) | {"messages"} == set(ChatRequest.model_fields)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *[("n", 2), ("n", True), ("n", 0), ("presence_penalty", 0.1), ("frequency_penalty", -1)],
        *[("logit_bias", {"5": 1}), ("response_format", {"type": "json_object"})],
        *[("modalities", ["audio"]), ("logprobs", True), ("top_logprobs", 5)],
        *[("parallel_tool_calls", False), ("tool_choice", "required"), ("tools", [{"type": "x"}])],
        *[
            ("tool_choice", {"type": "function"}),
            ("min_p", 0.1),
            ("functions", []),
            ("Stream", True),
        ],
        *[("stream_options", {"x": 1}), ("stream_options", {"include_obfuscation": True})],
        *[("chat_template_kwargs", {"tokenize": True}), ("chat_template_kwargs", {"x": None})],
    ],
)
def test_what_is_not_offered_is_refused_by_name(field: str, value: object) -> None:
    """Unknown or unsupported, at any depth: 400, and the message begins with the field."""
    error = refusal(**{field: value})

    assert isinstance(error, Unsupported)
    assert str(error).startswith(field)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *[("temperature", -0.1), ("temperature", 2.1), ("temperature", "1"), ("temperature", True)],
        *[("temperature", float("nan")), ("temperature", float("inf"))],
        *[("top_p", 0), ("top_p", 1.1), ("top_k", -1), ("top_k", 2**31), ("top_k", 1.5)],
        *[("top_k", True), ("seed", 0), ("seed", -1), ("seed", 2**63), ("seed", "7")],
        *[("max_tokens", 0), ("max_tokens", -1), ("max_tokens", 1.0), ("max_tokens", "5")],
        *[("max_completion_tokens", 0), ("stop", [""]), ("stop", ""), ("stop", 5), ("stop", [5])],
        *[("stop", ["a"] * 17), ("stop", "x" * 257), ("stream", "yes"), ("stream", 1)],
        *[("reasoning_effort", "none"), ("reasoning_effort", "banana"), ("model", 5)],
        *[("chat_template_kwargs", {"reasoning_strength": "banana"}), ("chat_template_kwargs", [])],
        *[("chat_template_kwargs", {"return_reasoning": "true"}), ("session_id", 5)],
        *[("messages", []), ("messages", "Hi"), ("messages", None), ("messages", ["Hi"])],
    ],
)
def test_a_bad_value_is_refused_with_field_and_value(field: str, value: object) -> None:
    """400, one sentence: what it should be, and what it was."""
    error = refusal(**{field: value})

    assert type(error) is InvalidRequest
    assert error.status == 400
    assert str(error).startswith(field)


def test_a_message_says_what_should_be_and_what_was() -> None:
    """The caller can mend the request without looking anything up."""
    assert str(refusal(temperature=3)) == "temperature should be less than or equal to 2, got 3"
    assert str(refusal(reasoning_effort="x")).endswith("'high' or 'xhigh', got \"x\"")
    assert str(refusal(n=2)) == "n can only be null or 1 here, got 2"


def test_all_that_is_unsupported_is_named_at_once() -> None:
    """Nobody mends one field only to learn of the next; what is wrong besides has to wait."""
    error = refusal(foo=1, n=2, temperature=9)

    assert str(error) == "n can only be null or 1 here, got 2; foo is not a field known here, got 1"


def test_a_long_list_of_faults_is_cut_short() -> None:
    """A message stays one a person can read."""
    error = refusal(**{f"field{number}": "x" * 500 for number in range(30)})

    assert str(error).endswith("; and 22 more")
    assert len(str(error)) < 1000


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"content": "x"}, "messages[0] needs a role"),
        (
            {"role": "bot", "content": "x"},
            "messages[0] should have one of the roles known here, 'system', 'developer'",
        ),
        ({"role": "user"}, "messages[0].content is required"),
        ({"role": "user", "content": None}, "messages[0].content should be a valid string"),
        ({"role": "user", "content": 5}, "messages[0].content should be a valid string"),
        ({"role": "user", "content": "x", "name": "Bo"}, "messages[0].name is not a field known"),
        ({"role": "assistant"}, "messages[0] needs content or tool_calls"),
        ({"role": "assistant", "content": None}, "messages[0] needs content or tool_calls"),
        ({"role": "tool", "content": "x"}, "messages[0].tool_call_id is required"),
        (
            {"role": "tool", "content": "x", "tool_call_id": "9"},
            'messages[0].tool_call_id "9" answers no earlier call',
        ),
        (called("{"), "messages[0].tool_calls[0].function.arguments should be a string that holds"),
        (called("[1]"), "messages[0].tool_calls[0].function.arguments should hold a JSON object"),
        (called('{"a": NaN}'), "messages[0].tool_calls[0].function.arguments should be a string"),
        (called('{"a": 1e999}'), "messages[0].tool_calls[0].function.arguments should hold no"),
        (called('{"a": "\\ud800"}'), "messages[0].tool_calls[0].function.arguments should be"),
    ],
)
def test_a_bad_message_is_refused_by_its_place(told: Json, said: str) -> None:
    """Roles, contents and calls are checked one by one."""
    assert str(refusal(messages=[told])).startswith(said)


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ({"type": "input_audio"}, 'part 0 has the type "input_audio"; text and image_url are'),
        ({"text": "x"}, "part 0 has the type null"),
        ({"type": "text"}, "part 0 should have its text as a string"),
        ({"type": "text", "text": 5}, "part 0 should have its text as a string"),
        ({"type": "text", "text": "x", "cache": 1}, "part 0 has the unknown field 'cache'"),
        ("x", "part 0 should be an object"),
    ],
)
def test_other_parts_are_refused(part: object, said: str) -> None:
    """Anything else in a content list is refused, not skipped."""
    error = refusal(**message(role="user", content=[part]))

    assert str(error).startswith(f"messages[0].content {said}")


def test_text_parts_are_joined_as_they_stand() -> None:
    """Nothing is put between them."""
    parts = [{"type": "text", "text": "a "}, {"type": "text", "text": "b"}]

    assert read(**message(role="user", content=parts)).messages[0].content == "a b"


def test_a_reply_can_be_sent_back_as_it_came() -> None:
    """Reasoning, and the fields that client libraries fill with null, do not stand in the way."""
    echoed: Json = {
        "role": "assistant",
        "content": "",
        "reasoning_content": "hm",
        "refusal": None,
        "audio": None,
        "annotations": [],
        "function_call": None,
        "tool_calls": None,
    }

    assert read(messages=[*HI, echoed]).messages[1].content == ""


def test_calls_and_results_may_stand_in_the_history() -> None:
    """Arguments are read from their JSON, and a result may name its function itself."""
    told = [
        called('{"a": [1, "é"]}'),
        {"role": "tool", "tool_call_id": "1", "content": "x"},
        {"role": "tool", "tool_call_id": "9", "name": "f.g", "content": "x"},
    ]

    first = read(messages=told).messages[0]

    assert isinstance(first, AssistantMessage)
    assert first.tool_calls is not None
    assert first.tool_calls[0].function.arguments == {"a": [1, "é"]}


@pytest.mark.parametrize("name", ["", "a b", "1a", "a..b", "a<|eot|>", "f\n", "x" * 129])
def test_a_function_name_is_identifiers_joined_by_dots(name: str) -> None:
    """A name becomes part of a header, where nothing else can stand."""
    told = {"role": "tool", "tool_call_id": "1", "name": name, "content": "x"}

    assert str(refusal(messages=[told])).startswith("messages[0].name should")


def test_numbers_of_messages_and_parts_are_bounded() -> None:
    """A request that small pieces make large is refused as such."""
    part = {"type": "text", "text": ""}

    assert "messages should have at most" in str(refusal(messages=HI * (MAX_MESSAGES + 1)))
    assert "parts" in str(refusal(**message(role="user", content=[part] * (MAX_PARTS + 1))))


def test_the_newer_cap_wins() -> None:
    """`max_completion_tokens` replaced `max_tokens`; clients send both."""
    assert read(max_tokens=5, max_completion_tokens=7).completion_cap == 7
    assert read(max_tokens=5).completion_cap == 5
    assert read().completion_cap is None


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, None),
        ({"reasoning_effort": "minimal"}, "low"),
        ({"reasoning_effort": "high"}, "high"),
        ({"chat_template_kwargs": {"reasoning_strength": "xhigh"}}, "xhigh"),
        ({"chat_template_kwargs": {}, "reasoning_effort": "medium"}, "medium"),
        ({"chat_template_kwargs": {"reasoning_strength": "low"}, "reasoning_effort": "low"}, "low"),
    ],
)
def test_strength_has_two_names(fields: Json, expected: str | None) -> None:
    """`reasoning_effort` is what other servers call it."""
    assert read(**fields).reasoning_strength == expected


def test_strength_and_effort_may_not_contradict_each_other() -> None:
    """Neither is taken in silence."""
    error = refusal(chat_template_kwargs={"reasoning_strength": "high"}, reasoning_effort="low")

    assert "contradict" in str(error)


def test_unset_settings_have_their_meaning() -> None:
    """No stop strings, no reasoning, no usage frame."""
    request = read()

    assert request.stop == ()
    assert not request.return_reasoning
    assert not request.include_usage


def test_settings_are_read() -> None:
    """One stop string is a list of one; the two booleans are found where they stand."""
    request = read(
        stop="a",
        chat_template_kwargs={"return_reasoning": True},
        stream_options={"include_usage": True},
    )

    assert request.stop == ("a",)
    assert request.return_reasoning
    assert request.include_usage


@pytest.mark.parametrize("session_id", ["", "a b", "é", "a\n", "x" * 129])
def test_a_session_id_is_printable_ascii(session_id: str) -> None:
    """1 to 128 characters without a space, wherever it is given."""
    assert isinstance(refusal(session_id=session_id), InvalidSessionId)
    with pytest.raises(InvalidSessionId):
        check_session_id(session_id)


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"\xff", b"[" * 5000, b'{"messages":[{"role":"user","content":"\\ud800"}]}'],
)
def test_a_body_that_is_not_json_is_told_so(body: bytes) -> None:
    """Broken, too deep, not UTF-8, or with half a character."""
    with pytest.raises(InvalidJSON, match="the body is not JSON: "):
        read_chat_request(body)


@pytest.mark.parametrize("body", [b"[]", b'"x"', b"null", b"5"])
def test_a_body_that_is_no_object_is_told_so(body: bytes) -> None:
    """JSON, but nothing that could be a request."""
    with pytest.raises(InvalidRequest, match="the body should be a JSON object"):
        read_chat_request(body)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(fields=st.dictionaries(st.sampled_from(sorted(ChatRequest.model_fields)) | st.text(), JSON))
def test_any_json_is_read_or_refused(fields: Json) -> None:
    """No body makes the reader break in any other way."""
    with contextlib.suppress(InvalidRequest):
        assert isinstance(read_chat_request(json.dumps(fields).encode()), ChatRequest)


def test_ignored_fields_are_documented() -> None:
    """The list that the module shows is the list that passes."""
    assert set(IGNORED) <= set(ChatRequest.model_fields)
    assert schemas.__doc__ is not None
    assert "IGNORED" in schemas.__doc__


@pytest.mark.parametrize(
    ("muse", "expected"),
    [(None, True), ({}, True), ({"dflash": None}, True), ({"dflash": False}, False)],
)
def test_a_turn_drafts_unless_it_is_told_not_to(muse: object, expected: bool) -> None:  # noqa: FBT001
    """`muse` is the one object of the body that is ours."""
    assert read(muse=muse).dflash is expected


@pytest.mark.parametrize(
    ("muse", "named"),
    [
        ({"dflash": "no"}, "muse.dflash"),
        ({"dflash": 0}, "muse.dflash"),
        ({"mtp": True}, "muse.mtp"),
        (True, "muse"),
        ([], "muse"),
    ],
)
def test_muse_is_a_closed_object(muse: object, named: str) -> None:
    """What is in it is read, or refused by name."""
    with pytest.raises(InvalidRequest, match=rf"\b{named}\b"):
        read(muse=muse)
