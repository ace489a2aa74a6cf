"""Do both sides say the same when they are asked the same, and are both right?

Only what was asked greedily counts, for sampled answers differ with every start.  Two things gate:

- *Facts.*  What a scenario expects of an answer is a fact, asked once in each repeat of each start.
  A fact is lost in a pair where the baseline has it right in every repeat and the candidate has
  not.  Lost in `REPRODUCED` pairs, and gained in none: FAIL.  Lost more often than gained, but not
  so clearly: INCONCLUSIVE, since it was not found again.
- *Agreement.*  The share of an answer that both begin with, looked at where both were sent the same
  messages.  Where both sides have one model its median has to be the policy's `agreement`; less
  in at least `REPRODUCED` pairs is FAIL, for the same weights then say something else, and less in
  one pair INCONCLUSIVE.  Two models are free to put things otherwise: there it is shown.

  One prompt of many that is spoiled moves no median of all.  So each prompt (scenario, leg and
  turn) is looked at alone as well, by the median of its repeats in a pair, and of that over pairs:

    below `HALF`, and so in at least `REPRODUCED` pairs   FAIL: more often than not the same weights
                                                          say something else from early on
    below `HALF`, and so in one pair                      INCONCLUSIVE
    below the policy's `agreement`                        a doubt: a near-tie early in a long text
                                                          is enough for it, and no pair tells more

Equal letter for letter is not asked: two releases of a runtime may round otherwise, and a near-tie
then falls the other way.  Every answer that differs is shown, once, side by side.
"""

from __future__ import annotations

import statistics
from collections import Counter
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from harness.checks.answer import shortfalls
from harness.gate.extract import turns_of
from harness.gate.record import Side
from harness.gate.result import Answers, PromptDiff, Ruling

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from harness.gate.extract import StartSeen
    from harness.gate.policy import Policy
    from harness.gate.record import GateRecord
    from harness.played import PlayedTurn
    from harness.trace import TurnLabel

__all__ = ["compare_answers"]

HALF = 0.5
"""The share that one prompt's answers have to begin with in common, in the median of pairs."""
REPRODUCED = 2
"""Pairs in which something is found, so that it is no accident of one prompt."""

