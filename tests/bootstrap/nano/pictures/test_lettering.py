"""What is written in a picture can be told apart and has the height that was asked for."""

from __future__ import annotations

from itertools import combinations
from random import Random

import numpy as np
import pytest

from bootstrap.nano.pictures.lettering import Hand, any_hand, text_mask
from bootstrap.nano.pictures.strokes import PENNED, penned

_PEN = Hand(pen=0.1)


def test_no_two_penned_letters_look_alike() -> None:
    """But for the digit and the letter that everybody writes as a ring."""
    letters = sorted(PENNED - {"0"})
    inks = {letter: np.asarray(penned(letter, 60, 5)) > 128 for letter in letters}

    for one, two in combinations(letters, 2):
        both, either = (inks[one] & inks[two]).sum(), (inks[one] | inks[two]).sum()
        assert both / either < 0.9, (one, two)


@pytest.mark.parametrize("hand", [Hand(), _PEN, Hand(slant=0.2), Hand(stretch=1.2)])
def test_letters_grow_with_their_size(hand: Hand) -> None:
    """Twice the size is twice as high and twice as wide."""
    small, large = text_mask("HOUSE", 30, hand), text_mask("HOUSE", 60, hand)

    assert large.height / small.height == pytest.approx(2, rel=0.12)
    assert large.width / small.width == pytest.approx(2, rel=0.12)


def test_a_pen_is_taken_only_for_letters_that_it_can_write() -> None:
    """Small letters are always printed."""
    pens = {any_hand(Random(seed), "house").pen for seed in range(200)}

    assert {0.0} == pens


def test_a_mask_is_cut_to_its_ink() -> None:
    """No empty row or column is left at its edges."""
    ink = np.asarray(text_mask("42", 40, Hand(bold=0.04))) > 0

    assert all(edge.any() for edge in (ink[0], ink[-1], ink[:, 0], ink[:, -1]))
