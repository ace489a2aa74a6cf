"""Are threads chosen by what they save?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from playground.worker.threads import candidates, half_of, load_with_best, soonest, usable_cores

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass
class Loaded:
    """A program that was loaded for so many threads."""

    threads: int


def chosen(
    cores: int, durations: Mapping[int, float], size: int = 25_000_000
) -> tuple[Loaded, str, list[int]]:
    """The program, the reason, and the numbers of threads it was loaded with, in order."""
    loads: list[int] = []

    def load(threads: int) -> Loaded:
        loads.append(threads)
        return Loaded(threads)

    program, reason = load_with_best(load, lambda it: durations[it.threads], cores=cores, size=size)
    return program, reason, loads


@pytest.mark.parametrize(
    ("durations", "expected"),
    [
        ({1: 1.0, 2: 0.74}, 2),
        ({1: 1.0, 2: 0.76}, 1),
        ({1: 1.0, 2: 1.9}, 1),
        ({1: 1.0, 2: 0.7, 4: 0.6}, 2),
        ({1: 1.0, 2: 0.95, 4: 0.6}, 4),
        ({1: 1.0}, 1),
    ],
)
def test_more_threads_have_to_be_worth_it(durations: dict[int, float], expected: int) -> None:
    """Each step up must save a quarter of what the best one before it takes."""
    assert soonest(durations) == expected


@pytest.mark.parametrize(
    ("cores", "tried", "half"), [(1, (1,), 1), (2, (1, 2), 1), (3, (1, 2), 1), (64, (1, 2, 4), 4)]
)
def test_there_are_no_more_threads_than_cores(
    cores: int, tried: tuple[int, ...], half: int
) -> None:
    """Nor more than four; half of the cores is what is taken untried."""
    assert (candidates(cores), half_of(cores)) == (tried, half)


def test_the_program_ends_up_with_the_threads_that_serve_it() -> None:
    """Loaded last, since each load takes the threads of the one before."""
    program, reason, loads = chosen(4, {1: 3e-3, 2: 1e-3, 4: 2e-3})

    assert (program.threads, loads) == (2, [4, 2, 1, 2])
    assert reason == (
        "measured at start: 3.00 ms with 1, 1.00 ms with 2, 2.00 ms with 4; more must save 25%"
    )


def test_the_last_one_tried_need_not_be_loaded_again() -> None:
    """It has its threads still; and it is the fewest, which mostly win."""
    assert chosen(2, {1: 2.0, 2: 1.9})[2] == [2, 1]


def test_a_large_program_is_loaded_once() -> None:
    """With half of the cores, and that is said."""
    program, reason, loads = chosen(4, {}, size=9_000_000_000)

    assert (program.threads, loads) == (2, [2])
    assert reason == "half of 4 cores: a program of 9000 MB is not loaded to try others"


def test_one_core_leaves_nothing_to_try() -> None:
    """Nor to measure."""
    assert chosen(1, {})[1:] == ("1 core", [1])


def test_this_process_has_a_core() -> None:
    """As many as the system lets it use."""
    assert usable_cores() >= 1
