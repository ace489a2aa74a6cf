"""What does a conversation about pictures look like?

A picture comes with the first message, or after a few turns of text; questions about it follow,
with ordinary turns between them; now and then a second picture comes, and questions are about the
latest. Asked about a picture before there is one, the assistant says that it sees none.
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
    from random import Random

    from bootstrap.nano.pictures.scene import Scene
    from bootstrap.nano.replies import Exchange

__all__ = ["picture_talk"]

_SYSTEMS = (
    "You are a helpful assistant.", "You are Muse Nano.", "Answer briefly.",
    "You look at pictures.", "You are a careful assistant. Never guess.", "Be precise and short.",
    "You describe pictures for people who cannot see them.", "Answer in one short sentence.",
    "If you do not know something, say so.",
)  # fmt: skip
_A_PICTURE = 120  # characters that a picture counts for, about


def picture_talk(rng: Random, room: int) -> Conversation:
    """A conversation about one picture or two, of at most about `room` characters."""
    strength = rng.choice(STRENGTHS) if rng.random() < 0.7 else "high"
    level = STRENGTHS.index(strength)
    turns = rng.choice((1, 1, 2, 3, 4, 6, 8))
    before = rng.choice((1, 2)) if rng.random() < 0.15 else 0
    blind = rng.random() < 0.06  # no picture comes at all
    scene: Scene | None = None
    exchanges: list[Exchange] = []
    used = 200
    while len(exchanges) < turns + before:
        if blind or len(exchanges) < before:
            exchange = no_picture(rng) if rng.random() < 0.4 else other(rng)
        elif scene is None or rng.random() < 0.12:
            scene, exchange = asked(rng)
            exchange = replace(exchange, picture=draw(scene))
            used += _A_PICTURE
        else:
            exchange = other(rng) if rng.random() < 0.2 else about(rng, scene)
        exchange = replace(exchange, user=dressed(rng, exchange.user))
        used += (
            len(exchange.user)
            + len(exchange.reply.thoughts[level])
            + len(exchange.reply.answer)
            + 60
        )
        if used > room and exchanges:
            break
        exchanges.append(exchange)
    date = f"20{rng.randint(24, 31)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
    system = None if rng.random() < 0.7 else " ".join(rng.sample(_SYSTEMS, rng.randint(1, 2)))
    return Conversation(
        "pictures", system, date if system is None or rng.random() < 0.5 else None, strength,
        tuple(exchanges), kept_thoughts(rng, len(exchanges)), wrapped=rng.random() < 0.3,
    )  # fmt: skip
