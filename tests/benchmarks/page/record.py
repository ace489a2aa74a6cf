"""What was seen? Values, and the JSON that they are kept as.

Times are milliseconds by the page's clock, from the start of its navigation.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from harness.fingerprint import Commit, Fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Conditions", "Heap", "Load", "Pair", "Seen", "Stream", "dump", "load"]


@dataclass(frozen=True, slots=True)
class Load:
    """One first load, by a browser that has nothing of the page."""

    usable_ms: float
    """When the message box was there."""
    ready_ms: float
    """When the page knew that the server is ready."""
    script_bytes: int
    """Of all scripts that were loaded by then, compressed as they came."""
    all_bytes: int
    """Of everything that was loaded by then, likewise."""


@dataclass(frozen=True, slots=True)
class Stream:
    """One answer as the page drew it."""

    tokens: int
    asked_per_s: float
    """Tokens a second, as the engine was told."""
    made_per_s: float
    """Tokens a second, as the engine took for them."""
    frames_ms: tuple[float, ...]
    """When each frame began, from the first text to the last."""
    delays_ms: tuple[float, ...]
    """For each mark, from its bytes to its paint."""
    unpainted: int
    """Marks that arrived and were never found on the page."""


@dataclass(frozen=True, slots=True)
class Heap:
    """The page's memory after so much text, all garbage collected."""

    characters: int
    script_bytes: int
    """JavaScript's own heap."""
    dom_bytes: int
    """What the browser holds for it; 0 where it does not say."""
    nodes: int

    @property
    def bytes(self) -> int:
        """All of it."""
        return self.script_bytes + self.dom_bytes


@dataclass(frozen=True, slots=True)
class Pair:
    """The engine's tokens a second in one turn, read by the page and by a client that drains it."""

    page_per_s: float
    drained_per_s: float


@dataclass(frozen=True, slots=True)
class Conditions:
    """Under which circumstances."""

    machine: Fingerprint
    browser: str
    page: tuple[int, int]
    """Width and height in px."""
    load_before: float
    load_after: float
    """The machine's load average over a minute."""
    quick: bool


@dataclass(frozen=True, slots=True)
class Seen:
    """A run."""

    conditions: Conditions
    loads: tuple[Load, ...]
    slow: Stream
    fast: Stream
    heaps: tuple[Heap, ...]
    pairs: tuple[Pair, ...]
    model_pairs: tuple[Pair, ...] = ()
    """The same with the embedded model; empty where it was not asked for."""


def dump(seen: Seen) -> str:
    """All of it, as JSON, for `load`."""
    return json.dumps(asdict(seen), indent=1) + "\n"


def load(text: str) -> Seen:
    """What `dump` was given."""
    held: dict[str, Any] = json.loads(text)
    return Seen(
        conditions=_conditions(held["conditions"]),
        loads=tuple(Load(**each) for each in held["loads"]),
        slow=_stream(held["slow"]),
        fast=_stream(held["fast"]),
        heaps=tuple(Heap(**each) for each in held["heaps"]),
        pairs=tuple(Pair(**each) for each in held["pairs"]),
        model_pairs=tuple(Pair(**each) for each in held["model_pairs"]),
    )


def _stream(held: Mapping[str, Any]) -> Stream:
    times = {key: tuple(held[key]) for key in ("frames_ms", "delays_ms")}
    return Stream(**{**held, **times})


def _conditions(held: Mapping[str, Any]) -> Conditions:
    machine = held["machine"]
    commit = Commit(**machine["commit"]) if machine["commit"] else None
    fingerprint = Fingerprint(**{**machine, "commit": commit})
    width, height = held["page"]
    return Conditions(**{**held, "machine": fingerprint, "page": (width, height)})
