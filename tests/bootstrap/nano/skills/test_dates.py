"""Dates: every answer is worked out again with `datetime` from the text of the question."""

from __future__ import annotations

import re
from calendar import isleap, monthrange
from datetime import date, datetime, timedelta
from random import Random
from typing import TYPE_CHECKING

from bootstrap.nano.skills.clock import clock
from bootstrap.nano.skills.dates import dates, today
from bootstrap.nano.skills.months import months

if TYPE_CHECKING:
    from bootstrap.nano.replies import Exchange

MONTHS = [date(2001, month, 1).strftime("%B") for month in range(1, 13)]
DAYS = [date(2001, 1, day).strftime("%A") for day in range(1, 8)]
_MONTH, _DAY = f"({'|'.join(MONTHS)})", f"({'|'.join(DAYS)})"
_DATE = re.compile(
    rf"(\d+) {_MONTH}(?: (\d{{4}}))?|{_MONTH} (\d{{1,2}})(?:, (\d{{4}}))?|(\d{{4}})-(\d\d)-(\d\d)"
)


def read(text: str, year: int = 2023) -> list[date]:
    """Every date of a text in its order; `year` where none is said."""
    found = []
    for match in _DATE.finditer(text):
        day, month, said, month2, day2, said2, iso, iso_month, iso_day = match.groups()
        if iso:
            found.append(date(int(iso), int(iso_month), int(iso_day)))
        else:
            number = MONTHS.index(month or month2) + 1
            found.append(date(int(said or said2 or year), number, int(day or day2)))
    return found


def drawn(pattern: str, size: int = 6000) -> list[tuple[Exchange, re.Match[str]]]:
    """The questions whose answers match a pattern as a whole."""
    asked = (dates(Random(seed)) for seed in range(size))
    matched = ((one, re.fullmatch(pattern, one.reply.answer)) for one in asked)
    return [(one, match) for one, match in matched if match is not None]


def test_a_weekday_is_that_of_its_date() -> None:
    """The date of the question, in whatever form, and the weekday that `datetime` gives it."""
    asked = drawn(rf"\d+ {_MONTH} \d{{4}} is a {_DAY}\.")

    assert len(asked) > 1000
    for exchange, match in asked:
        assert read(exchange.user) == read(exchange.reply.answer)
        assert read(exchange.user)[0].strftime("%A") == match[2]


def test_a_weekday_follows_from_that_of_another_date() -> None:
    """In a common year and in a leap year alike: the days between the two decide."""
    asked = drawn(rf"\d+ {_MONTH} is a {_DAY}\.")

    assert len(asked) > 500
    for exchange, match in asked:
        known = re.search(_DAY, exchange.user)
        assert known is not None
        for year in (2023, 2024):
            (wanted,) = read(exchange.reply.answer, year)
            (given,) = set(read(exchange.user, year)) - {wanted}
            assert DAYS[(DAYS.index(known[1]) + (wanted - given).days) % 7] == match[2]


def test_a_weekday_some_days_on_is_counted_in_weeks() -> None:
    """Before and after, from one day to two hundred."""
    asked = drawn(rf"(\d+) days? (before|after) {_DAY} is a {_DAY}\.")

    assert len(asked) > 500
    for exchange, match in asked:
        days, way, start, end = match.groups()
        assert days in re.findall(r"\d+", exchange.user)
        assert start in exchange.user
        step = -int(days) if way == "before" else int(days)
        assert DAYS[(DAYS.index(start) + step) % 7] == end


def test_a_date_some_days_on_goes_over_the_ends_of_months() -> None:
    """Forwards and backwards, in days and in weeks."""
    asked = drawn(rf"It is \d+ {_MONTH}(?: \d{{4}})?\.")

    assert len(asked) > 500
    for exchange, _ in asked:
        number, unit = re.findall(r"(\d+) (day|week)", exchange.user)[0]
        days = int(number) * (7 if unit == "week" else 1)
        back = re.search(r"before|ago|from \d+ \w+ \d|Take|Subtract|minus", exchange.user)
        if re.search(r"is \d+ (days?|weeks?) from", exchange.user):
            back = None
        (start,) = read(exchange.user)
        assert read(exchange.reply.answer) == [start + timedelta(days=-days if back else days)]


