"""Does the draft get every row once, in order, with its position, and none that was taken back?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.worker.draft_context import DraftContext

if TYPE_CHECKING:
    from numpy.typing import NDArray


def rows(first: int, count: int, mark: int = 0) -> NDArray[np.float32]:
    """Rows that say their position and when they were made."""
    return np.array([[first + i, mark] for i in range(count)], dtype=np.float32)


def take(context: DraftContext) -> list[tuple[list[float], int]]:
    """The positions of each chunk that waits, and the chunk's first."""
    return [(chunk[:, 0].tolist(), first) for chunk, first in context.take()]


def test_rows_wait_until_they_are_taken() -> None:
    """All at once, where they fit one call."""
    context = DraftContext(chunk=8)
    context.extend(rows(0, 3))
    context.extend(rows(3, 1))

    assert take(context) == [([0, 1, 2, 3], 0)]
    assert (take(context), context.end) == ([], 4)


def test_rows_are_taken_in_chunks() -> None:
    """The last may be shorter."""
    context = DraftContext(chunk=4)
    context.extend(rows(0, 10))

    assert take(context) == [([0, 1, 2, 3], 0), ([4, 5, 6, 7], 4), ([8, 9], 8)]


def test_rows_behind_the_window_are_left_out() -> None:
    """The draft could not see them."""
    context = DraftContext(chunk=4, window=6)
    context.extend(rows(0, 10))

    assert take(context) == [([4, 5, 6, 7], 4), ([8, 9], 8)]


@pytest.mark.parametrize(
    ("position", "expected"),
    [(7, [4, 5, 6]), (5, [4]), (4, []), (2, []), (0, [])],
)
def test_going_back_forgets_what_waits_and_then_what_was_taken(
    position: int, expected: list[int]
) -> None:
    """Four rows taken in, two and two waiting."""
    context = DraftContext(chunk=8)
    context.extend(rows(0, 4))
    take(context)
    context.extend(rows(4, 2))
    context.extend(rows(6, 2))

    context.rewind(position)

    assert context.end == position
    assert [position for chunk, _ in take(context) for position in chunk] == expected


def test_rows_behind_the_window_are_not_kept() -> None:
    """A long prompt is no reason to hold all of it; a chunk goes when none of it is needed."""
    context = DraftContext(chunk=4, window=6)
    for first in range(0, 40, 4):
        context.extend(rows(first, 4))

    assert sum(map(len, context._waiting)) == 8
    assert take(context) == [([34, 35, 36, 37], 34), ([38, 39], 38)]


@pytest.mark.parametrize(("position", "left"), [(39, 7), (33, 1), (32, 0), (20, 0)])
def test_going_back_over_what_was_not_kept_leaves_a_gap(position: int, left: int) -> None:
    """The draft misses rows, then, and does worse for a while; nothing else depends on it."""
    context = DraftContext(chunk=8, window=6)
    for first in range(0, 40, 4):
        context.extend(rows(first, 4))

    context.rewind(position)

    assert (context.end, sum(map(len, context._waiting))) == (position, left)
    context.extend(rows(position, 2))
    assert [p for chunk, _ in take(context) for p in chunk][-2:] == [position, position + 1]


@given(st.lists(st.tuples(st.sampled_from(["extend", "rewind", "take"]), st.integers(1, 9))))
def test_the_draft_ends_up_with_the_newest_row_of_every_position(
    steps: list[tuple[str, int]],
) -> None:
    """Whatever is added, taken back and taken: cache and waiting rows are the target's."""
    context = DraftContext(chunk=3)
    target: list[int] = []
    taken: list[int] = []
    for mark, (step, number) in enumerate(steps):
        match step:
            case "extend":
                context.extend(rows(len(target), number, mark))
                target += [mark] * number
            case "rewind":
                position = max(0, len(target) - number)
                context.rewind(position)
                del target[position:], taken[position:]
            case "take":
                for chunk, first in context.take():
                    assert (first, 1 <= len(chunk) <= 3) == (len(taken), True)
                    taken += chunk[:, 1].astype(int).tolist()
                assert taken == target

    assert context.end == len(target)
