"""How are times of day added, taken apart and measured?

Hours and minutes are worked out apart; sixty minutes make an hour, and after 23:59 comes 0:00.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bootstrap.nano.lexicon import NAMES
from bootstrap.nano.replies import Exchange, Reply, think
from bootstrap.nano.skills.wording import worded

if TYPE_CHECKING:
    from random import Random

__all__ = ["SKILL", "clock"]

SKILL = "dates and weekdays"


def _clock(minutes: int) -> str:
    return f"{minutes // 60 % 24}:{minutes % 60:02d}"


def _span(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    parts = []
    if hours:
        parts.append(f"{hours} hour{'s' if hours > 1 else ''}")
    if rest or not hours:
        parts.append(f"{rest} minute{'s' if rest != 1 else ''}")
    return " and ".join(parts)


def _later(rng: Random) -> Exchange:
    """A time some minutes after or before another."""
    start = rng.randrange(24 * 60)
    if rng.random() < 0.6:
        start -= start % 5
    size = rng.choice((rng.randint(2, 59), 5 * rng.randint(1, 30), 60 * rng.randint(1, 9)))
    before = rng.random() < 0.2
    hours, rest = divmod(size, 60)
    span = _span(size) if rng.random() < 0.5 or size >= 150 else f"{size} minutes"
    forms: tuple[str, ...]
    if before:
        forms = ("What time is {n} before {t}?", "{n} before {t}?", "What is {t} minus {n}?",
                 "It is {t}. What time was it {n} ago?",
                 "I must be there at {t}, and the way takes {n}. When must I leave?")  # fmt: skip
    else:
        forms = ("What time is {n} after {t}?", "{n} after {t}?", "What is {t} plus {n}?",
                 "It is {t}. What time is it in {n}?", "Add {n} to {t}.",
                 "It is {t} now. [What time will it be|How late is it] in {n}?",
                 ("A [film|lesson|concert|meeting] [begins|starts] at {t} and [lasts|takes] {n}. "
                 "When does it end?"),
                 "{who} leaves at {t}. The way takes {n}. When does {who} arrive?")  # fmt: skip
    user = worded(rng, rng.choice(forms), n=span, t=_clock(start), who=rng.choice(NAMES))
    then = (start - size if before else start + size) % (24 * 60)
    sign = "-" if before else "+"
    parts, hour, minute = [], start // 60, start % 60
    if size >= 60:
        if "hour" not in span:
            parts.append(f"{size} minutes are {_span(size)}")
        moved = hour - hours if before else hour + hours
        parts.append(f"{hour} {sign} {hours} = {moved}")
        hour = moved
    if rest:
        moved = minute - rest if before else minute + rest
        parts.append(f"{minute} {sign} {rest} = {moved}")
        if moved >= 60:
            parts.append(f"{moved} - 60 = {moved - 60}, {hour} + 1 = {hour + 1}")
            hour += 1
        elif moved < 0:
            parts.append(f"{moved} + 60 = {moved + 60}, {hour} - 1 = {hour - 1}")
            hour -= 1
    if not 0 <= hour < 24:
        wrap, other = ("-", hour - 24) if hour > 23 else ("+", hour + 24)
        parts.append(f"{hour} {wrap} 24 = {other}")
    work = f"{', '.join(parts)}."
    when = _clock(then)
    thoughts = think(
        wants="The user asks for a time.", work=f"From {_clock(start)}, hours and minutes: {work}",
        so=f"So it is {when}.", brief=f"{work} {when}.",
        check=f"From {_clock(min(start, then))} to {_clock(max(start, then))} fits.",
        restated=f"The time is {_clock(start)}, the distance {_span(size)}.",
        second="An hour has 60 minutes and a day has 24 hours.",
    )  # fmt: skip
    return Exchange(user, Reply(SKILL, thoughts, f"It is {when}.", when))


def _duration(rng: Random) -> Exchange:
    start, size = rng.randrange(0, 21 * 60), rng.choice((rng.randint(5, 59), rng.randint(20, 420)))
    if rng.random() < 0.6:
        start, size = start - start % 5, max(5, size - size % 5)
    end = start + size
    if end >= 24 * 60:
        return _duration(rng)
    a, b = _clock(start), _clock(end)
    user = worded(rng, rng.choice((
        "How long is it from {a} to {b}?", "How much time is there between {a} and {b}?",
        "From {a} to {b}, how long is that?", "How long does it take from {a} to {b}?",
        "A [film|lesson|concert|meeting] [starts|begins] at {a} and ends at {b}. How long is it?",
        "The [train|bus|ferry] leaves at {a} and arrives at {b}. How long is the trip?",
        "What is the time from {a} to {b}?", "{who} works from {a} to {b}. How long is that?",
    )), a=a, b=b, who=rng.choice(NAMES))  # fmt: skip
    hours, minutes = end // 60 - start // 60, end % 60 - start % 60
    parts = [f"{end // 60} - {start // 60} = {hours}", f"{end % 60} - {start % 60} = {minutes}"]
    if minutes < 0:
        parts.append(f"{minutes} + 60 = {minutes + 60}, {hours} - 1 = {hours - 1}")
    work, span = f"{', '.join(parts)}.", _span(size)
    thoughts = think(
        wants="The user asks how long it is.", work=f"First the hours, then the minutes: {work}",
        so=f"So it is {span}.", check=f"{a} and {span} more is {b}.", brief=work,
        restated=f"It goes from {a} to {b}.", second="An hour has 60 minutes.",
    )  # fmt: skip
    return Exchange(user, Reply(SKILL, thoughts, f"It is {span}.", span))


def clock(rng: Random) -> Exchange:
    """Any question about the clock."""
    return _later(rng) if rng.random() < 0.58 else _duration(rng)