def test_days_between_two_dates_are_counted() -> None:
    """The number of days is the difference of the dates, and both are those of the question."""
    asked = drawn(rf"It is (\d+) days? from \d+ {_MONTH}.*\.")

    assert len(asked) > 500
    for exchange, match in asked:
        start, end = read(exchange.reply.answer)
        assert {start, end} == set(read(exchange.user))
        assert (end - start).days == int(match[1])


def test_leap_years_and_the_lengths_of_months_are_those_of_the_calendar() -> None:
    """The Gregorian rule, and February by the year that is named."""
    leaps = lengths = 0
    for seed in range(2000):
        exchange = months(Random(seed))
        answer = exchange.reply.answer
        if match := re.fullmatch(r"(Yes|No), (\d+) is (?:not )?a leap year\.", answer):
            leaps += 1
            assert match[2] in exchange.user
            assert isleap(int(match[2])) == (match[1] == "Yes")
        elif match := re.fullmatch(r"(\d+) has (\d+) days\.", answer):
            assert int(match[2]) == 365 + isleap(int(match[1]))
        elif match := re.fullmatch(rf"{_MONTH}(?: (\d+))? has (\d+) days\.", answer):
            lengths += 1
            assert match[2] is not None or match[1] != "February"
            size = monthrange(int(match[2] or 2023), MONTHS.index(match[1]) + 1)[1]
            assert size == int(match[3])

    assert min(leaps, lengths) > 200


def test_the_order_of_months_is_that_of_the_calendar() -> None:
    """By number, some months on, and which comes first."""
    seen = 0
    for seed in range(2000):
        exchange = months(Random(seed))
        answer, named = exchange.reply.answer, re.findall(_MONTH, exchange.user)
        if match := re.fullmatch(rf"Month (\d+) is {_MONTH}\.|{_MONTH} is month (\d+)\.", answer):
            assert MONTHS[int(match[1] or match[4]) - 1] == (match[2] or match[3])
        elif match := re.fullmatch(rf"(\d+) months (before|after) {_MONTH} is {_MONTH}\.", answer):
            step = -int(match[1]) if match[2] == "before" else int(match[1])
            assert MONTHS[(MONTHS.index(match[3]) + step) % 12] == match[4]
        elif match := re.fullmatch(rf"{_MONTH} comes (first|last)\.", answer):
            ordered = sorted(named, key=MONTHS.index)
            assert ordered[0 if match[2] == "first" else -1] == match[1]
        else:
            continue
        seen += 1

    assert seen > 500


def minutes(text: str) -> int:
    """How long `2 hours and 5 minutes` is."""
    found = re.findall(r"(\d+) (hour|minute)", text)
    return sum(int(number) * (60 if unit == "hour" else 1) for number, unit in found)


def test_the_clock_goes_round_after_midnight() -> None:
    """A time and a span give another time; two times give a span."""
    later = spans = 0
    for seed in range(3000):
        exchange = clock(Random(seed))
        said = re.findall(r"\d+:\d\d", exchange.user)
        times = [datetime.strptime(time, "%H:%M") for time in said]
        if len(times) == 2:
            spans += 1
            assert (times[1] - times[0]).seconds == 60 * minutes(exchange.reply.answer)
            continue
        later += 1
        back = re.search(r"before|ago|minus|must be there", exchange.user)
        span = timedelta(minutes=minutes(exchange.user))
        then = times[0] - span if back else times[0] + span
        assert exchange.reply.value == f"{then.hour}:{then.minute:02d}"

    assert min(later, spans) > 1000


def test_todays_questions_start_from_the_date_of_the_system_message() -> None:
    """Weekdays and dates around the date that is shown."""
    for seed in range(3000):
        day = date(2024, 1, 1) + timedelta(days=seed % 2900)
        exchange = today(Random(seed), day.isoformat())
        user, value = exchange.user, exchange.reply.value
        ahead = re.search(r"in (\d+) days", user)
        step = int(ahead[1]) if ahead else ("tomorrow" in user) - ("yesterday" in user)
        then = day + timedelta(days=step)
        if "weekday" in user or "day of the week" in user:
            assert f"{then:%A}" == value
        elif "date" in user:
            assert f"{then.day} {then:%B} {then.year}" == value
        else:
            assert value == (str(day.year) if "year" in user else f"{day:%B}")


def test_nobody_knows_the_day_without_a_date() -> None:
    """Without a date in the prompt there is none to count from."""
    answers = {today(Random(seed), None).reply.answer for seed in range(100)}

    assert answers == {"I don't know. You have not told me that."}
