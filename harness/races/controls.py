"""What does the target answer where nothing is stopped, and what does it show on the way?

Everything that a race compares with is asked before the first race, without a session: what is
stopped later is then known whole, and so is what comes next to it.  What is compared to the letter
is asked twice, since a target that does not say the same twice cannot be held to it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harness.events import Channel, Delta, Ending
from harness.races.bodies import key_of
from harness.races.moments import length_of, status_of
from harness.wire import observe

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from harness.events import Observation
    from harness.trace import Trace

__all__ = ["CONTROL", "Control", "Controls", "texts_of"]

CONTROL = "control"
"""The leg of every control; races have others."""


@dataclass(frozen=True, slots=True)
class Control:
    """One body, asked on its own."""

    seen: tuple[Observation, ...]
    """As often as it was asked."""

    @property
    def answered(self) -> bool:
        """Whether it came whole, each time."""
        return bool(self.seen) and all(
            each.ending in {Ending.OK, Ending.NO_USAGE} for each in self.seen
        )

    @property
    def why(self) -> str:
        """How it ended, where it did not come whole."""
        if not self.seen:
            return "it was not asked"
        return next((each.detail for each in self.seen if not each.succeeded), "")

    @property
    def texts(self) -> tuple[str, str]:
        """Reasoning and content."""
        return texts_of(self.seen[0])

    @property
    def steady(self) -> bool:
        """Whether the same was said each time."""
        return len({texts_of(each) for each in self.seen}) == 1

    @property
    def length(self) -> int:
        """Characters of all its text."""
        return length_of(self.seen[0])

    @property
    def states(self) -> frozenset[str]:
        """Every state that its status frames told."""
        return frozenset(s for each in self.seen for s in map(status_of, each.events) if s)

    @property
    def channels(self) -> frozenset[Channel]:
        """Where it said something."""
        deltas = [d.event for d in self.seen[0].of(Delta) if isinstance(d.event, Delta)]
        return frozenset(delta.channel for delta in deltas)

    @property
    def pieces(self) -> int:
        """Pieces of content, as they came."""
        deltas = (d.event for d in self.seen[0].of(Delta))
        return sum(isinstance(d, Delta) and d.channel is Channel.CONTENT for d in deltas)

    @property
    def drafted(self) -> bool:
        """Whether speculative rounds were taken."""
        ours = self.seen[0].extension("muse_metrics") or {}
        theirs = self.seen[0].extension("timings") or {}
        return bool(ours.get("dflash_rounds") or theirs.get("draft_n"))

    @property
    def speaking_s(self) -> float:
        """Seconds from its first text to its last."""
        at = [delta.at_ns for delta in self.seen[0].of(Delta)]
        return (at[-1] - at[0]) / 1e9 if at else 0.0


@dataclass(slots=True)
class Controls:
    """Every control of a run, by what was asked."""

    _seen: dict[str, list[Observation]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def among(cls, traces: Iterable[Trace]) -> Controls:
        """Those that are among the traces of a run."""
        found = cls()
        for trace in traces:
            if trace.label.leg == CONTROL:
                found.add(trace)
        return found

    def add(self, trace: Trace) -> None:
        """One more."""
        self._seen[key_of(trace.request)].append(observe(trace))

    def of(self, body: Mapping[str, Any]) -> Control:
        """The control of a body; one that was never asked is not answered."""
        return Control(tuple(self._seen.get(key_of(body), ())))


def texts_of(observation: Observation) -> tuple[str, str]:
    """Reasoning and content of a reply."""
    return observation.text(Channel.REASONING), observation.text()
