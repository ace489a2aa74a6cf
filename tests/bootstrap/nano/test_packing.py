"""Packed rows: the same from any process, full of whole conversations, loss in bit twelve."""

from __future__ import annotations

import numpy as np
import pytest

from bootstrap.nano.configuration import NANO
from bootstrap.nano.dialogues import Mixture
from bootstrap.nano.packing import LEARNED, batch


def by_words(text: str) -> list[int]:
    """A coarse encoding: one id a word."""
    return [len(word) for word in text.split(" ")]


@pytest.fixture(scope="module")
def rows() -> np.ndarray[tuple[int, ...], np.dtype[np.uint16]]:
    """Make one small batch."""
    return batch(1, 5, 8, Mixture(), by_words)


def test_a_batch_depends_on_seed_and_number_alone(
    rows: np.ndarray[tuple[int, ...], np.dtype[np.uint16]],
) -> None:
    """Made again it is the same; another number is another batch."""
    assert np.array_equal(rows, batch(1, 5, 8, Mixture(), by_words))
    assert not np.array_equal(rows, batch(1, 6, 8, Mixture(), by_words))


def test_rows_are_full_of_documents(
    rows: np.ndarray[tuple[int, ...], np.dtype[np.uint16]],
) -> None:
    """Every row begins with a conversation, and little of it is padding."""
    ids = rows & (LEARNED - 1)

    assert rows.shape == (8, NANO.max_position_embeddings)
    assert set(ids[:, 0]) == {NANO.control("<|begin_of_text|>")}
    assert (ids == NANO.control("<|pad|>")).mean() < 0.15


def test_padding_carries_no_loss(
    rows: np.ndarray[tuple[int, ...], np.dtype[np.uint16]],
) -> None:
    """Only what the assistant writes does."""
    ids, learned = rows & (LEARNED - 1), rows >= LEARNED

    assert not learned[ids == NANO.control("<|pad|>")].any()
    assert 0.05 < learned.mean() < 0.6
