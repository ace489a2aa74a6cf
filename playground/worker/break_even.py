"""When does drafting pay?

A round (draft and verify) takes as long as `relative` plain steps and returns `t` tokens, a step
one. So drafting pays while

    t, the mean over recent rounds   >=   relative = round's time / step's time

Both times are measured here, in this process, on this machine: running medians of the calls made
anyway, so they follow the depth of the context and what else the machine does.

While all is drafted no step is timed, and the machine may have become slower. So where drafting
seems not to pay, `CHECK` plain steps and as many rounds are timed anew. If it still does not, plain
steps are taken for `REST` tokens; then a few rounds probe again, since text changes. Each probe
that fails doubles the rest, one that succeeds is the end of it. A machine has busy moments that
make all ten times slower, so times are never compared across a pause: each one forgets them all.
Nothing of this changes a token, only how soon it comes.
"""

from __future__ import annotations

import statistics
from collections import deque

__all__ = ["CHECK", "MOST_REST", "PROBE", "REST", "BreakEven", "Costs"]

CHECK = 4
"""Steps, and then rounds, by which a first doubt is settled."""
REST = 32
MOST_REST = 256
PROBE = 8
"""Rounds that are looked at before drafting is given up."""
RECENT = 16
"""Rounds, and timings of each kind, that count as recent."""


class Costs:
    """How long rounds and steps take, of all sessions of an engine."""

    def __init__(self) -> None:
        self._rounds: deque[float] = deque(maxlen=RECENT)
        self._steps: deque[float] = deque(maxlen=RECENT)
        self._relative: float | None = None

    def round_took(self, duration: float) -> None:
        """Note the time of a full round, in any unit."""
        self._rounds.append(duration)
        self._relative = None

    def step_took(self, duration: float) -> None:
        """Note the time of a plain step, in the same unit."""
        self._steps.append(duration)
        self._relative = None

    def forget(self) -> None:
        """What was noted is out of date."""
        self._rounds.clear()
        self._steps.clear()
        self._relative = None

    @property
    def relative(self) -> float | None:
        """A round's time in steps; None before both were seen."""
        if self._relative is None and self._rounds and self._steps:
            step = statistics.median(self._steps)
            self._relative = statistics.median(self._rounds) / step if step else None
        return self._relative


class BreakEven:
    """Whether one session should draft; told of every cycle."""

    def __init__(self, costs: Costs) -> None:
        self._costs = costs
        self._returned: deque[int] = deque(maxlen=RECENT)
        self._due = PROBE  # rounds before the next decision
        self._next_rest = CHECK
        self._rest = 0

    @property
    def resting(self) -> bool:
        """Whether plain steps are the better choice for now."""
        return self._rest > 0

    def round(self, tokens: int, duration: float) -> None:
        """Note how many tokens a full round returned and how long it took; decide how to go on."""
        self._costs.round_took(duration)
        self._returned.append(tokens)
        self._due -= 1
        relative = self._costs.relative
        if self._due > 0 or relative is None:
            return
        if sum(self._returned) >= relative * len(self._returned):
            self._next_rest = CHECK
            return
        self._costs.forget()
        self._rest = self._next_rest
        if self._rest == CHECK:
            self._due, self._next_rest = CHECK, REST
        else:
            self._due, self._next_rest = PROBE, min(2 * self._next_rest, MOST_REST)
            self._returned.clear()

    def step(self, duration: float) -> None:
        """Note a plain step and how long it took."""
        self._costs.step_took(duration)
        self._rest = max(0, self._rest - 1)
