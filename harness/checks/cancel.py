"""Does a stop do what it says, to the turn it names, and to nothing else?

Every check looks at one race (`races.facts`): the turn that was stopped, a bystander, and the next
turn of the session.  A stop that came too late, or before its moment, is judged by the same rules,
for none of them depends on where it was aimed at, but for what a cancel must be answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.capabilities import ReuseReport
from harness.checks.accounts import accounts
from harness.dirty import excused
from harness.events import Done, Ending, Finish
from harness.plan import Promise
from harness.played import play_back
from harness.races.controls import texts_of
from harness.races.facts import Side, told_of
from harness.races.moments import Point
from harness.races.ways import STOPS, Way
from harness.verdict import Evidence, Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harness.capabilities import Capabilities
    from harness.events import Observation
    from harness.races.facts import SeenRace
    from harness.races.scenario import Limits
    from harness.trace import Trace

    RaceCheck = Callable[[SeenRace, Limits], Iterator[Verdict]]

__all__ = ["RACE_CHECKS", "acted", "idles", "next_accounts", "places_kept"]

ENDED = frozenset({Ending.OK, Ending.NO_USAGE})
SHOWN = 24
"""Events of a slice, at most."""
TIGHT = frozenset({Point.QUEUED, Point.LAST, Point.DONE})
"""The points from which on the turn would not have kept anybody waiting."""


def acknowledged(race: SeenRace, limits: Limits) -> Iterator[Verdict]:  # noqa: ARG001
    """Every cancel is answered, and as the turn stood when it came."""
    name, way = "cancel.acknowledged", race.cell.way
    if race.unanswered:
        reason = race.unanswered[0].detail.get("reason")
        yield Verdict(name, Outcome.FAIL, f"a cancel was not answered: {reason}", acted(race))
        return
    if not race.acks:
        return
    if wrong := _misanswered(race):
        yield Verdict(name, Outcome.FAIL, wrong, acted(race))
        return
    told = ", ".join(_told(race))
    yield Verdict(name, Outcome.PASS, f"{way.value}: cancelled {told}", acted(race))


def agrees(race: SeenRace, limits: Limits) -> Iterator[Verdict]:  # noqa: ARG001
    """What a cancel was answered, and what the turn says of itself, are one story."""
    name = "cancel.agrees"
    if not race.acks or race.hung_up:
        return
    said = race.says_cancelled
    if said is None:
        if race.raced.ending in ENDED:
            yield Verdict(name, Outcome.SKIP, "its replies do not say whether they were cancelled")
        return
    if race.accepted is None and said:
        message = "the turn says that it was cancelled, and no cancel was answered so"
        yield Verdict(name, Outcome.FAIL, message, _end(race.raced))
    elif race.accepted is not None and not said and not race.whole:
        message = "a cancel was answered so, the turn says that it was not cancelled, and is cut"
        yield Verdict(name, Outcome.FAIL, message, _end(race.raced))
    else:
        message = f"cancelled is {str(said).lower()} in the reply"
        yield Verdict(name, Outcome.PASS, message, _end(race.raced))


def quiet(race: SeenRace, limits: Limits) -> Iterator[Verdict]:
    """After a cancel was acknowledged the stream says no more than is under way, and ends."""
    name = "cancel.quiet"
    if race.accepted is None or race.hung_up:
        return
    late = race.texts_after_ack
    if len(late) > limits.texts_after_ack:
        message = f"{len(late)} pieces of text came after the cancel was acknowledged"
        slice_ = _slice(race.raced, late[0], late[-1])
        outcome = Outcome.FAIL
        if race.says_cancelled and not race.whole:  # it was stopped in the end: how late is a time
            outcome, message = excused(outcome, message, [race.raced.trace])
        yield Verdict(name, outcome, message, (*acted(race), slice_))
    elif not _came_to_an_end(race.raced):
        message = f"the stream was stopped, and not ended: {race.raced.detail}"
        yield Verdict(name, Outcome.FAIL, message, _end(race.raced))
    else:
        message = f"{len(late)} pieces of text after the acknowledgement"
        yield Verdict(name, Outcome.PASS, message, _end(race.raced))


def frees(race: SeenRace, limits: Limits) -> Iterator[Verdict]:
    """What comes next begins without waiting for what was stopped."""
    name = "cancel.frees"
    if race.cell.way not in STOPS or race.cell.point in TIGHT or not race.hit:
        return
    if len(race.texts_after_ack) > limits.texts_after_ack:
        return  # it was not stopped at all, which `quiet` has said
    if race.rest_s * 1e3 < limits.rest_ms:
        yield Verdict(name, Outcome.SKIP, "too little was left of the stopped turn to tell")
        return
    if race.free_s is None:
        yield Verdict(name, Outcome.SKIP, "what came next did not have to wait")
        return
    message = (
        f"what came next began {race.free_s * 1e3:.0f} ms after the stop, "
        f"where {race.rest_s * 1e3:.0f} ms of speech were left"
    )
    late = race.free_s >= limits.freed * race.rest_s
    outcome = Outcome.FAIL if late else Outcome.PASS
    outcome, message = excused(outcome, message, [race.raced.trace])
    after = race.after
    shown = () if after is None else (_slice(after.seen, 0, SHOWN),)
    yield Verdict(name, outcome, message, (*acted(race), *shown))


def spares(race: SeenRace, limits: Limits) -> Iterator[Verdict]:  # noqa: ARG001
    """The bystander says what it always says."""
    if race.bystander is not None:
        yield _as_ever("cancel.spares", "the bystander", race.bystander)


def untouched(race: SeenRace, limits: Limits) -> Iterator[Verdict]:  # noqa: ARG001
    """A cancel for another session, or for a turn that is over, changes nothing of this one."""
    over = race.cell.point is Point.DONE and race.hit
    if race.stopped_at_ns is None or not (race.cell.way is Way.WRONG or over):
        return
    if over and race.hung_up:  # before the body's own end
        return
    side = Side(race.raced, race.control)
    yield _as_ever("cancel.untouched", "the turn that was not meant", side)


def next_turn(race: SeenRace, limits: Limits) -> Iterator[Verdict]:  # noqa: ARG001
    """The next turn of the session is answered as if nothing had been stopped."""
    if race.next is not None:
        yield _as_ever("cancel.next_turn", "the next turn", race.next)


RACE_CHECKS: tuple[RaceCheck, ...] = (
    acknowledged,
    agrees,
    quiet,
    frees,
    spares,
    untouched,
    next_turn,
)


def next_accounts(race: SeenRace, can: Capabilities) -> Iterator[Verdict]:
    """The token accounts of the next turn add up."""
    if race.next is None or race.next.seen.ending not in ENDED:
        return
    if can.reuse is not ReuseReport.ACCOUNTS:
        return  # said once for the whole run
    trace = race.next.seen.trace
    (turn,) = play_back({trace.label: Promise()}, [trace])
    yield from accounts(turn, can)


def places_kept(closing: Observation | None, strangers: list[Observation], places: int) -> Verdict:
    """A session that was given back leaves its place: as many fit as before, and not one more.

    `strangers` are sessions that were opened one after the other, `places` and one.
    """
    name = "cancel.places"
    if closing is not None and closing.trace.status != 200:
        message = f"giving the session back was answered {closing.trace.status}"
        return Verdict(name, Outcome.FAIL, message, _end(closing))
    opened = [each for each in strangers if each.trace.status == 200]
    if len(opened) == places and len(strangers) == places + 1:
        one_more = strangers[-1]
        message = f"{len(opened)} sessions were opened, and one more was refused"
        return Verdict(name, Outcome.PASS, message, _end(one_more))
    message = f"{len(opened)} of {places} places could be taken afterwards"
    odd = strangers[len(opened)] if len(opened) < places else strangers[-1]
    return Verdict(name, Outcome.FAIL, message, _end(odd))


def idles(trace: Trace, limits: Limits) -> Verdict:
    """The target's processes rest when nothing is asked of them."""
    name = "cancel.idle"
    samples = [action for action in trace.actions if action.name == "cpu"]
    used = [s for sample in samples if (s := sample.detail.get("seconds")) is not None]
    if len(used) < 2:
        message = "the target's processes cannot be looked at: they are not ours, or not here"
        return Verdict(name, Outcome.SKIP, message)
    took_s = (samples[-1].at_ns - samples[0].at_ns) / 1e9
    share = (used[-1] - used[0]) / took_s if took_s else 0.0
    message = f"{share:.2f} processors in use over {took_s * 1e3:.0f} ms with nothing to do"
    outcome = Outcome.PASS if share <= limits.idle else Outcome.FAIL
    return Verdict(name, outcome, message, (Evidence(trace.trace_id, excerpt=str(samples)),))


