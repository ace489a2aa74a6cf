"""How does a conversation become token ids, and which of them is the model to learn?

`pieces` spells the chat template out for the part of it that the recipe needs (a test compares the
two). A piece is a control token or a run of text between two of them, as the server encodes it.
The loss falls on what the model writes: recipients, thoughts, answers, `<|eom|>`, `<|start|>
assistant` between the two, `<|eot|>`. The `<|start|>assistant` that opens a turn belongs to the
prompt.

Where the history shows a turn without its reasoning, the model would not have written that header;
it is left out of the loss, while the answer below it stays in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bootstrap.nano.configuration import NANO
from bootstrap.nano.replies import STRENGTHS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bootstrap.nano.dialogues import Conversation

__all__ = ["Piece", "Rendered", "Span", "pieces", "render", "system_text"]

BOS, EOM, EOT = "<|begin_of_text|>", "<|eom|>", "<|eot|>"
START, MESSAGE = "<|start|>", "<|message|>"
_CONTROL = {name: NANO.control(name) for name in (BOS, EOM, EOT, START, MESSAGE)}


@dataclass(frozen=True, slots=True)
class Piece:
    """A control token or a run of text; `turn` is set on what the model writes in that turn."""

    text: str
    learned: bool = False
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """Where the model's half of one turn lies: ids[start:stop]."""

    turn: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Rendered:
    """Token ids, which of them carry loss, and where each turn's output lies."""

    ids: list[int]
    learned: list[bool]
    spans: list[Span]


def system_text(conversation: Conversation) -> str:
    """The body of the system message, as the chat template writes it."""
    if conversation.system is None:
        text = "You are a helpful AI assistant.\nKnowledge cutoff: 2026-01-04."
        if conversation.date:
            text += f"\nCurrent date: {conversation.date}."
    else:
        text = conversation.system
    return (
        f"{text}\n\nReasoning strength: {conversation.strength}."
        '\n\n# Valid recipients: "self", "user".'
    )


def pieces(conversation: Conversation) -> Iterator[Piece]:
    """The whole conversation, piece by piece."""
    level = STRENGTHS.index(conversation.strength)
    yield Piece(BOS)
    yield from (Piece(START), Piece("system"), Piece(MESSAGE))
    yield from (Piece(system_text(conversation)), Piece(EOT))
    turns = zip(conversation.exchanges, conversation.kept, strict=True)
    for turn, (exchange, kept) in enumerate(turns):
        yield from (Piece(START), Piece("user"), Piece(MESSAGE), Piece(exchange.user), Piece(EOT))
        yield from (Piece(START), Piece("assistant"))
        thought = exchange.reply.thoughts[level]
        if kept and thought:
            for text in (" to=self", MESSAGE, thought, EOM, START, "assistant"):
                yield Piece(text, learned=True, turn=turn)
        header = kept or not thought
        for text in (" to=user", MESSAGE):
            yield Piece(text, learned=header, turn=turn)
        yield Piece(exchange.reply.answer, learned=True, turn=turn)
        yield Piece(EOT, learned=True, turn=turn)


def render(conversation: Conversation, encode: Callable[[str], list[int]]) -> Rendered:
    """Encode the conversation; every run of text is encoded by itself."""
    ids: list[int] = []
    learned: list[bool] = []
    spans: list[Span] = []
    turn, start = None, 0
    for piece in pieces(conversation):
        if piece.turn != turn:
            if turn is not None:
                spans.append(Span(turn, start, len(ids)))
            turn, start = piece.turn, len(ids)
        control = _CONTROL.get(piece.text)
        new = [control] if control is not None else encode(piece.text)
        ids += new
        learned += [piece.learned] * len(new)
    if turn is not None:
        spans.append(Span(turn, start, len(ids)))
    return Rendered(ids, learned, spans)
