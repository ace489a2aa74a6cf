"""What is to be known before the verdict of a gate is believed?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.gate.result import Ruling
from harness.units import Better
from harness.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.gate.extract import StartSeen
    from harness.gate.record import GateRecord, StartRecord
    from harness.gate.result import CheckRow
    from harness.gate.ruling import Found

__all__ = ["doubts"]

DRIFT = 0.05
"""A share by which our own fixed piece of work may take longer in one block than in another."""
MUCH_WORSE = 0.5
"""A share by which a metric that is only shown may be worse without a word."""
BY_CHANCE = 0.1
"""The q up to which such a change is told: see `false_discovery`."""
MANY_DIRTY = 0.25
"""A share of the samples in whose turns the machine was busy with others."""


def doubts(
    found: Found, starts: Sequence[StartRecord], whole: Sequence[StartSeen]
) -> tuple[str, ...]:
    """Each in one sentence, in the order of what they put in doubt.

    `whole` are those of the starts that were played to their end, with what follows from them.
    """
    return tuple(_doubts(found, starts, whole))


def _doubts(
    found: Found, starts: Sequence[StartRecord], whole: Sequence[StartSeen]
) -> Iterator[str]:
    for each in found.differences:
        if each.allowed:
            both = f"{each.baseline} at the baseline, {each.candidate} at the candidate"
            yield f"not comparable but for --allow: {each.what} is {both}"
    yield from found.record.notes
    yield from _of_addresses(found.record)
    yield from _of_checks(found.checks)
    yield from (f"answers: {said}" for said in (found.answers.doubts if found.answers else ()))
    yield from _of_numbers(found, whole)
    yield from _of_shown(found)
    yield from _of_the_machine(found, starts)
    if not found.record.noise and found.pairs:
        yield (
            "no noise of pairs with themselves is kept for this baseline and machine: what the "
            "margins can resolve is known from these pairs alone; accept an A/A gate to keep it"
        )


def _of_addresses(record: GateRecord) -> Iterator[str]:
    names = [pin.url for pin in (record.baseline, record.candidate) if pin.url]
    for name in dict.fromkeys(names):
        yield (
            f"{name} is an address, and was not started anew: its starts are repeats of one, and "
            "what differs from one start to the next is in no interval here"
        )
    if names:
        yield "with an address the prompts of a pair differ, so that answers were not compared"


def _of_checks(rows: Sequence[CheckRow]) -> Iterator[str]:
    passed = [row for row in rows if row.ruling is Ruling.PASS]
    both = [
        f"{row.check} in {row.part}"
        for row in passed
        if row.baseline.get(Outcome.FAIL) and row.candidate.get(Outcome.FAIL)
    ]
    if both:
        yield f"fails on both sides, and so says nothing of the candidate: {', '.join(both)}"
    unsure = [row for row in passed if row.candidate.get(Outcome.INCONCLUSIVE)]
    if unsure:
        names = ", ".join(f"{row.check} in {row.part}" for row in unsure)
        yield f"could not tell in some turns of the candidate: {names}"
    unasked = [row for row in passed if row.why.startswith("no longer claimed")]
    if unasked:
        names = ", ".join(f"{row.check} in {row.part}" for row in unasked)
        yield f"not asked of the candidate, since its pin leaves it out: {names}"


def _of_numbers(found: Found, whole: Sequence[StartSeen]) -> Iterator[str]:
    for each in found.metrics:
        reasons = [seen.missing[each.name] for seen in whole if each.name in seen.missing]
        if reasons:
            told = "; ".join(dict.fromkeys(reasons))
            yield f"{each.title}: no number in {len(reasons)} of {len(whole)} starts: {told}"


def _of_shown(found: Found) -> Iterator[str]:
    """What gates nothing, and has become so much worse that somebody has to know."""
    for each in found.metrics:
        if each.gated or each.ratio is None or each.low is None or each.high is None:
            continue
        least = 1 / each.high if each.higher_is_better else each.low
        share = (1 / each.ratio if each.higher_is_better else each.ratio) - 1
        # Few pairs have no q; there the interval has to be on the side that is worse.
        clear = least > 1 if each.q is None else each.q <= BY_CHANCE
        if share > MUCH_WORSE and clear and each.unit.better is not Better.NEITHER:
            chance = "" if each.q is None else f", q = {each.q:.2g}"
            yield f"{each.title}: {100 * share:.1f} % worse over {each.n} pairs{chance}, not gated"


def _of_the_machine(found: Found, starts: Sequence[StartRecord]) -> Iterator[str]:
    anchors = [
        seconds
        for start in starts
        for seconds in (start.anchor_before_s, start.anchor_after_s)
        if seconds
    ]
    if anchors and max(anchors) / min(anchors) - 1 > DRIFT:
        yield (
            f"the machine drifted: a fixed piece of our own work took {min(anchors):.3f} s at "
            f"best and {max(anchors):.3f} s at worst"
        )
    for each in found.metrics:
        samples = sum(len(value.samples) for value in each.starts)
        dirty = sum(value.dirty for value in each.starts)
        if each.gated and samples and dirty / samples > MANY_DIRTY:
            yield (
                f"{each.title}: in {dirty} of {samples} turns the machine was busy with others, "
                "or we were in the way"
            )
    again = [start for start in starts if start.stopped and start.ended_at is not None]
    if again:
        told = "; ".join(f"start {start.index} of the {start.side.value}" for start in again)
        yield f"ended before its end, and counts for no metric: {told}"
