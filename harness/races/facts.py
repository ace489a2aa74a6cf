"""What does one race show?

The stamps of its three turns on one time line, which is the raced turn's, and what follows from
them.  All of it is read from the traces; nothing is judged here.

    ack      from the stop to the answer of the first cancel that was not refused
    quiet    from the stop to the last piece of text; 0 where none came after it.  Whoever has
             closed the connection cannot see it
    free     from the stop until what came next has begun: it is no longer queued, or speaks
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.events import Delta
from harness.races.abilities import Cell
from harness.races.moments import Point, hit, length_of, status_of
from harness.races.ways import Way
from harness.wire import observe

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from harness.events import Observation
    from harness.races.controls import Control, Controls
    from harness.trace import Action, Trace

__all__ = [
    "BYSTANDER",
    "CLOCK",
    "NEXT",
    "PASSED",
    "RACED",
    "SeenRace",
    "Side",
    "cell_of",
    "role_of",
    "seen_races",
    "told_of",
]

RACED = "raced"
"""The last part of a leg: the turn that is stopped,"""
BYSTANDER = "bystander"
"""the one that is not to feel it,"""
NEXT = "next"
"""and the next one of the session."""
CLOCK = "clock"
"""An action: what the harness's own clock said at this instant."""
PASSED = "passed"
"""An action: the turn has gone on beyond its point without it."""


@dataclass(frozen=True, slots=True)
class Side:
    """A turn beside the raced one, and what it says where nothing is stopped."""

    seen: Observation
    control: Control


@dataclass(frozen=True, slots=True)
class SeenRace:
    """One race."""

    number: int
    cell: Cell
    raced: Observation
    control: Control
    """Of the raced turn."""
    bystander: Side | None
    next: Side | None

    @property
    def stopped_at_ns(self) -> int | None:
        """When the first thing was done to stop it; None where its moment never came."""
        return next((a.at_ns for a in self._stops), None)

    @property
    def hit(self) -> bool:
        """Whether it was at its point when it was stopped."""
        at_ns = self.stopped_at_ns
        if at_ns is None:
            return False
        return hit(self.cell.point, self.raced, at_ns, whole=self.control.length)

    @property
    def acks(self) -> tuple[Action, ...]:
        """The answers to cancels, in the order they came."""
        return self._actions("cancel.ack")

    @property
    def unanswered(self) -> tuple[Action, ...]:
        """The cancels that were not answered."""
        return self._actions("cancel.failed")

    @property
    def accepted(self) -> Action | None:
        """The first answer that says that something was cancelled."""
        return next((ack for ack in self.acks if told_of(ack) is True), None)

    @property
    def hung_up(self) -> bool:
        """Whether we closed the connection."""
        return bool(self._actions("close"))

    @property
    def whole(self) -> bool:
        """Whether as much was said as where nothing is stopped."""
        return self.control.answered and length_of(self.raced) >= self.control.length

    @property
    def says_cancelled(self) -> bool | None:
        """What the reply says of itself; None where it says nothing of the kind."""
        told = (self.raced.extension("muse_metrics") or {}).get("cancelled")
        return told if isinstance(told, bool) else None

    @property
    def texts_after_ack(self) -> tuple[int, ...]:
        """Indices of the pieces of text that came after the first accepted cancel."""
        if self.accepted is None:
            return ()
        return tuple(d.index for d in self.raced.of(Delta) if d.at_ns > self.accepted.at_ns)

    @property
    def ack_s(self) -> float | None:
        """Seconds; see above."""
        if self.stopped_at_ns is None or not self.acks:
            return None
        return (self.acks[0].at_ns - self.stopped_at_ns) / 1e9

    @property
    def quiet_s(self) -> float | None:
        """Seconds; see above."""
        at_ns = self.stopped_at_ns
        if at_ns is None or self.hung_up or self.accepted is None:
            return None
        last = max((delta.at_ns for delta in self.raced.of(Delta)), default=0)
        return max(0.0, (last - at_ns) / 1e9)

    @property
    def free_s(self) -> float | None:
        """Seconds; None too where it had to wait for something else, or for nothing."""
        at_ns, after, cell = self.stopped_at_ns, self.after, self.cell
        elsewhere = cell.way is Way.WRONG or cell.point in {Point.QUEUED, Point.DONE}
        if at_ns is None or after is None or elsewhere:
            return None
        sent, theirs = sent_ns(self.raced.trace), sent_ns(after.seen.trace)
        begun = begun_ns(after.seen)
        if sent is None or theirs is None or begun is None:
            return None
        waited_ns = theirs + begun - (sent + at_ns)
        return waited_ns / 1e9 if waited_ns > 0 else None

    @property
    def after(self) -> Side | None:
        """What came next: the racing turn, or else the bystander."""
        return self.next if self.cell.way is Way.BEHIND else self.bystander

    @property
    def rest_s(self) -> float:
        """How long it would still have spoken, by its control."""
        if not self.control.answered or not self.control.length:
            return 0.0
        at_ns = self.stopped_at_ns or 0
        said = sum(
            len(d.event.text)
            for d in self.raced.of(Delta)
            if isinstance(d.event, Delta) and d.at_ns <= at_ns
        )
        return self.control.speaking_s * max(0.0, 1 - said / self.control.length)

    @property
    def _stops(self) -> tuple[Action, ...]:
        if self._actions(PASSED):
            return ()
        return tuple(a for a in self.raced.trace.actions if a.name in {"cancel", "close"})

    def _actions(self, name: str) -> tuple[Action, ...]:
        return tuple(a for a in self.raced.trace.actions if a.name == name)


def seen_races(traces: Sequence[Trace], controls: Controls) -> Iterator[SeenRace]:
    """Every race whose raced turn is among the traces, in order."""
    beside: dict[tuple[int, str], Side] = {}
    raced: list[Trace] = []
    for trace in traces:
        role = role_of(trace)
        if role == RACED:
            raced.append(trace)
        elif role in {BYSTANDER, NEXT}:
            control = controls.of(trace.request)
            beside[trace.label.repeat, role] = Side(observe(trace), control)
    for trace in raced:
        number = trace.label.repeat
        yield SeenRace(
            number=number,
            cell=cell_of(trace),
            raced=observe(trace),
            control=controls.of(trace.request),
            bystander=beside.get((number, BYSTANDER)),
            next=beside.get((number, NEXT)),
        )


def role_of(trace: Trace) -> str:
    """Which part in a race a request had; empty for a control."""
    return trace.label.leg.rpartition(".")[2] if "." in trace.label.leg else ""


def cell_of(trace: Trace) -> Cell:
    """The cell that a request belongs to."""
    point, way, _ = trace.label.leg.split(".")
    return Cell(Point(point), Way(way))


def told_of(ack: Action) -> bool | None:
    """What the answer to a cancel says; None where it does not say it."""
    body: Any = ack.detail.get("body")
    told = body.get("cancelled") if isinstance(body, dict) else None
    return told if isinstance(told, bool) else None


def sent_ns(trace: Trace) -> int | None:
    """When it was sent, on the harness's own clock."""
    clock = next((a for a in trace.actions if a.name == CLOCK), None)
    return None if clock is None else int(clock.detail["ns"]) - clock.at_ns


def begun_ns(seen: Observation) -> int | None:
    """When a turn was shown to be under way: neither accepted only, nor queued."""
    for each in seen.events:
        state = status_of(each)
        if isinstance(each.event, Delta) or state not in {None, "queued"}:
            return each.at_ns
    return None
