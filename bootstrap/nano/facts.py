"""What has been told in a conversation, and which questions does that settle?

A `Fact` is a `Kind` with its slots filled. A question may be asked when the slots that it names
pick out one fact; `Memory` decides that, knows which facts were corrected since, and keeps the
sentence that is to be quoted for each.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bootstrap.nano import lexicon

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

    from bootstrap.nano.kinds import Kind, Question

__all__ = ["Fact", "Memory"]


@dataclass(slots=True)
class Fact:
    """One fact as it stands now."""

    kind: Kind
    values: dict[str, str]
    said: str
    source: str  # "Note 17", "The user said", ...
    number: int | None = None
    past: list[dict[str, str]] = field(default_factory=list)

    @property
    def corrected(self) -> bool:
        """Whether it was told differently before."""
        return bool(self.past)

    @property
    def quote(self) -> str:
        """The sentence that settles a question about it."""
        return f"{self.source}: {self.said}"

    @property
    def echo(self) -> str:
        """The fact in the assistant's mouth."""
        return self.kind.echo.format_map(self.values)


_MADE_UP = {
    "name",
    "town",
    "place",
    "pet",
    "object",
    "word",
    "food",
    "goods",
    "job",
}  # pools that take unheard-of words
_POOLS: Mapping[str, tuple[str, ...]] = {
    "name": lexicon.NAMES,
    "town": lexicon.TOWNS,
    "place": lexicon.PLACES,
    "object": lexicon.OBJECTS,
    "goods": lexicon.GOODS,
    "colour": lexicon.COLOURS,
    "animal": lexicon.ANIMALS,
    "pet": lexicon.PETS,
    "job": lexicon.JOBS,
    "food": lexicon.FOODS,
    "drink": lexicon.DRINKS,
    "instrument": lexicon.INSTRUMENTS,
    "hobby": lexicon.HOBBIES,
    "subject": lexicon.SUBJECTS,
    "vehicle": lexicon.VEHICLES,
    "day": lexicon.WEEKDAYS,
    "relative": lexicon.RELATIVES,
    "event": lexicon.EVENTS,
    "favourite": lexicon.FAVOURITES,
    "verb": lexicon.VERBS,
    "word": lexicon.WORDS,
}


class Memory:
    """What has been told in one conversation, and which questions it can settle.

    `strange` is the share of made-up words; `cast` bounds how many people take part, so that one
    name may carry several facts of different kinds.
    """

    def __init__(self, rng: Random, *, strange: float = 0.15, cast: int | None = None) -> None:
        self._rng = rng
        self._strange = strange
        self.facts: list[Fact] = []
        self._keys: set[tuple[str, ...]] = set()
        size = cast or 40
        self._cast = [self._word("name") for _ in range(size)]

    def _word(self, pool: str) -> str:
        rng = self._rng
        if pool in _MADE_UP and rng.random() < self._strange:
            word = lexicon.made_up(rng)
            return word.capitalize() if pool in {"name", "town", "pet"} else word
        words = _POOLS[pool]
        return words[int(rng.random() * len(words))]

    def value(self, pool: str) -> str:
        """A fresh value from a pool."""
        rng = self._rng
        if pool == "name":
            return self._cast[int(rng.random() * len(self._cast))]
        if pool in _POOLS:
            return self._word(pool)
        if pool == "n1":
            return str(1 + int(rng.random() * 12))
        if pool == "n2":
            return str(2 + int(rng.random() * 97))
        if pool == "n3":
            return str(100 + int(rng.random() * 900))
        if pool == "n3any":
            return str(int(rng.random() * (100 if rng.random() < 0.6 else 1000)))
        if pool == "n4":
            return f"{int(rng.random() * 10000):04d}"
        return self._composed(pool)

    def _composed(self, pool: str) -> str:
        rng = self._rng
        if pool == "time":
            return f"{int(rng.random() * 24)}:{int(rng.random() * 12) * 5:02d}"
        if pool == "hour":
            hour = int(rng.random() * 24)
            return str(hour) if rng.random() < 0.4 else f"{hour}:{int(rng.random() * 12) * 5:02d}"
        if pool == "date":
            return f"{1 + int(rng.random() * 28)} {rng.choice(lexicon.MONTHS)}"
        if pool == "tag":
            letter = rng.choice("ABCDEFGHKLMNPRSTUVWXYZ")
            return f"{letter}{int(rng.random() * 10)}-{100 + int(rng.random() * 900)}"
        if pool == "seat":
            return f"{1 + int(rng.random() * 40)}{rng.choice('ABCDEF')}"
        if pool == "password":
            return f"{rng.choice(lexicon.COLOURS)}-{rng.choice(lexicon.ANIMALS)}"
        if pool == "code":
            return lexicon.code(rng)
        raise KeyError(pool)

    def _filled(self, kind: Kind) -> dict[str, str]:
        values = {slot: self.value(pool) for slot, pool in kind.slots.items()}
        if kind.name in {"brother", "borrowed"}:
            first, second = (slot for slot, pool in kind.slots.items() if pool == "name")
            while values[first] == values[second]:
                values[second] = self._word("name")
        return values

    def invent(self, kind: Kind) -> Fact | None:
        """A fact of this kind that contradicts nothing told so far; None where none was found."""
        for _ in range(4):
            values = self._filled(kind)
            if (kind.name, *(values[slot] for slot in kind.key)) not in self._keys:
                return Fact(kind, values, self.said(kind, values), "The user said")
        return None

    def said(self, kind: Kind, values: Mapping[str, str]) -> str:
        """The fact in the user's words."""
        statements = kind.statements
        return statements[int(self._rng.random() * len(statements))].format_map(values)

    def tell(self, fact: Fact) -> None:
        """Take a fact into memory."""
        self._keys.add((fact.kind.name, *(fact.values[slot] for slot in fact.kind.key)))
        self.facts.append(fact)

    def correct(self, fact: Fact) -> str:
        """Change the fact's changeable slot; return the user's new sentence."""
        slot = fact.kind.changes
        pool = fact.kind.slots[slot]
        taken = {fact.values[slot], *(past[slot] for past in fact.past)}
        value = self.value(pool)
        while value in taken:
            value = self._word(pool) if pool == "name" else self.value(pool)
        fact.past.append(fact.values)
        fact.values = {**fact.values, slot: value}
        fact.said = self.said(fact.kind, fact.values)
        fact.source = "Correction"
        return fact.said

    def askable(self, fact: Fact) -> list[Question]:
        """The questions whose visible slots pick out `fact` and no other, past or present."""
        rivals = [
            values
            for other in self.facts
            if other.kind is fact.kind and other is not fact
            for values in (other.values, *other.past)
        ]
        mine = fact.values
        return [
            question
            for question in fact.kind.questions
            if not any(all(v[s] == mine[s] for s in question.given) for v in rivals)
        ]

    def unknown(self, kind: Kind) -> tuple[Question, dict[str, str]] | None:
        """A question of this kind that nothing told so far settles."""
        values = self._filled(kind)
        question = kind.questions[int(self._rng.random() * len(kind.questions))]
        for fact in self.facts:
            if fact.kind is kind:
                for told in (fact.values, *fact.past):
                    if all(told[slot] == values[slot] for slot in question.given):
                        return None
        return question, values
