"""What do turns that are known from both ends say about the client that measured them?

The server's end notes when it really wrote each piece.  Both ends are put through the same
`metrics.measure`; the difference is the client's error, metric by metric:

    error = what the client measured - what the server's writes make it

It holds everything between the server's write and the client's stamp (kernel, loopback, event
loop, HTTP framing) and, where a metric begins at t_send, the way of the request too.  The same is
told of the stamp of every single event, of which there are many: enough for a percentile.

A page has stamps of two further places, for the first and the last text of each channel: when it
was written into the document, and when a frame was drawn that shows it.  They are held against the
write of that text; of a paint, the wait for the next frame, 17 ms at most, is no error but a part.

Bounds.  A duration may be wrong by 1 ms in the median and 5 ms at worst, a rate or a time per
token by 1 % and 5 %.  A turn is disturbed when it is dirty (`harness.dirty`), or one write of the
server took more than 1 ms: that says something about the machine, not about the instrument.
Disturbed turns are left out.  Where most are disturbed, or where only the worst case is out of
bounds and some turns were disturbed, the outcome is INCONCLUSIVE.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harness.dirty import DIRTY_LAG_NS, is_dirty
from harness.events import Channel, Delta
from harness.metrics import METRICS, measure
from harness.stats import summarise
from harness.testing import MS
from harness.verdict import EXIT_CODES, Outcome
from harness.wire import observe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness.trace import Trace
    from harness.units import Unit

__all__ = ["CALIBRATED", "Calibration", "Deviation", "KnownTurn", "Stamps", "calibrate"]

CALIBRATED = (
    "client.ttfb",
    "client.ttfe",
    "client.ttft",
    "client.ttfv",
    "client.think",
    "client.e2e",
    "client.to_done",
    "client.tpot",
    "client.decode_rate",
    "client.e2e_rate",
    "client.icl_median",
    "client.icl_max",
)
"""The metrics whose error is measured."""

RELATIVE = frozenset({"client.tpot", "client.decode_rate", "client.e2e_rate"})
MEDIAN_BOUND_S, WORST_BOUND_S = 1e-3, 5e-3
MEDIAN_BOUND_RATIO, WORST_BOUND_RATIO = 0.01, 0.05
SLOW_WRITE_NS = 1 * MS
PLACES = ("dom", "paint")


@dataclass(frozen=True, slots=True)
class KnownTurn:
    """One turn from both ends."""

    measured: Trace
    true: Trace
    """What the client would have recorded if it had seen every piece as it was written."""
    slowest_write_ns: int

    @property
    def disturbed(self) -> bool:
        """Whether the machine kept either end from doing its work."""
        late = max(self.measured.lag_ns - DIRTY_LAG_NS, self.slowest_write_ns - SLOW_WRITE_NS)
        return is_dirty(self.measured) or late > 0


@dataclass(frozen=True, slots=True)
class Deviation:
    """The error of one metric over all clean turns."""

    name: str
    unit: Unit
    """Of `truth`, and of the errors too unless they are `relative`."""
    truth: float
    """Median of what the server's writes make it."""
    median: float
    """Median of the signed errors: the bias."""
    worst: float
    """The signed error that is farthest from 0."""
    p99: float | None
    """Of the errors without their sign; None where there are too few for it."""
    relative: bool
    """Whether the errors are shares of the truth."""
    median_bound: float
    worst_bound: float

    @property
    def within(self) -> bool:
        """Whether both errors keep their bounds."""
        return abs(self.median) <= self.median_bound and abs(self.worst) <= self.worst_bound


@dataclass(frozen=True, slots=True)
class Stamps:
    """The error of the stamps of single events, seconds, pooled over all clean turns."""

    n: int
    median: float | None
    """Of the signed errors."""
    p99: float | None
    """Of the errors without their sign; None where there are too few for it."""
    worst: float | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """The error of one client, and what follows."""

    turns: int
    clean: int
    """Turns that nothing disturbed; the errors are theirs, or all turns' where most were."""
    deviations: tuple[Deviation, ...]
    stamps: Stamps
    worst_lag_s: float
    outcome: Outcome
    message: str
    places: Mapping[str, Stamps] = field(default_factory=dict)
    """The same as `stamps` of a page's `dom` and `paint`; empty where the client is none."""

    @property
    def exit_code(self) -> int:
        """0 within bounds, 1 out of bounds, 3 could not tell."""
        return EXIT_CODES[self.outcome]


