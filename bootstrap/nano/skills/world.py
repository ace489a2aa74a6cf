"""How are facts about the world asked for, both ways, and what of those that it does not know?

A `Relation` is a table with the ways to ask for its right side by the left one and back. Whatever
is asked of a relation and not in its table, it does not know and says so; the same goes for what no
table is about: populations, people, prices.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bootstrap.nano.lexicon import ANIMALS, OBJECTS, TOWNS, made_up
from bootstrap.nano.replies import Exchange, Reply, think
from bootstrap.nano.skills import world_table as table
from bootstrap.nano.skills.wording import worded

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

__all__ = ["RELATIONS", "SKILL", "UNKNOWN", "Relation", "world"]

SKILL = "world facts"

UNKNOWN = "I am a very small model and I do not know that."


@dataclass(frozen=True, slots=True)
class Relation:
    """A table, and how it is asked: `{a}` is the left side, `{b}` the right one."""

    rows: tuple[tuple[str, str], ...]
    wants: str  # `a capital`
    asked: tuple[str, ...]
    fact: str  # `The capital of {a} is {b}.`
    back: tuple[str, ...] = ()  # ways to ask for the left side; only of a `b` that stands once
    inverse: str = ""  # the answer to those, if it is not `fact`
    value: str = "{b}"  # what an answer must contain
    back_value: str = "{a}"
    fame: float = 1.0  # how often a row is drawn, next to those of other relations


def _symbols() -> Iterable[tuple[str, str]]:
    return ((name, right.split()[0]) for name, right in table.ELEMENTS)


def _atomic_numbers() -> Iterable[tuple[str, str]]:
    return ((name, right.split()[1]) for name, right in table.ELEMENTS)


RELATIONS: tuple[Relation, ...] = (
    Relation(
        table.CAPITALS, "a capital",
        ("What is the capital [city |]of {a}?", "Capital of {a}?", "The capital of {a}?",
         "Which city is the capital of {a}?", "[Tell me|Name|Give me] the capital of {a}.",
         "Do you know the capital of {a}?", "What's the capital of {a}?",
         "What capital does {a} have?", "Which capital has {a}?"),
        "The capital of {a} is {b}.",
        ("{b} is the capital of which country?", "Of which country is {b} the capital?",
         "Which country has the capital {b}?", "What country is {b} the capital of?",
         "Which country's capital is {b}?", "{b} is the capital of what?"),
        "{b} is the capital of {a}.", fame=1.5,
    ),
    Relation(
        table.CONTINENTS, "a continent",
        ("On which continent is {a}?", "Which continent is {a} [in|on]?", "Where is {a}?",
         "What continent is {a} [in|on]?", "In which part of the world is {a}?",
         "Where in the world is {a}?", "{a} is on which continent?", "Where does {a} lie?"),
        "{a} is in {b}.", value="in {b}", fame=0.7,
    ),
    Relation(
        table.CURRENCIES, "a currency",
        ("What is the currency of {a}?", "Which currency [does|has] {a} [have|use]?",
         "Currency of {a}?", "What money is used in {a}?", "What do people pay with in {a}?",
         "Which money does {a} have?", "[Tell me|Name] the currency of {a}."),
        "The currency of {a} is the {b}.",
        ("Which country has the {b}?", "Where do people pay with the {b}?",
         "Which country uses the {b}?", "The {b} is the currency of which country?"),
    ),
    Relation(
        table.LANGUAGES, "a language",
        ("[Which|What] language is spoken in {a}?", "[Which|What] language do people speak in {a}?",
         "What is the language of {a}?", "Language of {a}?", "What do they speak in {a}?",
         "Which language does one speak in {a}?", "[Tell me|Name] the language of {a}."),
        "People in {a} speak {b}.",
        ("In which country do people speak {b}?", "Where is {b} spoken?",
         "Which country speaks {b}?", "Where do people speak {b}?"),
    ),
    Relation(
        tuple(_symbols()), "a symbol",
        ("What is the [chemical |]symbol [of|for] {a}?", "Symbol [of|for] {a}?",
         "Which [chemical |]symbol [does|has] {a}[ have|]?", "How is {a} written in chemistry?",
         "[Tell me|Give me] the symbol for {a}.", "What's the symbol for {a}?"),
        "The symbol for {a} is {b}.",
        ("Which element has the symbol {b}?", "What element is {b}?", "What does {b} stand for?",
         "Which element is {b}?", "The symbol {b} stands for which element?",
         "Which chemical element is written {b}?"),
        "{b} is the symbol for {a}.", value="is {b}",
    ),
    Relation(
        tuple(_atomic_numbers()), "an atomic number",
        ("What is the atomic number of {a}?", "Atomic number of {a}?",
         "Which [atomic number|number in the periodic table] does {a} have?",
         "What number is {a} in the periodic table?", "How many protons does {a} have?",
         "[Tell me|Give me] the atomic number of {a}."),
        "The atomic number of {a} is {b}.",
        ("Which element has the atomic number {b}?", "What is element [number |]{b}?",
         "Which element is number {b}?", "Which element has {b} protons?",
         "Name element number {b}."),
        "Element {b} is {a}.", value="is {b}",
    ),
    Relation(
        table.PLANETS, "a planet",
        ("Which planet [from the sun |]is {a}?", "Which place does {a} have among the planets?",
         "What number is {a} from the sun?", "Where does {a} stand among the planets?",
         "Is {a} the second planet or which one?"),
        "{a} is the {b} planet from the sun.",
        ("What is the {b} planet[ from the sun|]?", "Which planet is the {b} from the sun?",
         "Which is the {b} planet[ from the sun|]?", "Name the {b} planet.",
         "What planet is {b} from the sun?"),
        value="{b} planet", fame=2.0,
    ),
    Relation(
        table.SOUNDS, "a sound",
        ("What sound does a {a} make?", "What does a {a} say?", "Which sound does a {a} make?",
         "What noise does a {a} make?", "How does a {a} sound?", "What does a {a} do to be heard?"),
        "A {a} {b}.",
        ("Which animal {b}?", "What animal {b}?", "Who {b}?", "Name an animal that {b}."),
    ),
    Relation(
        table.YOUNG, "a young animal",
        ("What is a young {a} called?", "What is a baby {a} called?", "What is the young of a {a}?",
         "What do you call a [young|baby] {a}?", "Name for a baby {a}?", "A young {a} is a what?"),
        "A young {a} is called a {b}.",
        ("What [animal |]does a {b} [become|grow into]?", "A {b} is a young what?",
         "Which animal has a {b}?", "What is a {b}?", "Which animal's young is a {b}?"),
        "A {b} is a young {a}.", value="a {b}", back_value="young {a}",
    ),
    Relation(
        table.LEGS, "a number of legs",
        ("How many legs does a {a} have?", "How many legs has a {a}?", "Legs of a {a}?",
         "On how many legs does a {a} walk?", "What is the number of legs of a {a}?",
         "Count the legs of a {a}."),
        "A {a} has {b} legs.", value="{b} legs",
    ),
    Relation(
        table.MIXTURES, "a colour",
        ("What colour do {a} make?", "[Which|What] colour do you get from {a}?",
         "What do I get if I mix {a}?", "Mix {a}.", "What is {a} mixed?",
         "What colour is a mixture of {a}?", "{a} make which colour?"),
        "Mixing {a} gives {b}.",
        ("Which colours make {b}?", "How do I mix {b}?", "What do I mix to get {b}?",
         "How do you make {b}?"),
        value="gives {b}", fame=2.0,
    ),
    Relation(
        (*table.OPPOSITES, *((b, a) for a, b in table.OPPOSITES)), "an opposite",
        ("What is the opposite of {a}?", "Opposite of {a}?", "The opposite of {a}?",
         "What's the opposite of {a}?", "[Tell me|Give me|Name] the opposite of {a}.",
         "Which word is the opposite of {a}?", "What word means the opposite of {a}?"),
        "The opposite of {a} is {b}.", value="is {b}", fame=0.6,
    ),
    Relation(
        table.PLURALS, "a plural",
        ("What is the plural of {a}?", "Plural of {a}?",
         "[Tell me|Give me|Write] the plural of {a}.", "One {a}, two what?",
         "How do you write more than one {a}?", "What's the plural of {a}?"),
        "The plural of {a} is {b}.",
        ("What is the singular of {b}?", "Singular of {b}?", "Give me the singular of {b}."),
        "The singular of {b} is {a}.", value="is {b}", back_value="is {a}",
    ),
    Relation(
        table.PASTS, "a past form",
        ("What is the past [tense|form] of {a}?", "Past [tense |]of {a}?",
         "Today I {a}. Yesterday I what?", "Put {a} into the past.",
         "What's the past tense of {a}?",
         "[Tell me|Give me|Write] the past [tense|form] of {a}."),
        "The past tense of {a} is {b}.",
        ("What is the present of {b}?", "Of which verb is {b} the past[ tense|]?",
         "{b} is the past of which verb?"),
        "{b} is the past tense of {a}.", value="is {b}", back_value="of {a}",
    ),
    Relation(
        table.SIDES, "a number of sides",
        ("How many [sides|corners] does a {a} have?", "How many [sides|corners] has a {a}?",
         "[Sides|Corners] of a {a}?", "What is the number of sides of a {a}?",
         "[Tell me|Say] how many sides a {a} has."),
        "A {a} has {b} sides.",
        ("Which shape has {b} [sides|corners]?", "What shape has {b} [sides|corners]?",
         "What is a shape with {b} sides called?", "Name a shape with {b} sides."),
        value="{b} sides", fame=2.0,
    ),
    Relation(
        table.FACES, "a number of faces",
        ("How many faces does a {a} have?", "How many faces has a {a}?", "Faces of a {a}?",
         "What is the number of faces of a {a}?"),
        "A {a} has {b} faces.",
        ("Which solid has {b} faces?", "What solid has {b} faces?",
         "What is a body with {b} equal faces called?"), value="{b} faces",
    ),
    Relation(
        table.SEASONS, "a season",
        ("In which season is {a}?", "Which season is {a}[ in|]?", "What season is it in {a}?",
         "Is {a} in summer or in which season?", "{a} is in which season?"),
        "North of the equator {a} is in {b}.", value="in {b}",
    ),
    Relation(
        table.HOLIDAYS, "a date",
        ("When is {a}?", "On which day is {a}?", "What is the date of {a}?", "Date of {a}?",
         "On what date is {a}?", "Which day is {a}?"),
        "{a} is on {b}.",
        ("What is on {b}?", "Which holiday is on {b}?", "What [day|feast] is [on |]{b}?"),
        fame=1.5,
    ),
)  # fmt: skip

# What no table is about, although its subjects may be in one.
_BEYOND = (
    "What is the population of {land}?", "How many people live in {land}?", "How big is {land}?",
    "Who is the [king|queen|chancellor] of {land}?", "What is {land} famous for?",
    "Which river flows through {city}?", "How old is {city}?", "Who is the mayor of {city}?",
    "What is the weather like in {land}?", "What do people eat in {land}?",
    "How far is {land} from {other}?", "Is {land} larger than {other}?",
    "When was {city} founded?", "Which mountains are in {land}?", "What flag does {land} have?",
    "Who discovered {element}?", "At what temperature does {element} melt?",
    "What is {element} used for?", "How much does {element} cost?", "How heavy is {element}?",
    "How far is {planet}?", "How large is {planet}?", "How many moons does {planet} have?",
    "How long is a year on {planet}?", "How long does a {animal} live?",
    "What does a {animal} eat?",
    "How heavy is a {animal}?", "Where does a {animal} live?", "Who invented the {object}?",
    "Who was the first person on the moon?", "Who painted the Mona Lisa?",
    "What is the longest river in {land}?", "How high is Mount Everest?",
    "What is the speed of light?", "How deep is the sea?", "Why is the sky blue?",
)  # fmt: skip


def _thoughts(
    relation: Relation, a: str, b: str, answer: str, other: str
) -> tuple[str, str, str, str]:
    return think(
        wants=f"The user asks for {relation.wants}.",
        work=f"{a}, {relation.wants.partition(' ')[2]}: {b}.", so=f"So: {answer}",
        restated="I look into what I have learned.", check="I have learned this fact.",
        second=f"The other way round: {other}",
    )  # fmt: skip


def _written(text: str) -> str:
    """`a owl` is `an owl`."""
    return re.sub(r"\b([Aa]) (?=[aeiou])", r"\1n ", text)


def _known(rng: Random, relation: Relation) -> Exchange:
    a, b = rng.choice(relation.rows)
    once = Counter(right for _, right in relation.rows)[b] == 1
    if relation.back and once and rng.random() < 0.4:
        asked, answer = rng.choice(relation.back), relation.inverse or relation.fact
        value = relation.back_value
    else:
        asked, answer, value = rng.choice(relation.asked), relation.fact, relation.value
    user = _written(worded(rng, asked, a=a, b=b))
    said, other = (_filled(text, a, b) for text in (answer, _other_way(relation, answer)))
    reply = Reply(SKILL, _thoughts(relation, a, b, said, other), said, value.format(a=a, b=b))
    return Exchange(user, replace(reply, value=_written(reply.value)))


def _filled(text: str, a: str, b: str) -> str:
    text = _written(text.format(a=a, b=b))
    return text[0].upper() + text[1:]


def _other_way(relation: Relation, answer: str) -> str:
    """The fact from its other side: where there is no sentence for that, as a pair."""
    if answer == relation.fact:
        return relation.inverse or "{b} belongs to {a}."
    return relation.fact


def _unknown(rng: Random) -> Exchange:
    """What no table holds: a strange subject, or something that no table is about."""
    if rng.random() < 0.45:
        relation = rng.choice(RELATIONS[:10])
        strange = made_up(rng)
        if relation.rows[0][0][0].isupper():
            strange = rng.choice((strange.capitalize(), rng.choice(TOWNS), "Atlantis", "the moon"))
        if relation.wants == "a continent" or strange.lower() in _LEFT:
            return _unknown(rng)
        user = _written(worded(rng, rng.choice(relation.asked), a=strange))
        work = f"{strange}: I find nothing."
    else:
        land, other = rng.sample(table.CAPITALS, 2)
        text = worded(
            rng, rng.choice(_BEYOND), land=land[0], other=other[0], city=land[1],
            element=rng.choice(table.ELEMENTS)[0], planet=rng.choice(table.PLANETS)[0],
            animal=rng.choice(ANIMALS), object=rng.choice(OBJECTS),
        )  # fmt: skip
        user, work = _written(text), "I have not learned this."
    thoughts = think(
        wants="The user asks about the world.", work=work, so="So I say that I do not know.",
        check="I must not make anything up.", restated="I look into what I have learned.",
        second="Only what I have learned can be right.",
    )  # fmt: skip
    return Exchange(user, Reply(SKILL, thoughts, UNKNOWN, "do not know"))


_LEFT = frozenset(left.lower() for relation in RELATIONS for left, _ in relation.rows)
_WEIGHTS = [relation.fame * len(relation.rows) for relation in RELATIONS]


def world(rng: Random) -> Exchange:
    """A question about the world."""
    if rng.random() < 0.12:
        return _unknown(rng)
    (relation,) = rng.choices(RELATIONS, _WEIGHTS)
    return _known(rng, relation)