# -- what a cancel must be answered


def _misanswered(race: SeenRace) -> str:
    """What is wrong with the answers to a race's cancels; empty where nothing is."""
    way, point = race.cell.way, race.cell.point
    for ack in race.acks:
        status = int(ack.detail.get("status") or 0)
        refused = way is Way.WRONG and 400 <= status < 500
        if status != 200 and not refused:
            return f"a cancel was answered {status}"
        if told_of(ack) is None and not refused:
            return "the answer does not say whether something was cancelled"
    if way is Way.WRONG:
        return "" if race.accepted is None else "a cancel for another session was accepted"
    if not race.hit:
        return ""
    if point is Point.DONE:
        return "" if race.accepted is None else "a turn that was over was called cancelled"
    if race.accepted is not None or race.hung_up or race.whole:
        return ""
    return "nothing was cancelled, and the turn was under way"


def _told(race: SeenRace) -> Iterator[str]:
    for ack in race.acks:
        told = told_of(ack)
        yield f"HTTP {ack.detail.get('status')}" if told is None else str(told).lower()


# -- what a turn must say


def _as_ever(name: str, who: str, side: Side) -> Verdict:
    """A turn ends as an uncancelled one, and says what its control says."""
    seen, control = side.seen, side.control
    if seen.ending not in ENDED:
        message = f"{who} was not answered: {seen.ending.value}, {seen.detail}"
        return Verdict(name, Outcome.FAIL, message, _end(seen))
    said = texts_of(seen)
    if said == control.texts:
        return Verdict(name, Outcome.PASS, f"{who} said what it always says", _end(seen))
    if not control.steady:
        message = f"{who} says something else each time, so it cannot be compared"
        return Verdict(name, Outcome.INCONCLUSIVE, message, _end(seen))
    shown = tuple(
        Evidence(each.trace.trace_id, excerpt="\n".join(texts_of(each)))
        for each in (seen, control.seen[0])
    )
    message = f"{who} said {_short(said)}, and not {_short(control.texts)}"
    return Verdict(name, Outcome.FAIL, message, shown)


