"""Does the candidate keep every promise that the baseline keeps?

Correctness is no statistics: each check of each part of the suite, and of the runs of the measured
starts, is laid beside the same check of the other side.  A row's ruling is what it says against the
candidate:

    REFUSED         a check of `instrument` fails, and is found again: its figures are not true
    FAIL            the candidate fails, is found to fail again, and the baseline does not, or
                    not there: it passes that turn or cell, and fails in another
                    the candidate skips what the baseline does not, and withdrew a claim
    INCONCLUSIVE    the candidate fails, and it was not found again, or not looked for
                    the candidate fails again, and the baseline only once
                    both fail, the candidate in a greater share of what it was asked
                    the baseline passes; the candidate cannot tell, was not asked or not played,
                    or passes in fewer than `HALF` as many verdicts
    PASS            all else; `why` says where that is no praise: it fails on both sides, neither
                    was asked

Found again is: of a suite, by its failed parts played once more (`suites/candidate-again`); of the
measured starts, in another of them.  What could not be told, and passes then, passes.  A skip needs
no second look, since nothing of chance is in it.  A claim that is withdrawn by what the pins differ
in (`dflash` → `off`) is what is being asked, and no loss.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harness.gate.instrument import INSTRUMENT
from harness.gate.result import WORST_FIRST, CheckRow, Ruling
from harness.gate.tally import STARTS, Looked, Tally
from harness.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.gate.tally import Key

__all__ = ["Sides", "check_rows"]

NOT_ASKED = Tally("")
"""A check that a side has no verdict of."""

HALF = 0.5
"""Share of the baseline's passes that a candidate has to show, where the rest is untold."""
ENOUGH = 2
"""Starts in which a check has to fail: in one alone it was not found again."""


@dataclass(frozen=True, slots=True)
class Sides:
    """What was looked at of both sides, in suites or in starts."""

    baseline: Looked
    candidate: Looked
    again: Looked | None = None
    """The candidate's failed parts once more; None where they were not played again."""
    baseline_again: Looked | None = None
    asked: frozenset[str] = field(default_factory=frozenset)
    """Claims that the difference between the pins is about."""


def check_rows(*sides: Sides) -> tuple[CheckRow, ...]:
    """Every check on both sides: the worst first, and those that fail on both before the sound."""
    rows = [row for each in sides for row in _rows(each)]
    return tuple(sorted(rows, key=_rank))


def _rank(row: CheckRow) -> tuple[int, bool]:
    return WORST_FIRST.index(row.ruling), not (
        row.baseline.get(Outcome.FAIL) or row.candidate.get(Outcome.FAIL)
    )


def _rows(sides: Sides) -> Iterator[CheckRow]:
    keys = dict.fromkeys([*sides.baseline.tallies, *sides.candidate.tallies])
    parts = list(dict.fromkeys(part for part, _ in keys))
    for key in sorted(keys, key=lambda key: parts.index(key[0])):
        baseline = sides.baseline.tallies.get(key, NOT_ASKED)
        candidate = sides.candidate.tallies.get(key, NOT_ASKED)
        ruling, why = _ruling(key, baseline, candidate, sides)
        part, check = key
        yield CheckRow(
            part=part,
            check=check,
            promise=candidate.promise or baseline.promise,
            baseline=dict(baseline.counts),
            candidate=dict(candidate.counts),
            ruling=ruling,
            why=why,
            evidence=(*candidate.evidence, *baseline.evidence),
        )


def _ruling(key: Key, baseline: Tally, candidate: Tally, sides: Sides) -> tuple[Ruling, str]:
    """What a row says against the candidate, and why."""
    if key[1] in INSTRUMENT and (untrue := _untrue(key, baseline, candidate, sides)):
        return untrue
    if candidate.counts[Outcome.FAIL]:
        return _failed(key, baseline, candidate, sides)
    if baseline.counts[Outcome.FAIL]:
        return Ruling.PASS, f"fails at the baseline only: {baseline.first(Outcome.FAIL)}"
    more = sides.again.tallies.get(key, NOT_ASKED) if sides.again else NOT_ASKED
    if more.counts[Outcome.FAIL]:
        said = more.first(Outcome.FAIL)
        return Ruling.INCONCLUSIVE, f"fails only when played once more: {said}"
    if candidate.counts[Outcome.SKIP] > baseline.counts[Outcome.SKIP]:
        return _skipped(baseline, candidate, sides)
    if baseline.counts[Outcome.PASS] and not candidate.counts[Outcome.PASS]:
        if more.counts[Outcome.PASS]:
            return Ruling.PASS, "could not be told at first, and passes when played once more"
        return _lost(key, candidate, sides)
    return _kept(baseline, candidate, more, sides)


