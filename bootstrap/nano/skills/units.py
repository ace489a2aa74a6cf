"""How are lengths, masses, volumes, times, temperatures and data sizes converted?

A table of units by their size in the smallest unit of their kind. The thought names the factor
between the two units and moves the point or multiplies; results are whole or have one decimal.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING

from bootstrap.nano.replies import Exchange, Reply, think
from bootstrap.nano.skills.wording import worded
from bootstrap.nano.skills.written import full, terse

if TYPE_CHECKING:
    from random import Random

__all__ = ["FACTORS", "SKILL", "units"]

SKILL = "unit conversion"

# kind: unit in the plural, the singular, its sign, its size
_TABLE: tuple[tuple[str, tuple[tuple[str, str, str, int], ...]], ...] = (
    ("length", (("millimetres", "millimetre", "mm", 1), ("centimetres", "centimetre", "cm", 10),
                ("metres", "metre", "m", 1000), ("kilometres", "kilometre", "km", 1_000_000))),
    ("mass", (("milligrams", "milligram", "mg", 1), ("grams", "gram", "g", 1000),
              ("kilograms", "kilogram", "kg", 1_000_000), ("tonnes", "tonne", "t", 1_000_000_000))),
    ("volume", (("millilitres", "millilitre", "ml", 1), ("centilitres", "centilitre", "cl", 10),
                ("litres", "litre", "l", 1000))),
    ("time", (("seconds", "second", "s", 1), ("minutes", "minute", "min", 60),
              ("hours", "hour", "h", 3600), ("days", "day", "days", 86_400),
              ("weeks", "week", "weeks", 604_800))),
    ("length in old units", (("inches", "inch", "in", 1), ("feet", "foot", "ft", 12),
                             ("yards", "yard", "yd", 36))),
    ("mass in old units", (("ounces", "ounce", "oz", 1), ("pounds", "pound", "lb", 16))),
    ("data", (("bits", "bit", "bits", 1), ("bytes", "byte", "bytes", 8))),
    ("data sizes", (("bytes", "byte", "B", 1), ("kilobytes", "kilobyte", "kB", 1000),
                    ("megabytes", "megabyte", "MB", 1_000_000),
                    ("gigabytes", "gigabyte", "GB", 1_000_000_000))),
    ("years", (("months", "month", "months", 1), ("years", "year", "years", 12))),
    ("money", (("cents", "cent", "cents", 1), ("euros", "euro", "euros", 100))),
    ("dozens", (("pieces", "piece", "pieces", 1), ("dozens", "dozen", "dozen", 12))),
)  # fmt: skip

# the plurals of two units, and how many of the smaller make one of the larger
FACTORS = {
    (larger[0], smaller[0]): larger[3] // smaller[3]
    for _, row in _TABLE
    for smaller, larger in permutations(row, 2)
    if smaller[3] < larger[3] <= 1_000_000 * smaller[3]
    and (larger[3] // smaller[3] <= 3600 or str(larger[3] // smaller[3]).strip("0") == "1")
}
_UNITS = {unit[0]: unit for _, row in _TABLE for unit in reversed(row)}


def _number(value: Fraction) -> str:
    """A number as it is written: whole, or with its decimals.

    >>> _number(Fraction(5, 2))
    '2.5'
    """
    if value.denominator == 1:
        return str(value.numerator)
    return f"{float(value):.4f}".rstrip("0")


def _amount(value: Fraction, unit: str) -> str:
    plural, singular, _, _ = _UNITS[unit]
    return f"{_number(value)} {singular if value == 1 else plural}"


_ASKED = (
    "How many {to} are [there in |in |]{n} {unit}?", "[Please |]convert {n} {unit} to {to}.",
    "What is {n} {unit} in {to}?", "{n} {unit} in {to}?", "{n} {unit} to {to}",
    "How many {to} [is|are|make] {n} {unit}?", "Convert {n} {unit} into {to}.",
    "Express {n} {unit} in {to}.", "{n} {unit} is how many {to}?",
    "How much is {n} {unit} in {to}?",
    "Change {n} {unit} to {to}.", "I have {n} {unit}. How many {to} is that?",
    "[Tell me|Give me] {n} {unit} in {to}.", "Write {n} {unit} as {to}.",
)  # fmt: skip


def _asked(rng: Random, value: Fraction, unit: str, target: str) -> str:
    short = rng.random() < 0.3
    plural, singular, sign, _ = _UNITS[unit]
    name = sign if short else singular if value == 1 else plural
    to = _UNITS[target][2] if short and rng.random() < 0.6 else target
    return worded(rng, rng.choice(_ASKED), n=_number(value), unit=name, to=to)


def _drawn(rng: Random, factor: int, *, down: bool) -> Fraction | None:
    """An amount that comes out whole or with one decimal."""
    decimal = factor == 10 ** (len(str(factor)) - 1)
    amount = Fraction(rng.randint(1, 99 if decimal else 30 if factor < 100 else 12))
    if decimal and rng.random() < 0.35:
        amount /= 10
    if down:
        return amount
    if not decimal and factor % 2 == 0 and rng.random() < 0.15:
        amount += Fraction(1, 2)
    value = amount * factor
    return value if value.denominator == 1 and value <= 99_000_000 else None


def _moved(value: Fraction, factor: int, result: Fraction, *, down: bool) -> str | None:
    """Moving the point, for factors of 10, 100, 1000 and so on."""
    zeros = len(str(factor)) - 1
    if factor != 10**zeros:
        return None
    way = "right" if down else "left"
    plural = "s" if zeros > 1 else ""
    return f"{zeros} place{plural} to the {way}: {_number(value)} becomes {_number(result)}."


def units(rng: Random) -> Exchange:
    """A conversion between two units of a kind, or between two temperatures."""
    if rng.random() < 0.1:
        return _temperature(rng)
    large, small = rng.choice(list(FACTORS))
    factor, down = FACTORS[large, small], rng.random() < 0.5
    unit, target = (large, small) if down else (small, large)
    value = _drawn(rng, factor, down=down)
    if value is None:
        return units(rng)
    result = value * factor if down else value / factor
    known = f"1 {_UNITS[large][1]} is {factor} {small}."
    sign = "x" if down else "/"
    equation = f"{_number(value)} {sign} {factor} = {_number(result)}."
    moved = _moved(value, factor, result, down=down)
    if moved is not None:
        brief, work = f"{known} {equation}", f"{known} {moved} {equation}"
    elif value.denominator == 1 and result.denominator == 1:
        brief = f"{known} {terse(int(value), sign, factor)}"
        work = f"{known} {full(int(value), sign, factor)}"
    else:
        whole = (result - Fraction(1, 2)) * factor
        rest = f"{factor // 2} / {factor} = 0.5."
        brief = f"{known} {terse(int(whole), sign, factor)} {rest} {equation}"
        work = brief
    given, got = _amount(value, unit), _amount(result, target)
    way = "fewer, so I divide" if not down else "more, so I multiply"
    thoughts = think(
        wants="The user converts a unit.", work=work, so=f"So {given} are {got}.", brief=brief,
        check=f"The {_UNITS[target][1]} is the {'smaller' if down else 'larger'} unit: "
        f"there must be {way}.",
        restated=f"I have {given} and need {target}.",
        second=f"Back again: {_number(result)} {'/' if down else 'x'} {factor} = {_number(value)}.",
    )  # fmt: skip
    verb = "is" if value == 1 else "are"
    answer = f"{given} {verb} {got}."
    return Exchange(_asked(rng, value, unit, target), Reply(SKILL, thoughts, answer, got))


def _temperature(rng: Random) -> Exchange:
    """Celsius to Fahrenheit and back, in steps of five degrees Celsius."""
    celsius = 5 * rng.randint(-4, 30)
    fahrenheit = celsius * 9 // 5 + 32
    down = rng.random() < 0.5
    value, unit, target = (
        (celsius, "Celsius", "Fahrenheit") if down else (fahrenheit, "Fahrenheit", "Celsius")
    )
    if down:
        steps = f"{celsius} x 9 = {celsius * 9}, {celsius * 9} / 5 = {celsius * 9 // 5}, "
        steps += f"{celsius * 9 // 5} + 32 = {fahrenheit}."
        rule, result = "Times 9, divided by 5, plus 32.", fahrenheit
    else:
        rest = fahrenheit - 32
        steps = f"{fahrenheit} - 32 = {rest}, {rest} x 5 = {rest * 5}, {rest * 5} / 9 = {celsius}."
        rule, result = "Minus 32, times 5, divided by 9.", celsius
    user = worded(rng, rng.choice((
        "[What is|How much is] {n} degrees {a} in {b}?", "Convert {n} degrees {a} to {b}.",
        "{n} {a} in {b}?", "How many degrees {b} [is|are] {n} degrees {a}?", "{n} {a} to {b}",
        "It is {n} degrees {a}. What is that in {b}?", "Change {n} degrees {a} into {b}.",
    )), n=value, a=unit, b=target)  # fmt: skip
    given, got = f"{value} degrees {unit}", f"{result} degrees {target}"
    thoughts = think(
        wants="The user converts a temperature.", work=f"{rule} {steps}", so=f"So it is {got}.",
        restated=f"I have {given} and need {target}.", brief=steps,
        check="Water freezes at 0 degrees Celsius, which are 32 degrees Fahrenheit.",
        second="Water boils at 100 degrees Celsius, which are 212 degrees Fahrenheit.",
    )  # fmt: skip
    return Exchange(user, Reply(SKILL, thoughts, f"{given} are {got}.", got))
