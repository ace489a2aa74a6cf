"""Does a conversation with functions go round: asked, called, answered, and warm all along?

Every test runs the whole server in this process, with a real worker that plays a script.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import pytest

from playground.testing import client_of, frames_of, scripted_app

if TYPE_CHECKING:
    import httpx

MESSAGE, NEXT = "<|message|>", "<|eom|><|start|>assistant"


def call_of(name: str, city: str) -> str:
    """A message with one call, as the model writes it."""
    return (
        f" to={name}{MESSAGE}<atem:function_calls>\n"
        f'<atem:invoke name="{name}">\n'
        f'<atem:parameter name="city">{city}</atem:parameter>\n'
        "</atem:invoke>\n</atem:function_calls>"
    )


THOUGHT = f" to=self{MESSAGE}They want the weather.{NEXT}"
ANSWER = f" to=user{MESSAGE}It is sunny in Paris.<|eot|>"
ONE_CALL = {"text": f"{THOUGHT}{call_of('get_weather', 'Paris')}<|eot|>"}
RESULT = '<tool_output name="get_weather">'
SCRIPT = {"step_ms": 0.0, "replies": [{"match": RESULT, "text": ANSWER}, ONE_CALL]}
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = [
    {"type": "function", "function": {"name": "get_weather", "parameters": CITY}},
    {"type": "function", "function": {"name": "time.now", "parameters": CITY}},
]
QUESTION = {"role": "user", "content": "What is the weather in Paris?"}
HIDDEN = ("<|", "atem:", "to=")


def with_server(scenario: Callable[[httpx.AsyncClient], Awaitable[Any]], *texts: str) -> Any:  # noqa: ANN401 - whatever the scenario gives
    """What a scenario gives against a server that plays `SCRIPT`, or always says a text."""
    script = {**SCRIPT, "replies": [{"text": text} for text in texts]} if texts else SCRIPT

    async def run() -> Any:  # noqa: ANN401
        async with scripted_app(script) as playground, client_of(playground) as client:
            return await scenario(client)

    return asyncio.run(run())


async def ask(client: httpx.AsyncClient, *messages: Any, **fields: Any) -> dict[str, Any]:  # noqa: ANN401
    """The reply to a request that is not streamed."""
    request = {"messages": messages, "tools": TOOLS, **fields}
    response = await client.post("/v1/chat/completions", json=request)
    assert response.status_code == 200, response.text
    reply: dict[str, Any] = response.json()
    return reply


async def streamed(client: httpx.AsyncClient, *messages: Any, **fields: Any) -> dict[str, Any]:  # noqa: ANN401
    """The same, put together from a stream as OpenAI's clients do."""
    request = {"messages": messages, "tools": TOOLS, "stream": True, **fields}
    response = await client.post("/v1/chat/completions", json=request)
    assert response.status_code == 200, response.text
    message: dict[str, Any] = {"role": "assistant", "content": None}
    finish: str | None = None
    metrics: dict[str, Any] = {}
    for frame in frames_of(response.text)[:-1]:
        metrics = frame.get("muse_metrics", metrics)
        for choice in frame.get("choices", ()):
            finish = choice["finish_reason"] or finish
            delta = choice["delta"]
            if "content" in delta:
                message["content"] = (message["content"] or "") + delta["content"]
            for part in delta.get("tool_calls", ()):
                calls = message.setdefault("tool_calls", [])
                assert part["index"] == len(calls)
                calls.append({key: part[key] for key in ("id", "type", "function")})
    return {"choices": [{"message": message, "finish_reason": finish}], "muse_metrics": metrics}


BOTH = pytest.mark.parametrize("asking", [ask, streamed])
Asking = Callable[..., Awaitable[dict[str, Any]]]


@BOTH
def test_a_call_goes_to_the_caller_in_openais_shape(asking: Asking) -> None:
    """Name, arguments as JSON text, an id; no content, and nothing of the markup."""

    async def scenario(client: httpx.AsyncClient) -> dict[str, Any]:
        return await asking(client, QUESTION)

    reply = with_server(scenario)
    (choice,) = reply["choices"]
    (call,) = choice["message"]["tool_calls"]

    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"]["content"] is None
    assert (call["type"], call["function"]["name"]) == ("function", "get_weather")
    assert json.loads(call["function"]["arguments"]) == {"city": "Paris"}
    assert call["id"].startswith("call_")
    assert reply["muse_metrics"]["malformed"] == 0


