"""Which month is which, how long is it, and which years are leap years?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bootstrap.nano.lexicon import MONTHS
from bootstrap.nano.replies import Exchange, Reply, think
from bootstrap.nano.skills.wording import worded

if TYPE_CHECKING:
    from random import Random

__all__ = ["SKILL", "leap", "month_length", "months"]

SKILL = "dates and weekdays"

_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
             "tenth", "eleventh", "twelfth")  # fmt: skip


def leap(year: int) -> bool:
    """Does the year have 366 days?"""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def month_length(month: int, year: int) -> int:
    """How many days month 1 to 12 has."""
    return 29 if month == 2 and leap(year) else _LENGTHS[month - 1]


def _easy(wants: str, work: str, so: str, restated: str, check: str) -> tuple[str, str, str, str]:
    return think(wants=wants, work=work, so=so, restated=restated, check=check, brief=work)


def _order(rng: Random) -> Exchange:
    """Which month is which, and which comes first."""
    draw = rng.random()
    k = rng.randrange(12)
    month = MONTHS[k]
    if draw < 0.22:
        user = worded(rng, rng.choice((
            "Which is the {o} month[ of the year|]?", "What is the {o} month[ of the year|]?",
            "Name the {o} month.", "Which month is [number {n}|the {o}]?", "Month [number |]{n}?",
        )), o=_ORDINALS[k], n=k + 1)  # fmt: skip
        answer, value = f"Month {k + 1} is {month}.", month
        work = f"Month {k + 1} is {month}."
    elif draw < 0.44:
        user = worded(rng, rng.choice((
            "[What|Which] number is {m}?", "[What|Which] month of the year is {m}?",
            "Which number does [the month |]{m} have?", "{m} is month number what?",
            "Is {m} the fifth month or which one?",
        )), m=month)  # fmt: skip
        answer, value = f"{month} is month {k + 1}.", f"month {k + 1}"
        work = f"{month} is month {k + 1}."
    elif draw < 0.72:
        n = rng.randint(2, 11)
        before = rng.random() < 0.35
        other = (k - n if before else k + n) % 12
        word = "before" if before else "after"
        user = worded(rng, rng.choice((
            "Which month is {n} months {w} {m}?", "What month comes {n} months {w} {m}?",
            "{n} months {w} {m}?", "Name the month {n} months {w} {m}.",
        )), n=n, w=word, m=month)  # fmt: skip
        total = k + 1 - n if before else k + 1 + n
        wrapped = ""
        if not 1 <= total <= 12:
            wrapped = f", {total} {'+' if total < 1 else '-'} 12 = {other + 1}"
        value = MONTHS[other]
        answer = f"{n} months {word} {month} is {value}."
        sign = "-" if before else "+"
        work = f"{month} is {k + 1}. {k + 1} {sign} {n} = {total}{wrapped}: {value}."
    else:
        other = rng.choice([m for m in range(12) if m != k])
        early = rng.random() < 0.6
        user = worded(rng, rng.choice((
            "Which [month |]comes {w}[ in the year|], {a} or {b}?", "Is {a} or {b} {v}?",
            "What is {v} in the year: {a} or {b}?",
        )), w="first" if early else "last", v="earlier" if early else "later",
            a=month, b=MONTHS[other])  # fmt: skip
        value = MONTHS[min(k, other) if early else max(k, other)]
        answer = f"{value} comes {'first' if early else 'last'}."
        work = f"{month} is {k + 1}, {MONTHS[other]} is {other + 1}."
    thoughts = _easy(
        "The user asks about the months.", work, f"So it is {value}.",
        "The year has 12 months, from January to December.", "I count them from January.",
    )  # fmt: skip
    return Exchange(user, Reply(SKILL, thoughts, answer, value))


def _leap_year(rng: Random) -> Exchange:
    year = rng.choice((rng.randint(1880, 2120), rng.choice((1800, 1900, 2000, 2100, 2200, 2400))))
    long = leap(year)
    user = worded(rng, rng.choice((
        "Is {y} a leap year?", "Was {y} a leap year?", "[Tell me if|Say if] {y} is a leap year.",
        "Does {y} have 366 days?", "Leap year or not: {y}?", "Does February {y} have 29 days?",
        "How many days does [the year |]{y} have?", "How many days are in {y}?",
    )), y=year)  # fmt: skip
    if year % 100 == 0:
        c = year // 100
        work = f"{year} ends in 00, so {c} must be a multiple of 4: {c} = {c // 4} x 4 + {c % 4}."
    else:
        c = year % 100
        work = f"{c} = {c // 4} x 4 + {c % 4}."
    if user.startswith("How"):
        answer = value = f"{year} has {366 if long else 365} days."
    else:
        answer = f"Yes, {year} is a leap year." if long else f"No, {year} is not a leap year."
        value = answer.partition(",")[0]
    thoughts = think(
        wants="The user asks about leap years.", work=work, brief=work,
        so=f"So {year} is {'a' if long else 'no'} leap year.",
        restated=f"The year is {year}.", check="A leap year is a multiple of 4.",
        second="Of the years that end in 00 only every fourth is one.",
    )  # fmt: skip
    return Exchange(user, Reply(SKILL, thoughts, answer, value))


def _how_long(rng: Random) -> Exchange:
    year = rng.randint(2016, 2040)
    month = 2 if rng.random() < 0.3 else rng.randint(1, 12)
    name, size = MONTHS[month - 1], month_length(month, year)
    when = f"{name} {year}" if month == 2 or rng.random() < 0.3 else name
    user = worded(rng, rng.choice((
        "How many days does {m} have?", "How many days are [there |]in {m}?", "How long is {m}?",
        "Days in {m}?", "How many days has {m}?", "[Tell me|Give me] the number of days in {m}.",
        "What is the last day of {m}?", "Does {m} have 30 or 31 days?",
    )), m=when)  # fmt: skip
    c = year % 100
    if month == 2:
        kind = "a leap year" if size == 29 else "no leap year"
        work = f"{c} = {c // 4} x 4 + {c % 4}, so {year} is {kind}."
    else:
        work = f"{name} has {size} days."
    thoughts = _easy(
        "The user asks how long a month is.", work, f"So it has {size} days.",
        "April, June, September and November have 30 days.", "February is the short one.",
    )  # fmt: skip
    return Exchange(user, Reply(SKILL, thoughts, f"{when} has {size} days.", f"{size} days"))


def months(rng: Random) -> Exchange:
    """Any question about months and years."""
    draw = rng.random()
    return _order(rng) if draw < 0.4 else _leap_year(rng) if draw < 0.73 else _how_long(rng)
