"""Figures on the page are held against what was sent, by the digits that are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.visits.figures import amounts, disagreeing

SENT = {
    "wall_ms": 413.4,
    "prefill_ms": 58.2,
    "prefill_tokens_per_second": 1234.4,
    "prompt_tokens": 1234,
    "completion_tokens": 1,
    "image_tokens": 0,
    "session_reset_reason": "new",
}
ROWS = {
    "Total": "0.41 s",
    "Reading the prompt": "58 ms · 1,234 tokens/s",
    "Prompt": "1,234 tokens",
    "Output": "1 token",
    "Cache": "Cold: nothing was there yet",
}


@pytest.mark.parametrize(
    ("shown", "unit", "value", "half"),
    [
        ("0.41 s", "ms", 410.0, 5.0),
        ("12.3 s", "ms", 12_300.0, 50.0),
        ("2 min 5 s", "ms", 125_000.0, 500.0),
        ("58 ms · 312.5 tokens/s", "tokens/s", 312.5, 0.05),
        ("58 ms · 312.5 tokens/s", "ms", 58.0, 0.5),
        ("1,234 tokens", "tokens", 1234.0, 0.5),
        ("7", "", 7.0, 0.5),
    ],
)
def test_what_is_written_is_read_with_its_last_digit(
    shown: str, unit: str, value: float, half: float
) -> None:
    """Half of it is what rounding can hide."""
    assert amounts(shown)[unit] == pytest.approx((value, half))


def test_figures_that_were_sent_and_are_shown_agree() -> None:
    """An image without tokens needs no row."""
    assert list(disagreeing(ROWS, SENT)) == []


@pytest.mark.parametrize(
    ("row", "says", "told"),
    [
        ("Total", "0.42 s", "wall_ms 413.4 was sent, and 'Total' says '0.42 s'"),
        ("Reading the prompt", "58 ms", "prefill_tokens_per_second 1234.4 was sent"),
        ("Prompt", "1,235 tokens", "prompt_tokens 1234 was sent"),
        ("Cache", "Warm: all that came before was there", "session_reset_reason new was sent"),
    ],
)
def test_a_figure_that_is_shown_as_another_is_told(row: str, says: str, told: str) -> None:
    """With both."""
    (wrong,) = disagreeing({**ROWS, row: says}, SENT)

    assert told in wrong


def test_a_figure_that_is_not_shown_is_told() -> None:
    """By the row that is missing; what was not sent needs none."""
    rows = {name: text for name, text in ROWS.items() if name != "Output"}

    assert list(disagreeing(rows, SENT)) == [
        "completion_tokens 1 was sent, and there is no row 'Output'"
    ]
    assert list(disagreeing({}, {"wall_ms": None})) == []


@given(st.integers(min_value=0, max_value=10**7))
def test_any_count_reads_as_itself(count: int) -> None:
    """With its thousands apart."""
    assert amounts(f"{count:,} tokens")["tokens"][0] == count
