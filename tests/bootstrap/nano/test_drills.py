"""Drills are exercises, and the ones that a run asks for."""

from __future__ import annotations

from collections import Counter
from random import Random

from bootstrap.nano.dialogues import Mixture
from bootstrap.nano.drills import drill
from bootstrap.nano.lexicon import WORDS
from bootstrap.nano.packing import Emphasis, drawn


def test_drills_are_about_lists_and_letters_above_all() -> None:
    """And every kind of exercise turns up."""
    skills = Counter(
        exchange.reply.skill for seed in range(400) for exchange in drill(Random(seed)).exchanges
    )
    total = sum(skills.values())

    assert skills["lists"] / total > 0.3
    assert (skills["lower case"] + skills["upper case"]) / total > 0.1
    assert {"markdown", "dates and weekdays", "unit conversion", "spelling"} <= set(skills)


def test_most_words_whose_letters_are_drilled_stand_in_no_list() -> None:
    """Whoever answers cannot lean on a word that is known."""
    words = [
        word
        for seed in range(800)
        for exchange in drill(Random(seed)).exchanges
        if exchange.reply.skill == "upper case"
        for word in exchange.reply.answer.lower().replace(",", "").split()
    ]

    strange = sum(word not in WORDS for word in words) / len(words)
    assert len(words) > 100
    assert 0.5 < strange < 0.75


def test_a_run_that_drills_draws_as_many_as_it_asks_for() -> None:
    """Among its conversations; without drills there are none."""

    def share(emphasis: Emphasis) -> float:
        rng = Random(1)
        shapes = [drawn(rng, Mixture(), emphasis).shape for _ in range(100)]
        return shapes.count("drill") / len(shapes)

    assert share(Emphasis()) == 0.0
    assert 0.25 < share(Emphasis(drills=0.4)) < 0.55
