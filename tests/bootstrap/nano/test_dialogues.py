"""Conversations: the same for the same seed, varied between seeds, and safe to render."""

from __future__ import annotations

from random import Random

import pytest

from bootstrap.nano.dialogues import Conversation, Mixture, converse
from bootstrap.nano.replies import STRENGTHS


def conversation(seed: int, mixture: Mixture | None = None, room: int = 7000) -> Conversation:
    """Make the conversation of a seed."""
    """Make the conversation of a seed."""
    return converse(Random(seed), mixture or Mixture(), room)


def test_a_seed_makes_one_conversation() -> None:
    """The same seed gives the same conversation, whoever makes it."""
    first = [conversation(seed) for seed in range(20)]

    again = [conversation(seed) for seed in range(20)]

    assert first == again
    assert len({one.exchanges for one in first}) == 20


def test_no_text_looks_like_a_control_token() -> None:
    """Nothing that is said contains the bracket which control tokens begin with."""
    said = [
        text
        for seed in range(300)
        for exchange in conversation(seed).exchanges
        for text in (exchange.user, *exchange.reply.thoughts, exchange.reply.answer)
    ]

    assert [text for text in said if "<" in text] == []


def test_every_message_and_answer_has_words() -> None:
    """No turn is empty on either side."""
    turns = [exchange for seed in range(300) for exchange in conversation(seed).exchanges]

    assert [turn for turn in turns if not turn.user.strip() or not turn.reply.answer.strip()] == []


def test_thoughts_grow_with_the_strength() -> None:
    """Each strength thinks at least as long as the one below it, and the ends differ."""
    thoughts = [
        [len(thought) for thought in exchange.reply.thoughts]
        for seed in range(300)
        for exchange in conversation(seed).exchanges
    ]

    mean = [sum(lengths[k] for lengths in thoughts) / len(thoughts) for k in range(4)]

    assert mean == sorted(mean)
    assert all(lengths[0] < lengths[-1] for lengths in thoughts)


def test_long_notes_fill_the_first_turn() -> None:
    """The notes shape begins with a long turn and goes on with short ones."""
    notes = Mixture(notes=1, chat=0, single=0)

    lengths = [
        [len(exchange.user) for exchange in conversation(seed, notes).exchanges]
        for seed in range(60)
    ]

    assert sum(first > 2000 for first, *_ in lengths) > 10
    assert all(later < 400 for _, *rest in lengths for later in rest)


def test_the_last_turn_always_keeps_its_reasoning() -> None:
    """History may be cold, but the turn that is being answered thinks."""
    conversations = [conversation(seed) for seed in range(200)]

    assert all(one.kept[-1] for one in conversations)
    assert any(not all(one.kept) for one in conversations)


@pytest.mark.parametrize("strength", STRENGTHS)
def test_every_strength_is_drawn(strength: str) -> None:
    """All four strengths occur."""
    assert strength in {conversation(seed).strength for seed in range(60)}