def _untrue(key: Key, baseline: Tally, candidate: Tally, sides: Sides) -> tuple[Ruling, str] | None:
    """Of a check that judges a side's own figures: None where it fails on neither side."""
    found = [
        (side, _found_again(key, tally, again), tally.first(Outcome.FAIL))
        for side, tally, again in (
            ("candidate", candidate, sides.again),
            ("baseline", baseline, sides.baseline_again),
        )
        if tally.counts[Outcome.FAIL]
    ]
    for side, again, said in found:
        if again:
            untrue = f"the {side}'s figures cannot be true, {INSTRUMENT[key[1]]}"
            return Ruling.REFUSED, f"{untrue}; it {again}: {said}"
    for side, _, said in found:
        missed = _not_again(key, sides.again if side == "candidate" else sides.baseline_again)
        return Ruling.INCONCLUSIVE, f"fails at the {side}, {missed}: {said}"
    return None


def _failed(key: Key, baseline: Tally, candidate: Tally, sides: Sides) -> tuple[Ruling, str]:
    said = candidate.first(Outcome.FAIL)
    again = _found_again(key, candidate, sides.again)
    if baseline.counts[Outcome.FAIL]:
        both = f"{_share(baseline)} at the baseline, {_share(candidate)} at the candidate"
        if new := _new_failures(key, baseline, candidate, sides):
            return new
        if again and _once_only(key, baseline, sides.baseline_again):
            return Ruling.INCONCLUSIVE, f"{again}, and once only at the baseline: {both}: {said}"
        if _rate(candidate) > _rate(baseline):
            return Ruling.INCONCLUSIVE, f"fails on both sides, and more often: {both}: {said}"
        return Ruling.PASS, f"fails on both sides: {both}: {said}"
    if again:
        return Ruling.FAIL, f"{again}, never at the baseline: {said}"
    return Ruling.INCONCLUSIVE, f"{_not_again(key, sides.again)}: {said}"


def _new_failures(
    key: Key, baseline: Tally, candidate: Tally, sides: Sides
) -> tuple[Ruling, str] | None:
    """Of a check that fails on both sides: what the candidate fails in and the baseline passes.

    None where there is nothing such: that the baseline fails in another turn is no excuse.
    """
    once_more = _told_again(key, sides.baseline_again)
    kept = baseline.passed_at - baseline.failed_at.keys() - once_more.failed_at.keys()
    new = {place: sources for place, sources in candidate.failed_at.items() if place in kept}
    if not new:
        return None
    more = _told_again(key, sides.again)
    again = [
        place
        for place, sources in new.items()
        if (len(sources) >= ENOUGH if key[0] == STARTS else place in more.failed_at)
    ]
    told = ", ".join(place or "this" for place in again or new)
    elsewhere = "which the baseline passes though it fails elsewhere"
    said = candidate.first(Outcome.FAIL)
    if again:
        return Ruling.FAIL, f"fails in {told}, and again, {elsewhere}: {said}"
    missed = _not_again(key, sides.again)
    return Ruling.INCONCLUSIVE, f"fails in {told}, {elsewhere}; {missed}: {said}"


def _told_again(key: Key, again: Looked | None) -> Tally:
    return again.tallies.get(key, NOT_ASKED) if again else NOT_ASKED


def _found_again(key: Key, tally: Tally, again: Looked | None) -> str:
    """How a failure was found again, in words; empty where it was not."""
    if key[0] == STARTS:
        many = len(tally.failed_in)
        return f"fails in {many} starts" if many >= ENOUGH else ""
    told = again.tallies.get(key) if again else None
    return "fails, and again when played once more" if told and told.counts[Outcome.FAIL] else ""


def _once_only(key: Key, tally: Tally, again: Looked | None) -> bool:
    """Whether a failure was looked for again, and was not there."""
    if key[0] == STARTS:
        return len(tally.failed_in) < ENOUGH
    told = again.tallies.get(key) if again else None
    return bool(told and told.counts[Outcome.PASS] and not told.counts[Outcome.FAIL])


