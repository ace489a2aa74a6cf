"""Facts: what is told can be asked for, the latest value wins, no question is ambiguous."""

from __future__ import annotations

from random import Random

import pytest

from bootstrap.nano import memory_turns
from bootstrap.nano.facts import Fact, Memory
from bootstrap.nano.kinds import CODES, KINDS, Kind


def told(kind: Kind, seed: int = 0) -> tuple[Memory, Fact]:
    """Tell one fact of this kind."""
    memory = Memory(Random(seed))
    fact = memory.invent(kind)
    assert fact is not None
    memory.tell(fact)
    return memory, fact


@pytest.mark.parametrize("kind", [*KINDS, *CODES], ids=lambda kind: kind.name)
def test_every_question_is_answered_by_what_was_told(kind: Kind) -> None:
    """Each answer holds the value that its question asks for, and each statement holds it too."""
    _, fact = told(kind)

    for question in kind.questions:
        answer = question.answer.format_map(fact.values)
        assert fact.values[question.slot] in answer
        assert fact.values[question.slot] in fact.said
        assert question.slot not in question.given or kind.personal


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_correction_changes_one_slot_and_wins(kind: Kind) -> None:
    """After a correction the echo has the new value, and the old one is remembered as past."""
    memory, fact = told(kind)
    before = fact.values

    said = memory.correct(fact)

    changed = {slot for slot in before if before[slot] != fact.values[slot]}
    assert changed == {kind.changes}
    assert fact.values[kind.changes] in said
    assert fact.past == [before]
    assert fact.quote.startswith("Correction: ")


def test_a_question_that_two_facts_would_answer_is_not_asked() -> None:
    """`Who lives in Oslo?` is no question when two people do."""
    lives = next(kind for kind in KINDS if kind.name == "lives")
    memory = Memory(Random(0))
    for name in ("Ada", "Otto"):
        memory.tell(Fact(lives, {"name": name, "town": "Oslo"}, f"{name} lives in Oslo.", "x"))

    asked = {question.text for question in memory.askable(memory.facts[0])}

    assert "Who lives in {town}?" not in asked
    assert "Where does {name} live?" in asked


def test_a_value_of_the_past_is_ambiguous_too() -> None:
    """Nobody asks who lives in Oslo once somebody has moved away from there."""
    lives = next(kind for kind in KINDS if kind.name == "lives")
    memory = Memory(Random(0))
    for name, town in (("Ada", "Oslo"), ("Otto", "Bergen")):
        memory.tell(Fact(lives, {"name": name, "town": town}, f"{name} lives in {town}.", "x"))
    ada, otto = memory.facts
    ada.past.append(ada.values)
    ada.values = {"name": "Ada", "town": "Rome"}
    otto.values = {"name": "Otto", "town": "Oslo"}

    asked = {question.text for question in memory.askable(otto)}

    assert "Who lives in {town}?" not in asked


def test_unknown_questions_are_about_what_was_never_told() -> None:
    """What `unknown` asks has no fact, past or present, behind it."""
    for seed in range(200):
        memory, fact = told(KINDS[seed % len(KINDS)], seed)
        drawn = memory.unknown(fact.kind)
        if drawn is None:
            continue
        question, values = drawn
        assert any(values[slot] != fact.values[slot] for slot in question.given)


def test_long_notes_answer_from_the_sentence_they_quote() -> None:
    """A question after long notes quotes a sentence of the first turn, word for word."""
    asked = 0
    for seed in range(40):
        rng = Random(seed)
        memory = Memory(rng)
        first = memory_turns.long_first_turn(rng, memory, 40)
        exchange = memory_turns.ask(rng, memory)
        if exchange is None:
            continue
        asked += 1
        assert exchange.needle in first.user
        assert exchange.needle in exchange.reply.thoughts[0]
        assert exchange.reply.value in exchange.reply.answer

    assert asked > 30


def test_a_note_is_cited_by_the_number_it_has() -> None:
    """`Note 17:` in a thought is followed by what the first turn says after `Note 17:`."""
    for seed in range(40):
        rng = Random(seed)
        memory = Memory(rng)
        first = memory_turns.long_first_turn(rng, memory, 30)
        for fact in memory.facts:
            if fact.number is not None:
                lines = first.user.splitlines()
                assert any(
                    line.split(" ", 1)[0] in {"Note", f"{fact.number}.", f"{fact.number})"}
                    and str(fact.number) in line
                    and line.endswith(fact.said)
                    for line in lines
                )
