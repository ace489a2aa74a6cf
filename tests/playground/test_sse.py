"""Events become frames in the promised order, and the same events one JSON body."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.errors import GenerationFailed, ServerError
from playground.events import Call, Content, Event, Finish, Metrics, Reasoning, Status, Usage
from playground.sse import DONE, Completion, error_frame, frame

USAGE = Usage(prompt_tokens=5, completion_tokens=3, cached_tokens=2, reasoning_tokens=1)
TURN: list[Event] = [
    Status("queued", 1),
    Status("prefill"),
    Reasoning("h"),
    Reasoning("m"),
    Content("Hel"),
    Content("lo"),
    Finish("stop"),
    Metrics(prompt_tokens=5, cancelled=False),
    USAGE,
]
HEAD = {"id": "chatcmpl-1", "created": 1700000000, "model": "muse-nano"}
ALL_ASKED = Completion(
    "chatcmpl-1", 1700000000, "muse-nano", return_reasoning=True, include_usage=True
)
NONE_ASKED = Completion("chatcmpl-1", 1700000000, "muse-nano")


def sent(completion: Completion, events: list[Event]) -> list[str]:
    """The stream of a turn, frame by frame."""
    stream = completion.opening() + b"".join(completion.frame(event) for event in events) + DONE
    return stream.decode().removesuffix("\n\n").split("\n\n")


def parsed(frames: list[str]) -> list[Any]:
    """The JSON of the data frames before `[DONE]`."""
    return [
        json.loads(line.removeprefix("data: ")) for line in frames if line.startswith("data: {")
    ]


def test_a_stream_has_its_frames_in_the_promised_order() -> None:
    """Role, reasoning, content, finish, metrics, usage, `[DONE]`; a status is a comment."""
    frames = sent(ALL_ASKED, TURN)

    data = parsed(frames)
    assert frames[1:3] == [": queued 1", ": prefill"]
    assert frames[-1] == "data: [DONE]"
    assert [chunk["choices"][0]["delta"] for chunk in data[:6]] == [
        {"role": "assistant"},
        {"reasoning_content": "h"},
        {"reasoning_content": "m"},
        {"content": "Hel"},
        {"content": "lo"},
        {},
    ]
    assert [chunk["choices"][0]["finish_reason"] for chunk in data[:6]] == [None] * 5 + ["stop"]
    assert list(data[6]) == ["muse_metrics"]
    assert data[7]["choices"] == []
    assert data[7]["usage"] == USAGE.as_json()


def test_every_chunk_of_a_completion_has_one_identity() -> None:
    """`id`, `created` and `model` are the same in all of them, usage included."""
    chunks = [chunk for chunk in parsed(sent(ALL_ASKED, TURN)) if "muse_metrics" not in chunk]

    assert all({**chunk, **HEAD} == chunk for chunk in chunks)
    assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}


def test_usage_that_was_asked_for_is_null_before_it_is_known() -> None:
    """In every chunk, as clients of OpenAI's expect; whoever did not ask has no such key."""
    asked, unasked = (
        [chunk for chunk in parsed(sent(completion, TURN)) if "choices" in chunk]
        for completion in (ALL_ASKED, NONE_ASKED)
    )

    assert [chunk["usage"] for chunk in asked] == [None] * 6 + [USAGE.as_json()]
    assert [chunk for chunk in unasked if "usage" in chunk] == []


def test_what_was_not_asked_for_is_not_sent() -> None:
    """Neither reasoning nor usage; the metrics always are."""
    data = parsed(sent(NONE_ASKED, TURN))

    assert len(data) == 5
    assert "reasoning" not in json.dumps([data[:-1]])
    assert "usage" not in data[-1]


def test_metrics_have_all_their_keys_always() -> None:
    """What is not known is null, so that a reader needs no two ways to look."""
    metrics = parsed(sent(NONE_ASKED, TURN))[-1]["muse_metrics"]

    assert set(metrics) == set(Metrics.__dataclass_fields__)
    assert metrics["prompt_tokens"] == 5
    assert metrics["prefill_ms"] is None