def _not_again(key: Key, again: Looked | None) -> str:
    if key[0] == STARTS:
        return "fails in one start only"
    told = again.tallies.get(key) if again else None
    # One that could not tell, or was cut, has not looked.
    looked = told and told.counts[Outcome.PASS]
    return "was not found again" if looked else "and nobody could look again"


def _lost(key: Key, candidate: Tally, sides: Sides) -> tuple[Ruling, str]:
    """The baseline passes, and the candidate has not shown that it does."""
    if said := candidate.first(Outcome.INCONCLUSIVE):
        return Ruling.INCONCLUSIVE, f"passes at the baseline, the candidate cannot tell: {said}"
    if candidate.counts:
        return Ruling.INCONCLUSIVE, "passes at the baseline, and not at the candidate"
    played = sides.candidate.tallies.get((key[0], "part.played"))
    if not played or not played.counts[Outcome.PASS]:
        return Ruling.INCONCLUSIVE, "passes at the baseline, and was not played at the candidate"
    return _unasked("it was not asked", sides)


def _kept(baseline: Tally, candidate: Tally, more: Tally, sides: Sides) -> tuple[Ruling, str]:
    """Nothing failed; the candidate may have shown less than the baseline all the same."""
    few = _few(baseline, candidate, more)
    if not few:
        return Ruling.PASS, _no_praise(baseline, candidate)
    if said := candidate.first(Outcome.INCONCLUSIVE):
        return Ruling.INCONCLUSIVE, f"{few}, which cannot tell the rest: {said}"
    return _unasked(few, sides)


def _skipped(baseline: Tally, candidate: Tally, sides: Sides) -> tuple[Ruling, str]:
    """The candidate was not asked what the baseline was."""
    ruling, why = _unasked(candidate.first(Outcome.SKIP), sides)
    if ruling is not Ruling.INCONCLUSIVE or not candidate.counts[Outcome.PASS]:
        return ruling, why
    if few := _few(baseline, candidate, NOT_ASKED):
        return ruling, f"{few}, {why}"
    return Ruling.PASS, why  # of several turns some can be asked, in one run and not another


def _few(baseline: Tally, candidate: Tally, more: Tally) -> str:
    """That a candidate passes too seldom to have shown it, in words; empty where it does not."""
    before = baseline.counts[Outcome.PASS]
    after = candidate.counts[Outcome.PASS] + more.counts[Outcome.PASS]
    if after >= HALF * before:
        return ""
    return f"passes in {before} verdicts at the baseline, in {after} at the candidate"


def _unasked(said: str, sides: Sides) -> tuple[Ruling, str]:
    gone = sides.baseline.claims - sides.candidate.claims
    if unasked := sorted(gone - sides.asked):
        return Ruling.FAIL, f"the candidate no longer claims {', '.join(unasked)}: {said}"
    if gone:
        return Ruling.PASS, f"no longer claimed, as the pins say: {', '.join(sorted(gone))}: {said}"
    return Ruling.INCONCLUSIVE, f"skipped by the candidate alone: {said}"


def _no_praise(baseline: Tally, candidate: Tally) -> str:
    """Why a row that is not against the candidate is not for it; empty where it is."""
    if candidate.counts[Outcome.PASS]:
        unsure = candidate.counts[Outcome.INCONCLUSIVE]
        if not unsure:
            return ""
        total = candidate.counts.total()
        return f"{unsure} of {total} could not tell: {candidate.first(Outcome.INCONCLUSIVE)}"
    if said := candidate.first(Outcome.INCONCLUSIVE):
        return f"neither side can tell: {said}"
    if said := candidate.first(Outcome.SKIP):
        return f"not asked of either side: {said}" if not baseline.counts[Outcome.PASS] else said
    return candidate.first(Outcome.NOTE)


def _rate(tally: Tally) -> float:
    """Failures as a share of what was told; what was skipped is no excuse and no fault."""
    told = tally.counts[Outcome.FAIL] + tally.counts[Outcome.PASS]
    return tally.counts[Outcome.FAIL] / told if told else 0.0


def _share(tally: Tally) -> str:
    return f"{tally.counts[Outcome.FAIL]} of {tally.counts.total()}"
