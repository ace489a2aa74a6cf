"""Rendering: the same text as the chat template, and loss on the assistant's tokens alone."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from bootstrap.nano.configuration import CONTROL_TOKENS, SHIPPED
from bootstrap.nano.conversation import Conversation
from bootstrap.nano.dialogues import Mixture, converse
from bootstrap.nano.pictures.picture import Picture
from bootstrap.nano.rendering import Rendered, call_text, pieces, render
from bootstrap.nano.replies import STRENGTHS, Exchange, Reply
from bootstrap.nano.tools.talk import tool_talk
from playground.template import sandbox

SEEDS = range(120)


def made(seed: int) -> Conversation:
    """Make the conversation of a seed."""
    return converse(Random(seed), Mixture(), 5000)


def by_letters(text: str) -> list[int]:
    """An encoding of one id a character, far from the control tokens."""
    return [ord(letter) + 100_000 for letter in text]


def readable(ids: list[int]) -> str:
    """Undo `by_letters`, control tokens by name."""
    first = 4096 - len(CONTROL_TOKENS)
    return "".join(
        chr(token - 100_000) if token >= 100_000 else CONTROL_TOKENS[token - first] for token in ids
    )


def rendered(seed: int) -> Rendered:
    """Render the conversation of a seed."""
    return render(made(seed), by_letters)


def written(thought: str, content: str | None, calls: list[dict[str, Any]]) -> dict[str, Any]:
    """An assistant message as a client would send it back."""
    return {
        "role": "assistant",
        "content": content,
        "reasoning_content": thought,
        "tool_calls": calls,
        "recipient": None,
        "end_turn": None,
    }


def tool_messages(exchange: Exchange, turn: int, level: int, *, kept: bool) -> list[dict[str, Any]]:
    """The calls of a turn and their results."""
    listed: list[dict[str, Any]] = []
    for number, step in enumerate(exchange.steps):
        ids = [f"{turn}/{number}/{k}" for k in range(len(step.calls))]
        calls = [
            {"id": one, "function": {"name": call.name, "arguments": dict(call.arguments)}}
            for one, call in zip(ids, step.calls, strict=True)
        ]
        listed.append(written(step.thoughts[level] if kept and step.kept else "", None, calls))
        listed += [
            {"role": "tool", "tool_call_id": one, "content": output}
            for one, output in zip(ids, step.outputs, strict=True)
        ]
    return listed


def messages(conversation: Conversation) -> list[dict[str, Any]]:
    """The conversation as a client would send it."""
    level = STRENGTHS.index(conversation.strength)
    listed: list[dict[str, Any]] = []
    if conversation.system is not None:
        listed.append({"role": "system", "content": conversation.system})
    turns = zip(conversation.exchanges, conversation.kept, strict=True)
    for turn, (exchange, kept) in enumerate(turns):
        text = {"type": "text", "text": exchange.user}
        image = [{"type": "image"}] if exchange.picture is not None else []
        listed.append({"role": "user", "content": [*image, text]})
        listed += tool_messages(exchange, turn, level, kept=kept)
        thought = exchange.reply.thoughts[level] if kept else ""
        listed.append(written(thought, exchange.reply.answer, []))
    return listed


def by_template(conversation: Conversation) -> str:
    """What the server's template makes of the conversation, one `<|patch|>` a picture."""
    template = sandbox().from_string((SHIPPED / "chat_template.jinja").read_text())
    return template.render(
        messages=messages(conversation),
        tools=[
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                },
            }
            for tool in conversation.tools
        ],
        bos_token="<|begin_of_text|>",
        reasoning_strength=conversation.strength,
        current_date=conversation.date,
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_it_renders_as_the_chat_template_does(seed: int) -> None:
    """Character for character, over default and own system messages, warm and cold."""
    conversation = made(seed)

    assert "".join(piece.text for piece in pieces(conversation)) == by_template(conversation)


@pytest.mark.parametrize("seed", SEEDS)
def test_tools_are_rendered_as_the_chat_template_does(seed: int) -> None:
    """Declarations, calls one by one and in parallel, results, with thoughts and without."""
    conversation = tool_talk(Random(seed), 5000)

    assert "".join(piece.text for piece in pieces(conversation)) == by_template(conversation)


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_picture_is_a_patch_for_each_cell_before_the_text(*, wrapped: bool) -> None:
    """A picture of 56 by 28 pixels has two cells; the template writes one patch for it."""
    picture = Picture(bytes(56 * 28 * 3), width=56, height=28)
    reply = Reply("shape", ("", "", "", ""), "A circle.", "circle")
    exchange = Exchange("What is it?", reply, picture=picture)
    conversation = Conversation(
        "pictures", None, None, "low", (exchange,), (True,), wrapped=wrapped
    )
    run = "<|patch|><|patch|>"
    run = f"<|image_start|>{run}<|image_end|>" if wrapped else run

    text = "".join(piece.text for piece in pieces(conversation))
    one = render(conversation, by_letters)

    assert text == by_template(conversation).replace("<|patch|>", run)
    (placed,) = one.pictures
    assert (placed.rows, placed.columns, placed.picture) == (1, 2, picture)
    assert readable(one.ids[placed.at : placed.at + 2]) == "<|patch|><|patch|>"


@pytest.mark.parametrize("seed", SEEDS)
def test_each_step_of_a_turn_is_a_span_of_its_own(seed: int) -> None:
    """Calls end in `<|eot|>`, as answers do; the results between them are not learned."""
    conversation = tool_talk(Random(seed), 5000)
    one = render(conversation, by_letters)

    places = [(span.turn, span.step) for span in one.spans]

    assert places == [
        (turn, step)
        for turn, exchange in enumerate(conversation.exchanges)
        for step in range(len(exchange.steps) + 1)
    ]
    for span in one.spans:
        exchange = conversation.exchanges[span.turn]
        text = readable(one.ids[span.start : span.stop])
        if span.step < len(exchange.steps):
            assert all(call_text(call) in text for call in exchange.steps[span.step].calls)
        assert text.endswith("<|eot|>")
        assert text.count("<|eot|>") == 1
        assert readable(one.ids[: span.start]).endswith("<|start|>assistant")


@pytest.mark.parametrize("seed", SEEDS)
def test_loss_falls_on_what_the_assistant_writes(seed: int) -> None:
    """The last turn is learned whole, and nothing that the user or the system said."""
    conversation, one = made(seed), rendered(seed)
    last = one.spans[-1]

    text = readable(one.ids[last.start : last.stop])

    assert all(one.learned[last.start : last.stop])
    assert text.startswith((" to=self<|message|>", " to=user<|message|>"))
    assert text.endswith(conversation.exchanges[-1].reply.answer + "<|eot|>")
    assert readable(one.ids[: last.start]).endswith("<|start|>assistant")
    learned = {k for k, is_learned in enumerate(one.learned) if is_learned}
    assert learned <= {k for span in one.spans for k in range(span.start, span.stop)}


def test_a_header_without_its_reasoning_is_not_learned() -> None:
    """Where history drops a thought, ` to=user` is not what the model would have written."""
    checked = 0
    for seed in SEEDS:
        conversation, one = made(seed), rendered(seed)
        level = STRENGTHS.index(conversation.strength)
        for span in one.spans:
            thought = conversation.exchanges[span.turn].reply.thoughts[level]
            if conversation.kept[span.turn] or not thought:
                continue
            checked += 1
            header = len(" to=user") + 1
            assert not any(one.learned[span.start : span.start + header])
            assert all(one.learned[span.start + header : span.stop])

    assert checked > 20
