"""Units: results against a table of sizes that the skill does not use."""

from __future__ import annotations

import re
from fractions import Fraction
from random import Random

from bootstrap.nano.skills.units import units

# kind: the size of each unit in the kind's own
_KINDS: dict[str, dict[str, int | str]] = {
    "metre": {"mm": "1/1000", "cm": "1/100", "m": 1, "km": 1000, "millimetre": "1/1000",
              "centimetre": "1/100", "metre": 1, "kilometre": 1000},
    "gram": {"mg": "1/1000", "g": 1, "kg": 1000, "t": 1_000_000, "milligram": "1/1000",
             "gram": 1, "kilogram": 1000, "tonne": 1_000_000},
    "litre": {"ml": "1/1000", "cl": "1/100", "l": 1, "millilitre": "1/1000",
              "centilitre": "1/100", "litre": 1},
    "second": {"s": 1, "min": 60, "h": 60 * 60, "second": 1, "minute": 60, "hour": 60 * 60,
               "day": 24 * 60 * 60, "week": 7 * 24 * 60 * 60},
    "inch": {"in": 1, "ft": 12, "yd": 36, "inch": 1, "inche": 1, "foot": 12, "feet": 12,
             "yard": 36},
    "pound": {"oz": "1/16", "lb": 1, "ounce": "1/16", "pound": 1},
    "byte": {"bit": "1/8", "byte": 1, "B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9,
             "kilobyte": 10**3, "megabyte": 10**6, "gigabyte": 10**9},
    "year": {"month": "1/12", "year": 1},
    "euro": {"cent": "1/100", "euro": 1},
    "piece": {"piece": 1, "dozen": 12},
}  # fmt: skip
SIZES = {name: (kind, Fraction(size)) for kind, row in _KINDS.items() for name, size in row.items()}


def size(unit: str) -> tuple[str, Fraction]:
    """A unit's kind and size, whether it is one or many."""
    return SIZES[unit] if unit in SIZES else SIZES[unit.removesuffix("s")]


def test_conversions_keep_the_amount() -> None:
    """Both sides of an answer are the same length, mass, time or what it may be."""
    seen = 0
    for seed in range(3000):
        exchange = units(Random(seed))
        match = re.fullmatch(r"([\d.]+) (\w+) (?:is|are) ([\d.]+) (\w+)\.", exchange.reply.answer)
        if match is None:
            assert "degrees" in exchange.reply.answer
            continue
        seen += 1
        (kind, given), (same, got) = size(match[2]), size(match[4])
        assert kind == same
        assert Fraction(match[1]) * given == Fraction(match[3]) * got

    assert seen > 2500


def test_the_amount_and_both_units_are_the_ones_asked_for() -> None:
    """The question names the number and its unit, and the unit that is wanted."""
    for seed in range(3000):
        exchange = units(Random(seed))
        if "degrees" in exchange.reply.answer:
            continue
        number, unit = exchange.reply.answer.split()[:2]
        target = exchange.reply.answer.rstrip(".").split()[-1]
        words = re.findall(r"[\d.]*\d|[A-Za-z]+", exchange.user)
        sizes = [size(word) for word in words if word in SIZES or word.removesuffix("s") in SIZES]
        assert number in words
        assert {size(unit), size(target)} <= set(sizes)


def test_temperatures_follow_their_formula() -> None:
    """Fahrenheit is nine fifths of Celsius and 32 more."""
    asked = [
        one.reply.answer for one in (units(Random(seed)) for seed in range(3000))
        if "degrees" in one.reply.answer
    ]  # fmt: skip

    assert len(asked) > 150
    for answer in asked:
        found = re.findall(r"(-?\d+) degrees (\w+)", answer)
        scale = {name: int(number) for number, name in found}
        assert scale["Fahrenheit"] == Fraction(scale["Celsius"] * 9, 5) + 32


def test_results_are_whole_or_have_one_decimal() -> None:
    """No answer is longer than a user would write it."""
    answers = [units(Random(seed)).reply.answer for seed in range(3000)]

    assert [answer for answer in answers if re.search(r"\.\d\d", answer)] == []
