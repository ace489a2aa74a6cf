"""Skills: answers are right by construction, checked here by working them out another way."""

from __future__ import annotations

import re
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

import pytest

from bootstrap.nano.skills.arithmetic import added, arithmetic, sum_question
from bootstrap.nano.skills.counting import counting
from bootstrap.nano.skills.smalltalk import dated, smalltalk
from bootstrap.nano.skills.words import wordplay

if TYPE_CHECKING:
    from bootstrap.nano.replies import Exchange


def games(skill: str, size: int = 6000) -> list[Exchange]:
    """Play many word games; keep those of one skill."""
    played = [wordplay(Random(seed)) for seed in range(size)]
    return [exchange for exchange in played if exchange.reply.skill == skill]


def given(exchange: Exchange) -> list[str]:
    """The words after the colon of a request."""
    listed = exchange.user.rpartition(": ")[2].rstrip("?")
    return re.split(r",? ", listed)


@pytest.mark.parametrize("sign", ["+", "-"])
def test_every_two_digit_sum_is_right(sign: str) -> None:
    """All ten thousand sums: the stated result is what Python makes of it."""
    for a in range(100):
        for b in range(100):
            reply = sum_question(Random(0), a, b, sign).reply
            expected = a + b if sign == "+" else a - b
            assert reply.answer == f"{a} {sign} {b} = {expected}."


def test_written_addition_carries() -> None:
    """Digit by digit, with the carry named where there is one."""
    assert added(47, 38) == "Ones: 7 + 8 = 15. Tens: 4 + 3 = 7, and 1 more is 8."
    assert added(41, 38) == "Ones: 1 + 8 = 9. Tens: 4 + 3 = 7."


def test_every_equation_that_is_thought_holds() -> None:
    """Whatever a thought writes as `a + b = c` is true."""
    pattern = re.compile(r"(-?\d+) ([-+x/]) (-?\d+) = (-?\d+)")
    operations = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "x": lambda a, b: a * b,
        "/": lambda a, b: a // b,
    }
    found = 0
    for seed in range(3000):
        reply = arithmetic(Random(seed)).reply
        for text in (*reply.thoughts, reply.answer):
            for a, sign, b, result in pattern.findall(text):
                found += 1
                assert operations[sign](int(a), int(b)) == int(result), text

    assert found > 3000


def test_words_are_counted_right() -> None:
    """The count is the number of words in the request."""
    counted = games("counting words")

    assert counted
    for exchange in counted:
        assert exchange.reply.value == str(len(given(exchange)))


def test_reversed_words_are_the_same_words_backwards() -> None:
    """Reversing keeps every word."""
    reversed_games = games("reversing words")

    assert reversed_games
    for exchange in reversed_games:
        assert exchange.reply.answer.split(", ") == given(exchange)[::-1]


def test_case_changes_nothing_but_the_case() -> None:
    """Upper case is upper, lower is lower."""
    for exchange in games("upper case"):
        assert exchange.reply.answer == exchange.reply.answer.upper()
        assert exchange.reply.answer.lower() in exchange.user
    for exchange in games("lower case"):
        assert exchange.reply.answer.upper() in exchange.user


def test_letters_are_counted_right() -> None:
    """The count of a letter is what `str.count` says."""
    counted = games("counting one letter")

    assert counted
    for exchange in counted:
        match = re.fullmatch(r"(\w) is in (\w+) (\d+) times?\.", exchange.reply.answer)
        assert match is not None
        assert match[2].count(match[1]) == int(match[3])


def test_counting_leaves_nothing_out() -> None:
    """Numbers follow one another by one, up or down."""
    for seed in range(300):
        exchange = counting(Random(seed))
        numbers = [int(number) for number in exchange.reply.answer.rstrip(".").split(", ")]
        steps = {later - earlier for earlier, later in pairwise(numbers)}
        assert steps in ({1}, {-1})


def test_the_date_comes_from_the_system_message_alone() -> None:
    """Without a date in the prompt there is none to tell."""
    assert dated(Random(0), "2026-03-05").reply.answer == "Today is 2026-03-05."
    assert dated(Random(0), None).reply.answer.startswith("I don't know.")


def test_a_topic_has_one_answer() -> None:
    """However it is brought up, a topic of small talk is answered in one way."""
    answers: dict[str, set[str]] = {}
    for seed in range(3000):
        reply = smalltalk(Random(seed)).reply
        answers.setdefault(reply.skill, set()).add(reply.answer)

    varied = {"calendar", "number words"}
    assert {skill for skill, said in answers.items() if len(said) > 1} == varied
