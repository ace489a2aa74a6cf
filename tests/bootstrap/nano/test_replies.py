"""Replies: how a thought grows with the strength, part by part and over whole conversations."""

from __future__ import annotations

from random import Random
from statistics import median

from bootstrap.nano.dialogues import Mixture, converse
from bootstrap.nano.replies import think


def test_an_easy_turn_is_answered_at_once_at_low() -> None:
    """Where a turn is easy, low thinks nothing and medium says what is wanted first."""
    low, medium, _, _ = think(wants="A greeting.", work="I greet back.", easy=True)

    assert (low, medium) == ("", "A greeting. I greet back.")


def test_a_strength_says_all_that_the_one_below_it_worked_out() -> None:
    """From the work alone to the work restated, checked and concluded."""
    thoughts = think(
        wants="A sum.", work="2 + 2 = 4.", so="So 4.", check="4 - 2 = 2.", restated="It is 2 + 2."
    )

    assert thoughts[:3] == (
        "2 + 2 = 4.", "2 + 2 = 4. So 4.", "A sum. 2 + 2 = 4. So 4. 4 - 2 = 2.",
    )  # fmt: skip
    assert thoughts[3].startswith("It is 2 + 2. A sum. 2 + 2 = 4. So 4. 4 - 2 = 2. ")


def test_brief_work_is_what_low_says() -> None:
    """Short work at low does not change what is worked out above it."""
    low, medium, _, _ = think(wants="A sum.", work="Ones: 4. Tens: 2.", brief="24.", easy=True)

    assert (low, medium) == ("24.", "A sum. Ones: 4. Tens: 2.")


def test_thoughts_of_drawn_turns_grow_by_more_than_half_from_strength_to_strength() -> None:
    """Medians over thousands of turns, those that think at low: each step is 1.6 times or more."""
    turns = [
        [len(thought) for thought in exchange.reply.thoughts]
        for seed in range(500)
        for exchange in converse(Random(seed), Mixture(), 7000).exchanges
        if exchange.reply.thoughts[0]
    ]

    low, medium, high, xhigh = (median(lengths[k] for lengths in turns) for k in range(4))

    assert len(turns) > 1500
    assert min(medium / low, high / medium, xhigh / high) >= 1.6