Fact = tuple[str, str, int]
"""Scenario, leg and turn: what is asked in every repeat of every start."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """One greedy prompt of one start."""

    turn: PlayedTurn
    place: str

    @property
    def label(self) -> TurnLabel:
        return self.turn.label

    @property
    def text(self) -> str:
        return self.turn.seen.text()

    @property
    def fact(self) -> bool:
        """Whether something is expected of its answer."""
        promise = self.turn.promise
        return bool(promise.contains or promise.excludes or promise.matches)

    @property
    def right(self) -> bool:
        promise = self.turn.promise
        wrong = shortfalls(self.text, promise.contains, promise.excludes, promise.matches)
        return self.turn.answered and not any(wrong)

    @property
    def messages(self) -> object:
        return self.turn.seen.trace.request.get("messages")


@dataclass(frozen=True, slots=True)
class _Both:
    """One prompt, as both sides of a pair answered it."""

    pair: int
    baseline: _Asked
    candidate: _Asked

    @property
    def same_prompt(self) -> bool:
        """Whether both were sent the very same, and answered it."""
        answered = self.baseline.turn.answered and self.candidate.turn.answered
        return answered and self.baseline.messages == self.candidate.messages

    @property
    def agree(self) -> int:
        """Characters that both answers begin with."""
        letters = zip(self.baseline.text, self.candidate.text, strict=False)
        return sum(1 for _ in takewhile(lambda both: both[0] == both[1], letters))

    @property
    def share(self) -> float:
        """The same as a share of the longer one."""
        longer = max(len(self.baseline.text), len(self.candidate.text))
        return self.agree / longer if longer else 1.0


def compare_answers(
    record: GateRecord, policy: Policy, starts: Iterable[StartSeen]
) -> Answers | None:
    """What the greedy answers of complete pairs come to; None where there is no such pair."""
    pairs = _pairs(starts)
    both = [each for pair in pairs for each in _both(*pair)]
    if not pairs:
        return None
    facts = [each for each in both if each.baseline.fact]
    compared = [each for each in both if each.same_prompt]
    agreement = statistics.median(each.share for each in compared) if compared else None
    same = sum(each.share == 1 for each in compared)
    gates = policy.agreement is not None and _one_model(record, pairs)
    alone = list(_of_each_prompt(policy, compared)) if gates else []
    rulings = [
        _of_facts(facts),
        _of_agreement(record, policy, compared, pairs),
    ]
    rulings += [each for each in alone if each[0] is not Ruling.PASS]
    ruling = next(r for r in (Ruling.FAIL, Ruling.INCONCLUSIVE, Ruling.PASS) if r in dict(rulings))
    return Answers(
        compared=len(compared),
        same=same,
        facts={
            Side.BASELINE: (sum(each.baseline.right for each in facts), len(facts)),
            Side.CANDIDATE: (sum(each.candidate.right for each in facts), len(facts)),
        },
        agreement=agreement,
        ruling=ruling,
        why="; ".join(why for _, why in rulings),
        diffs=tuple(_diffs(compared)),
        doubts=tuple(why for ruling, why in alone if ruling is Ruling.PASS),
    )


def _pairs(starts: Iterable[StartSeen]) -> list[tuple[StartSeen, StartSeen]]:
    """Baseline and candidate of every pair of which both were played whole."""
    sides: dict[int, dict[Side, StartSeen]] = {}
    for seen in starts:
        if seen.start.whole:
            sides.setdefault(seen.start.pair, {})[seen.start.side] = seen
    return [
        (sides[pair][Side.BASELINE], sides[pair][Side.CANDIDATE])
        for pair in sorted(sides)
        if len(sides[pair]) == len(Side)
    ]


def _both(baseline: StartSeen, candidate: StartSeen) -> Iterator[_Both]:
    theirs = _asked(candidate)
    for label, asked in _asked(baseline).items():
        if label in theirs:
            yield _Both(baseline.start.pair, asked, theirs[label])


def _asked(seen: StartSeen) -> Mapping[TurnLabel, _Asked]:
    """Every greedy prompt of a start that was to be answered whole."""
    return {
        turn.label: _Asked(turn, seen.place(scenario, turn.seen.trace.trace_id))
        for scenario, run in seen.runs.items()
        for turn in turns_of(run)
        if turn.seen.trace.request.get("temperature") == 0
        and not (turn.promise.cancelled or turn.promise.cut or turn.promise.status)
    }


def _of_facts(facts: Sequence[_Both]) -> tuple[Ruling, str]:
    if not facts:
        return Ruling.PASS, "no facts were asked"
    lost, gained = _changed(facts)
    if again := [fact for fact, n in lost.items() if n >= REPRODUCED and not gained[fact]]:
        told = ", ".join(f"{_name(fact)} (in {lost[fact]} pairs)" for fact in again)
        return Ruling.FAIL, f"the baseline answers rightly, and the candidate does not: {told}"
    if once := [fact for fact, n in lost.items() if n > gained[fact]]:
        told = ", ".join(
            f"{_name(fact)} (lost in {lost[fact]} pairs, gained in {gained[fact]})" for fact in once
        )
        return Ruling.INCONCLUSIVE, f"facts were lost, and not steadily so: {told}"
    right = sum(each.candidate.right for each in facts)
    return Ruling.PASS, f"no fact was lost; {right} of {len(facts)} are right"


def _changed(facts: Sequence[_Both]) -> tuple[Counter[Fact], Counter[Fact]]:
    """In how many pairs each fact was lost, and in how many it was gained."""
    right: dict[tuple[int, Fact], list[tuple[bool, bool]]] = {}
    for each in facts:
        label = each.baseline.label
        fact = (label.scenario, label.leg, label.turn)
        right.setdefault((each.pair, fact), []).append((each.baseline.right, each.candidate.right))
    lost: Counter[Fact] = Counter()
    gained: Counter[Fact] = Counter()
    for (_, fact), repeats in right.items():
        before, after = (all(side) for side in zip(*repeats, strict=True))
        lost[fact] += before and not after
        gained[fact] += after and not before
    return +lost, +gained


def _of_agreement(
    record: GateRecord,
    policy: Policy,
    compared: Sequence[_Both],
    pairs: Sequence[tuple[StartSeen, StartSeen]],
) -> tuple[Ruling, str]:
    if not compared:
        return Ruling.PASS, "no prompt was the same on both sides, so no answers were compared"
    agreement = statistics.median(each.share for each in compared)
    same = sum(each.share == 1 for each in compared)
    told = f"{same} of {len(compared)} answers are the same, {agreement:.0%} of one in the median"
    if policy.agreement is None or not _one_model(record, pairs):
        return Ruling.PASS, f"{told}, which gates nothing here"
    if agreement >= policy.agreement:
        odd = same < len(compared) and record.baseline.digest == record.candidate.digest
        return Ruling.PASS, f"{told}, though both sides are one pin" if odd else told
    low = {
        pair
        for pair in {each.pair for each in compared}
        if statistics.median(e.share for e in compared if e.pair == pair) < policy.agreement
    }
    ruling = Ruling.FAIL if len(low) >= REPRODUCED else Ruling.INCONCLUSIVE
    return ruling, f"{told}, of one model, and {policy.agreement:.0%} is asked for"


def _of_each_prompt(policy: Policy, compared: Sequence[_Both]) -> Iterator[tuple[Ruling, str]]:
    """Of each prompt whose answers agree for less than is asked; PASS where that is a doubt."""
    assert policy.agreement is not None
    shares: dict[Fact, dict[int, list[float]]] = {}
    for each in compared:
        label = each.baseline.label
        fact = (label.scenario, label.leg, label.turn)
        shares.setdefault(fact, {}).setdefault(each.pair, []).append(each.share)
    for fact, pairs in shares.items():
        medians = [statistics.median(repeats) for repeats in pairs.values()]
        middle = statistics.median(medians)
        if middle >= policy.agreement:
            continue
        low = sum(median < HALF for median in medians)
        told = f"{_name(fact)}: {middle:.0%} of an answer agrees in the median"
        if middle >= HALF:
            yield Ruling.PASS, f"{told}, and {policy.agreement:.0%} is asked for of all"
        else:
            ruling = Ruling.FAIL if low >= REPRODUCED else Ruling.INCONCLUSIVE
            yield ruling, f"{told}, less than half in {low} of {len(medians)} pairs"


def _one_model(record: GateRecord, pairs: Sequence[tuple[StartSeen, StartSeen]]) -> bool:
    """Whether both sides are known to have one model: as loaded, else as their pins say."""
    baseline, candidate = pairs[0]
    known = [
        (seen.start.loaded.artifact_sha256 if seen.start.loaded else "")
        or pin.expected.artifact_sha256
        for seen, pin in ((baseline, record.baseline), (candidate, record.candidate))
    ]
    return bool(known[0]) and known[0] == known[1]


def _diffs(compared: Sequence[_Both]) -> Iterator[PromptDiff]:
    """Every way in which a prompt was answered otherwise, once; the earliest parting first."""
    shown: dict[tuple[Fact, str, str], _Both] = {}
    for each in compared:
        if each.share < 1:
            label = each.baseline.label
            fact = (label.scenario, label.leg, label.turn)
            shown.setdefault((fact, each.baseline.text, each.candidate.text), each)
    for (fact, _, _), each in sorted(shown.items(), key=lambda item: item[1].share):
        yield PromptDiff(
            about=f"{_name(fact)}, pair {each.pair}",
            baseline=each.baseline.text,
            candidate=each.candidate.text,
            agree=each.agree,
            trace_baseline=each.baseline.place,
            trace_candidate=each.candidate.place,
        )


def _name(fact: Fact) -> str:
    scenario, leg, turn = fact
    return f"{scenario} {leg} {turn}"