@BOTH
def test_a_conversation_with_a_call_stays_warm(asking: Asking) -> None:
    """Result and next question are all that is computed: the call is resident as generated."""

    async def scenario(client: httpx.AsyncClient) -> list[dict[str, Any]]:
        told: list[Any] = [QUESTION]
        replies = []
        for turn in range(3):
            reply = await asking(client, *told, session_id="a")
            replies.append(reply)
            message = reply["choices"][0]["message"]
            told.append(message)
            if calls := message.get("tool_calls"):
                told.append({"role": "tool", "tool_call_id": calls[0]["id"], "content": "sunny"})
            else:
                told.append({"role": "user", "content": f"Thanks {turn}."})
        return replies

    replies = with_server(scenario)
    metrics = [reply["muse_metrics"] for reply in replies]

    assert [reply["choices"][0]["finish_reason"] for reply in replies] == [
        "tool_calls",
        "stop",
        "stop",
    ]
    assert replies[1]["choices"][0]["message"]["content"] == "It is sunny in Paris."
    assert [one["session_reset_reason"] for one in metrics] == [
        "new",
        "exact_prefix",
        "exact_prefix",
    ]
    for before, after in itertools.pairwise(metrics):
        resident = before["prompt_tokens"] + before["completion_tokens"]
        assert after["reused_prompt_tokens"] == resident


def test_a_call_whose_arguments_were_changed_is_told_anew() -> None:
    """The ids stand for the call as it was made, so another one must not pass for it."""

    async def scenario(client: httpx.AsyncClient) -> dict[str, Any]:
        reply = await ask(client, QUESTION, session_id="a")
        message = reply["choices"][0]["message"]
        (call,) = message["tool_calls"]
        call["function"]["arguments"] = '{"city": "Rome"}'
        result = {"role": "tool", "tool_call_id": call["id"], "content": "sunny"}
        return await ask(client, QUESTION, message, result, session_id="a")

    reply = with_server(scenario)

    assert reply["muse_metrics"]["session_reset_reason"] == "mismatch"


@BOTH
def test_several_calls_come_in_order(asking: Asking) -> None:
    """Each with an index and an id of its own, and text that was said before them is content."""
    text = (
        f"{THOUGHT} to=user{MESSAGE}Let me see.{NEXT}{call_of('get_weather', 'Paris')}"
        f"{NEXT}{call_of('time.now', 'Rome')}<|eot|>"
    )

    async def scenario(client: httpx.AsyncClient) -> dict[str, Any]:
        return await asking(client, QUESTION)

    message = with_server(scenario, text)["choices"][0]["message"]

    assert message["content"] == "Let me see."
    assert [call["function"]["name"] for call in message["tool_calls"]] == [
        "get_weather",
        "time.now",
    ]
    assert len({call["id"] for call in message["tool_calls"]}) == 2


BROKEN = {
    "an undeclared function": call_of("rm", "all"),
    "no markup": f' to=get_weather{MESSAGE}{{"city": "Paris"}}',
}


@BOTH
@pytest.mark.parametrize("name", BROKEN)
def test_what_is_no_call_is_content(asking: Asking, name: str) -> None:
    """Word for word, without its header, and counted; the turn ends like any other."""

    async def scenario(client: httpx.AsyncClient) -> dict[str, Any]:
        return await asking(client, QUESTION)

    reply = with_server(scenario, BROKEN[name])
    (choice,) = reply["choices"]

    assert choice["finish_reason"] == "stop"
    assert "tool_calls" not in choice["message"]
    assert choice["message"]["content"] == BROKEN[name].partition(MESSAGE)[2]
    assert reply["muse_metrics"]["malformed"] == 1


@BOTH
def test_a_call_that_is_cut_off_is_not_made(asking: Asking) -> None:
    """A cap in the middle of a call ends the turn with nothing: no call and no markup."""

    async def scenario(client: httpx.AsyncClient) -> dict[str, Any]:
        return await asking(client, QUESTION, max_tokens=len(ONE_CALL["text"]) // 2)

    reply = with_server(scenario)
    (choice,) = reply["choices"]

    assert choice["finish_reason"] == "length"
    assert "tool_calls" not in choice["message"]
    assert not choice["message"]["content"]
    assert reply["muse_metrics"]["malformed"] == 0


@BOTH
def test_without_a_choice_nothing_is_called(asking: Asking) -> None:
    """With `none` the model is not told of functions; a call of its own making is only text."""

    async def scenario(client: httpx.AsyncClient) -> tuple[dict[str, Any], dict[str, Any]]:
        offered = await asking(client, QUESTION)
        return await asking(client, QUESTION, tool_choice="none"), offered

    reply, offered = with_server(scenario)
    message = reply["choices"][0]["message"]

    assert "tool_calls" not in message
    assert "atem:invoke" in message["content"]
    assert reply["muse_metrics"]["prompt_tokens"] < offered["muse_metrics"]["prompt_tokens"] - 1000