def calibrate(turns: Sequence[KnownTurn]) -> Calibration:
    """What known turns say about the client that measured them."""
    clean = [turn for turn in turns if not turn.disturbed]
    quiet = len(clean) * 2 > len(turns)
    worst_lag_s = max((turn.measured.lag_ns for turn in turns), default=0) * 1e-9
    deviations, missing = _deviations(clean if quiet else turns)
    biased = [each.name for each in deviations if abs(each.median) > each.median_bound]
    strayed = [each.name for each in deviations if abs(each.worst) > each.worst_bound]
    if missing:
        outcome, message = Outcome.FAIL, missing
    elif not quiet:
        share = f"{len(turns) - len(clean)} of {len(turns)} turns were disturbed"
        outcome, message = Outcome.INCONCLUSIVE, f"{share}; try again on a quieter machine"
    elif biased:
        outcome, message = Outcome.FAIL, f"biased beyond the bound: {', '.join(biased)}"
    elif strayed:
        outcome = Outcome.FAIL if len(clean) == len(turns) else Outcome.INCONCLUSIVE
        message = f"beyond the bound at worst: {', '.join(strayed)}"
    else:
        outcome, message = Outcome.PASS, "every metric is within its bounds"
    kept = clean if quiet else turns
    return Calibration(
        turns=len(turns),
        clean=len(clean),
        deviations=deviations,
        stamps=_stamps(kept),
        places={place: told for place in PLACES if (told := _told(_at(kept, place))).n},
        worst_lag_s=worst_lag_s,
        outcome=outcome,
        message=message,
    )


def _stamps(turns: Sequence[KnownTurn]) -> Stamps:
    """Event by event; a turn of which the client saw other events than were written has none."""
    errors: list[float] = []
    for turn in turns:
        seen, true = observe(turn.measured).events, observe(turn.true).events
        if [each.event for each in seen] == [each.event for each in true]:
            errors += [(a.at_ns - b.at_ns) * 1e-9 for a, b in zip(seen, true, strict=True)]
    return _told(errors)


def _at(turns: Sequence[KnownTurn], place: str) -> list[float]:
    """The errors of a page's stamps at one place."""
    errors = []
    for turn in turns:
        actions = {action.name: action.at_ns for action in turn.measured.actions}
        for channel in (Channel.REASONING, Channel.CONTENT):
            written = [
                each.at_ns
                for each in observe(turn.true).of(Delta)
                if isinstance(each.event, Delta) and each.event.channel is channel
            ]
            for which, at_ns in zip(("first", "last"), (written[0], written[-1]), strict=True):
                seen_ns = actions.get(f"{place}.{channel.value}.{which}")
                if seen_ns is not None:
                    errors.append((seen_ns - at_ns) * 1e-9)
    return errors


def _told(errors: Sequence[float]) -> Stamps:
    found = summarise([abs(error) for error in errors])
    median = statistics.median(errors) if errors else None
    return Stamps(
        len(errors), median, found.percentiles.get(99), max(errors, key=abs, default=None)
    )


def _deviations(turns: Sequence[KnownTurn]) -> tuple[tuple[Deviation, ...], str]:
    """The deviation of each metric, and which one could not be measured, if any."""
    both = [(measure(observe(turn.measured)), measure(observe(turn.true))) for turn in turns]
    deviations = []
    for name in CALIBRATED:
        values: list[tuple[float, float]] = []
        for seen, true in both:
            measured, truth = seen[name].value, true[name].value
            if measured is None or truth is None:
                return (), f"{name} was not measured: {seen[name].reason or true[name].reason}"
            values.append((measured, truth))
        deviations.append(_deviation(name, values))
    return tuple(deviations), ""


def _deviation(name: str, values: Sequence[tuple[float, float]]) -> Deviation:
    relative = name in RELATIVE
    errors = [(seen - true) / (true if relative else 1.0) for seen, true in values]
    return Deviation(
        name,
        METRICS[name].unit,
        statistics.median(true for _, true in values),
        statistics.median(errors),
        max(errors, key=abs),
        summarise([abs(error) for error in errors]).percentiles.get(99),
        relative,
        MEDIAN_BOUND_RATIO if relative else MEDIAN_BOUND_S,
        WORST_BOUND_RATIO if relative else WORST_BOUND_S,
    )
