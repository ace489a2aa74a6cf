"""Are the shares what the scenario asks for?

What is judged is the share that was seen, against the bound: an exam is a fixed set of cases, and
whether they were answered is not a matter of chance.  How far the set speaks for others like it is
what the interval says; it stands in every message and decides nothing.

    PASS          every planned turn was played, and the share reaches the bound
    FAIL          every planned turn was played, and it does not; of malformed turns: more were seen
                  than are allowed, whether all were played or not
    INCONCLUSIVE  turns are missing, or there is nothing the goal speaks of
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.exam.rates import Rate, tally
from harness.exam.strengths import steps
from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from harness.exam.identity import Identity
    from harness.exam.marking import MarkedTurn
    from harness.exam.scenario import Goal
    from harness.exam.strengths import Length
    from harness.verdict import Evidence

    _Told = tuple[MarkedTurn, str]
    """A turn, and what is to be said of it."""

__all__ = ["GOALS", "judge_goal", "judge_identity", "said"]

GOALS: Mapping[str, str] = {
    "goal.share": "so many cases are answered right",
    "goal.pairs": "so many opposite pairs are right on both sides",
    "goal.strengths": "a greater strength reasons so many times longer",
    "goal.malformed": "no more turns than allowed break the contract of the wire",
    "goal.figures": "no more turns than allowed report figures that cannot all be true",
    "goal.identical": "two legs give the same answer on so many cases",
}
"""What an exam asks of all its turns together; `compare.at_least` comes from `harness.checks`."""

MOST_EVIDENCE = 20
"""Turns that a verdict names; the result lists all."""
MOST_REASONS = 5
"""Reasons in the message of a verdict."""
MOST_GOT = 200
"""Characters of an answer in the evidence of a verdict."""


def judge_goal(
    goal: Goal,
    turns: Sequence[MarkedTurn],
    groups: Sequence[str],
    missing: int,
    confidence: float,
) -> Iterator[tuple[str, Verdict]]:
    """What each verdict is about, and the verdict; `missing` turns of the leg were not played."""
    own = [turn for turn in turns if turn.label.leg == goal.leg]
    if goal.of in {"malformed", "figures"}:
        yield _counted(goal, own, missing)
    elif goal.of == "strengths":
        yield from _strengths(goal, own, missing)
    else:
        yield from _shares(goal, own, groups, missing, confidence)


def _shares(
    goal: Goal,
    own: Sequence[MarkedTurn],
    groups: Sequence[str],
    missing: int,
    confidence: float,
) -> Iterator[tuple[str, Verdict]]:
    bound = goal.at_least or 0.0
    present = [group for group in groups if any(turn.case.skill == group for turn in own)]
    if goal.of == "pairs":
        present = [g for g in present if tally(own, goal.leg, g, confidence).pairs.n]
    if not present and goal.of != "overall":
        name, what = ("pairs", "pair") if goal.of == "pairs" else ("share", "case")
        message = f"no {what} was played"
        yield f"{goal.leg}, {goal.of}", Verdict(f"goal.{name}", Outcome.INCONCLUSIVE, message)
    for group in ("",) if goal.of == "overall" else present:
        found = tally(own, goal.leg, group, confidence)
        if goal.of == "pairs":
            wrong = _wrong(turn for turn in found.failing if turn.case.pair is not None)
            about = f"{goal.leg}, pairs of {group}"
            yield about, _reaches("goal.pairs", found.pairs, bound, missing, wrong)
        else:
            about = f"{goal.leg}, {group or 'all groups'}"
            wrong = _wrong(found.failing)
            yield about, _reaches("goal.share", found.rate, bound, missing, wrong)


def _strengths(
    goal: Goal, own: Sequence[MarkedTurn], missing: int
) -> Iterator[tuple[str, Verdict]]:
    bound = goal.at_least or 0.0
    for step in steps(own):
        lower, upper = step.lower, step.upper
        message = (
            f"median {lower.median:g} of {lower.n} turns, then {upper.median:g} of {upper.n}: "
            f"{step.ratio:.2f} times, asked for {bound:g} or more"
        )
        outcome = Outcome.PASS if step.ratio >= bound else Outcome.FAIL
        if missing:
            outcome, message = Outcome.INCONCLUSIVE, f"{missing} turns were not played; {message}"
        verdict = Verdict("goal.strengths", outcome, message, _typical(own, lower, upper))
        yield f"{goal.leg}, reasoning {lower.strength} to {upper.strength}", verdict
    if not steps(own):
        message = "no two strengths of which the reasoning is counted"
        yield f"{goal.leg}, reasoning", Verdict("goal.strengths", Outcome.INCONCLUSIVE, message)


def _typical(own: Sequence[MarkedTurn], *both: Length) -> tuple[Evidence, ...]:
    """Of each strength the turn whose reasoning is nearest to the median."""
    told = []
    for each in both:
        counted = [
            (abs(value - each.median), place, turn, value)
            for place, turn in enumerate(own)
            if turn.case.strength == each.strength
            and (value := turn.turn.measurements["tokens.reasoning"].value) is not None
        ]
        _, _, turn, value = min(counted, key=lambda found: found[:2])
        told.append((turn, f"{each.strength}, {value:g} tokens of reasoning"))
    return _evidence(told)


def _counted(goal: Goal, own: Sequence[MarkedTurn], missing: int) -> tuple[str, Verdict]:
    """Whether no more turns than allowed are broken, or unlikely."""
    if goal.of == "malformed":
        what, faults = "broke their contract", [(turn, turn.broken) for turn in own]
    else:
        what = "report figures that cannot all be true"
        faults = [(turn, turn.unlikely) for turn in own]
    told = [(turn, "; ".join(why)) for turn, why in faults if why]
    most = goal.at_most or 0
    message = f"{len(told)} of {len(own)} turns {what}; at most {most} may"
    if told:
        message += f": {'; '.join(list(dict.fromkeys(why for _, why in told))[:MOST_REASONS])}"
    if goal.of == "malformed" and (unseen := sum(not turn.counts_malformed for turn in own)):
        message += f"; {unseen} do not count breaks of the grammar, which were not looked for"
    if len(told) > most:
        outcome = Outcome.FAIL
    elif missing or not own:
        outcome, message = Outcome.INCONCLUSIVE, f"{missing} turns were not played; {message}"
    else:
        outcome = Outcome.PASS
    verdict = Verdict(f"goal.{goal.of}", outcome, message, _evidence(told))
    return f"{goal.leg}, {goal.of}", verdict


def judge_identity(found: Identity, missing: int) -> tuple[str, Verdict]:
    """Whether two legs said the same often enough."""
    one, other = found.asked.legs
    parted = [(each.other, each.what) for each in found.differing]
    verdict = _reaches("goal.identical", found.rate, found.asked.at_least, missing, parted)
    return f"{other} against {one}", verdict


def said(rate: Rate) -> str:
    """A share in words: `96.2 % [94.6, 97.4] of 525`."""
    if rate.share is None:
        return "nothing was asked"
    return (
        f"{100 * rate.share:.1f} % [{100 * rate.low:.1f}, {100 * rate.high:.1f}], "
        f"{rate.right} of {rate.n}"
    )


def _reaches(
    check: str, rate: Rate, bound: float, missing: int, failing: Sequence[_Told]
) -> Verdict:
    asked = f"asked for {100 * bound:g} % or more"
    evidence = _evidence(failing)
    if missing or rate.share is None:
        why = f"{missing} turns were not played; " if missing else ""
        return Verdict(check, Outcome.INCONCLUSIVE, f"{why}{said(rate)}; {asked}", evidence)
    outcome = Outcome.PASS if rate.share >= bound else Outcome.FAIL
    return Verdict(check, outcome, f"{said(rate)}; {asked}", evidence)


def _wrong(turns: Iterable[MarkedTurn]) -> list[_Told]:
    return [(turn, f"{'; '.join(turn.wrong)}; got {turn.answer[:MOST_GOT]!r}") for turn in turns]


def _evidence(told: Sequence[_Told]) -> tuple[Evidence, ...]:
    return tuple(
        each
        for turn, what in told[:MOST_EVIDENCE]
        for each in turn.turn.evidence(excerpt=f"{turn.case.id}: {what}")
    )