def test_a_failure_is_a_frame_and_done_still_ends_the_stream() -> None:
    """The error has the shape it has in any other answer."""
    expected = (
        b'data: {"error":{"message":"the worker stopped","type":"server_error",'
        b'"param":null,"code":"generation_failed"}}\n\n'
    )

    assert error_frame(GenerationFailed("the worker stopped")) == expected


@given(text=st.text(max_size=30) | st.sampled_from(["a\nb\r\nc", "\u2028\u2029\u0085", "é\x00😀"]))
def test_no_text_can_break_a_frame(text: str) -> None:
    """A frame is one line by any reader's idea of a line, and its JSON gives the text back."""
    data = frame({"content": text})

    assert len(data.decode().removesuffix("\n\n").splitlines()) == 1
    assert json.loads(data.decode().removeprefix("data: ")) == {"content": text}


def test_text_frames_are_written_as_all_chunks_are() -> None:
    """The short way to a frame of text gives the bytes that the long way would."""
    chunk = parsed([ALL_ASKED.opening().decode().strip()])[0]
    text = 'a "b"\\ \u2028 é'
    chunk["choices"][0]["delta"] = {"content": text}

    assert ALL_ASKED.frame(Content(text)) == frame(chunk)


def test_text_is_sent_as_itself() -> None:
    """Compact UTF-8: no escapes a person would have to decode."""
    assert (
        frame({"content": "é 😀", "n": [1, 2]}) == 'data: {"content":"é 😀","n":[1,2]}\n\n'.encode()
    )


def test_half_a_surrogate_does_not_stop_a_stream() -> None:
    """A worker that sends one gets a question mark in its place."""
    assert frame("a\ud800") == b'data: "a?"\n\n'


def test_a_buffered_reply_says_what_the_stream_says() -> None:
    """Same identity, the deltas joined, finish, metrics and usage."""
    expected = {
        **HEAD,
        "object": "chat.completion",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Hello", "reasoning_content": "hm"},
                "finish_reason": "stop",
                "logprobs": None,
            }
        ],
        "muse_metrics": Metrics(prompt_tokens=5, cancelled=False).as_json(),
        "usage": USAGE.as_json(),
    }

    assert ALL_ASKED.reply(TURN) == expected


CALLS: list[Event] = [
    Call(0, "f", {"a": [1, "\u2028é<"]}),
    Call(1, "g.h", {}),
    Finish("tool_calls"),
]


def test_each_call_is_one_frame_and_whole() -> None:
    """Index, id, type, name and arguments as JSON text, as the buffered reply has them."""
    data = parsed(sent(NONE_ASKED, CALLS))
    streamed = [call for chunk in data[1:3] for call in chunk["choices"][0]["delta"]["tool_calls"]]
    (choice,) = NONE_ASKED.reply(CALLS)["choices"]

    assert [call.pop("index") for call in streamed] == [0, 1]
    assert streamed == choice["message"]["tool_calls"]
    assert streamed[0] == {
        "id": "call_1_0",
        "type": "function",
        "function": {"name": "f", "arguments": '{"a":[1,"\u2028é<"]}'},
    }
    assert choice["message"]["content"] is None
    assert choice["finish_reason"] == data[3]["choices"][0]["finish_reason"] == "tool_calls"


def test_a_buffered_reply_keeps_reasoning_to_itself_unless_asked() -> None:
    """Usage always comes along, reasoning only on request."""
    reply = NONE_ASKED.reply(TURN)

    assert reply["choices"][0]["message"] == {"role": "assistant", "content": "Hello"}
    assert reply["usage"]["completion_tokens_details"] == {"reasoning_tokens": 1}


def test_a_turn_that_never_finished_is_no_reply() -> None:
    """Without a finish reason the answer would look whole."""
    with pytest.raises(ServerError, match="without saying why"):
        ALL_ASKED.reply([Content("Hel")])
