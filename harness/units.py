"""In which base unit is a number kept, how is it printed, and which way is better?

Inside the harness every number is in a base unit: `s`, `tokens/s`, `B`, `ratio`, `tokens`,
`count`.  Other spellings (`ms`, `us`, `ns`, `KiB`, …) are turned into the base at the door by
`tidy`, and a prefix is chosen again only when a number is printed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

__all__ = [
    "BYTES",
    "COUNT",
    "NOTHING",
    "RATIO",
    "SECONDS",
    "TOKENS",
    "TOKENS_PER_SECOND",
    "UNITS",
    "Better",
    "Unit",
    "format_value",
    "tidy",
]

NOTHING = "—"
"""How an absent number is printed: never 0."""


class Better(Enum):
    """Which way a number improves."""

    LOWER = "lower"
    HIGHER = "higher"
    NEITHER = "neither"
    """Neither way is better as such: a count of tokens, a ratio of two things."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A base unit."""

    name: str
    better: Better
    prefixes: tuple[tuple[float, str], ...]
    """How it is printed: (smallest magnitude in base units, symbol), largest first.
    The magnitude is also the divisor."""


SECONDS = Unit("s", Better.LOWER, ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")))
TOKENS_PER_SECOND = Unit("tokens/s", Better.HIGHER, ((1.0, "tok/s"),))
BYTES = Unit("B", Better.LOWER, ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1.0, "B")))
RATIO = Unit("ratio", Better.NEITHER, ((1.0, ""),))
TOKENS = Unit("tokens", Better.NEITHER, ((1.0, "tok"),))
COUNT = Unit("count", Better.NEITHER, ((1.0, ""),))

UNITS = {unit.name: unit for unit in (SECONDS, TOKENS_PER_SECOND, BYTES, RATIO, TOKENS, COUNT)}

_WHOLE = (TOKENS, COUNT)

_SPELLINGS: dict[str, tuple[float, Unit]] = {
    **{name: (1.0, unit) for name, unit in UNITS.items()},
    "ms": (1e-3, SECONDS),
    "us": (1e-6, SECONDS),
    "ns": (1e-9, SECONDS),
    "bytes": (1.0, BYTES),
    "KiB": (2.0**10, BYTES),
    "MiB": (2.0**20, BYTES),
    "GiB": (2.0**30, BYTES),
    "tok/s": (1.0, TOKENS_PER_SECOND),
    "%": (1e-2, RATIO),
}


def tidy(value: float, spelling: str) -> tuple[float, Unit]:
    """The same quantity in its base unit: `tidy(250, "ms") == (0.25, SECONDS)`.

    Raises:
        ValueError: no unit is spelled so; the message lists those that are.
    """
    if spelling not in _SPELLINGS:
        raise ValueError(f"unknown unit {spelling!r}; known: {', '.join(_SPELLINGS)}")
    factor, unit = _SPELLINGS[spelling]
    return value * factor, unit


def format_value(value: float | None, unit: Unit) -> str:
    """Three significant figures with a fitting prefix; counts whole; `—` where nothing is known."""
    if value is None or math.isnan(value):
        return NOTHING
    if unit in _WHOLE and float(value).is_integer():
        return f"{value:,.0f} {unit.prefixes[0][1]}".rstrip()
    size = abs(value)
    divisor, symbol = next(
        (pair for pair in unit.prefixes if size >= pair[0] * (1 - 5e-4)),
        unit.prefixes[0] if value == 0 else unit.prefixes[-1],
    )
    return f"{_three_figures(value / divisor)} {symbol}".rstrip()


def _three_figures(value: float) -> str:
    """`0.123`, `1.23`, `12.3`, `123`, `1,234`: no exponent, no more than is known."""
    size = abs(value)
    if size >= 99.95:
        return f"{value:,.0f}"
    if size >= 9.995:
        return f"{value:.1f}"
    if size >= 0.9995 or size == 0:
        return f"{value:.2f}"
    return f"{value:.3g}"
