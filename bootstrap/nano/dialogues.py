"""What does a whole conversation look like?

Three shapes: long notes with short turns after them, a chat of mixed turns, and a single request.
The system message is the template's default or one of our own; the date varies; the reasoning
strength is drawn for each conversation. Every user message is dressed a little: a greeting before
it, a lower-case start, a missing question mark, a typing mistake.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bootstrap.nano import memory_turns
from bootstrap.nano.conversation import Conversation, kept_thoughts
from bootstrap.nano.dressing import dressed
from bootstrap.nano.facts import Memory
from bootstrap.nano.instructed import instructed
from bootstrap.nano.kinds import CODES, NOTE_KINDS, PERSONAL_KINDS
from bootstrap.nano.pictures.talk import picture_talk
from bootstrap.nano.replies import STRENGTHS
from bootstrap.nano.skills.catalogue import other
from bootstrap.nano.skills.dates import today
from bootstrap.nano.skills.smalltalk import dated
from bootstrap.nano.tools.talk import tool_talk

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from bootstrap.nano.replies import Exchange

__all__ = ["SHAPES", "WHOLE", "Conversation", "Mixture", "converse"]

SHAPES = ("notes", "chat", "single")


@dataclass(frozen=True, slots=True)
class Mixture:
    """How often each shape is drawn, and how many of the names are made up."""

    notes: float = 0.5
    chat: float = 0.35
    single: float = 0.15
    whole: float = 0.0  # of all: one of the kinds in `WHOLE`; the rest is shared out as above
    strange: tuple[float, ...] = (0.0, 0.1, 0.3, 0.6)  # one of these shares a conversation


# Conversations that are made as a whole: share, shape, how. Each gives at most about `room`
# characters.
WHOLE: tuple[tuple[float, str, Callable[[Random, int], Conversation]], ...] = (
    (0.07, "instructed", instructed),
    (0.11, "tools", tool_talk),
    (0.17, "pictures", picture_talk),
)


_SYSTEMS = (
    "You are a helpful assistant.", "You are a helpful AI assistant.", "You are Muse Nano.",
    "Answer briefly.", "Be kind.",
    "You are Muse Nano, a small and friendly assistant.", "Answer in one short sentence.",
    "You are an assistant that remembers what it is told.", "Be precise and short.",
    "You help with notes.", "Remember every fact that the user tells you.", "Be honest.",
    "You are a careful assistant. Never guess.", "You are part of a test. Answer exactly.",
    "If you do not know something, say so.", "Use simple words.", "Stay polite.",
    "You are talking to a tester.", "The user may correct what was said before.",
)  # fmt: skip


def _system(rng: Random, memory: Memory, date: str) -> tuple[str | None, str | None]:
    """A system message (None: the default) and the date that the prompt shows, if any."""
    if rng.random() < 0.55:
        return None, date if rng.random() < 0.9 else None
    lines = rng.sample(_SYSTEMS, rng.randint(1, 4))
    if rng.random() < 0.4 and (code := memory.invent(rng.choice(CODES))) is not None:
        code.source = "The system message says"
        memory.tell(code)
        lines[0] = f"{code.said}\n{lines[0]}"
    for _ in range(rng.choice((0, 0, 0, 1, 2, 3))):
        fact = memory.invent(rng.choice(PERSONAL_KINDS if rng.random() < 0.5 else NOTE_KINDS))
        if fact is not None and not fact.kind.personal:
            fact.source = "The system message says"
            memory.tell(fact)
            lines.append(fact.said)
    shown = rng.random() < 0.4
    text = (" " if rng.random() < 0.7 else "\n").join(lines)
    return (f"{text}\nCurrent date: {date}." if shown else text), (date if shown else None)


_AFTER_NOTES: tuple[tuple[float, str], ...] = (
    (0.54, "ask"), (0.05, "two"), (0.11, "correct"), (0.07, "tell"), (0.07, "unknown"),
    (0.05, "note"), (0.05, "claim"), (0.01, "lucky"), (0.05, "other"),
)  # fmt: skip
_IN_CHAT: tuple[tuple[float, str], ...] = (
    (0.15, "ask"), (0.02, "two"), (0.05, "correct"), (0.10, "tell"), (0.04, "unknown"),
    (0.03, "claim"), (0.01, "lucky"), (0.02, "known"), (0.58, "other"),
)  # fmt: skip


def _other(rng: Random, date: str | None) -> Exchange:
    draw = rng.random()
    if draw < 0.02:
        return dated(rng, date)
    return today(rng, date) if draw < 0.05 else other(rng)


_MEMORY_TURNS: dict[str, Callable[[Random, Memory], Exchange | None]] = {
    "ask": memory_turns.ask,
    "two": memory_turns.ask_two,
    "correct": memory_turns.correct,
    "tell": memory_turns.tell,
    "unknown": memory_turns.ask_unknown,
    "note": memory_turns.ask_about_notes,
    "claim": memory_turns.confirm_a_claim,
    "lucky": memory_turns.sum_with_lucky_number,
    "known": memory_turns.what_is_known,
}


def _turn(
    rng: Random, memory: Memory, table: tuple[tuple[float, str], ...], date: str | None
) -> Exchange:
    draw = rng.random()
    for share, name in table:
        draw -= share
        if draw < 0:
            if name == "other":
                break
            exchange = _MEMORY_TURNS[name](rng, memory)
            if exchange is not None:
                return exchange
            break
    return _other(rng, date)


def converse(rng: Random, mixture: Mixture, room: int) -> Conversation:
    """A conversation of at most about `room` characters."""
    if WHOLE and rng.random() < mixture.whole:
        (make,) = rng.choices([make for _, _, make in WHOLE], [share for share, _, _ in WHOLE])
        return make(rng, room)
    draw = rng.random() * (mixture.notes + mixture.chat + mixture.single)
    date = f"20{rng.randint(24, 31)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
    shape = (
        "notes" if draw < mixture.notes
        else "chat" if draw < mixture.notes + mixture.chat else "single"
    )  # fmt: skip
    memory = Memory(rng, strange=rng.choice(mixture.strange), cast=rng.randint(6, 40))
    system, shown = _system(rng, memory, date)
    exchanges: list[Exchange] = []
    if shape == "notes":
        notes = rng.choice((rng.randint(5, 20), rng.randint(20, 60), rng.randint(30, 85)))
        exchanges.append(memory_turns.long_first_turn(rng, memory, notes))
        turns, table = rng.randint(2, 14), _AFTER_NOTES
    elif shape == "chat":
        turns, table = rng.randint(2, 12), _IN_CHAT
    else:
        turns, table = 1, ((1.0, "other"),)
    strength = STRENGTHS[int(rng.random() * 4)] if rng.random() < 0.7 else "high"
    index = STRENGTHS.index(strength)

    used = sum(_length(exchange, index) for exchange in exchanges) + len(system or "") + 200
    for _ in range(turns):
        exchange = _turn(rng, memory, table, shown)
        exchange = replace(exchange, user=dressed(rng, exchange.user))
        used += _length(exchange, index)
        if used > room and exchanges:
            break
        exchanges.append(exchange)
    return Conversation(
        shape, system, shown, strength, tuple(exchanges), kept_thoughts(rng, len(exchanges))
    )


def _length(exchange: Exchange, index: int) -> int:
    """In characters of plain text: a digit is a token, and so is the space before it."""
    said = exchange.reply.thoughts[index] + exchange.reply.answer
    return len(exchange.user) + len(said) + 4 * sum(map(str.isdigit, said)) + 60
