"""What does a conversation about pictures look like?

Half are a sitting: a picture comes with the first message, or after a few turns of text; questions
about it follow, with ordinary turns between them; now and then a second picture comes. Half are an
album: one picture after another. Questions are about the latest. Asked about a picture before there
is one, the assistant says that it sees none.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bootstrap.nano.conversation import Conversation, kept_thoughts
from bootstrap.nano.dressing import dressed
from bootstrap.nano.pictures.drawing import draw
from bootstrap.nano.pictures.questions import about, asked, no_picture
from bootstrap.nano.replies import STRENGTHS
from bootstrap.nano.skills.catalogue import other

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from bootstrap.nano.replies import Exchange

__all__ = ["picture_talk"]

_SYSTEMS = (
    "You are a helpful assistant.", "You are Muse Nano.", "Answer briefly.",
    "You look at pictures.", "You are a careful assistant. Never guess.", "Be precise and short.",
    "You describe pictures for people who cannot see them.", "Answer in one short sentence.",
    "If you do not know something, say so.",
)  # fmt: skip
_ROOM = 5200  # characters: spelled words take more tokens than prose, and nothing is cut off
_PIXELS = 28 * 28 // 4  # that count for a character


def picture_talk(rng: Random, room: int) -> Conversation:
    """A conversation about pictures, of at most about `room` characters."""
    strength = rng.choice(STRENGTHS) if rng.random() < 0.7 else "high"
    draw_turn = _album if rng.random() < 0.5 else _blind if rng.random() < 0.1 else _sitting
    exchanges = _within(rng, draw_turn(rng), min(room, _ROOM), STRENGTHS.index(strength))
    date = f"20{rng.randint(24, 31)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
    system = None if rng.random() < 0.7 else " ".join(rng.sample(_SYSTEMS, rng.randint(1, 2)))
    return Conversation(
        "pictures", system, date if system is None or rng.random() < 0.5 else None, strength,
        exchanges, kept_thoughts(rng, len(exchanges)), wrapped=rng.random() < 0.3,
    )  # fmt: skip


def _within(rng: Random, turns: Iterator[Exchange], room: int, level: int) -> tuple[Exchange, ...]:
    """As many of the turns as there is room for, and one at least."""
    exchanges: list[Exchange] = []
    used = 200
    for turn in turns:
        exchange = replace(turn, user=dressed(rng, turn.user))
        reply, picture = exchange.reply, exchange.picture
        used += len(exchange.user) + len(reply.thoughts[level]) + len(reply.answer) + 60
        used += 0 if picture is None else picture.width * picture.height // _PIXELS
        if used > room and exchanges:
            break
        exchanges.append(exchange)
    return tuple(exchanges)


def _album(rng: Random) -> Iterator[Exchange]:
    """Many pictures, a question or two about each."""
    while True:
        scene, exchange = asked(rng)
        yield replace(exchange, picture=draw(scene))
        if rng.random() < 0.3:
            yield about(rng, scene)


def _sitting(rng: Random) -> Iterator[Exchange]:
    """One picture or two, many questions, and ordinary turns before and between."""
    if rng.random() < 0.3:
        yield from _blind(rng, rng.choice((1, 2)))
    scene = None
    for _ in range(rng.choice((1, 1, 2, 3, 4, 6, 8))):
        if scene is None or rng.random() < 0.12:
            scene, exchange = asked(rng)
            first = other(rng) if rng.random() < 0.05 else exchange
            yield replace(first, picture=draw(scene))
        else:
            yield other(rng) if rng.random() < 0.2 else about(rng, scene)


def _blind(rng: Random, turns: int = 0) -> Iterator[Exchange]:
    """No picture yet."""
    for _ in range(turns or rng.randint(1, 6)):
        yield no_picture(rng) if rng.random() < 0.4 else other(rng)
