"""Rendering: the same text as the chat template, and loss on the assistant's tokens alone."""

from __future__ import annotations

from random import Random
from typing import Any

import jinja2
import pytest

from bootstrap.nano.configuration import CONTROL_TOKENS, SHIPPED
from bootstrap.nano.dialogues import Conversation, Mixture, converse
from bootstrap.nano.rendering import Rendered, pieces, render
from bootstrap.nano.replies import STRENGTHS

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


def messages(conversation: Conversation) -> list[dict[str, Any]]:
    """The conversation as a client would send it."""
    level = STRENGTHS.index(conversation.strength)
    listed: list[dict[str, Any]] = []
    if conversation.system is not None:
        listed.append({"role": "system", "content": conversation.system})
    for exchange, kept in zip(conversation.exchanges, conversation.kept, strict=True):
        listed.append({"role": "user", "content": exchange.user})
        thought = exchange.reply.thoughts[level] if kept else ""
        listed.append(
            {
                "role": "assistant",
                "content": exchange.reply.answer,
                "reasoning_content": thought,
                "recipient": None,
                "end_turn": None,
            }
        )
    return listed


@pytest.mark.parametrize("seed", SEEDS)
def test_it_renders_as_the_chat_template_does(seed: int) -> None:
    """Character for character, over default and own system messages, warm and cold."""
    conversation = made(seed)
    template = jinja2.Environment(autoescape=False).from_string(
        (SHIPPED / "chat_template.jinja").read_text()
    )

    expected = template.render(
        messages=messages(conversation),
        bos_token="<|begin_of_text|>",
        reasoning_strength=conversation.strength,
        current_date=conversation.date,
    )

    assert "".join(piece.text for piece in pieces(conversation)) == expected


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
