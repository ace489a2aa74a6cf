"""What is a conversation of the recipe, before it is written as text?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

    from bootstrap.nano.replies import Exchange, ToolSpec

__all__ = ["Conversation", "kept_thoughts"]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation as it would be sent to the server, with the replies that are right."""

    shape: str
    system: str | None  # None means the template's default
    date: str | None
    strength: str
    exchanges: tuple[Exchange, ...]
    kept: tuple[bool, ...]  # for each turn: does the history keep its reasoning?
    tools: tuple[ToolSpec, ...] = ()
    wrapped: bool = False  # do pictures stand between `<|image_start|>` and `<|image_end|>`?


def kept_thoughts(rng: Random, turns: int) -> tuple[bool, ...]:
    """Which turns the history shows with their reasoning; the last one always thinks."""
    draw = rng.random()
    if draw < 0.5:
        return (True,) * turns
    share = 0.0 if draw < 0.75 else rng.random()
    return (*(rng.random() < share for _ in range(turns - 1)), True)
