"""How do two finished runs compare, that were not played in turn?

With the metrics, checks and reports of a gate, and without its verdict: it is never a pass, for
what changed between the two sessions is in every ratio.  Its ruling, and so its exit code, is

    REFUSED       2  figures of a side that cannot be true, or other circumstances than `--allow`
                     names: another machine, another harness
    FAIL          1  a check that the second fails and the first keeps: that is no question of noise
    INCONCLUSIVE  3  all else, however good or bad the ratios look
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

from harness.errors import UsageError
from harness.gate.change import change
from harness.gate.checks import Sides, check_rows
from harness.gate.differences import pinned_apart
from harness.gate.false_discovery import corrected
from harness.gate.finished import SHARED_START
from harness.gate.guard import allowed_of, between, circumstances
from harness.gate.instrument import INSTRUMENT
from harness.gate.record import GateRecord, Side
from harness.gate.result import (
    CheckRow,
    Difference,
    GateResult,
    Measured,
    Ruling,
    StartValue,
)
from harness.gate.tally import Looked
from harness.gate.unpaired import REACHED, compare_unpaired
from harness.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.gate.finished import Figure, Finished

__all__ = ["CONFIDENCE", "compare"]

CONFIDENCE = 0.90


def compare(baseline: Finished, candidate: Finished, allow: Sequence[str] = ()) -> GateResult:
    """The second against the first.

    Raises:
        UsageError: they are not of the same scenario, suite or policy.
    """
    _same(baseline, candidate)
    differences = (
        *pinned_apart(baseline.pin, candidate.pin),
        *_circumstances(baseline, candidate, allow),
    )
    checks = tuple(_rows(baseline, candidate))
    metrics = _with_q(list(_metrics(baseline, candidate)))
    ruling, reasons = _conclude(checks, differences)
    record = _record(baseline, candidate, allow)
    return GateResult(
        record=record,
        question=f"How does the second of two finished runs of {baseline.name} compare?",
        ruling=ruling,
        headline=_headline(ruling, reasons),
        reasons=reasons,
        baseline=baseline.pin,
        candidate=candidate.pin,
        differences=differences,
        metrics=metrics,
        checks=checks,
        answers=None,
        interleaved=False,
        doubts=tuple(_doubts(baseline, candidate)),
    )


def _same(baseline: Finished, candidate: Finished) -> None:
    if baseline.kind != candidate.kind:
        raise UsageError(f"a {baseline.kind} and a {candidate.kind} cannot be compared")
    what = {"gate": "policy", "run": "scenario", "suite": "suite"}[baseline.kind]
    if baseline.name != candidate.name:
        raise UsageError(
            f"they are of two {what} names, {baseline.name} and {candidate.name}: nothing in them "
            "is about the same"
        )
    if baseline.sha256 != candidate.sha256:
        raise UsageError(f"the {what} {baseline.name} was changed between the two")


# -- what differs


def _circumstances(
    baseline: Finished, candidate: Finished, allow: Sequence[str]
) -> tuple[Difference, ...]:
    found = between(
        *(circumstances(s.fingerprint, s.machine, s.scenarios) for s in (baseline, candidate))
    )
    return allowed_of(found, allow)


# -- numbers


def _metrics(baseline: Finished, candidate: Finished) -> Iterator[tuple[Measured, float | None]]:
    """Each metric that a side has, with its p."""
    for name in dict.fromkeys([*baseline.figures, *candidate.figures]):
        before, behind = baseline.figures.get(name), candidate.figures.get(name)
        told = behind or before
        assert told is not None
        yield _measured(name, told, before, behind)


def _measured(
    name: str, told: Figure, before: Figure | None, behind: Figure | None
) -> tuple[Measured, float | None]:
    index = itertools.count(1)
    starts = tuple(
        StartValue(next(index), side, place, confirms=False, **each._asdict())
        for side, figure in ((Side.BASELINE, before), (Side.CANDIDATE, behind))
        for place, each in enumerate(figure.values if figure else (), 1)
    )
    sides = {side: [s.value for s in starts if s.side is side] for side in Side}
    n, m = (len(values) for values in sides.values())
    measured = Measured(
        name=name,
        title=told.title,
        unit=told.unit,
        gated=False,
        ruling=None,
        why=f"{n} against {m} values; a ratio takes one on both sides",
        margin=None,
        starts=starts,
        pairs=(),
        n=min(n, m),
        ratio=None,
        low=None,
        high=None,
        confidence=CONFIDENCE,
    )
    if not n or not m:
        return measured, None
    found = compare_unpaired(sides[Side.BASELINE], sides[Side.CANDIDATE], CONFIDENCE)
    measured = replace(measured, ratio=found.ratio, low=found.low, high=found.high)
    assert measured.worse is not None
    why = f"{change(measured.worse, told.unit.better)}, {n} against {m} values, not paired"
    if found.p is None:
        why += "; an interval takes two on both sides"
    else:
        why += f"; Welch's p = {found.p:.2g}"
        why += _cross_check(found.ranks)
    return replace(measured, why=why), found.p


def _cross_check(ranks: float | None) -> str:
    if ranks is None:
        return f"; too few for a rank test to reach {REACHED:g}"
    return f"; by ranks p = {ranks:.2g}"


def _with_q(found: Sequence[tuple[Measured, float | None]]) -> tuple[Measured, ...]:
    """With a q for those that have a p, corrected for how many are looked at."""
    chances = corrected([p for _, p in found])
    return tuple(replace(each, q=q) for (each, _), q in zip(found, chances, strict=True))


# -- checks


def _rows(baseline: Finished, candidate: Finished) -> Iterator[CheckRow]:
    """As a gate has them; nothing was played again, so a failure here is one that was seen."""
    for row in check_rows(Sides(Looked(baseline.tallies), Looked(candidate.tallies))):
        failed = {
            side: counts.get(Outcome.FAIL, 0)
            for side, counts in ((Side.BASELINE, row.baseline), (Side.CANDIDATE, row.candidate))
        }
        if row.check in INSTRUMENT and any(failed.values()):
            yield replace(row, ruling=Ruling.REFUSED)
        elif failed[Side.CANDIDATE] and not failed[Side.BASELINE]:
            yield replace(row, ruling=Ruling.FAIL)
        else:
            yield row


def _conclude(
    checks: Sequence[CheckRow], differences: Sequence[Difference]
) -> tuple[Ruling, tuple[str, ...]]:
    apart = [each for each in differences if not each.under_test and not each.allowed]
    untrue = [row for row in checks if row.ruling is Ruling.REFUSED]
    failed = [row for row in checks if row.ruling is Ruling.FAIL]
    told = [f"{row.check} in {row.part}: {row.why}" for row in (*untrue, *failed)]
    names = [f"{each.what} is another: {each.baseline}, {each.candidate}" for each in apart]
    reasons = (*names, *told)
    if apart or untrue:
        return Ruling.REFUSED, reasons
    return (Ruling.FAIL, reasons) if failed else (Ruling.INCONCLUSIVE, reasons)


def _headline(ruling: Ruling, reasons: Sequence[str]) -> str:
    more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    match ruling:
        case Ruling.INCONCLUSIVE:
            return "two finished runs side by side are a hint, and no gate"
        case _:
            return f"{reasons[0]}{more}"


# -- the rest


def _record(baseline: Finished, candidate: Finished, allow: Sequence[str]) -> GateRecord:
    return GateRecord(
        policy=baseline.name,
        policy_sha256=baseline.sha256,
        baseline=baseline.pin,
        candidate=candidate.pin,
        pairs=0,
        budget_min=0,
        seed=0,
        salt="",
        started_at=candidate.started_at,
        fingerprint=candidate.fingerprint,
        machine=candidate.machine,
        scenarios=candidate.scenarios,
        allowed=tuple(allow),
        ended_at=candidate.ended_at,
        notes=tuple(_stopped(baseline, candidate)),
    )


def _stopped(baseline: Finished, candidate: Finished) -> Iterator[str]:
    for side, each in ((Side.BASELINE, baseline), (Side.CANDIDATE, candidate)):
        if each.stopped or each.ended_at is None:
            yield f"the {side.value}: {each.stopped or 'it did not come to its end'}"


def _doubts(baseline: Finished, candidate: Finished) -> Iterator[str]:
    yield from _stopped(baseline, candidate)
    yield f"the first was begun {baseline.started_at}, the second {candidate.started_at}"
    if baseline.kind != "gate":
        yield SHARED_START
    missing = set(baseline.scenarios) ^ set(candidate.scenarios)
    if missing:
        yield f"only one of them has {', '.join(sorted(missing))}"
