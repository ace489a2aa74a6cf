"""Does an answer that was broken off go on where it ended, and is it remembered as one answer?

The scripted model is asked for a story, is stopped after two words, and knows how to go on.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from playground.answer import Answer
from playground.errors import InvalidRequest
from playground.events import Call, Content, Reasoning
from playground.prompt import PromptBuilder
from playground.schemas import read_chat_request
from playground.settings import MODEL_DIR
from playground.template import ChatTemplate
from playground.testing import client_of, every_split, frames_of, scripted_app
from playground.tokens import ScriptedTokenizer, load_tokenizer
from playground.transcript import Transcript

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import httpx

    from playground.tokens import Tokenizer

CHAT = "/v1/chat/completions"
DATED = {"current_date": "2026-11-29", "reasoning_strength": "low"}
BEGUN, REST = "Once upon", " a time.\n"
THOUGHT = " to=self<|message|>Hm.<|eom|>"
STORY = {
    "step_ms": 0.0,
    "replies": [
        {"match": "And then", "text": " to=user<|message|>They lived.<|eot|>"},
        {"match": f"<|message|>{BEGUN}", "text": f"{REST}<|eot|>"},
        {
            "match": "An endless",
            "text": f" to=user<|message|>{BEGUN}{' a time' * 500}",
            "step_ms": 2.0,
        },
        {"text": f"{THOUGHT}<|start|>assistant to=user<|message|>{BEGUN}{REST}"},
    ],
}
CUT = len(" to=self") + len("Hm.") + len("assistant to=user") + 4 + len(BEGUN)
"""Tokens up to where the answer is to be broken off."""
CONTINUE = {"muse": {"continue": True}}


def conversing(scenario: Callable[[httpx.AsyncClient], Awaitable[Any]]) -> Any:  # noqa: ANN401
    """What a scenario gives against a fresh server that tells the story."""

    async def run() -> Any:  # noqa: ANN401
        async with scripted_app(STORY) as playground, client_of(playground) as client:
            return await scenario(client)

    return asyncio.run(run())


def told(*texts: str) -> list[dict[str, str]]:
    """Messages in which user and assistant speak in turns."""
    roles = ("user", "assistant")
    return [{"role": roles[n % 2], "content": text} for n, text in enumerate(texts)]


async def ask(client: httpx.AsyncClient, *texts: str, **fields: object) -> dict[str, Any]:
    """The reply to a conversation in session `a`."""
    request = {"messages": told(*texts), "session_id": "a", **fields}
    response = await client.post(CHAT, json=request)
    assert response.status_code == 200, response.text
    reply = response.json()
    assert isinstance(reply, dict)
    return reply


def content_of(reply: dict[str, Any]) -> str:
    """What it says."""
    return str(reply["choices"][0]["message"]["content"])


def test_only_what_is_new_is_told() -> None:
    """Streamed and whole: the text goes on where it ended, by the model's own grammar."""

    async def scenario(client: httpx.AsyncClient) -> tuple[str, dict[str, Any], list[Any]]:
        first = await ask(client, "A story!", max_tokens=CUT)
        rest = await ask(client, "A story!", BEGUN, **CONTINUE)
        request = {"messages": told("A story!", BEGUN), "stream": True, **CONTINUE}
        streamed = await client.post(CHAT, json=request)
        return content_of(first), rest, frames_of(streamed.text)

    first, rest, frames = conversing(scenario)

    deltas = [f["choices"][0]["delta"] for f in frames[:-1] if f.get("choices")]
    assert first == BEGUN
    assert content_of(rest) == REST
    assert "".join(delta.get("content", "") for delta in deltas) == REST
    assert rest["muse_metrics"]["malformed"] == 0
    assert rest["usage"]["completion_tokens"] == len(REST)


def test_the_answer_is_remembered_as_one_and_the_next_turn_is_warm() -> None:
    """Going on is cold, since what was broken off is told as text; behind it all is resident."""

    async def scenario(client: httpx.AsyncClient) -> list[tuple[str, int, int]]:
        replies = [
            await ask(client, "A story!", max_tokens=CUT),
            await ask(client, "A story!", BEGUN, **CONTINUE),
            await ask(client, "A story!", BEGUN + REST, "And then?"),
        ]
        figures = [reply["muse_metrics"] for reply in replies]
        return [
            (f["session_reset_reason"], f["reused_prompt_tokens"], f["resident_tokens"])
            for f in figures
        ]

    first, second, third = conversing(scenario)

    assert [turn[0] for turn in (first, second, third)] == ["new", "mismatch", "exact_prefix"]
    assert third[1] == second[2]


def test_a_turn_that_was_stopped_goes_on_cold() -> None:
    """The worker does not trust what it was doing when it was stopped, and nothing else does."""
    endless = "An endless story!"

    async def scenario(client: httpx.AsyncClient) -> tuple[str, str, str]:
        await ask(client, endless, stop=[" a time a time"])
        rest = await ask(client, endless, BEGUN, **CONTINUE)
        later = await ask(client, endless, BEGUN + content_of(rest), "And then?")
        return (
            content_of(rest),
            rest["muse_metrics"]["session_reset_reason"],
            later["muse_metrics"]["session_reset_reason"],
        )

    assert conversing(scenario) == (REST, "dirty", "exact_prefix")


