"""Does each get its own answer, in good time, and can the server be reached meanwhile?

    check              promise
    load.unmixed       every answer holds its own client's fact, and no other client's
    load.goodput       so many answers came as soon as a fair queue allows
    load.ends          whoever comes in a burst is answered, or refused for want of a place
    load.refused       a session for which there is no place is refused at once
    load.probes        so many probes are answered in time, whatever else goes on

A refusal is an answer to whoever can read it: a status that says `not now` and the code of an
error; where it says when to come again, a time that can be read.
"""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from harness.dirty import excused, is_dirty, told_stains
from harness.events import Channel, HttpError
from harness.load.seen import Fate
from harness.units import SECONDS, format_value
from harness.verdict import Evidence, Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.load.scenario import Goodput, Probing
    from harness.load.seen import Alone, Probe, SeenRequest

__all__ = [
    "FEWEST_PROBES",
    "all_end",
    "goodput",
    "is_good",
    "limits",
    "probed",
    "refused",
    "unmixed",
]

MOST_EVIDENCE = 6
FEWEST_PROBES = 20
"""Clean probes below which a share of them says nothing."""
MILLISECOND = 1e-3


def unmixed(requests: Sequence[SeenRequest]) -> Verdict:
    """Own facts and no others, in whatever the reader is shown."""
    name = "load.unmixed"
    served = [each for each in requests if each.fate is Fate.SERVED]
    if not served:
        return Verdict(name, Outcome.INCONCLUSIVE, "no request was answered")
    owners = {each.planned.canary: each.planned.client for each in requests}
    wrong: list[tuple[SeenRequest, str]] = []
    for each in served:
        told = set(re.findall(r"(?<!\d)\d{4}(?!\d)", each.turn.seen.text()))
        thought = set(re.findall(r"(?<!\d)\d{4}(?!\d)", each.turn.seen.text(Channel.REASONING)))
        own = each.planned.canary
        if others := [owners[n] for n in sorted((told | thought) - {own}) if n in owners]:
            wrong.append((each, f"holds the fact of {', '.join(others)}"))
        elif own not in told:
            wrong.append((each, f"lacks {own}: {each.turn.seen.text()[:80]!r}"))
    if not wrong:
        said = f"{len(served)} answers, each with its own client's fact and no other's"
        return Verdict(name, Outcome.PASS, said, _evidence(served))
    first, what = wrong[0]
    label = first.planned.label
    said = f"{len(wrong)} of {len(served)} answers; {label.leg} request {label.turn} {what}"
    evidence = tuple(
        Evidence(each.trace.trace_id, excerpt=each.turn.seen.text())
        for each, _ in wrong[:MOST_EVIDENCE]
    )
    return Verdict(name, Outcome.FAIL, said, evidence)


def limits(asked: Goodput, clients: int, alone: Alone) -> tuple[float | None, float | None]:
    """TTFT and TPOT in seconds that a good answer keeps; None where nothing is known alone."""
    ttft_s = None
    if alone.ttft_s is not None and alone.whole_s is not None:
        ttft_s = asked.ttft * (alone.ttft_s + (clients - 1) * alone.whole_s)
    return ttft_s, None if alone.tpot_s is None else asked.tpot * alone.tpot_s


def is_good(request: SeenRequest, ttft_s: float | None, tpot_s: float | None) -> bool:
    """Whether a request was answered within these limits."""
    if request.fate is not Fate.SERVED:
        return False
    for name, limit in (("client.ttft", ttft_s), ("client.tpot", tpot_s)):
        value = request.figure(name)
        if limit is not None and (value is None or value > limit):
            return False
    return True


def goodput(requests: Sequence[SeenRequest], asked: Goodput, clients: int, alone: Alone) -> Verdict:
    """The share of all that were sent, not of those that were answered."""
    name = "load.goodput"
    ttft_s, tpot_s = limits(asked, clients, alone)
    if ttft_s is None or not requests:
        said = "no turn of a client alone, or none of the loop, to measure by"
        return Verdict(name, Outcome.INCONCLUSIVE, said)
    bad = [each for each in requests if not is_good(each, ttft_s, tpot_s)]
    share = 1 - len(bad) / len(requests)
    tpot = "TPOT unknown" if tpot_s is None else f"TPOT {format_value(tpot_s, SECONDS)}"
    said = (
        f"{share:.1%} of {len(requests)} within TTFT {format_value(ttft_s, SECONDS)} and {tpot}, "
        f"asked for {asked.share:.0%}"
    )
    outcome = Outcome.PASS if share >= asked.share else Outcome.FAIL
    traces = [*(each.trace for each in bad), *alone.traces]
    slowest = sorted(requests, key=lambda each: -(each.figure("client.ttft") or 0.0))
    return Verdict(name, *excused(outcome, said, traces), _evidence(bad or slowest))


