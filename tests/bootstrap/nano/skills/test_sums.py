"""Sums: every result is worked out again from the text of the question."""

from __future__ import annotations

import re
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

from bootstrap.nano.skills.sums import said, steps, sums
from bootstrap.nano.skills.written import full, terse

if TYPE_CHECKING:
    from bootstrap.nano.replies import Exchange

_EQUATION = re.compile(r"((?:\(?\d+\)? [-+x/] )+\(?\d+\)?(?: [-+x/] \(?\d+\)?)*) = (\d+)")
_NAMED = {
    "half": Fraction(1, 2), "a third": Fraction(1, 3), "a quarter": Fraction(1, 4),
    "a fifth": Fraction(1, 5), "a tenth": Fraction(1, 10), "three quarters": Fraction(3, 4),
    "two thirds": Fraction(2, 3), "two fifths": Fraction(2, 5), "three fifths": Fraction(3, 5),
}  # fmt: skip


def value(text: str) -> Fraction:
    """An expression of `+ - x / ( )`, by recursive descent in fractions."""
    tokens = re.findall(r"\d+|[-+x/()]", text)

    def atom() -> Fraction:
        token = tokens.pop(0)
        if token != "(":
            return Fraction(token)
        inside = total()
        tokens.pop(0)
        return inside

    def product() -> Fraction:
        result = atom()
        while tokens and tokens[0] in "x/":
            result = result * atom() if tokens.pop(0) == "x" else result / atom()
        return result

    def total() -> Fraction:
        result = product()
        while tokens and tokens[0] in "+-":
            result = result + product() if tokens.pop(0) == "+" else result - product()
        return result

    return total()


def normal(user: str) -> str:
    """The signs and digits of a question, as one writes them on paper."""
    for word, sign in (("plus", "+"), ("minus", "-"), ("times", "x"), ("divided by", "/"),
                       ("*", "x"), ("\u00d7", "x"), ("\u00f7", "/")):  # fmt: skip
        user = user.replace(word, sign)
    return "".join(re.findall(r"\d+|[-+/()]|(?<=[\d) ])x(?=[\d( ])", user))


def drawn(size: int = 4000) -> list[Exchange]:
    """The questions of the first seeds."""
    return [sums(Random(seed)) for seed in range(size)]


def test_expressions_are_worked_out_right() -> None:
    """The answer repeats the expression that was asked and gives its value."""
    asked = [one for one in drawn() if " = " in one.reply.answer]

    assert len(asked) > 1500
    for exchange in asked:
        expression, _, result = exchange.reply.answer.rstrip(".").partition(" = ")
        assert normal(exchange.user) == expression.replace(" ", "")
        assert value(expression) == Fraction(result)


def test_averages_are_the_sum_over_the_count() -> None:
    """Every number of the question counts, once."""
    asked = [one for one in drawn() if one.reply.answer.startswith("The average")]

    assert len(asked) > 100
    for exchange in asked:
        numbers = list(map(int, re.findall(r"\d+", exchange.user)))
        assert Fraction(sum(numbers), len(numbers)) == Fraction(exchange.reply.value)


def test_parts_of_a_number_are_exact() -> None:
    """A percentage or a fraction of a whole, and the whole is the one that was asked about."""
    asked = [one for one in drawn() if " of " in one.reply.answer]

    assert len(asked) > 200
    for exchange in asked:
        name, whole, result = re.match(r"(.+) of (\d+).* is (\d+)", exchange.reply.answer).groups()  # type: ignore[union-attr]
        part = (
            Fraction(int(name[:-1]), 100) if name.endswith("%")
            else _NAMED.get(name.lower()) or Fraction(name)
        )  # fmt: skip
        assert whole in re.findall(r"\d+", exchange.user)
        assert part * int(whole) == int(result)


def test_word_problems_use_the_numbers_that_were_told() -> None:
    """The expression of the thought has every number of the story, and the answer its value."""
    asked = [one for one in drawn() if one.reply.answer.startswith("That makes")]

    assert len(asked) > 500
    for exchange in asked:
        expression = exchange.reply.thoughts[0].partition(". ")[0]
        told = set(re.findall(r"\d+", exchange.user.replace("twice", "2 times")))
        assert set(re.findall(r"\d+", expression)) == told
        assert value(expression) == int(exchange.reply.value.split(" ", 1)[0])


def test_every_equation_of_a_thought_holds() -> None:
    """Columns, carries, parts and checks: whatever is written is true."""
    found = 0
    for exchange in drawn(1500):
        for thought in exchange.reply.thoughts:
            for left, right in _EQUATION.findall(thought):
                found += 1
                assert value(left) == Fraction(right), thought

    assert found > 20_000


def test_columns_carry_and_borrow() -> None:
    """A carry is added in the next column, what was lent is taken off there."""
    assert terse(243, "+", 158) == "3 + 8 = 11, 4 + 5 + 1 = 10, 2 + 1 + 1 = 4, 243 + 158 = 401."
    assert terse(401, "-", 158) == "11 - 8 = 3, 10 - 5 - 1 = 4, 4 - 1 - 1 = 2, 401 - 158 = 243."
    assert full(47, "+", 8) == "47 + 8: ones 7 + 8 = 15, tens 4 + 0 + 1 = 5. So 47 + 8 = 55."


def test_products_are_worked_out_by_tens_and_ones() -> None:
    """A factor of ten is one step; other digits are multiplied apart and added."""
    assert terse(46, "x", 7) == "40 x 7 = 280, 6 x 7 = 42, 280 + 42 = 322, 46 x 7 = 322."
    assert terse(28, "x", 10) == "28 x 10 = 280."
    assert terse(81, "/", 3) == "60 / 3 = 20, 21 / 3 = 7, 20 + 7 = 27, 81 / 3 = 27."


def test_brackets_are_written_only_where_they_are_needed() -> None:
    """Reading the text gives back what the steps compute."""
    assert said(((2, "+", 3), "x", 4)) == "(2 + 3) x 4"
    assert said((9, "-", (4, "-", 1))) == "9 - (4 - 1)"
    assert said(((2, "x", 3), "+", 4)) == "2 x 3 + 4"
    assert steps(((2, "+", 3), "x", 4)) == [(2, "+", 3), (5, "x", 4)]
