"""Does the embedded model keep the promises that the scripted engine keeps?

Texts are the model's own, so claims are about counts, reasons and sameness, not about words.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import pytest

from playground.app import running
from playground.settings import MODEL_DIR, Settings
from playground.testing import client_of, frames_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

pytestmark = pytest.mark.embedded

CHAT = "/v1/chat/completions"
Scenario = Callable[["httpx.AsyncClient"], Awaitable[Any]]
Nano = Callable[[Scenario], Any]


@pytest.fixture(scope="module")
def nano() -> Iterator[Nano]:
    """Run a scenario against a server with the embedded model, shared by the tests here."""
    pytest.importorskip("executorch")
    if not (MODEL_DIR / "manifest.json").is_file():
        pytest.skip(f"{MODEL_DIR} holds no model")
    with asyncio.Runner() as runner:
        stack = contextlib.AsyncExitStack()
        playground = runner.run(stack.enter_async_context(running(Settings())))

        async def run(scenario: Scenario) -> Any:  # noqa: ANN401
            async with client_of(playground) as client:
                await client.delete("/v1/sessions/a")
                return await scenario(client)

        yield lambda scenario: runner.run(run(scenario))
        runner.run(stack.aclose())


def asking(*texts: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """A request in which user and assistant speak in turns."""
    roles = ("user", "assistant")
    messages = [{"role": roles[n % 2], "content": text} for n, text in enumerate(texts)]
    return {"messages": messages, "max_completion_tokens": 120, **fields}


def test_greedy_answers_are_the_same_streamed_and_buffered(nano: Nano) -> None:
    """One model, one prompt, no chance: one text, on both channels."""
    request = asking("Hello!", chat_template_kwargs={"return_reasoning": True})

    async def scenario(client: httpx.AsyncClient) -> tuple[dict[str, str], dict[str, str]]:
        streamed = {"content": "", "reasoning_content": ""}
        frames = frames_of((await client.post(CHAT, json={**request, "stream": True})).text)
        for frame in frames:
            if isinstance(frame, dict) and frame.get("choices"):
                for channel, text in frame["choices"][0]["delta"].items():
                    if channel in streamed:
                        streamed[channel] += text
        reply = (await client.post(CHAT, json=request)).json()
        message = reply["choices"][0]["message"]
        return streamed, {channel: message[channel] for channel in streamed}

    streamed, buffered = nano(scenario)

    assert streamed == buffered
    assert streamed["content"]


def test_an_appended_turn_reuses_exactly_what_is_resident(nano: Nano) -> None:
    """The ids go back as they were generated, though their text might tokenise otherwise."""

    async def scenario(client: httpx.AsyncClient) -> list[dict[str, Any]]:
        texts, turns = ["My name is Ada."], []
        for question in ("What is my name?", "Thank you.", ""):
            reply = (await client.post(CHAT, json=asking(*texts, session_id="a"))).json()
            turns.append(reply["muse_metrics"])
            texts += [reply["choices"][0]["message"]["content"], question]
        return turns

    first, second, third = nano(scenario)

    assert first["session_reset_reason"] == "new"
    for before, after in ((first, second), (second, third)):
        assert after["session_reset_reason"] == "exact_prefix"
        assert after["reused_prompt_tokens"] == before["resident_tokens"]
        assert before["resident_tokens"] == before["prompt_tokens"] + before["completion_tokens"]
        assert after["prompt_tokens"] == (
            after["reused_prompt_tokens"] + after["prefilled_prompt_tokens"]
        )


def test_an_answer_that_goes_on_is_resident_as_one(nano: Nano) -> None:
    """The prompt of the turn after it begins with these ids: header, text and what was new."""

    async def scenario(client: httpx.AsyncClient) -> list[dict[str, Any]]:
        texts = ["Count from one to nine."]
        turns = []
        begun = "One, two, thr"
        on = asking(*texts, begun, session_id="a", muse={"continue": True})
        turns.append((await client.post(CHAT, json=on)).json())
        rest = turns[-1]["choices"][0]["message"]["content"]
        again = asking(*texts, begun + rest, "Thank you.", session_id="a")
        turns.append((await client.post(CHAT, json=again)).json())
        return [turn["muse_metrics"] for turn in turns]

    continued, after = nano(scenario)

    assert continued["malformed"] == 0
    assert after["session_reset_reason"] == "exact_prefix"
    assert after["reused_prompt_tokens"] == continued["resident_tokens"]


def test_the_report_knows_the_model(nano: Nano) -> None:
    """Artifact, versions, sizes and memory are all there."""
    report = nano(lambda client: client.get("/api/runtime")).json()

    known = ("artifact", "artifactSha256", "modelBytes", "executorchVersion", "torchVersion")
    assert [key for key in known if report[key] is None] == []
    assert (report["modelId"], report["contextLength"]) == ("muse-nano", 2048)
    assert report["memory"]["workerPeakBytes"] > report["modelBytes"]
