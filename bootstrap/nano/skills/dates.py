"""How are questions about weekdays, dates and the clock asked, worked out and answered?

A weekday is found from the weekday on which its year begins, which is a fact to know by heart, the
days that the months before it leave over after whole weeks, and the day of the month. Everything
else is counting on: days of a month that are left, minutes that are left of an hour.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from bootstrap.nano.lexicon import MONTHS, WEEKDAYS
from bootstrap.nano.replies import Exchange, Reply, think
from bootstrap.nano.skills.clock import clock
from bootstrap.nano.skills.months import SKILL, leap, month_length, months
from bootstrap.nano.skills.wording import worded

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

__all__ = ["SKILL", "YEARS", "dates", "today"]

YEARS = range(2020, 2036)  # of the dates whose weekday it finds


def _named(day: date, *, year: bool = True) -> str:
    text = f"{day.day} {MONTHS[day.month - 1]}"
    return f"{text} {day.year}" if year else text


def _typed(rng: Random, day: date, *, year: bool = True) -> str:
    """A date as users type it."""
    month = MONTHS[day.month - 1]
    forms = [f"{day.day} {month}", f"{month} {day.day}"]
    if year:
        forms = [f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}", day.isoformat()]
    return rng.choice((forms[0], *forms))


def _any_day(rng: Random) -> date:
    return date(rng.choice(YEARS), 1, 1) + timedelta(days=rng.randrange(365))


def _weeks(days: int) -> str:
    """`17 = 2 x 7 + 3`"""
    return f"{days} = {days // 7} x 7 + {days % 7}"


def _on(weekday: int, days: int) -> str:
    """Counting on from a weekday, day by day: `Monday, 1 Tuesday, 2 Wednesday`."""
    names = (WEEKDAYS[(weekday + k) % 7] for k in range(1, days + 1))
    return ", ".join([WEEKDAYS[weekday], *(f"{k} {name}" for k, name in enumerate(names, 1))])


def _of_date(day: date) -> tuple[str, str, str]:
    """The work that finds a weekday: brief, thorough, and a check."""
    first, begins = date(day.year, 1, 1), day.replace(day=1)
    before, left = (begins - first).days % 7, (day.day - 1) % 7
    start, turn, end = (WEEKDAYS[d.weekday()] for d in (first, begins, day))
    month = MONTHS[day.month - 1]
    brief = f"{day.year} begins on {start}. {month}: +{before}, {turn}. +{left}, {end}."
    kind = f"{day.year} is {'a' if leap(day.year) else 'no'} leap year."
    work = (
        f"{day.year} begins on a {start}. {kind if day.month > 2 else ''} "
        f"{month} begins {before} after that: {_on(first.weekday(), before)}. "
        f"{day.day} - 1 = {day.day - 1}, {_weeks(day.day - 1)}, so {left} more: "
        f"{_on(begins.weekday(), left)}."
    ).replace("  ", " ")
    check = f"The 1st, 8th, 15th and 22nd of {month} are {turn}s as well."
    return brief, work, check


def _weekday(rng: Random) -> Exchange:
    day = _any_day(rng)
    name, said = WEEKDAYS[day.weekday()], _named(day)
    user = worded(rng, rng.choice((
        "[Which|What] [weekday|day of the week] is {d}?", "What day is {d}?",
        "[On which|Which] weekday does {d} fall[ on|]?", "Weekday of {d}?",
        "[Find|Tell me|Work out|Give me] the [weekday|day of the week] of {d}.",
        "Is {d} a Monday or which weekday?", "On [what|which] [day|weekday] [is|was] {d}?",
        "Which [day of the week|weekday] [is|falls on] {d}?", "What weekday was {d}?",
    )), d=_typed(rng, day))  # fmt: skip
    brief, work, check = _of_date(day)
    thoughts = think(
        wants="The user asks for a weekday.", work=work, so=f"So it is a {name}.", check=check,
        restated=f"The date is {said}.", brief=brief,
        second="I went from the year to the month to the day.",
    )  # fmt: skip
    medium = f"I go from the year to the day. {brief} So {said} is a {name}."
    low, _, high, xhigh = thoughts
    reply = Reply(SKILL, (low, medium, high, xhigh), f"{said} is a {name}.", name)
    return Exchange(user, reply)


def _weekday_from_another(rng: Random) -> Exchange:
    """A weekday from that of another date, at most two months apart."""
    year = rng.choice(YEARS)
    month = rng.choice([k for k in range(1, 13) if k != 2])
    first = date(year, month, rng.randint(1, 28))
    second = first + timedelta(days=rng.randint(1, 30))
    second = min(second, date(year, 12, 31))
    back = rng.random() < 0.15 and first.month == second.month
    given, asked = (second, first) if back else (first, second)
    if first == second or (first.month == 1 and second.month == 3):
        return _weekday_from_another(rng)
    gap = (second - first).days
    known, name = WEEKDAYS[given.weekday()], WEEKDAYS[asked.weekday()]
    given_text, asked_text = (_typed(rng, d, year=False) for d in (given, asked))
    user = worded(rng, rng.choice((
        "If {g} is a {k}, [which|what] [weekday|day of the week|day] is {a}?",
        "{g} is a {k}. [Which|What] [weekday|day] is {a}?",
        "{g} falls on a {k}. On which [weekday|day] does {a} fall?",
        "Given that {g} is a {k}, which weekday is {a}?", "When {g} is a {k}, what day is {a}?",
        "Suppose {g} is a {k}. Which day of the week is {a}?",
    )), g=given_text, a=asked_text, k=known)  # fmt: skip
    if first.month == second.month:
        count = f"{second.day} - {first.day} = {gap}."
    else:
        size = month_length(first.month, year)
        left = size - first.day
        count = f"{size} - {first.day} = {left}, {left} + {second.day} = {gap}."
    rest = gap % 7
    way = f"{rest} before {known}" if back else f"{rest} after {known}"
    counted = _back(given.weekday(), rest) if back else _on(given.weekday(), rest)
    said = _named(asked, year=False)
    thoughts = think(
        wants="The user asks for a weekday.",
        work=f"From {_named(first, year=False)} to {_named(second, year=False)}: {count} "
        f"{_weeks(gap)}, so it is {way}: {counted}.",
        so=f"So {said} is a {name}.", check=f"Whole weeks change nothing, only {rest} days count.",
        restated=f"The day that I know is {_named(given, year=False)}, a {known}.",
        brief=f"{count} {_weeks(gap)}. {counted}.", second="I count the days, then the weeks.",
    )  # fmt: skip
    return Exchange(user, Reply(SKILL, thoughts, f"{said} is a {name}.", name))


def _back(weekday: int, days: int) -> str:
    names = (WEEKDAYS[(weekday - k) % 7] for k in range(1, days + 1))
    return ", ".join([WEEKDAYS[weekday], *(f"{k} {name}" for k, name in enumerate(names, 1))])


def _weekday_on(rng: Random) -> Exchange:
    """A weekday some days after or before another."""
    start, days = rng.randrange(7), rng.choice((rng.randint(1, 7), rng.randint(2, 60)))
    if rng.random() < 0.15:
        days = rng.randint(60, 200)
    before = rng.random() < 0.25
    name = WEEKDAYS[(start - days if before else start + days) % 7]
    span = f"{days} day{'s' if days > 1 else ''}"
    forms: tuple[str, ...]
    if before:
        forms = ("[Which|What] [weekday|day] [was|is|comes] {n} before {d}?", "{n} before {d}?",
                 "Today is {d}. [Which|What] [weekday|day] was it {n} ago?",
                 "It is {d}. What day was {n} ago?")  # fmt: skip
    else:
        forms = ("[Which|What] [weekday|day] [is|comes] {n} after {d}?", "{n} after {d}?",
                 "Today is {d}. [Which|What] [weekday|day] [is it|will it be] in {n}?",
                 "It is {d}. [Which|What] day [is|will be] in {n}?", "{d} plus {n}?",
                 "If today is {d}, what day is it in {n}?",
                 "[Tell me the|Which] weekday {n} from {d}[.|?]")  # fmt: skip
    user = worded(rng, rng.choice(forms), n=span, d=WEEKDAYS[start])
    rest = days % 7
    counted = _back(start, rest) if before else _on(start, rest)
    way = "back" if before else "on"
    word = "before" if before else "after"
    thoughts = think(
        wants="The user asks for a weekday.",
        work=f"A week has 7 days. {_weeks(days)}, so I count {rest} {way} from {WEEKDAYS[start]}: "
        f"{counted}.",
        so=f"So it is a {name}.", check=f"{days - rest} days {word} {WEEKDAYS[start]} it is "
        f"{WEEKDAYS[start]} again, and {rest} more give {name}.",
        restated=f"It is {days} days {word} {WEEKDAYS[start]}.",
        brief=f"{_weeks(days)}. {counted}.",
    )  # fmt: skip
    answer = f"{span} {word} {WEEKDAYS[start]} is a {name}."
    return Exchange(user, Reply(SKILL, thoughts, answer, f"a {name}"))


def _counted_on(day: date, days: int) -> tuple[str, date]:
    """The work that adds days, or takes them away, month by month."""
    parts, at, left = [], day, days
    if days < 0:
        parts.append(f"{day.day} - {-days} = {day.day + days}" if -days < day.day else
                     f"{-days} - {day.day} = {-days - day.day}")  # fmt: skip
        left = -days - day.day
        while left >= 0:
            at = at.replace(day=1) - timedelta(days=1)
            size, month = at.day, MONTHS[at.month - 1]
            if left < size:
                parts.append(f"{month} has {size} days, {size} - {left} = {size - left}")
                break
            parts.append(f"{month} has {size} days, {left} - {size} = {left - size}")
            left -= size
        return ". ".join(parts) + ".", day + timedelta(days=days)
    total = day.day + days
    parts.append(f"{day.day} + {days} = {total}")
    while total > (size := month_length(at.month, at.year)):
        parts.append(f"{MONTHS[at.month - 1]} has {size} days, {total} - {size} = {total - size}")
        total -= size
        at = (at.replace(day=1) + timedelta(days=32)).replace(day=1)
    return ". ".join(parts) + ".", day + timedelta(days=days)


def _date_on(rng: Random) -> Exchange:
    """A date some days after or before another."""
    day, days = _any_day(rng), rng.choice((rng.randint(1, 14), rng.randint(2, 45)))
    before = rng.random() < 0.25
    unit = f"{days} day{'s' if days > 1 else ''}"
    if days % 7 == 0 and rng.random() < 0.7:
        unit = f"{days // 7} week{'s' if days > 7 else ''}"
    work, then = _counted_on(day, -days if before else days)
    dated = rng.random() < 0.5 or then.year != day.year or 2 in {day.month, then.month}
    said, start = _named(then, year=dated), _named(day, year=dated)
    word = "before" if before else "after"
    forms: tuple[str, ...]
    if before:
        forms = ("[What|Which] date is {n} before {d}?", "What is the date {n} before {d}?",
                 "{n} before {d}?", "It is {d}. What was the date {n} ago?",
                 "[Take|Subtract] {n} from {d}.", "What is {d} minus {n}?")  # fmt: skip
    else:
        forms = ("[What|Which] date is {n} after {d}?", "What is the date {n} after {d}?",
                 "{n} after {d}?", "It is {d}. What is the date in {n}?", "Add {n} to {d}.",
                 "What is {d} plus {n}?", "[Which date|What date] is {n} from {d}?",
                 "Today is {d}. [Which|What] date [is it|will it be] in {n}?",
                 "A trip begins on {d} and lasts {n}. What is the date {n} later?")  # fmt: skip
    user = worded(rng, rng.choice(forms), n=unit, d=_typed(rng, day, year=dated))
    if "week" in unit:
        work = f"{unit} {'is' if days == 7 else 'are'} {days} days. {work}"
    brief = f"{work} {said}."
    thoughts = think(
        wants="The user asks for a date.", work=f"I start at {start} and count {word}. {work}",
        so=f"So it is {said}.", brief=brief,
        check=f"{then.day} {MONTHS[then.month - 1]} is {days} days {word} {start}.",
        restated=f"The start is {start}, the distance is {days} days.",
        second="I looked at how long the months are.",
    )  # fmt: skip
    return Exchange(user, Reply(SKILL, thoughts, f"It is {said}.", said))


def _days_between(rng: Random) -> Exchange:
    first = _any_day(rng)
    second = first + timedelta(days=rng.choice((rng.randint(1, 30), rng.randint(2, 110))))
    if second.year != first.year:
        return _days_between(rng)
    gap = (second - first).days
    dated = rng.random() < 0.4 or first.month <= 2 <= second.month
    start, end = _named(first, year=dated), _named(second, year=dated)
    user = worded(rng, rng.choice((
        "How many days are [there |]from {a} to {b}?", "Days from {a} to {b}?",
        "How many days [lie |are there |]between {a} and {b}?", "How long is it from {a} to {b}?",
        "[Count|Tell me|Give me] the days from {a} to {b}.", "How far is {b} from {a} in days?",
        "It is {a}. How many days [is it|are left] until {b}?",
        "What is the number of days from {a} to {b}?",
    )), a=_typed(rng, first, year=dated), b=_typed(rng, second, year=dated))  # fmt: skip
    if first.month == second.month:
        work = f"{second.day} - {first.day} = {gap}."
    else:
        size = month_length(first.month, first.year)
        total = size - first.day
        month = MONTHS[first.month - 1]
        work = f"{month} has {size} days, {size} - {first.day} = {total}."
        for k in range(first.month + 1, second.month):
            size = month_length(k, first.year)
            work += f" {MONTHS[k - 1]}: {total} + {size} = {total + size}."
            total += size
        work += f" {total} + {second.day} = {gap}."
    days = f"{gap} day{'s' if gap > 1 else ''}"
    thoughts = think(
        wants="The user counts days.", work=f"I start at {start} and end at {end}. {work}",
        so=f"So it is {days}.", check=f"{gap} days after {start} it is {end}.",
        restated="The first day does not count, the last one does.", brief=work,
        second="I looked at how long each month is.",
    )  # fmt: skip
    answer = f"It is {days} from {start} to {end}."
    return Exchange(user, Reply(SKILL, thoughts, answer, days))


_KINDS: tuple[tuple[float, Callable[[Random], Exchange]], ...] = (
    (0.22, _weekday), (0.12, _weekday_from_another), (0.12, _weekday_on), (0.13, _date_on),
    (0.12, _days_between), (0.15, months), (0.14, clock),
)  # fmt: skip


def dates(rng: Random) -> Exchange:
    """Any question about days, months and the clock that needs no knowledge of today."""
    (kind,) = rng.choices([kind for _, kind in _KINDS], [share for share, _ in _KINDS])
    return kind(rng)


_UNTOLD = "I don't know. You have not told me that."


def today(rng: Random, shown: str | None) -> Exchange:
    """A question that starts from today's date, `shown` (ISO) by the system message or not."""
    days = rng.choice((1, -1, rng.randint(2, 40)))
    kind = rng.choice(("weekday", "date", "year", "weekday then"))
    when = "today" if kind in {"weekday", "year"} else {1: "tomorrow", -1: "yesterday"}.get(
        days, f"in {days} days"
    )  # fmt: skip
    be = "was" if when == "yesterday" else "is"
    forms = {
        "weekday": ("[Which|What] weekday is [it |]today?", "Which day of the week is it[ today|]?",
                    "What day of the week is it?", "Is today a Monday or which weekday?"),
        "weekday then": ("[Which|What] weekday {be} it {w}?", "What day of the week {be} it {w}?",
                         "[Tell me the|What's the] weekday {w}[.|?]"),
        "date": ("What {be} the date {w}?", "[Which|What] date {be} it {w}?",
                 "[Tell me|Give me] the date {w}."),
        "year": ("[Which|What] year is it?", "[Which|What] month is it?",
                 "Which year do we have?", "Which month do we have?"),
    }[kind]  # fmt: skip
    user = worded(rng, rng.choice(forms), be=be, w=when)
    if shown is None:
        thoughts = think(
            wants="The user asks about today.", work="Nobody told me the date.", so="I say so.",
            restated="I have no clock of my own.", check="I can only read it.",
        )  # fmt: skip
        return Exchange(user, Reply(SKILL, thoughts, _UNTOLD, "don't know"))
    now = date.fromisoformat(shown)
    told = f"Current date: {shown}."
    if kind == "year":
        value = str(now.year) if "year" in user else MONTHS[now.month - 1]
        work = brief = f"{told} So {value}."
        answer, check = f"It is {value}.", "The date has year, month and day."
    else:
        counted, then = ("", now) if kind == "weekday" else _counted_on(now, days)
        if kind == "date":
            value = _named(then)
            brief = work = f"{told} {counted} {value}."
            check = "I looked at how long the month is."
        else:
            short, thorough, check = _of_date(now)
            value = WEEKDAYS[then.weekday()]
            rest = (then - now).days
            on = ""
            if rest == -1:
                on = f" The day before is {value}."
            elif rest:
                on = f" {_weeks(rest)}: {_on(now.weekday(), rest % 7)}."
            brief, work = f"{told} {short}{on}", f"{told} {thorough}{on}"
        be = f"it {be}" if when.startswith("in ") else be
        answer = f"{when[0].upper()}{when[1:]} {be} {value}."
    thoughts = think(
        wants="The user asks about a day from today.", work=work, so=f"So it is {value}.",
        restated="The system message has the date.", check=check, brief=brief,
    )  # fmt: skip
    low, _, high, xhigh = thoughts
    medium = f"The system message says it. {brief} So it is {value}."
    return Exchange(user, Reply(SKILL, (low, medium, high, xhigh), answer, value))
