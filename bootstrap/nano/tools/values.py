"""Which values go into calls and come out of them?

A pool is a function of a random generator; the JSON type of a parameter is that of its pool's
values. Values are drawn widely, so that a call can be right only by copying what was said, and an
answer only by copying what the function gave.
"""

# ruff: noqa: SIM905  (a column of words reads better than a column of quotes)

from __future__ import annotations

from typing import TYPE_CHECKING

from bootstrap.nano.lexicon import (
    ANIMALS,
    COLOURS,
    FOODS,
    GOODS,
    JOBS,
    NAMES,
    OBJECTS,
    PLACES,
    TOWNS,
    WORDS,
    made_up,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

__all__ = ["POOLS", "Value", "said"]

Value = str | int | float | bool | list[str]

LANGUAGES = (
    "French German Spanish Italian Dutch Danish Polish Greek Latin Turkish Swedish Finnish".split()
)
CURRENCIES = "EUR USD GBP JPY CHF SEK NOK DKK PLN CAD AUD INR".split()
SKIES = "sunny cloudy rainy foggy windy snowy stormy clear hazy icy overcast mild".split()
MOODS = "open closed delayed ready packed shipped lost paid late early busy free".split()
_PLAIN = "ABCDEFGHJKLMNPQRSTUVWXYZ0123456789"


def _of(words: Sequence[str], strange: float = 0.15) -> Callable[[Random], str]:
    """A pool of known words, a share of which is made up (with the same capital)."""

    def draw(rng: Random) -> str:
        word = rng.choice(words)
        if rng.random() >= strange:
            return word
        new = made_up(rng)
        return new.capitalize() if word[0].isupper() else new

    return draw


_name, _town = _of(NAMES), _of(TOWNS)
_object, _goods, _word = _of(OBJECTS), _of(GOODS), _of(WORDS, 0.3)
_place, _food, _colour = _of(PLACES), _of(FOODS), _of(COLOURS)


def _amount(rng: Random) -> int:
    return rng.choice((rng.randint(2, 40), rng.randint(10, 999), rng.randint(2, 19) * 50))


def _price(rng: Random) -> float:
    return rng.randint(1, 400) + rng.choice((0.5, 0.25, 0.75, 0.95, 0.1, 0.4))


def _date(rng: Random) -> str:
    return f"20{rng.randint(24, 31)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"


def _time(rng: Random) -> str:
    return f"{rng.randint(0, 23):02d}:{rng.choice((0, 10, 15, 20, 30, 40, 45, 50, 5)):02d}"


def _email(rng: Random) -> str:
    ending = rng.choice(("example.com", "example.org", "mail.example", "post.example"))
    return f"{_name(rng).lower()}@{ending}"


def _phone(rng: Random) -> str:
    return f"0{rng.randint(11, 99)} {rng.randint(1000, 99999)}"


def _order(rng: Random) -> str:
    form = rng.randrange(3)
    if form == 0:
        return str(rng.randint(1000, 999999))
    letters = "".join(rng.choices(_PLAIN[:24], k=rng.randint(1, 3)))
    return f"{letters}{'-' if form == 1 else ''}{rng.randint(10, 99999)}"


def _symbol(rng: Random) -> str:
    return "".join(rng.choices(_PLAIN[:24], k=rng.randint(3, 4)))


def _path(rng: Random) -> str:
    folder = rng.choice(("", "notes/", "docs/", "home/", f"{_word(rng)}/"))
    return f"{folder}{_word(rng)}.{rng.choice(('txt', 'md', 'csv', 'log'))}"


_TEXTS: tuple[Callable[[Random], str], ...] = (
    lambda rng: f"I am {rng.randint(2, 55)} minutes late",
    lambda rng: f"The {_object(rng)} is in the {_place(rng)}",
    lambda rng: f"Buy {rng.randint(2, 30)} {_goods(rng)}",
    lambda rng: f"Meet {_name(rng)} at {_time(rng)}",
    lambda rng: f"Call {_name(rng)} about the {_object(rng)}",
    lambda rng: f"Bring {_food(rng)} and {_food(rng)}",
    lambda rng: f"The {rng.choice(ANIMALS)} is {_colour(rng)}",
    lambda rng: f"{_name(rng)} is a {rng.choice(JOBS)} in {_town(rng)}",
    lambda rng: f"See you in {_town(rng)}",
)


def _text(rng: Random) -> str:
    """A short message or note, without an end mark."""
    return rng.choice(_TEXTS)(rng)


def _several(draw: Callable[[Random], str]) -> Callable[[Random], list[str]]:
    def listed(rng: Random) -> list[str]:
        return list(dict.fromkeys(draw(rng) for _ in range(rng.randint(2, 3))))

    return listed


def _sum(rng: Random) -> str:
    a, b = rng.randint(10, 9999), rng.randint(10, 999)
    return f"{a} {rng.choice('+-*/')} {b}"


POOLS: dict[str, Callable[[Random], Value]] = {
    "name": _name,
    "town": _town,
    "object": _object,
    "goods": _goods,
    "food": _food,
    "word": _word,
    "place": _place,
    "colour": _colour,
    "job": _of(JOBS),
    "animal": _of(ANIMALS),
    "text": _text,
    "title": lambda rng: f"The {_colour(rng)} {_object(rng)}".title(),
    "language": lambda rng: rng.choice(LANGUAGES),
    "currency": lambda rng: rng.choice(CURRENCIES),
    "sky": lambda rng: rng.choice(SKIES),
    "state": lambda rng: rng.choice(MOODS),
    "strange": made_up,
    "date": _date,
    "time": _time,
    "email": _email,
    "phone": _phone,
    "order": _order,
    "symbol": _symbol,
    "path": _path,
    "sum": _sum,
    "few": lambda rng: rng.randint(2, 12),
    "small": lambda rng: rng.randint(1, 60),
    "degrees": lambda rng: rng.randint(-19, 39),
    "amount": _amount,
    "number": lambda rng: rng.randint(100, 99999),
    "price": _price,
    "yes": lambda rng: rng.random() < 0.5,
    "names": _several(_name),
    "things": _several(_goods),
    "words": _several(_word),
}


def said(value: Value) -> str:
    """A value as people write it."""
    if isinstance(value, list):
        return " and ".join((", ".join(value[:-1]), value[-1])) if len(value) > 1 else value[0]
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