def test_a_continuation_that_is_broken_off_may_go_on_again() -> None:
    """Each time from all that was said by then."""

    async def scenario(client: httpx.AsyncClient) -> list[str]:
        said = BEGUN
        reasons = []
        for cap in (2, 3, 100):
            reply = await ask(client, "A story!", said, max_tokens=cap, **CONTINUE)
            said += content_of(reply)
            reasons.append(reply["choices"][0]["finish_reason"])
        last = await ask(client, "A story!", said, "And then?")
        return [said, *reasons, last["muse_metrics"]["session_reset_reason"]]

    script_goes_on_from_the_start = BEGUN + REST[:2] + REST[:3] + REST
    assert conversing(scenario) == [
        script_goes_on_from_the_start,
        "length",
        "length",
        "stop",
        "exact_prefix",
    ]


@pytest.mark.parametrize(
    "messages",
    [
        told("Hi"),
        told("Hi", ""),
        [*told("Hi"), {"role": "assistant", "content": None, "tool_calls": []}],
        [
            *told("Hi"),
            {
                "role": "assistant",
                "content": "So",
                "tool_calls": [
                    {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
                ],
            },
        ],
    ],
)
def test_there_has_to_be_an_answer_that_can_go_on(messages: list[dict[str, Any]]) -> None:
    """A question, silence and calls are none."""
    with pytest.raises(InvalidRequest):
        read_chat_request(json.dumps({"messages": messages, **CONTINUE}).encode())


def test_the_refusal_says_what_is_missing() -> None:
    """It names the message and its role."""
    with pytest.raises(InvalidRequest, match=r'messages\[2\] is none, its role is "user"'):
        read_chat_request(json.dumps({"messages": told("a", "b", "c"), **CONTINUE}).encode())


def test_false_and_null_ask_for_nothing() -> None:
    """A question may then be last."""
    for value in (False, None):
        body = json.dumps({"messages": told("Hi"), "muse": {"continue": value}}).encode()

        assert read_chat_request(body).continues is False


def prompts_of(tokenizer: Tokenizer) -> PromptBuilder:
    """Prompts with the embedded model's template."""
    source = (MODEL_DIR / "chat_template.jinja").read_text(encoding="utf-8")
    template = ChatTemplate(source, controls=tokenizer.controls, bos="<|begin_of_text|>")
    return PromptBuilder(template, tokenizer, 10_000)


@pytest.mark.parametrize("text", [BEGUN, "Once ", " \n", "<|eot|>", "@", "\ue000\ue000"])
@pytest.mark.parametrize("embedded", [False, True])
def test_the_prompt_ends_inside_the_message(embedded: bool, text: str) -> None:  # noqa: FBT001
    """With its very text, whatever it looks like, and with nothing that would end it."""
    tokenizer = load_tokenizer(MODEL_DIR / "tokenizer.json") if embedded else ScriptedTokenizer()
    messages = read_chat_request(json.dumps({"messages": told("Hi", text)}).encode()).messages

    prompt = prompts_of(tokenizer).build(messages, settings=DATED, continues=True)

    spelled = b"".join(map(tokenizer.bytes_of, prompt.begun_ids)).decode()
    assert spelled == f" to=user<|message|>{text}"
    assert prompt.ids[-len(prompt.begun_ids) :] == prompt.begun_ids
    assert prompt.begun == text


def test_ids_of_earlier_answers_stand_in_the_prompt_of_a_continuation() -> None:
    """What was resident before the broken-off turn is spliced as ever."""
    earlier = Transcript().record("One", (9001, 9002))
    messages = read_chat_request(json.dumps({"messages": told("a", "One", "b", "Tw")}).encode())

    prompt = prompts_of(ScriptedTokenizer()).build(
        messages.messages, settings=DATED, transcript=earlier, continues=True
    )

    assert prompt.spliced_turns == 1
    assert tuple(i for i in prompt.ids if i > 9000) == (9001, 9002)
    assert prompt.record("o", (7,)).records == (
        *earlier.records,
        *Transcript().record("Two", (*prompt.begun_ids, 7)).records,
    )


def heard(text: str, *, split: tuple[str, ...] | None = None) -> tuple[Answer, list[Any]]:
    """What an answer that goes on says."""
    answer = Answer(continued=True)
    events = [event for piece in split or (text,) for event in answer.feed(piece)]
    return answer, events + answer.flush()


def test_text_that_looks_like_a_header_is_text_in_a_message_that_goes_on() -> None:
    """The header is behind us, so ` to=self` is only words, however they are cut."""
    told = set()
    for pieces in every_split(" to=self and more"):
        answer, events = heard("", split=pieces)
        told.add((answer.content, answer.malformed, all(isinstance(e, Content) for e in events)))

    assert told == {(" to=self and more", 0, True)}


def test_a_second_message_is_set_off_from_what_was_there_before() -> None:
    """As it would be, had the answer never been broken off."""
    _, events = heard("<|eom|><|start|>assistant to=self<|message|>Hm<|eom|>"
                      "<|start|>assistant to=user<|message|>More")  # fmt: skip

    assert [e for e in events if not isinstance(e, Call)] == [Reasoning("Hm"), Content("\n\nMore")]
