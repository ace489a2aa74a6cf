"""What drafting did is summed over turns, and derived from the sums."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.exam.drafting import drafting

if TYPE_CHECKING:
    from tests.harness.exam.conftest import Answered


def told(rounds: int, attempts: list[int], accepts: list[int]) -> dict[str, object]:
    """What a reply reports of its rounds."""
    return {
        "dflash": "on",
        "dflash_rounds": rounds,
        "dflash_accepted": sum(accepts),
        "dflash_attempts_by_row": attempts,
        "dflash_accepts_by_row": accepts,
        "dflash_plain_steps": 1,
    }


def test_sums_weigh_every_round_alike(answered: Answered) -> None:
    """A long turn counts for more than a short one; turns without a round add nothing."""
    turns = [
        answered(**told(10, [10, 8, 4], [8, 4, 2])),
        answered(**told(2, [2, 0], [0, 0])),
        answered(dflash="fallback", dflash_rounds=0),
        answered(),
    ]

    found = drafting(turns)

    assert (found.turns, found.rounds, found.accepted, found.plain_steps) == (2, 12, 14, 2)
    assert found.tokens_per_round == pytest.approx(26 / 12)
    assert found.acceptance == pytest.approx((8 / 12, 4 / 8, 2 / 4))
    assert found.modes == {"on": 2, "fallback": 1}


def test_without_a_round_nothing_is_known(answered: Answered) -> None:
    """Not 0, and not 1."""
    found = drafting([answered()])

    assert (found.tokens_per_round, found.acceptance) == (None, ())


def test_rows_that_are_no_counts_count_nothing(answered: Answered) -> None:
    """A server may report anything; the report is made all the same."""
    odd = told(2, [2, 1], [1, 0]) | {"dflash_attempts_by_row": [2, None], "dflash": "on"}

    found = drafting([answered(**odd), answered(**(odd | {"dflash_attempts_by_row": ["4", 1]}))])

    assert found.attempts == (2, 1)
