"""Is each served in its turn, does the server tell how long it waited, and is a place freed?

    check              promise
    load.order         who came first gets the first token first
    load.queue         the server's queue time is the time in which others were served
    load.place_freed   who goes away while waiting keeps nobody waiting

One worker serves one request at a time, so order can be read from outside: of two requests, the
one that was sent first by more than the tie is to have its first token first.  A server that
serves several side by side keeps that promise just so; one that mixes the order does not.

A request waits while others are served; its client can see from when to when those had their
tokens.  That is the least that the server's own figure must say, and what it may say beyond it is
what it took to render the prompt.

Who leaves the queue is not served.  So the last one's first token comes after the others' end as
soon as a first token comes to a client alone; each turn that is computed for one who left would
put a whole turn on top.  Halfway between the two is the limit.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from harness.checks.clocks import SLACK_S
from harness.dirty import excused
from harness.load.plan import LAST
from harness.load.seen import Fate
from harness.units import SECONDS, format_value
from harness.verdict import Evidence, Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.load.seen import Alone, SeenRequest

__all__ = ["freed", "in_order", "overtaken", "queue_told", "waited_s"]

MOST_EVIDENCE = 6
"""Traces that a verdict names."""


def overtaken(
    requests: Sequence[SeenRequest], tie_s: float
) -> tuple[tuple[SeenRequest, SeenRequest], ...]:
    """The pairs (first come, first served instead); what our own loop was late by is no order."""
    served = sorted((r for r in requests if r.first_s is not None), key=lambda r: r.sent_s)
    return tuple(
        (first, second)
        for first, second in combinations(served, 2)
        if second.sent_s - first.sent_s > tie_s
        and (first.first_s or 0.0) - (second.first_s or 0.0)
        > max(first.trace.lag_ns, second.trace.lag_ns) / 1e9
    )


def in_order(requests: Sequence[SeenRequest], tie_s: float) -> Verdict:
    """First come, first served."""
    name = "load.order"
    served = [each for each in requests if each.first_s is not None]
    if len(served) < 2:
        return Verdict(name, Outcome.INCONCLUSIVE, "fewer than two requests had a token")
    wrong = overtaken(requests, tie_s)
    pairs = len(served) * (len(served) - 1) // 2
    if not wrong:
        said = f"none of {pairs} pairs of requests was served in another order than it came"
        return Verdict(name, Outcome.PASS, said, _evidence(served))
    first, second = max(wrong, key=lambda pair: (pair[0].first_s or 0) - (pair[1].first_s or 0))
    said = (
        f"{len(wrong)} of {pairs} pairs were served in another order than they came; "
        f"{_told(second)} came {_s(second.sent_s - first.sent_s)} after {_told(first)} and had its "
        f"first token {_s((first.first_s or 0) - (second.first_s or 0))} before it"
    )
    involved = {id(each): each for pair in wrong for each in pair}.values()
    evidence = _evidence((first, second, *involved))
    traces = [each.trace for each in involved]
    return Verdict(name, *excused(Outcome.FAIL, said, traces), evidence)


def waited_s(own: SeenRequest, requests: Sequence[SeenRequest]) -> float | None:
    """How long others were served while this one waited; None where they were side by side."""
    if own.first_s is None:
        return None
    until = own.sent_s
    for other in requests:
        if other is own or other.first_s is None or other.last_s is None:
            continue
        if other.first_s < own.first_s and other.last_s > own.sent_s:
            if other.last_s > own.first_s:
                return None
            until = max(until, other.last_s)
    return until - own.sent_s


def queue_told(requests: Sequence[SeenRequest], everybody: Sequence[SeenRequest]) -> Verdict:
    """The server's figure against what the client saw; `everybody` may have been in the way."""
    name = "load.queue"
    told = [
        (each, claimed, waited, each.figure("server.prompt") or 0.0)
        for each in requests
        if each.fate is Fate.SERVED
        and (claimed := each.figure("server.queue")) is not None
        and (waited := waited_s(each, everybody)) is not None
    ]
    if not told:
        why = "no reply tells how long it was queued, or requests were served side by side"
        return Verdict(name, Outcome.SKIP, why)
    wrong = []
    for each, claimed, waited, prompt in told:
        slack = SLACK_S + each.trace.lag_ns / 1e9
        if not waited - slack <= claimed <= waited + prompt + slack:
            wrong.append((abs(claimed - waited), each, claimed, waited))
    if not wrong:
        most = sorted(told, key=lambda each: -each[1])
        said = f"{len(told)} replies told it, the longest {_s(most[0][1])}: as the client saw it"
        return Verdict(name, Outcome.PASS, said, _evidence([each for each, _, _, _ in most]))
    _, worst, claimed, waited = max(wrong, key=lambda each: each[0])
    said = (
        f"{len(wrong)} of {len(told)} replies tell another time than the client saw; {_told(worst)}"
        f" says {_s(claimed)}, others were served for {_s(waited)}"
    )
    traces = [each.trace for _, each, _, _ in wrong]
    evidence = _evidence((worst, *(each for _, each, _, _ in wrong)))
    return Verdict(name, *excused(Outcome.FAIL, said, traces), evidence)


def freed(requests: Sequence[SeenRequest], alone: Alone) -> Iterator[Verdict]:
    """Whether the last one waited for those who had left."""
    name = "load.place_freed"
    phase = [each for each in requests if each.planned.phase == "gone"]
    last = next((each for each in phase if each.planned.client == LAST), None)
    ahead = [r for r in phase if not r.planned.leaves and r is not last]
    left = [each for each in phase if each.fate is Fate.LEFT]
    if last is None:
        return
    evidence = _evidence((last, *left))
    ends = [each.last_s for each in ahead if each.last_s is not None]
    if last.first_s is None or not ends or alone.ttft_s is None or alone.whole_s is None:
        said = "those ahead, the last, or the client alone had no token to measure by"
        yield Verdict(name, Outcome.INCONCLUSIVE, said, evidence)
        return
    waiting = [each for each in left if each.first_s is None and each.closed_s < max(ends)]
    if last.first_s < max(ends) or not waiting:
        why = "nobody left while others were served: the target keeps no queue, or is too quick"
        yield Verdict(name, Outcome.SKIP, why, evidence)
        return
    gap = last.first_s - max(ends)
    # Half a turn of slack: that of a single one who left, computed to its end, is more.
    limit = alone.ttft_s + alone.whole_s / 2 + last.trace.lag_ns / 1e9
    said = (
        f"{len(waiting)} left the queue; the next one's first token came {_s(gap)} after the end "
        f"of those ahead, alone it takes {_s(alone.ttft_s)} and a whole turn {_s(alone.whole_s)}"
    )
    outcome = Outcome.PASS if gap <= limit else Outcome.FAIL
    yield Verdict(name, *excused(outcome, said, [last.trace]), evidence)


def _told(request: SeenRequest) -> str:
    return f"{request.planned.label.leg} request {request.planned.label.turn}"


def _evidence(requests: Sequence[SeenRequest]) -> tuple[Evidence, ...]:
    named = dict.fromkeys(each.trace.trace_id for each in requests)
    return tuple(Evidence(trace_id) for trace_id in list(named)[:MOST_EVIDENCE])


def _s(seconds: float) -> str:
    return format_value(seconds, SECONDS)
