"""Conversations under an instruction: the answer obeys it, and another would not do."""

from __future__ import annotations

import json
import re
from random import Random

import pytest

from bootstrap.nano import languages
from bootstrap.nano.instructed import SKILL, instructed, obeying
from bootstrap.nano.languages import LANGUAGES
from bootstrap.nano.manners import MANNERS, Manner, in_words, spelt_numbers
from bootstrap.nano.replies import Reply

PLAIN = Reply("sum", ("", "a", "b", "c"), "The tower is 131 metres high. It is old.", "131")


def manner(name: str) -> Manner:
    """Look a manner up."""
    return next(one for _, one in MANNERS if one.name == name)


def answer(name: str, word: str = "lantern") -> str:
    """What a manner makes of one plain reply."""
    return obeying(PLAIN, manner(name), word, "").answer


def test_each_manner_has_an_answer_of_its_own() -> None:
    """Nobody passes under two instructions with one answer, nor with the plain one."""
    answers = [answer(one.name) for _, one in MANNERS]

    assert PLAIN.answer not in answers
    assert len(set(answers) - {answer("json", "answer")}) >= len(MANNERS) - 1


@pytest.mark.parametrize("name", [one.name for _, one in MANNERS])
def test_a_pattern_refuses_the_plain_answer(name: str) -> None:
    """Ignoring the instruction fails by its pattern or by its value."""
    reply = obeying(PLAIN, manner(name), "lantern", "")

    assert re.search(reply.pattern, reply.answer)
    assert not (re.search(reply.pattern, PLAIN.answer) and reply.value in PLAIN.answer)


def test_manners_do_what_they_say() -> None:
    """A few, spelt out."""
    assert answer("upper case") == "THE TOWER IS 131 METRES HIGH. IT IS OLD."
    assert json.loads(answer("json", "result")) == {"result": PLAIN.answer}
    assert answer("bullets") == "- The tower is 131 metres high.\n- It is old."
    assert answer("first word") == "Lantern: The tower is 131 metres high. It is old."
    assert answer("last word") == "The tower is 131 metres high. It is old. Lantern."
    assert answer("bare") == "131"
    assert answer("no digits") == "The tower is one hundred and thirty-one metres high. It is old."
    assert answer("title", "Captain") == "Captain, the tower is 131 metres high. It is old."


def test_numbers_are_spelt_out() -> None:
    """Up to 999 as one says them, codes digit by digit, a time without its colon."""
    assert [in_words(n) for n in ("0", "20", "21", "90", "100", "999")] == [
        "zero", "twenty", "twenty-one", "ninety", "one hundred",
        "nine hundred and ninety-nine",
    ]  # fmt: skip
    assert in_words("0417") == "zero four one seven"
    assert spelt_numbers("At 7:45.") == "At seven forty-five."


def test_every_language_has_every_sentence() -> None:
    """No cell of the tables is missing, and no two languages answer alike."""
    for table in (languages.TALK, languages.TOLD):
        for topic, said in table.items():
            assert tuple(said) == LANGUAGES
            assert len({cells[1] for cells in said.values()}) == len(LANGUAGES), topic
    for words in (languages.COLOURS, languages.NUMBERS, languages.DAYS, languages.MONTHS):
        assert tuple(words) == LANGUAGES
        assert len({len(one) for one in words.values()}) == 1
        assert all(len(set(one)) == len(one) for one in words.values())


def test_the_same_message_is_answered_differently_under_another_instruction() -> None:
    """The greetings of one language have the answers of all the languages, and of manners."""
    hello = set(languages.TALK["hello"]["English"][0].split("|"))

    answers = {
        exchange.reply.answer
        for seed in range(3000)
        for exchange in instructed(Random(seed), 7000).exchanges
        if exchange.reply.skill == SKILL and exchange.user in hello
    }

    assert answers >= {languages.TALK["hello"][language][1] for language in LANGUAGES[1:]}
    assert len(answers) >= 8


def test_every_answer_matches_its_own_pattern() -> None:
    """Whatever the turn, what is right passes."""
    for seed in range(800):
        for exchange in instructed(Random(seed), 7000).exchanges:
            reply = exchange.reply
            assert reply.value in reply.answer
            assert re.search(reply.pattern, reply.answer), exchange.user


def test_a_language_asked_for_is_the_language_answered() -> None:
    """The greeting under each language's order is that language's greeting."""
    hello = {
        phrase for phrases, _ in languages.TALK["hello"].values() for phrase in phrases.split("|")
    }
    found = set()
    for seed in range(3000):
        one = instructed(Random(seed), 7000)
        first = one.exchanges[0]
        for language in LANGUAGES:
            if one.system and language in one.system and first.user in hello:
                assert first.reply.answer == languages.TALK["hello"][language][1]
                found.add(language)

    assert found >= set(LANGUAGES[1:])


def test_an_order_given_halfway_holds_from_there_on() -> None:
    """Before it the answers are plain; at it and after it they are not."""
    switched = 0
    for seed in range(2000):
        one = instructed(Random(seed), 7000)
        skills = [exchange.reply.skill == SKILL for exchange in one.exchanges]
        if skills[0] or not any(skills):
            continue
        at = skills.index(True)
        assert not any(skills[:at])
        assert (
            "rule" in one.exchanges[at].reply.thoughts[0]
            or "language" in (one.exchanges[at].reply.thoughts[0])
        )
        switched += 1

    assert switched > 100


def test_reasoning_stays_english() -> None:
    """Thoughts are plain ASCII but for the words that they translate."""
    accents = [
        thought
        for seed in range(400)
        for exchange in instructed(Random(seed), 7000).exchanges
        for thought in exchange.reply.thoughts
        if not re.sub(r"\b\S+ is \S+", "", thought).isascii()
    ]

    assert accents == []
