"""The order of starts: blocks that mirror, sides that alternate, and the same for the same seed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from harness.gate.plan import TRIES, is_played, plan_blocks, salt_of, tried, unpaired
from harness.gate.record import Side, StartRecord

A, B = Side.BASELINE, Side.CANDIDATE
START = StartRecord(
    1, A, block=1, pair=1, confirms=False, started_at="then", salt="", ended_at="later"
)


def order(pairs: int, seed: int = 0, after: int = 0) -> list[Side]:
    """The sides of all starts, one after the other."""
    blocks = plan_blocks(pairs, seed=seed, after=after)
    return [side for block in blocks for pair in block.pairs for side in pair.sides]


@given(pairs=st.integers(1, 40), seed=st.integers(), after=st.integers(0, 9))
def test_every_block_mirrors_itself_and_the_next_begins_with_the_other_side(
    pairs: int, seed: int, after: int
) -> None:
    """ABBA, BAAB, …; so each side is first as often as the other, up to one pair."""
    blocks = plan_blocks(pairs, seed=seed, after=after)

    firsts = [block.pairs[0].sides[0] for block in blocks]
    assert all(one != other for one, other in pairwise(firsts))
    for block in blocks:
        sides = [side for pair in block.pairs for side in pair.sides]
        assert sides in ([A, B, B, A], [B, A, A, B], [A, B], [B, A])
    numbers = [pair.number for block in blocks for pair in block.pairs]
    assert numbers == list(range(after + 1, after + pairs + 1))
    assert Counter(order(pairs, seed)) == {A: pairs, B: pairs}


def test_a_steady_drift_falls_on_both_sides_alike() -> None:
    """The sum of the places of each side is the same after every block."""
    sides = order(10)

    for end in range(4, 21, 4):
        places = Counter[Side]()
        for place, side in enumerate(sides[:end]):
            places[side] += place
        assert places[A] == places[B]


def test_the_seed_says_which_side_begins() -> None:
    """The same each time; and of many seeds about half say either."""
    begins = Counter(order(2, seed)[0] for seed in range(200))

    assert order(8, 5) == order(8, 5)
    assert 70 < begins[A] < 130


def test_blocks_go_on_after_those_that_were() -> None:
    """A pair without its second leaves its block as it is."""
    numbers = [(block.number, len(block.pairs)) for block in plan_blocks(3, seed=0, after=5)]

    assert numbers == [(4, 2), (5, 1)]


def test_salts_are_told_by_what_they_are_for() -> None:
    """The same again, and another one for each thing."""
    assert salt_of("s", 1) == salt_of("s", 1)
    assert len({salt_of("s", 1), salt_of("s", 2), salt_of("t", 1), salt_of("s", 1, "talk")}) == 4


def test_a_pair_is_played_when_both_sides_are_there_or_one_broke_too_often() -> None:
    """A start that broke once is tried again; one that was cut says nothing."""
    broke = replace(START, side=B, stopped="it died")
    cut = replace(START, side=B, ended_at=None)

    assert not is_played([START], 1)
    assert not is_played([START, broke], 1)
    assert not is_played([START, cut], 1)
    assert is_played([START, broke, replace(START, side=B)], 1)
    assert is_played([START, *[broke] * TRIES], 1)
    assert not is_played([START, replace(START, side=B)], 2)
    assert tried([START, broke, cut], 1, B) == [broke]


def test_what_is_thrown_away_where_a_gate_goes_on() -> None:
    """What was cut, and the start that it leaves alone; not what broke, nor whole pairs."""
    done = [START, replace(START, side=B)]
    alone = replace(START, pair=2)
    broke = replace(START, pair=2, side=B, stopped="it died")
    cut = replace(START, pair=2, side=B, ended_at=None)

    assert unpaired([*done, alone, broke, cut]) == [alone, cut]
    assert unpaired([*done, alone, broke, broke]) == []
