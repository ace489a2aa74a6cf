"""Each check beside the same check of the other side: when does it speak against the candidate?"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from harness.gate.checks import Sides, check_rows
from harness.gate.result import CheckRow, Ruling
from harness.gate.tally import STARTS, Looked, Tally
from harness.verdict import Outcome, Verdict

PASS, FAIL, SKIP = Outcome.PASS, Outcome.FAIL, Outcome.SKIP
UNSURE, NOTE = Outcome.INCONCLUSIVE, Outcome.NOTE
CHECK, FIGURES = "answer.expected", "clocks.agree"


def looked(*outcomes: Outcome, check: str = CHECK, part: str = "talk") -> Looked:
    """One check of one part that ended so, each time in a start of its own."""
    tally = Tally("a promise")
    for at, outcome in enumerate(outcomes):
        tally.add(Verdict(check, outcome, f"says {outcome.value}"), at=f"at/{at}", source=str(at))
    return Looked({(part, check): tally} if outcomes else {})


def judged(sides: Sides) -> CheckRow:
    """The one row of them."""
    (row,) = check_rows(sides)
    return row


@pytest.mark.parametrize(
    ("baseline", "candidate", "again", "ruling"),
    [
        ([PASS], [PASS], None, Ruling.PASS),
        ([PASS], [FAIL], [FAIL], Ruling.FAIL),
        ([PASS], [FAIL, PASS], [PASS, FAIL], Ruling.FAIL),
        ([PASS], [FAIL], [PASS], Ruling.INCONCLUSIVE),
        ([PASS], [FAIL], None, Ruling.INCONCLUSIVE),
        ([PASS], [FAIL], [], Ruling.INCONCLUSIVE),
        ([PASS], [FAIL], [UNSURE], Ruling.INCONCLUSIVE),
        # A new promise that is not kept is a failure that the baseline does not have.
        ([SKIP], [FAIL], [FAIL], Ruling.FAIL),
        ([], [FAIL], [FAIL], Ruling.FAIL),
        # Fails on both sides: not the candidate's doing.
        ([FAIL], [FAIL], [FAIL], Ruling.PASS),
        ([FAIL, PASS], [FAIL, PASS], None, Ruling.PASS),
        ([FAIL, FAIL], [FAIL, PASS], None, Ruling.PASS),
        # But more often at the candidate: nobody can tell whose doing that is.
        ([FAIL, PASS], [FAIL], None, Ruling.INCONCLUSIVE),
        ([FAIL, PASS, PASS], [FAIL, FAIL, PASS], [FAIL], Ruling.INCONCLUSIVE),
        ([FAIL, PASS], [FAIL, UNSURE], None, Ruling.INCONCLUSIVE),
        ([FAIL], [PASS], None, Ruling.PASS),
        ([FAIL], [SKIP], None, Ruling.PASS),
        # What the baseline shows and the candidate does not.
        ([PASS], [UNSURE], None, Ruling.INCONCLUSIVE),
        ([PASS], [UNSURE], [UNSURE], Ruling.INCONCLUSIVE),
        ([PASS], [UNSURE], [PASS], Ruling.PASS),
        ([PASS], [PASS, UNSURE], [FAIL], Ruling.INCONCLUSIVE),
        ([PASS], [SKIP], None, Ruling.INCONCLUSIVE),
        ([PASS], [], None, Ruling.INCONCLUSIVE),
        ([PASS], [PASS, UNSURE], None, Ruling.PASS),
        ([PASS], [PASS, SKIP], None, Ruling.PASS),
        # Shown in fewer than half as many verdicts, it is not shown.
        ([PASS] * 4, [PASS, PASS, UNSURE, UNSURE], None, Ruling.PASS),
        ([PASS] * 4, [PASS, PASS, SKIP, SKIP], None, Ruling.PASS),
        ([PASS] * 4, [PASS, UNSURE, UNSURE, UNSURE], None, Ruling.INCONCLUSIVE),
        ([PASS] * 4, [PASS, UNSURE, UNSURE, UNSURE], [PASS], Ruling.PASS),
        ([PASS] * 4, [PASS, SKIP, SKIP, SKIP], None, Ruling.INCONCLUSIVE),
        ([PASS] * 4, [PASS, UNSURE, UNSURE, SKIP], None, Ruling.INCONCLUSIVE),
        # Nothing is lost where nothing was shown.
        ([SKIP], [SKIP], None, Ruling.PASS),
        ([SKIP], [PASS], None, Ruling.PASS),
        ([UNSURE], [UNSURE], None, Ruling.PASS),
        ([NOTE], [NOTE], None, Ruling.PASS),
        ([], [PASS], None, Ruling.PASS),
    ],
)
def test_a_loss_that_was_found_again_fails_the_candidate(
    baseline: list[Outcome],
    candidate: list[Outcome],
    again: list[Outcome] | None,
    ruling: Ruling,
) -> None:
    """And one that was not is told, and fails nothing."""
    more = None if again is None else looked(*again)

    row = judged(Sides(looked(*baseline), looked(*candidate), more))

    assert row.ruling is ruling
    assert (row.baseline, row.candidate) == (Counter(baseline), Counter(candidate))
    assert row.why or set(candidate) <= {PASS, SKIP}


@pytest.mark.parametrize(
    ("baseline", "candidate", "again", "baseline_again", "ruling"),
    [
        ([PASS], [FAIL], [FAIL], None, Ruling.REFUSED),
        ([PASS], [FAIL], [PASS], None, Ruling.INCONCLUSIVE),
        ([PASS], [FAIL], None, None, Ruling.INCONCLUSIVE),
        ([FAIL], [FAIL], [FAIL], None, Ruling.REFUSED),
        ([FAIL], [PASS], None, [FAIL], Ruling.REFUSED),
        ([FAIL], [PASS], None, [PASS], Ruling.INCONCLUSIVE),
        ([FAIL], [PASS], None, None, Ruling.INCONCLUSIVE),
        ([PASS], [UNSURE], None, None, Ruling.INCONCLUSIVE),
        ([PASS], [PASS], None, None, Ruling.PASS),
    ],
)
def test_a_side_whose_own_figures_cannot_be_true_refuses_the_gate(
    baseline: list[Outcome],
    candidate: list[Outcome],
    again: list[Outcome] | None,
    baseline_again: list[Outcome] | None,
    ruling: Ruling,
) -> None:
    """Whichever side it is: there is nothing to compare with."""

    def seen(outcomes: list[Outcome] | None) -> Looked | None:
        return None if outcomes is None else looked(*outcomes, check=FIGURES)

    sides = Sides(
        looked(*baseline, check=FIGURES),
        looked(*candidate, check=FIGURES),
        seen(again),
        seen(baseline_again),
    )

    assert judged(sides).ruling is ruling


@pytest.mark.parametrize(
    ("again", "baseline_again", "ruling"),
    [
        ([FAIL], [FAIL], Ruling.PASS),
        ([FAIL], [PASS], Ruling.INCONCLUSIVE),
        ([PASS], [PASS], Ruling.PASS),
        ([FAIL], [UNSURE], Ruling.PASS),
    ],
)
def test_what_the_baseline_fails_once_is_no_excuse(
    again: list[Outcome], baseline_again: list[Outcome], ruling: Ruling
) -> None:
    """Where it was looked for again, and only the candidate had it."""
    sides = Sides(looked(FAIL), looked(FAIL), looked(*again), looked(*baseline_again))

    assert judged(sides).ruling is ruling


def turns(part: str, *starts: str) -> Looked:
    """One check over starts, in each of which the turns that are named by digits fail."""
    tally = Tally("a promise")
    for source, failing in enumerate(starts):
        for repeat in (1, 2):
            for turn in "123":
                outcome = FAIL if turn in failing else PASS
                tally.add(
                    Verdict(CHECK, outcome, f"says {outcome.value}"),
                    at=f"at/{source}",
                    source=str(source),
                    about=f"warm turn {turn}, repeat {repeat}",
                )
    return Looked({(part, CHECK): tally})


@pytest.mark.parametrize(
    ("baseline", "candidate", "ruling", "why"),
    [
        (("1", "1"), ("1", "1"), Ruling.PASS, "fails on both sides: 4 of 12"),
        (("1", "1"), ("2", "2"), Ruling.FAIL, "fails in warm turn 2, and again, which the"),
        (("1", "1"), ("12", "2"), Ruling.FAIL, "fails in warm turn 2, and again, which the"),
        (("1", "1"), ("2", ""), Ruling.INCONCLUSIVE, "passes though it fails elsewhere; fails in"),
        # Where the baseline fails it now and then, how often decides.
        (("1", ""), ("1", "1"), Ruling.INCONCLUSIVE, "fails in 2 starts, and once only at the"),
        (("1", "1"), ("12", "1"), Ruling.INCONCLUSIVE, "fails in warm turn 2, which the baseline"),
        (("1", "1", ""), ("1",) * 3, Ruling.INCONCLUSIVE, "fails on both sides, and more often: 4"),
        (("1", "1"), ("1", ""), Ruling.PASS, "fails on both sides: 4 of 12 at the baseline, 2"),
    ],
)
def test_a_turn_that_the_baseline_fails_excuses_no_other(
    baseline: tuple[str, ...], candidate: tuple[str, ...], ruling: Ruling, why: str
) -> None:
    """It is looked at by turn, in whichever repeat."""
    row = judged(Sides(turns(STARTS, *baseline), turns(STARTS, *candidate)))

    assert row.ruling is ruling
    assert why in row.why


@pytest.mark.parametrize(
    ("again", "baseline_again", "ruling"),
    [
        ("2", "1", Ruling.FAIL),
        ("1", "1", Ruling.INCONCLUSIVE),
        # That the baseline fails there as well is seen when its part is played once more.
        ("2", "2", Ruling.PASS),
    ],
)
def test_in_a_suite_the_same_turn_has_to_fail_once_more(
    again: str, baseline_again: str, ruling: Ruling
) -> None:
    """Another turn that fails then is not the one that was looked for."""
    sides = Sides(
        turns("talk", "1"), turns("talk", "2"), turns("talk", again), turns("talk", baseline_again)
    )

    assert judged(sides).ruling is ruling


@pytest.mark.parametrize(
    ("candidate", "ruling", "why"),
    [
        ([FAIL, PASS, FAIL], Ruling.FAIL, "fails in 2 starts, never at the baseline: says fail"),
        ([FAIL, PASS, PASS], Ruling.INCONCLUSIVE, "fails in one start only: says fail"),
    ],
)
def test_in_the_measured_starts_another_start_has_to_find_it_again(
    candidate: list[Outcome], ruling: Ruling, why: str
) -> None:
    """No suite is played again for it."""
    sides = Sides(looked(PASS, part=STARTS), looked(*candidate, part=STARTS))

    row = judged(sides)

    assert (row.ruling, row.why) == (ruling, why)


@pytest.mark.parametrize(
    ("outcomes", "asked", "ruling", "why"),
    [
        ([SKIP], (), Ruling.FAIL, "the candidate no longer claims dflash: says skip"),
        ([PASS, SKIP], (), Ruling.FAIL, "the candidate no longer claims dflash: says skip"),
        ([SKIP], ("dflash",), Ruling.PASS, "no longer claimed, as the pins say: dflash: says skip"),
    ],
)
def test_a_claim_that_was_withdrawn_is_a_loss(
    outcomes: list[Outcome], asked: tuple[str, ...], ruling: Ruling, why: str
) -> None:
    """Unless it is what the pins differ in; a part of a check can be lost as well as the whole."""
    baseline = replace(looked(PASS), claims=frozenset({"dflash", "tools"}))
    candidate = replace(looked(*outcomes), claims=frozenset({"tools"}))

    row = judged(Sides(baseline, candidate, asked=frozenset(asked)))

    assert (row.ruling, row.why) == (ruling, why)


def test_what_speaks_against_the_candidate_comes_first() -> None:
    """Then what fails on both sides, then what is sound."""
    baseline: dict[tuple[str, str], Tally] = {}
    candidate: dict[tuple[str, str], Tally] = {}
    for part, ours, theirs in (
        ("sound", PASS, PASS),
        ("both", FAIL, FAIL),
        ("unsure", PASS, UNSURE),
        ("worse", PASS, FAIL),
    ):
        baseline |= looked(ours, part=part).tallies
        candidate |= looked(theirs, part=part).tallies
    again = looked(FAIL, part="worse")

    rows = check_rows(Sides(Looked(baseline), Looked(candidate), again))

    assert [row.part for row in rows] == ["worse", "unsure", "both", "sound"]
