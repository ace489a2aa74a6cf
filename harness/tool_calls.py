"""Which functions does a reply call?

A stream tells a call in fragments that share an `index`: the first has id and name, the arguments
are text to be joined.  A buffered reply tells each call whole.  Read as the wire read them, from
the deltas of the tool channel.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.events import Channel, Delta

if TYPE_CHECKING:
    from harness.events import Observation

__all__ = ["CallSeen", "calls_in", "same_json"]


@dataclass(frozen=True, slots=True)
class CallSeen:
    """One call, as the reply told it."""

    name: str
    text: str
    """The arguments as they came."""

    @property
    def arguments(self) -> Any:  # noqa: ANN401 - JSON
        """The arguments, parsed; None where they are no JSON."""
        try:
            return json.loads(self.text)
        except ValueError:
            return None

    def __str__(self) -> str:
        return f"{self.name}({self.text})"


def calls_in(seen: Observation) -> tuple[CallSeen, ...]:
    """The calls of a reply, in the order of their first fragments."""
    names: dict[object, str] = {}
    texts: dict[object, str] = {}
    for number, observed in enumerate(seen.of(Delta)):
        event = observed.event
        if not isinstance(event, Delta) or event.channel is not Channel.TOOL:
            continue
        fragment = json.loads(event.text)  # `wire` wrote it
        if not isinstance(fragment, dict):
            continue
        # A buffered reply tells no index: every one of its deltas is a call.
        key = fragment["index"] if isinstance(fragment.get("index"), int) else f"whole {number}"
        said = fragment.get("function")
        function = said if isinstance(said, dict) else {}
        names[key] = names.get(key, "") + str(function.get("name") or "")
        texts[key] = texts.get(key, "") + str(function.get("arguments") or "")
    return tuple(CallSeen(names[key], texts[key]) for key in names)


def same_json(one: object, other: object) -> bool:
    """Whether two JSON values are equal: 1 is 1.0, true is not 1, the order of keys is nothing."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    return one == other