def all_end(requests: Sequence[SeenRequest], deadline_s: float) -> Verdict:
    """Answered whole, or refused as a refusal must be; nothing else, and never silence."""
    name = "load.ends"
    if not requests:
        return Verdict(name, Outcome.INCONCLUSIVE, "nothing was sent")
    wrong = [(each, what) for each in requests if (what := _bad_end(each, deadline_s))]
    if not wrong:
        served = sum(each.fate is Fate.SERVED for each in requests)
        said = f"{served} answered, {len(requests) - served} refused, nobody left hanging"
        return Verdict(name, Outcome.PASS, said, _evidence(requests))
    said = "; ".join(f"{each.planned.label.leg} {what}" for each, what in wrong[:3])
    evidence = _evidence([each for each, _ in wrong])
    return Verdict(name, Outcome.FAIL, f"{len(wrong)} of {len(requests)}: {said}", evidence)


def _evidence(found: Sequence[SeenRequest] | Sequence[Probe]) -> tuple[Evidence, ...]:
    return tuple(Evidence(each.trace.trace_id) for each in found[:MOST_EVIDENCE])


def _bad_end(request: SeenRequest, deadline_s: float) -> str:
    if request.fate is Fate.SERVED:
        return ""
    if request.fate is Fate.GIVEN_UP:
        return f"was not answered in {deadline_s:g} s"
    if request.fate is Fate.REFUSED:
        return _bad_refusal(request)
    return f"ended as {request.turn.seen.ending.value}: {request.turn.seen.detail}"


def _bad_refusal(request: SeenRequest) -> str:
    """What a program that is refused cannot work with."""
    error = next(request.turn.seen.of(HttpError), None)
    if error is None or not isinstance(error.event, HttpError) or not error.event.code:
        return f"was refused with {request.trace.status} and no code"
    sent = next((v for n, v in request.trace.headers if n.lower() == "retry-after"), None)
    if sent is not None and not _is_retry_after(sent):
        return f"was refused with Retry-After: {sent}, which is neither seconds nor a date"
    return ""


def _is_retry_after(text: str) -> bool:
    """RFC 9110, 10.2.3."""
    if text.isdecimal():
        return True
    try:
        parsedate_to_datetime(text)
    except ValueError:
        return False
    return True


def refused(requests: Sequence[SeenRequest], places: int, alone: Alone) -> Verdict:
    """No stranger gets a place that is taken, nor waits in the queue to hear so."""
    name = "load.refused"
    strangers = [each for each in requests if each.planned.stranger]
    if not places:
        return Verdict(name, Outcome.SKIP, "/api/runtime claims no maxNamedSessions")
    if not strangers:
        return Verdict(name, Outcome.SKIP, "the burst has no strangers")
    evidence = _evidence(strangers)
    told = [str(each.trace.status) for each in strangers]
    if any(each.fate is not Fate.REFUSED or each.trace.status != 429 for each in strangers):
        said = f"answered {', '.join(told)}, promised 429: all {places} places were taken"
        return Verdict(name, Outcome.FAIL, said, evidence)
    slowest = max(each.closed_s - each.sent_s for each in strangers)
    late = alone.whole_s is not None and slowest > alone.whole_s
    said = f"{len(strangers)} refused with 429, the last after {format_value(slowest, SECONDS)}"
    if late:
        said = f"{said}, longer than a turn alone takes"
    outcome = Outcome.FAIL if late else Outcome.PASS
    return Verdict(name, *excused(outcome, said, [each.trace for each in strangers]), evidence)


def probed(path: str, probes: Sequence[Probe], asked: Probing) -> Verdict:
    """The share of all probes; where it is too small, that of those which nothing disturbed."""
    name = "load.probes"
    if not probes:
        return Verdict(name, Outcome.SKIP, f"{path} was not asked")
    if all(probe.trace.status == 404 for probe in probes):
        return Verdict(name, Outcome.SKIP, f"the target has no {path}")
    within_s = asked.within_ms * MILLISECOND
    counted, share = list(probes), _share_within(probes, within_s)
    if share < asked.share:
        counted = [probe for probe in probes if not is_dirty(probe.trace)]
        if len(counted) < FEWEST_PROBES:
            said = f"{share:.1%} of {len(probes)} within {asked.within_ms:g} ms, but only"
            said = f"{said} {len(counted)} clean; {told_stains([p.trace for p in probes])}"
            return Verdict(name, Outcome.INCONCLUSIVE, said, _evidence(_slowest(probes)))
        share = _share_within(counted, within_s)
    times = [probe.took_s for probe in counted if probe.took_s is not None]
    slowest = format_value(max(times), SECONDS) if times else "never"
    said = (
        f"{share:.1%} of {len(counted)} within {asked.within_ms:g} ms, asked for {asked.share:.0%};"
        f" slowest {slowest}, {len(counted) - len(times)} not answered"
    )
    outcome = Outcome.PASS if share >= asked.share else Outcome.FAIL
    evidence = _evidence(_slowest(counted))
    return Verdict(name, *excused(outcome, said, [p.trace for p in probes]), evidence)


def _slowest(probes: Sequence[Probe]) -> list[Probe]:
    """Those without an answer first, then the slowest."""
    return sorted(probes, key=lambda probe: (probe.took_s is not None, -(probe.took_s or 0.0)))


def _is_within(probe: Probe, within_s: float) -> bool:
    return probe.took_s is not None and probe.took_s <= within_s


def _share_within(probes: Sequence[Probe], within_s: float) -> float:
    return sum(_is_within(probe, within_s) for probe in probes) / len(probes)
