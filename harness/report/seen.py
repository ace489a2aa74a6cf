"""Which turn is a piece of evidence a slice of?

Kinds keep what they saw in results of their own shape; whatever its shape, an `Observation` is in
it somewhere, and says whose trace it is.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING

from harness.events import Observation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from harness.judged import Judged

__all__ = ["observations", "seen_in"]

DEEP = 4
"""How far below a turn of a result an observation may be."""


def seen_in(found: Sequence[Judged], turns: Iterable[object]) -> Mapping[str, Observation]:
    """What was seen of each turn that these verdicts give evidence from, by its trace's id."""
    wanted = {evidence.trace_id for judged in found for evidence in judged.verdict.evidence}
    if not wanted:
        return {}
    seen = (each for turn in turns for each in observations(turn))
    return {each.trace.trace_id: each for each in seen if each.trace.trace_id in wanted}


def observations(value: object, deep: int = DEEP) -> Iterator[Observation]:
    """Every observation that a turn of a result holds."""
    if isinstance(value, Observation):
        yield value
    elif deep and is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            yield from observations(getattr(value, each.name), deep - 1)
    elif deep and isinstance(value, tuple):
        for each in value:
            yield from observations(each, deep - 1)
