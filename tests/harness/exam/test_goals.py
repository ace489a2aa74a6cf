"""A goal is held against the share that was seen, and against all that was planned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import pytest

from harness.exam.goals import judge_goal, judge_identity
from harness.exam.identity import identity
from harness.exam.scenario import Goal, Identical
from harness.verdict import Outcome

if TYPE_CHECKING:
    from tests.harness.exam.conftest import Answered

GROUPS = ("sums", "words")


@pytest.mark.parametrize(
    ("at_least", "missing", "outcome"),
    [(0.75, 0, Outcome.PASS), (0.76, 0, Outcome.FAIL), (0.75, 1, Outcome.INCONCLUSIVE)],
)
def test_the_share_itself_is_judged(
    answered: Answered, at_least: float, missing: int, outcome: Outcome
) -> None:
    """Not its interval, which is shown; and only where all was played."""
    turns = [answered("no" if n == 4 else "yes", place=n) for n in range(1, 5)]

    ((about, verdict),) = judge_goal(
        Goal("a", "overall", at_least=at_least), turns, GROUPS, missing, 0.9
    )

    assert (about, verdict.outcome) == ("a, all groups", outcome)
    assert f"75.0 % [35.6, 94.2], 3 of 4; asked for {100 * at_least:g} % or more" in verdict.message
    assert [e.trace_id for e in verdict.evidence] == ["a-4-1"]
    assert verdict.evidence[0].excerpt == "case-4: does not say 'yes'; got 'no'"


def test_each_group_has_a_verdict_of_its_own(answered: Answered) -> None:
    """One weak group fails beside a strong one."""
    turns = [answered("yes", group="sums"), answered("no", group="words", place=2)]

    found = dict(judge_goal(Goal("a", "each group", at_least=0.9), turns, GROUPS, 0, 0.9))

    assert {about: v.outcome for about, v in found.items()} == {
        "a, sums": Outcome.PASS,
        "a, words": Outcome.FAIL,
    }


def test_pairs_are_judged_group_by_group(answered: Answered) -> None:
    """Who gives one answer to both has half of the turns and none of the pairs."""
    turns = [
        answered("yes", place=1, pair="p"),
        answered("no", place=2, pair="p"),
        answered("yes", place=3, group="words"),
    ]

    ((about, verdict),) = judge_goal(Goal("a", "pairs", at_least=0.9), turns, GROUPS, 0, 0.9)

    assert (about, verdict.outcome) == ("a, pairs of sums", Outcome.FAIL)
    assert verdict.message.startswith("0.0 % ")


@pytest.mark.parametrize(
    ("malformed", "most", "missing", "outcome"),
    [
        (0, 0, 0, Outcome.PASS),
        (1, 0, 0, Outcome.FAIL),
        (1, 0, 9, Outcome.FAIL),
        (1, 1, 0, Outcome.PASS),
        (0, 0, 9, Outcome.INCONCLUSIVE),
    ],
)
def test_malformed_turns_are_counted_and_a_seen_one_needs_no_more_turns(
    answered: Answered, malformed: int, most: int, missing: int, outcome: Outcome
) -> None:
    """What was seen cannot be unseen."""
    turns = [answered(place=1), answered(place=2, malformed=malformed)]

    ((_, verdict),) = judge_goal(Goal("a", "malformed", at_most=most), turns, GROUPS, missing, 0.9)

    assert verdict.outcome is outcome
    assert f"{malformed} of 2 turns broke their contract; at most {most} may" in verdict.message


def test_figures_that_cannot_all_be_true_are_counted(answered: Answered) -> None:
    """Ten tokens at a claimed rate that would have taken longer than the whole turn."""
    likely = answered(place=1, tokens=10, decode_tokens_per_second=300.0)
    unlikely = answered(place=2, tokens=10, decode_tokens_per_second=10.0)

    ((about, verdict),) = judge_goal(
        Goal("a", "figures", at_most=0), [likely, unlikely], GROUPS, 0, 0.9
    )

    assert (about, verdict.check, verdict.outcome) == ("a, figures", "goal.figures", Outcome.FAIL)
    assert verdict.message.startswith("1 of 2 turns report figures that cannot all be true")
    assert "decode_rate.slow" in verdict.evidence[0].excerpt


@pytest.mark.parametrize(
    ("tokens", "outcome"), [(14, Outcome.FAIL), (15, Outcome.PASS), (0, Outcome.FAIL)]
)
def test_a_greater_strength_reasons_longer(
    answered: Answered, tokens: int, outcome: Outcome
) -> None:
    """By the medians of the turns that were asked with it, from step to step."""
    low = [answered(place=n, strength="low", thinking_tokens=t) for n, t in enumerate((0, 10, 90))]
    high = [answered(place=9, strength="high", thinking_tokens=tokens)]

    ((about, verdict),) = judge_goal(
        Goal("a", "strengths", at_least=1.5), [*low, *high], GROUPS, 0, 0.9
    )

    assert (about, verdict.outcome) == ("a, reasoning low to high", outcome)
    assert verdict.message.startswith(f"median 10 of 3 turns, then {tokens} of 1: ")
    assert [e.excerpt.partition(": ")[2] for e in verdict.evidence] == [
        "low, 10 tokens of reasoning",
        f"high, {tokens} tokens of reasoning",
    ]


def test_one_strength_alone_cannot_be_compared(answered: Answered) -> None:
    """There is no step."""
    goal = Goal("a", "strengths", at_least=1.5)

    ((_, verdict),) = judge_goal(goal, [answered(strength="low")], GROUPS, 0, 0.9)

    assert verdict.outcome is Outcome.INCONCLUSIVE


def test_a_goal_about_nothing_cannot_be_told(answered: Answered) -> None:
    """No turn is no pass."""
    ((_, share),) = judge_goal(Goal("b", "overall", at_least=0.1), [answered()], GROUPS, 0, 0.9)
    ((_, shape),) = judge_goal(Goal("b", "malformed", at_most=0), [answered()], GROUPS, 0, 0.9)

    assert {share.outcome, shape.outcome} == {Outcome.INCONCLUSIVE}


def test_identity_is_judged_by_its_share(answered: Answered) -> None:
    """The evidence says where they part."""
    turns = [answered("yes", leg="a"), answered("yes!", leg="b")]
    found = identity(Identical(("a", "b"), 0.99), turns, 0.9)

    about, verdict = judge_identity(found, 0)

    assert (about, verdict.check, verdict.outcome) == (
        "b against a",
        "goal.identical",
        Outcome.FAIL,
    )
    assert "answer parts at character 3" in verdict.evidence[0].excerpt


@pytest.mark.parametrize("of", ["pairs", "each group"])
def test_a_goal_of_nothing_cannot_be_told(answered: Answered, of: Literal["pairs"]) -> None:
    """A goal that finds nothing that it speaks of is told as such, and not left out."""
    turns = [answered("yes", leg="a" if of == "pairs" else "b")]

    ((about, verdict),) = judge_goal(Goal("a", of, at_least=0.9), turns, GROUPS, 0, 0.9)

    assert (about, verdict.outcome) == (f"a, {of}", Outcome.INCONCLUSIVE)


def test_what_was_not_looked_for_is_told(answered: Answered) -> None:
    """A server that does not count breaks of the grammar is held to the wire, and it is said."""
    turns = [answered("yes", malformed=0), answered("yes", place=2)]

    ((_, verdict),) = judge_goal(Goal("a", "malformed", at_most=0), turns, GROUPS, 0, 0.9)

    assert verdict.outcome is Outcome.PASS
    assert verdict.message == (
        "0 of 2 turns broke their contract; at most 0 may; "
        "1 do not count breaks of the grammar, which were not looked for"
    )
