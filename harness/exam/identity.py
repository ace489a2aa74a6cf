"""Do two legs say the same, case by case, and where do they part?

The same is: equal reasoning, equal answer and calls to the letter, the same finish reason, and the
same number of completion tokens where both are told.  A turn that did not come to its end is equal
to nothing.  Only cases that both legs were asked are compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.exam.rates import Rate, rate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.exam.marking import MarkedTurn
    from harness.exam.scenario import Identical

__all__ = ["Difference", "Identity", "compare_texts", "difference", "identity"]

AROUND = 24
"""Characters shown before the place where two texts part, and after it."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two turns of one case part."""

    one: MarkedTurn
    other: MarkedTurn
    what: str
    """In a line for a person."""


@dataclass(frozen=True, slots=True)
class Identity:
    """How often two legs said the same."""

    asked: Identical
    rate: Rate
    differing: tuple[Difference, ...]


def identity(asked: Identical, turns: Sequence[MarkedTurn], confidence: float) -> Identity:
    """Every case that both legs answered, compared."""
    sides: dict[tuple[int, int], dict[str, MarkedTurn]] = {}
    for turn in turns:
        if turn.label.leg in asked.legs:
            sides.setdefault((turn.label.repeat, turn.label.turn), {})[turn.label.leg] = turn
    pairs = [(both[asked.legs[0]], both[asked.legs[1]]) for both in sides.values() if len(both) > 1]
    found = [difference(one, other) for one, other in pairs]
    return Identity(
        asked=asked,
        rate=rate((what is None for what in found), confidence),
        differing=tuple(
            Difference(one, other, what)
            for (one, other), what in zip(pairs, found, strict=True)
            if what is not None
        ),
    )


def difference(one: MarkedTurn, other: MarkedTurn) -> str | None:
    """Where two turns part; None where they do not."""
    for turn in (one, other):
        if not turn.turn.answered:
            return f"{turn.label.leg} was not answered: {turn.turn.seen.ending.value}"
    for name, a, b in zip(("reasoning", "answer"), one.whole, other.whole, strict=True):
        if a != b:
            return f"{name} {compare_texts(a, b)}"
    ends = one.turn.seen.finish_reason, other.turn.seen.finish_reason
    if ends[0] != ends[1]:
        return f"finish reason {ends[0]} against {ends[1]}"
    counts = one.turn.reuse.completion, other.turn.reuse.completion
    if None not in counts and counts[0] != counts[1]:
        return f"the same text from {counts[0]} tokens against {counts[1]}"
    return None


def compare_texts(one: str, other: str) -> str:
    """Where two texts part: `at character 12: '…one' against '…other'`."""
    at = next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    sides = [repr(text[max(0, at - AROUND) : at + AROUND]) for text in (one, other)]
    return f"parts at character {at}: {sides[0]} against {sides[1]}"
