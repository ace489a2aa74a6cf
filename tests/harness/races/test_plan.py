"""Races are spread evenly, aimed by the seed alone, and a few of a kind share a session."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.errors import ScenarioError
from harness.races.abilities import Cell, cells_of
from harness.races.plan import plan_races
from harness.races.scenario import parse_races

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("rounds", [1, 40, 56, 100, 1000])
def test_races_are_spread_evenly(scenario: Callable[..., str], rounds: int) -> None:
    """No cell has two races more than another, and all are there."""
    races = parse_races(scenario(), Path("some.toml"))

    groups = plan_races(races, list(cells_of(races)), rounds=rounds, seed=3)

    counted = Counter(race.cell for group in groups for race in group.races)
    assert sum(counted.values()) == rounds
    assert max(counted.values()) - min(counted.get(c, 0) for c in cells_of(races)) <= 1
    assert all(len(group.races) <= races.together for group in groups)
    assert sum(group.last_of_cell for group in groups) == len(counted)
    numbers = [race.number for group in groups for race in group.races]
    assert numbers == list(range(1, rounds + 1))


def test_the_seed_decides_everything(scenario: Callable[..., str]) -> None:
    """The same seed plans the same races, another one others."""
    races = parse_races(scenario(), Path("some.toml"))
    cells = list(cells_of(races))

    def planned(seed: int) -> object:
        return plan_races(races, cells, rounds=90, seed=seed)

    assert planned(1) == planned(1) != planned(2)


def test_a_cell_is_aimed_alike_whatever_else_is_raced(scenario: Callable[..., str]) -> None:
    """A target that can do less meets the same races in what it can do."""
    races = parse_races(scenario(), Path("some.toml"))
    cells = list(cells_of(races))

    def of(cell: Cell, among: list[Cell]) -> list[tuple[bool, float]]:
        groups = plan_races(races, among, rounds=4 * len(among), seed=5)
        return [(r.flipped, r.delay_s) for g in groups for r in g.races if r.cell == cell]

    assert of(cells[3], cells) == of(cells[3], cells[:9])


def test_a_round_is_cut_before_the_middle_of_the_answer(scenario: Callable[..., str]) -> None:
    """However few pieces the control has."""
    races = parse_races(scenario(), Path("some.toml"))
    groups = plan_races(races, list(cells_of(races)), rounds=200, seed=1)

    for race in (race for group in groups for race in group.races):
        assert race.texts(1) == 1
        assert 1 <= race.texts(6) <= 3
        assert 1 <= race.texts(1000) <= 9


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('prompt = "long"\n', 'prompt = "lang"\n'), "point[1].prompt: no prompt is called 'lang'"),
        (('at = "prefill"', 'at = "queued"'), "point[2].at: 'queued' stands here twice"),
        (('does = "session"', 'does = "request"'), "way[2].does: 'request' stands here twice"),
        (('name = "seen"', 'name = "long"'), "prompt[2].name: two prompts are called 'long'"),
        (('at = "queued"', 'at = "soon"'), "point[1].at: "),
    ],
)
def test_mistakes_are_told_by_their_key(
    scenario: Callable[..., str], change: tuple[str, str], said: str
) -> None:
    """What cannot be run is refused before anything is."""
    with pytest.raises(ScenarioError) as refused:
        parse_races(scenario().replace(*change, 1), Path("some.toml"))

    assert said in str(refused.value)
