"""Which goals has the page, and were they met?

A goal is a bound. Where the value has an interval, the whole of it has to lie on one side of the
bound for a verdict; otherwise it cannot be told.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from tests.benchmarks.page.figures import (
    fit,
    intervals,
    percentile_of,
    share_within,
    slowdown,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.benchmarks.page.record import Heap, Load, Pair, Seen, Stream

__all__ = ["FRAME_MS", "Goal", "Verdict", "goals"]

FRAME_MS = 50.0
LONGEST_FRAME_MS = 200.0
FRAME_SHARE = 0.99
BENT = 0.05
"""A heap's points farther from their line than this share of the gain do not lie on one."""
FAST_DELAY_MS = 100.0
SLOW_DELAY_MS = 30.0
SLOWDOWN = 0.01
SCRIPT_BYTES = 300_000
USABLE_MS = 1_000.0


class Verdict(StrEnum):
    """How a value stands to its bound."""

    MET = "met"
    MISSED = "missed"
    UNCLEAR = "cannot tell"


@dataclass(frozen=True, slots=True)
class Goal:
    """What is wanted, and what was measured."""

    name: str
    unit: str
    """`ms`, `kB` or `%`; values are in it."""
    value: float
    bound: float
    at_least: bool = False
    """The bound is the least that is wanted, and otherwise the most."""
    low: float | None = None
    high: float | None = None

    @property
    def verdict(self) -> Verdict:
        """Whether all that the value may be is on one side of the bound."""
        low = self.value if self.low is None else self.low
        high = self.value if self.high is None else self.high
        worst, best = (low, high) if self.at_least else (-high, -low)
        bound = self.bound if self.at_least else -self.bound
        if worst >= bound:
            return Verdict.MET
        return Verdict.MISSED if best < bound else Verdict.UNCLEAR


def goals(seen: Seen) -> tuple[Goal, ...]:
    """All of them, in the order in which one would ask."""
    return (
        *_frames(seen.fast),
        *_heap(seen.heaps),
        *_delays(seen),
        *_slowdowns("generation slowed by rendering", seen.pairs),
        *_slowdowns("the same, embedded model", seen.model_pairs),
        *_first_load(seen.loads),
    )


def _frames(fast: Stream) -> Iterator[Goal]:
    spans = intervals(fast.frames_ms)
    share = 100 * share_within(spans, FRAME_MS)
    yield Goal(f"frames of at most {FRAME_MS:.0f} ms", "%", share, 100 * FRAME_SHARE, at_least=True)
    yield Goal("longest frame", "ms", max(spans), LONGEST_FRAME_MS)


def _heap(heaps: Sequence[Heap]) -> Iterator[Goal]:
    line = fit([(heap.characters, heap.bytes) for heap in heaps])
    yield Goal("heap: farthest from a line, of what it gained", "%", 100 * line.off, 100 * BENT)


def _delays(seen: Seen) -> Iterator[Goal]:
    for stream, p, bound in (
        (seen.fast, 50, FAST_DELAY_MS),
        (seen.fast, 99, FAST_DELAY_MS),
        (seen.slow, 50, SLOW_DELAY_MS),
    ):
        which = "median" if p == 50 else f"p{p}"
        name = f"bytes to paint at {stream.asked_per_s:.0f} tokens/s, {which}"
        yield Goal(name, "ms", percentile_of(stream.delays_ms, p), bound)


def _slowdowns(name: str, pairs: Sequence[Pair]) -> Iterator[Goal]:
    if not pairs:
        return
    slow = slowdown(pairs)
    low, high = (None if end is None else 100 * end for end in (slow.low, slow.high))
    yield Goal(name, "%", 100 * slow.share, 100 * SLOWDOWN, low=low, high=high)


def _first_load(loads: Sequence[Load]) -> Iterator[Goal]:
    script = max(load.script_bytes for load in loads)
    yield Goal("script of the first load, compressed", "kB", script / 1e3, SCRIPT_BYTES / 1e3)
    usable = percentile_of([load.usable_ms for load in loads], 50)
    yield Goal("message box usable after navigation, median", "ms", usable, USABLE_MS)
