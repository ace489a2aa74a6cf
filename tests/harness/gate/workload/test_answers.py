"""A lost fact fails where it is lost again, and answers of one model have to agree."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.gate.answers import compare_answers
from harness.gate.pins import Loaded
from harness.gate.policy import parse_policy
from harness.gate.record import Side
from harness.gate.result import Ruling
from harness.rehearsal import Answer, RehearsalChat

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from harness.gate.extract import StartSeen
    from harness.gate.record import GateRecord
    from harness.gate.result import Answers

    Played = Callable[..., StartSeen]
    Compare = Callable[..., Answers | None]

RIGHT, WRONG, ALMOST = "The sky is blue.", "The sky is green.", "The sky is blue!"
POLICY = parse_policy(
    """
name = "small"
question = "?"
scenarios = ["talk"]
agreement = 0.8
[[metric]]
name = "ready"
title = "ready"
measure = "start.ready"
margin = 0.1
gated = true
""",
    Path("small.toml"),
)


@pytest.fixture(name="compare")
def _compare(played: Played, record: GateRecord) -> Compare:
    """Plays pairs, each as (what the baseline says, what the candidate says), and compares."""

    def compare(
        *pairs: tuple[str, str], record: GateRecord = record, salts: tuple[str, str] | None = None
    ) -> Answers | None:
        starts = []
        for pair, said in enumerate(pairs, start=1):
            for place, (side, text) in enumerate(zip(Side, said, strict=True)):
                chat = RehearsalChat(lambda _, text=text: Answer(text))  # type: ignore[misc]
                salt = f"salt{pair}" if salts is None else salts[place]
                starts.append(played(side, pair, chat=chat, salt=salt))
        return compare_answers(record, POLICY, starts)

    return compare


def test_the_same_answers_pass(compare: Compare) -> None:
    """Three turns in three repeats, one of them a fact; what is cancelled is not compared."""
    found = compare((RIGHT, RIGHT))

    assert found is not None
    assert (found.ruling, found.compared, found.same) == (Ruling.PASS, 9, 9)
    assert (found.agreement, found.diffs) == (1.0, ())
    assert found.facts == {Side.BASELINE: (3, 3), Side.CANDIDATE: (3, 3)}


def test_a_fact_that_is_lost_in_two_pairs_fails(compare: Compare) -> None:
    """Reproduced: by another prompt, in another process."""
    found = compare((RIGHT, WRONG), (RIGHT, WRONG))

    assert found is not None
    assert found.ruling is Ruling.FAIL
    assert "talk warm.ann 1 (in 2 pairs)" in found.why
    assert found.facts == {Side.BASELINE: (6, 6), Side.CANDIDATE: (0, 6)}


def test_a_fact_that_is_lost_once_cannot_tell(compare: Compare) -> None:
    """Not found again, and so neither a pass nor a fail."""
    found = compare((RIGHT, WRONG), (RIGHT, RIGHT), (RIGHT, RIGHT))

    assert found is not None
    assert found.ruling is Ruling.INCONCLUSIVE
    assert "lost in 1 pairs, gained in 0" in found.why


def test_a_fact_that_both_sides_waver_about_convicts_nobody(compare: Compare) -> None:
    """Lost as often as gained."""
    found = compare((RIGHT, WRONG), (WRONG, RIGHT), (RIGHT, WRONG), (WRONG, RIGHT))

    assert found is not None
    assert "no fact was lost" in found.why


def test_a_fact_that_neither_side_knows_is_no_loss(compare: Compare) -> None:
    """The candidate is not asked for more than the baseline gives."""
    found = compare((WRONG, WRONG), (WRONG, WRONG))

    assert found is not None
    assert found.ruling is Ruling.PASS
    assert found.facts[Side.CANDIDATE] == (0, 6)


def test_a_near_tie_is_shown_and_fails_nothing(compare: Compare) -> None:
    """A last letter that differs is within the agreement; it is shown once, with its traces."""
    found = compare((RIGHT, ALMOST), (RIGHT, ALMOST))

    assert found is not None
    assert (found.ruling, found.same) == (Ruling.PASS, 0)
    assert found.agreement == pytest.approx(15 / 16)
    assert found.compared == 6, "a turn whose history differs was not asked the same"
    (diff,) = found.diffs
    assert (diff.baseline, diff.candidate, diff.agree) == (RIGHT, ALMOST, 15)
    assert diff.trace_candidate.startswith("starts/002-candidate/talk#salt1-")


@pytest.mark.parametrize(("pairs", "ruling"), [(2, Ruling.FAIL), (1, Ruling.INCONCLUSIVE)])
def test_one_model_that_says_something_else_fails(
    compare: Compare, pairs: int, ruling: Ruling
) -> None:
    """Though the fact is right, the same weights do not put it so; once, it may be chance."""
    found = compare(*[(RIGHT, "Blue is the sky, as everybody knows.")] * pairs)

    assert found is not None
    assert (found.ruling, "80% is asked for" in found.why) == (ruling, True)


class Spoiled:
    """A server that answers the last turn of a talk by another text, and all else rightly."""

    def __init__(self, last: str) -> None:
        self.last = last

    def __call__(self, messages: Sequence[Mapping[str, str]]) -> Answer:
        """An answer to the last message."""
        return Answer(self.last if "moon" in messages[-1]["content"] else RIGHT)


@pytest.mark.parametrize(
    ("texts", "ruling", "doubts"),
    [
        (["It is made of cheese."] * 2, Ruling.FAIL, 0),
        (["It is made of cheese."], Ruling.INCONCLUSIVE, 0),
        # In most pairs it says the same: a near-tie that now and then falls the other way.
        (["It is made of cheese.", RIGHT, RIGHT], Ruling.PASS, 0),
        # It parts late, and so in every pair.
        (["The sky is bright."] * 2, Ruling.PASS, 1),
    ],
)
def test_one_prompt_that_is_spoiled_is_not_lost_among_the_others(
    played: Played, record: GateRecord, texts: list[str], ruling: Ruling, doubts: int
) -> None:
    """Two answers of three are the same, and so is the median of all."""
    starts = []
    for pair, text in enumerate(texts, start=1):
        for side, last in zip(Side, (RIGHT, text), strict=True):
            starts.append(played(side, pair, chat=RehearsalChat(Spoiled(last)), salt=f"s{pair}"))

    found = compare_answers(record, POLICY, starts)

    assert found is not None
    assert found.agreement == 1.0
    assert (found.ruling, len(found.doubts)) == (ruling, doubts)
    assert ruling is Ruling.PASS or "talk warm.ann 3: 0% of an answer agrees" in found.why


def test_two_models_may_put_it_otherwise(compare: Compare, record: GateRecord) -> None:
    """Where the weights differ, only facts gate."""
    model = Loaded(artifact_sha256="n" * 64)
    record = replace(record, candidate=replace(record.candidate, expected=model))
    other = "Blue is the sky, as everybody knows."

    found = compare((RIGHT, other), (RIGHT, other), record=record)

    assert found is not None
    assert (found.ruling, found.same) == (Ruling.PASS, 0)


def test_one_pin_that_answers_otherwise_is_told(compare: Compare, record: GateRecord) -> None:
    """Greedy is not the same each time here: to be known before a difference is believed."""
    record = replace(record, candidate=record.baseline)

    found = compare((RIGHT, ALMOST), record=record)

    assert found is not None
    assert (found.ruling, "both sides are one pin" in found.why) == (Ruling.PASS, True)


def test_other_prompts_are_not_compared(compare: Compare) -> None:
    """A server that goes on is asked anew each time: facts count, and agreement is unknown."""
    found = compare((RIGHT, WRONG), salts=("one", "two"))

    assert found is not None
    assert (found.compared, found.agreement) == (0, None)
    assert (found.ruling, found.facts[Side.CANDIDATE]) == (Ruling.INCONCLUSIVE, (0, 3))


def test_a_pair_that_is_not_whole_is_left_out(played: Played, record: GateRecord) -> None:
    """A start alone, or one that broke, has nothing to be laid beside."""
    alone = played(Side.BASELINE, 1)
    broke = played(Side.CANDIDATE, 1, stopped="the target is gone")

    assert compare_answers(record, POLICY, [alone, broke]) is None
