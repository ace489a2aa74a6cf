"""Which samples say more of the machine than of the server, and why?

A trace carries what was noted beside it as numbers; what follows from them is said here.  Above
its limit each of them is a stain, and a turn with a stain is dirty:

    lag            our own event loop was late by more than 5 ms; in the page, whose loop draws
                   frames between two stamps, by more than the 50 ms that make a long task
    busy           others than us and the target took more than a quarter of the machine's time
    load           more threads wanted to run than there are processors, by the load average
    asleep_s       the machine slept for more than 10 ms
    clock_jump_s   the wall clock was set, by more than 100 ms

A dirty sample is kept and counted.  What it may not do is convict: a verdict about times that
would fail, and of whose samples more than a quarter are dirty, could not tell.  A pass stands, for
no disturbance makes a server faster.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from harness.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from harness.trace import Trace

__all__ = [
    "DIRTY_LAG_NS",
    "DIRTY_PAGE_LAG_NS",
    "DIRTY_SHARE",
    "LIMITS",
    "excused",
    "is_dirty",
    "stains",
    "told_stains",
]

DIRTY_LAG_NS = 5_000_000
"""A turn in which our own event loop was later than this measured us, not the server."""

DIRTY_PAGE_LAG_NS = 50_000_000
"""The same in the page: what W3C's Long Tasks calls one; a drawn frame is none."""

DIRTY_SHARE = 0.25
"""Of the samples of a verdict; above it, they convict nobody."""

LIMITS: Mapping[str, tuple[float, str]] = {
    "busy": (0.25, "others took {:.0%} of the machine"),
    "load": (1.0, "the load average was {:.1f} a processor"),
    "asleep_s": (0.010, "the machine slept for {:.2f} s"),
    "clock_jump_s": (0.100, "the wall clock was set by {:.2f} s"),
}
"""Of each mark of a trace: the value above which it is a stain, and how it is told."""


def stains(trace: Trace) -> Mapping[str, str]:
    """Why a turn is dirty, by the name of the mark; empty where it is clean."""
    found = {}
    in_page = any(action.name == "page" for action in trace.actions)
    if trace.lag_ns > (DIRTY_PAGE_LAG_NS if in_page else DIRTY_LAG_NS):
        found["lag"] = f"our own loop was {trace.lag_ns / 1e6:.0f} ms late"
    for name, (limit, words) in LIMITS.items():
        value = trace.marks.get(name)
        if value is not None and abs(value) > limit:
            found[name] = words.format(value)
    return found


def is_dirty(trace: Trace) -> bool:
    """Whether something but the server had a part in this turn's times."""
    return bool(stains(trace))


def told_stains(traces: Iterable[Trace]) -> str:
    """How many of these traces are dirty, and by which marks: `3 of 5 turns dirty (busy 3)`."""
    found = [stains(trace) for trace in traces]
    names = Counter(name for each in found for name in each)
    dirty = sum(bool(each) for each in found)
    which = ", ".join(f"{name} {n}" for name, n in names.most_common())
    return f"{dirty} of {len(found)} turns dirty ({which or 'by nothing'})"


def excused(outcome: Outcome, message: str, traces: Sequence[Trace]) -> tuple[Outcome, str]:
    """An outcome about times: a failure on samples too many of which are dirty tells nothing."""
    dirty = sum(map(is_dirty, traces))
    if outcome is not Outcome.FAIL or dirty <= DIRTY_SHARE * len(traces):
        return outcome, message
    return Outcome.INCONCLUSIVE, f"{message}; {told_stains(traces)}, so it cannot be told whose"