def _came_to_an_end(seen: Observation) -> bool:
    """Whether the stream was ended as streams are: a finish, `[DONE]`, and no broken line."""
    ended = {type(each.event) for each in seen.of(Finish, Done)}
    return ended == {Finish, Done} and not seen.trace.transport_error


def acted(race: SeenRace) -> tuple[Evidence, ...]:
    """What we did and what was answered, with the events around it."""
    trace = race.raced.trace
    said = "\n".join(
        f"{a.at_ns / 1e6:.1f} ms {a.name} {dict(a.detail)}"
        for a in trace.actions
        if a.name != "clock"
    )
    return (Evidence(trace.trace_id, excerpt=said),)


def _end(seen: Observation) -> tuple[Evidence, ...]:
    """The last events of a reply."""
    last = len(seen.events) - 1
    if last < 0:
        return (Evidence(seen.trace.trace_id, excerpt=seen.detail),)
    return (_slice(seen, max(0, last - 3), last),)


def _slice(seen: Observation, first: int, last: int) -> Evidence:
    last = min(last, len(seen.events) - 1, first + SHOWN)
    lines = [f"{e.at_ns / 1e6:.1f} ms {e.event}" for e in seen.events[first : last + 1]]
    return Evidence(seen.trace.trace_id, first, last, "\n".join(lines))


def _short(texts: tuple[str, str], limit: int = 80) -> str:
    line = " ".join(" ".join(texts).split())
    return repr(line if len(line) <= limit else f"{line[: limit - 1]}…")
