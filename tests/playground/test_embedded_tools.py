"""Does the embedded model call what was declared, and answer from what came back?

What is asserted is greedy and short: a call's name and arguments, a value that is only in a result.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import pytest

from playground.app import running
from playground.settings import MODEL_DIR, Settings
from playground.testing import client_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

pytestmark = pytest.mark.embedded

Scenario = Callable[["httpx.AsyncClient"], Awaitable[Any]]
Nano = Callable[[Scenario], Any]

TOWN = {
    "type": "object",
    "properties": {"city": {"type": "string", "description": "The town."}},
    "required": ["city"],
}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Get the weather in a city.",
            "parameters": TOWN,
        },
    },
    {
        "type": "function",
        "function": {
            "name": "clock.now",
            "description": "The current local time of a place.",
            "parameters": TOWN,
        },
    },
]


@pytest.fixture(scope="module")
def nano() -> Iterator[Nano]:
    """Run a scenario against a server with the embedded model, shared by the tests here."""
    pytest.importorskip("executorch")
    manifest = MODEL_DIR / "manifest.json"
    if not manifest.is_file():
        pytest.skip(f"{MODEL_DIR} holds no model")
    if not json.loads(manifest.read_bytes())["recipe"].get("whole"):
        pytest.skip("the model here was not taught whole conversations, those with functions")
    with asyncio.Runner() as runner:
        stack = contextlib.AsyncExitStack()
        playground = runner.run(stack.enter_async_context(running(Settings())))

        async def run(scenario: Scenario) -> Any:  # noqa: ANN401
            async with client_of(playground) as client:
                await client.delete("/v1/sessions/a")
                return await scenario(client)

        yield lambda scenario: runner.run(run(scenario))
        runner.run(stack.aclose())


async def ask(client: httpx.AsyncClient, *messages: Any, **fields: Any) -> dict[str, Any]:  # noqa: ANN401
    """The reply, with the functions declared."""
    request = {"messages": messages, "tools": TOOLS, "max_completion_tokens": 300, **fields}
    response = await client.post("/v1/chat/completions", json=request)
    assert response.status_code == 200, response.text
    reply: dict[str, Any] = response.json()
    return reply


def user(text: str) -> dict[str, str]:
    """What the person says."""
    return {"role": "user", "content": text}


def calls_of(reply: dict[str, Any]) -> list[tuple[str, Any]]:
    """Name and arguments of each call."""
    calls = reply["choices"][0]["message"].get("tool_calls", [])
    functions = [call["function"] for call in calls]
    return [(one["name"], json.loads(one["arguments"])) for one in functions]


def test_a_function_is_called_and_its_result_told(nano: Nano) -> None:
    """The value comes from the result, and the second request finds the first one resident."""

    async def scenario(client: httpx.AsyncClient) -> tuple[dict[str, Any], dict[str, Any]]:
        question = user("What is the weather in Lisbon?")
        called = await ask(client, question, session_id="a")
        message = called["choices"][0]["message"]
        result = {
            "role": "tool",
            "tool_call_id": message["tool_calls"][0]["id"],
            "content": '{"sky": "foggy", "temperature": 17}',
        }
        return called, await ask(client, question, message, result, session_id="a")

    called, answered = nano(scenario)

    assert called["choices"][0]["finish_reason"] == "tool_calls"
    assert calls_of(called) == [("get_weather", {"city": "Lisbon"})]
    assert "foggy" in answered["choices"][0]["message"]["content"]
    assert answered["muse_metrics"]["session_reset_reason"] == "exact_prefix"
    assert [one["muse_metrics"]["malformed"] for one in (called, answered)] == [0, 0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What time is it in Oslo?", [("clock.now", {"city": "Oslo"})]),
        ("Check the weather in Rome.", [("get_weather", {"city": "Rome"})]),
        ("What is 12 + 7?", []),
        ("Wake me at 07:30.", []),
    ],
)
def test_the_request_decides_what_is_called(
    nano: Nano, text: str, expected: list[tuple[str, Any]]
) -> None:
    """One function, the other, or none: sums need no function, and alarms have none."""

    async def scenario(client: httpx.AsyncClient) -> dict[str, Any]:
        return await ask(client, user(text))

    assert calls_of(nano(scenario)) == expected


def test_two_questions_are_two_calls_at_once(nano: Nano) -> None:
    """In the order in which they were asked."""

    async def scenario(client: httpx.AsyncClient) -> dict[str, Any]:
        return await ask(client, user("What is the weather in Bern? What time is it in Cairo?"))

    assert calls_of(nano(scenario)) == [
        ("get_weather", {"city": "Bern"}),
        ("clock.now", {"city": "Cairo"}),
    ]
