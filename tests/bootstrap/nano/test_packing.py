"""Packed rows: the same from any process, full of whole conversations, loss in bit twelve."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from bootstrap.nano.configuration import NANO
from bootstrap.nano.dialogues import Mixture
from bootstrap.nano.packing import LEARNED, Emphasis, batch, drawn, patches_of
from bootstrap.nano.pictures.picture import Picture
from bootstrap.nano.rendering import Placed


def by_words(text: str) -> list[int]:
    """A coarse encoding: one id a word."""
    return [len(word) for word in text.split(" ")]


@pytest.fixture(scope="module")
def rows() -> np.ndarray[tuple[int, ...], np.dtype[np.uint16]]:
    """Make one small batch."""
    return batch(1, 5, 8, Mixture(), by_words).tokens


def test_a_batch_depends_on_seed_and_number_alone(
    rows: np.ndarray[tuple[int, ...], np.dtype[np.uint16]],
) -> None:
    """Made again it is the same; another number is another batch."""
    assert np.array_equal(rows, batch(1, 5, 8, Mixture(), by_words).tokens)
    assert not np.array_equal(rows, batch(1, 6, 8, Mixture(), by_words).tokens)


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


def test_every_patch_token_has_its_cell() -> None:
    """In a batch with pictures, cells and `<|patch|>` tokens are the same places, in order."""
    made = batch(1, 5, 8, Mixture(whole=0.8), by_words, sheets=8)
    ids = made.tokens.flatten() & (LEARNED - 1)
    cells = made.cells[made.cells < ids.size]

    assert len(cells) > 20
    assert sorted(cells) == list(np.flatnonzero(ids == NANO.control("<|patch|>")))
    assert (made.pictures > 0).sum() == 4 * len(cells)


def test_a_conversation_whose_pictures_find_no_room_is_left_out() -> None:
    """Without sheets no row shows a picture."""
    made = batch(1, 5, 8, Mixture(whole=0.8), by_words)

    assert not (made.tokens & (LEARNED - 1) == NANO.control("<|patch|>")).any()


def test_patches_lie_cell_by_cell_with_channels_first() -> None:
    """The pixel at row 15 and column 30 is in the second cell's third patch, at row 1, column 2."""
    pixels = np.zeros((28, 56, 3), np.uint8)
    pixels[15, 30] = (1, 2, 3)

    patches, places = patches_of(Placed(0, 1, 2, Picture(pixels.tobytes(), 56, 28)))

    at = 4 + 2, slice(14 + 2, None, 14 * 14)
    assert list(patches[at]) == [1, 2, 3]
    assert patches.sum() == 6
    assert list(places[6]) == [1, 2, 2, 4]


def test_practice_draws_conversations_with_the_skill() -> None:
    """At a share of one nearly all conversations show it, and without it few do."""
    singles = Mixture(notes=0.0, chat=0.0, single=1.0)

    def share(emphasis: Emphasis) -> float:
        rng = Random(1)
        shown = [drawn(rng, singles, emphasis).exchanges[0].reply.skill for _ in range(60)]
        return shown.count("refusals") / len(shown)

    assert share(Emphasis(("refusals",), 1.0)) > 3 * share(Emphasis()) + 0.1
