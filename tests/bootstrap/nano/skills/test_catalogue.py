"""The skills of one message: what holds for every one of them, whatever it is about."""

from __future__ import annotations

from random import Random
from statistics import median
from typing import TYPE_CHECKING

import pytest

from bootstrap.nano.skills.catalogue import OTHER
from bootstrap.nano.skills.dates import dates
from bootstrap.nano.skills.lists import lists
from bootstrap.nano.skills.sums import sums
from bootstrap.nano.skills.units import units
from bootstrap.nano.skills.world import world

if TYPE_CHECKING:
    from collections.abc import Callable

    from bootstrap.nano.replies import Exchange, Reply

    Skill = Callable[[Random], Exchange]

WORKED = ((sums, "multi-step sums"), (dates, "dates and weekdays"), (units, "unit conversion"),
          (lists, "lists"), (world, "world facts"))  # fmt: skip
worked = pytest.mark.parametrize("skill", [skill for skill, _ in WORKED])


def drawn(skill: Skill, size: int = 1500) -> list[Exchange]:
    """What a skill asks for the first seeds."""
    return [skill(Random(seed)) for seed in range(size)]


def test_no_message_has_two_replies() -> None:
    """Whichever skill asks it, a message has one answer and one thought at each strength."""
    replies: dict[str, Reply] = {}
    differing = [
        exchange.user
        for _, skill in OTHER
        for exchange in drawn(skill)
        if replies.setdefault(exchange.user, exchange.reply) != exchange.reply
    ]

    assert differing == []


@pytest.mark.parametrize(("skill", "group"), WORKED)
def test_a_skill_goes_by_one_name_in_reports(skill: Skill, group: str) -> None:
    """Every kind of question of a skill is counted in its group."""
    assert {exchange.reply.skill for exchange in drawn(skill)} == {group}


@worked
def test_the_value_stands_in_the_answer(skill: Skill) -> None:
    """A judge who knows the value alone can tell that the answer is right."""
    replies = [exchange.reply for exchange in drawn(skill)]

    assert [reply for reply in replies if not reply.value or reply.value not in reply.answer] == []


@worked
def test_questions_seldom_repeat(skill: Skill) -> None:
    """Of 1,500 draws, four in five are questions that no other draw asks."""
    assert len({exchange.user for exchange in drawn(skill)}) > 1200


@worked
def test_thoughts_grow_by_half_from_strength_to_strength(skill: Skill) -> None:
    """In the median of a skill's turns, and within what a context of 2,048 tokens can hold."""
    lengths = [[len(thought) for thought in one.reply.thoughts] for one in drawn(skill)]

    low, medium, high, xhigh = (median(row[k] for row in lengths) for k in range(4))

    assert min(medium / low, high / medium, xhigh / high) >= 1.5
    assert max(row[3] for row in lengths) <= 600
