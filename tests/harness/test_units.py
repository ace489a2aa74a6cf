"""Numbers are kept in base units and given a prefix only in print."""

from __future__ import annotations

import math

import pytest

from harness.units import (
    BYTES,
    COUNT,
    RATIO,
    SECONDS,
    TOKENS,
    TOKENS_PER_SECOND,
    UNITS,
    Better,
    Unit,
    format_value,
    tidy,
)


@pytest.mark.parametrize(
    ("value", "spelling", "expected"),
    [
        (250, "ms", (0.25, SECONDS)),
        (1, "s", (1.0, SECONDS)),
        (2, "KiB", (2048.0, BYTES)),
        (50, "%", (0.5, RATIO)),
        (9, "tok/s", (9.0, TOKENS_PER_SECOND)),
    ],
)
def test_tidy_turns_any_spelling_into_the_base(
    value: float, spelling: str, expected: tuple[float, Unit]
) -> None:
    """At the door every unit becomes its base unit."""
    assert tidy(value, spelling) == expected


def test_an_unknown_unit_is_refused_with_the_known_ones() -> None:
    """The message lists what may be written."""
    with pytest.raises(ValueError, match=r"unknown unit 'furlong'; known: s, .*ms"):
        tidy(1, "furlong")


@pytest.mark.parametrize(
    ("value", "unit", "printed"),
    [
        (1.2345, SECONDS, "1.23 s"),
        (0.0123456, SECONDS, "12.3 ms"),
        (0.00099999, SECONDS, "1.00 ms"),
        (0.000123, SECONDS, "123 µs"),
        (5e-9, SECONDS, "5.00 ns"),
        (0.0, SECONDS, "0.00 s"),
        (-0.002, SECONDS, "-2.00 ms"),
        (1234.5, TOKENS_PER_SECOND, "1,234 tok/s"),
        (0.5, TOKENS_PER_SECOND, "0.5 tok/s"),
        (3 * 2**20, BYTES, "3.00 MiB"),
        (12, BYTES, "12.0 B"),
        (5.4321, RATIO, "5.43"),
        (1234, TOKENS, "1,234 tok"),
        (0, COUNT, "0"),
        (2.5, COUNT, "2.50"),
        (None, SECONDS, "—"),
        (math.nan, SECONDS, "—"),
    ],
)
def test_three_figures_and_a_fitting_prefix(value: float | None, unit: Unit, printed: str) -> None:
    """Print what is known, no more; what is absent is a dash and never 0."""
    assert format_value(value, unit) == printed


def test_the_unit_decides_which_way_is_better() -> None:
    """Less time and memory, more speed; counts and ratios say nothing by themselves."""
    assert {name: unit.better for name, unit in UNITS.items()} == {
        "s": Better.LOWER,
        "tokens/s": Better.HIGHER,
        "B": Better.LOWER,
        "ratio": Better.NEITHER,
        "tokens": Better.NEITHER,
        "count": Better.NEITHER,
    }
