"""What became of one request of a load, on the one clock of the run?

Stamps of a trace begin at its own sending.  Here they are put on the client's clock, so that those
of one request can be held against those of another.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from harness.events import Delta, Ending

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from harness.load.plan import PlannedRequest
    from harness.played import PlayedTurn
    from harness.trace import Trace

__all__ = [
    "PROBED",
    "Alone",
    "Fate",
    "Probe",
    "SeenRequest",
    "alone_of",
    "probe_leg",
    "probes_of",
    "seen_requests",
]

NS = 1e-9
PROBED = ("/health", "/api/runtime")
"""What is asked beside the load."""
REFUSALS = frozenset({429, 503})
"""How a server says that it has no place now."""


class Fate(Enum):
    """What became of a request."""

    SERVED = "served"
    REFUSED = "refused"
    """With a status that says: not now."""
    LEFT = "left"
    """Its client went away, as planned."""
    GIVEN_UP = "given up"
    """No answer came in time."""
    BROKEN = "broken"
    """Answered otherwise, or cut off."""


@dataclass(frozen=True, slots=True)
class SeenRequest:
    """One request; instants are seconds on the client's clock."""

    planned: PlannedRequest
    turn: PlayedTurn
    fate: Fate
    sent_s: float
    first_s: float | None
    """Its first token; None where none came."""
    last_s: float | None
    """Its last token."""
    closed_s: float

    @property
    def trace(self) -> Trace:
        """What it was seen from."""
        return self.turn.seen.trace

    def figure(self, name: str) -> float | None:
        """One of `metrics.METRICS`; None where there is none."""
        return self.turn.measurements[name].value


@dataclass(frozen=True, slots=True)
class Probe:
    """One question whether the server lives."""

    path: str
    trace: Trace
    sent_s: float
    took_s: float | None
    """Until it was answered with 200; None where it was not."""


@dataclass(frozen=True, slots=True)
class Alone:
    """What a turn takes while nobody else is there: medians in seconds, None where unknown."""

    ttft_s: float | None
    whole_s: float | None
    tpot_s: float | None
    traces: tuple[Trace, ...]


def seen_requests(
    planned: Iterable[PlannedRequest], turns: Sequence[PlayedTurn]
) -> tuple[SeenRequest, ...]:
    """The requests that were sent, in the order they were sent."""
    played = {turn.label: turn for turn in turns}
    found = [
        _seen(each, played[each.label])
        for each in planned
        if each.label in played and played[each.label].seen.trace.sent_at_ns is not None
    ]
    return tuple(sorted(found, key=lambda each: each.sent_s))


def _seen(planned: PlannedRequest, turn: PlayedTurn) -> SeenRequest:
    trace = turn.seen.trace
    sent_ns = trace.sent_at_ns or 0
    bearing = [event.at_ns for event in turn.seen.of(Delta)]
    return SeenRequest(
        planned=planned,
        turn=turn,
        fate=_fate(planned, turn),
        sent_s=sent_ns * NS,
        first_s=(sent_ns + bearing[0]) * NS if bearing else None,
        last_s=(sent_ns + bearing[-1]) * NS if bearing else None,
        closed_s=(sent_ns + (trace.closed_at_ns or 0)) * NS,
    )


def _fate(planned: PlannedRequest, turn: PlayedTurn) -> Fate:
    trace = turn.seen.trace
    if any(action.name == "close" for action in trace.actions):
        return Fate.LEFT if planned.leaves else Fate.GIVEN_UP
    if turn.answered:
        return Fate.SERVED
    if turn.seen.ending is Ending.HTTP_ERROR and trace.status in REFUSALS:
        return Fate.REFUSED
    return Fate.BROKEN


def alone_of(requests: Iterable[SeenRequest]) -> Alone:
    """What the turns of one client alone took, its warm-up not among them."""
    own = [r for r in requests if r.planned.phase == "alone" and r.planned.label.turn > 0]
    served = [each for each in own if each.fate is Fate.SERVED]

    def middle(name: str) -> float | None:
        values = [value for each in served if (value := each.figure(name)) is not None]
        return statistics.median(values) if values else None

    return Alone(
        middle("client.ttft"),
        middle("client.to_done"),
        middle("client.tpot"),
        tuple(each.trace for each in served),
    )


def probe_leg(path: str) -> str:
    """What a probe is labelled by."""
    return f"probe.{path.rpartition('/')[2]}"


def probes_of(traces: Iterable[Trace]) -> Mapping[str, tuple[Probe, ...]]:
    """The probes of each path that was asked, in the order they were sent."""
    legs = {probe_leg(path): path for path in PROBED}
    found: dict[str, list[Probe]] = {}
    for trace in traces:
        path = legs.get(trace.label.leg)
        if path is None or trace.sent_at_ns is None:
            continue
        answered = trace.status == 200 and not trace.actions and trace.transport_error is None
        took_s = trace.closed_at_ns * NS if answered and trace.closed_at_ns is not None else None
        found.setdefault(path, []).append(Probe(path, trace, trace.sent_at_ns * NS, took_s))
    return {path: tuple(sorted(all_, key=lambda p: p.sent_s)) for path, all_ in found.items()}
