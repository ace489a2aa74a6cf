"""How does a conversation go whose system message says how to answer?

The instruction stands in the system message, or the user gives it halfway, changes it or takes it
back; from there on every answer obeys it. It asks for a language (`languages`) or for a manner
(`manners`). The same question has another answer under another instruction, so that nobody
passes who does not heed it. Reasoning stays plain English.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bootstrap.nano import languages, memory_turns
from bootstrap.nano.conversation import Conversation, kept_thoughts
from bootstrap.nano.dressing import dressed
from bootstrap.nano.facts import Memory
from bootstrap.nano.kinds import PERSONAL_KINDS
from bootstrap.nano.languages import LANGUAGES
from bootstrap.nano.lexicon import NAMES, PETS, TOWNS, made_up
from bootstrap.nano.manners import Manner, applies, draw, in_words
from bootstrap.nano.replies import STRENGTHS, Exchange, Reply, think
from bootstrap.nano.skills.arithmetic import added, arithmetic
from bootstrap.nano.skills.catalogue import other
from bootstrap.nano.skills.smalltalk import smalltalk

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

__all__ = ["SKILL", "instructed", "obeying"]

SKILL = "instructions"

_NEUTRAL = (
    "You are a helpful assistant.", "You are Muse Nano.", "Be kind.", "Stay polite.",
    "You are Muse Nano, a small and friendly assistant.", "Be honest.", "You help the user.",
    "The user may be in a hurry.", "You are talking to a tester.", "Never guess.",
)  # fmt: skip
_LEADS = ("From now on: {}", "For the rest of this conversation: {}", "New rule: {}",
          "Please do this from now on: {}", "{}", "{}", "{} Always.", "Change of plan: {}",
          "From here on: {}", "One request: {}")  # fmt: skip
_BACK = ("Answer normally again.", "Forget that rule.", "Back to normal, please.",
         "You can stop that now.", "Please stop doing that.", "Write normally from now on.",
         "No more of that, please.", "Drop the rule about how to answer.")  # fmt: skip
_SPEAK = (
    "Answer in {}.", "Always answer in {}.", "Reply in {} only.", "Speak {}.", "Use {} only.",
    "You answer in {}, whatever language the user writes in.", "Please respond in {}.",
    "All answers must be in {}.", "Your answers are in {}.", "Write in {}.",
    "The user wants {} answers.", "Your language is {}.",
)  # fmt: skip

_SHORT = 100  # characters of an answer that any manner suits
_NO_RULE = "There is no rule about the language yet."
# The topics of `languages.TOLD` that are kinds of facts in plain English, too.
_KINDS = (("name", "my name"), ("town", "my town"), ("number", "my lucky number"))
_SHARED = tuple(kind for kind in PERSONAL_KINDS if kind.name in dict(_KINDS).values())


def _system(rng: Random, order: str) -> str | None:
    """A system message that holds the order, or a neutral one where there is none."""
    lines = rng.sample(_NEUTRAL, rng.choice((0, 0, 1, 1, 2)))
    if order:
        lines.insert(rng.randint(0, len(lines)), order)
    return (" " if rng.random() < 0.7 else "\n").join(lines) or None


def obeying(reply: Reply, manner: Manner, word: str, source: str) -> Reply:
    """The plain reply as the manner wants it."""
    plain = reply.value if manner.bare else reply.answer
    answer = manner.change(plain, word)
    note = f"I answer {manner.note.format(w=word)}."
    if manner.name == "no digits" and (digits := re.findall(r"\d+", plain)):
        spelt = ", ".join(f"{one} is {in_words(one)}" for one in dict.fromkeys(digits))
        note = f"{note} {spelt}."
    low, medium, high, xhigh = reply.thoughts
    thoughts = (
        f"{low} {note}".strip(),
        f"{medium} {note}",
        f"{source} {high} {note}",
        f"{source} {xhigh} {note} The rule holds for every answer until it is taken back.",
    )
    return Reply(SKILL, thoughts, answer, answer, manner.pattern.format(w=re.escape(word)))


def _plain_turn(rng: Random, memory: Memory) -> Exchange:
    """A turn whose answer can be given in any manner."""
    share = rng.random()
    found: Exchange | None = None
    if share < 0.24 or not memory.facts:
        found = memory_turns.tell(rng, memory)
    elif share < 0.50:
        found = memory_turns.ask(rng, memory)
    elif share < 0.53:
        found = memory_turns.ask_unknown(rng, memory)
    elif share < 0.63:
        found = other(rng)
        if "\n" in found.reply.answer or len(found.reply.answer) > _SHORT:
            found = None
    if found is not None:
        return found
    return arithmetic(rng) if share < 0.76 else smalltalk(rng)


def _acknowledged(user: str) -> Exchange:
    thoughts = think(
        wants="The user says how to answer from now on.",
        work="I follow the new rule.",
        so="I say that I understood.",
        restated="This is a wish about my answers.",
        check="It holds from this answer on.",
    )
    return Exchange(user, Reply(SKILL, thoughts, "Understood.", "Understood"))


def _examd(rng: Random, memory: Memory, manner: Manner | None) -> Exchange:
    while True:
        turn = _plain_turn(rng, memory)
        if manner is None or applies(manner, turn.reply):
            return turn


def _in_a_manner(rng: Random, turns: int) -> tuple[str | None, list[Exchange]]:
    memory = Memory(rng, strange=rng.choice((0.0, 0.1, 0.3)), cast=rng.randint(3, 20))
    manner: Manner | None
    manner, word = draw(rng)
    given = rng.choice(manner.orders).format(w=word)
    later = rng.random() < 0.3
    system = _system(rng, "" if later else given)
    source = "The system message says how to answer."
    exchanges: list[Exchange] = []
    begins = rng.randint(1, max(1, turns // 2)) if later else 0
    changes = rng.randint(begins + 2, begins + 5) if rng.random() < 0.3 else turns
    active: Manner | None = None if later else manner
    for turn in range(turns):
        if later and turn == begins:
            active, source = manner, "The user said how to answer."
            exchange = _acknowledged(rng.choice(_LEADS).format(given))
        elif turn == changes:
            exchange = _acknowledged("")
            if rng.random() < 0.5:
                active, user = None, rng.choice(_BACK)
            else:
                active, word = draw(rng)
                user = rng.choice(_LEADS).format(rng.choice(active.orders).format(w=word))
                source = "The user said how to answer."
            exchange = replace(exchange, user=user)
        else:
            exchange = _examd(rng, memory, active)
            exchange = replace(exchange, user=dressed(rng, exchange.user))
        if active is not None:
            exchange = replace(exchange, reply=obeying(exchange.reply, active, word, source))
        exchanges.append(exchange)
    return system, exchanges


@dataclass(slots=True)
class _Speaker:
    """A conversation in languages: what was told, and which language is to be answered in."""

    rng: Random
    memory: Memory  # what was told in plain English, before any instruction
    told: dict[str, str]
    spoken: str  # the language of the answers
    heard: str  # the language that the user writes
    source: str

    def reply(self, work: str, answer: str, value: str = "") -> Reply:
        thoughts = think(
            wants=self.source,
            work=f"{work} I answer in {self.spoken}.",
            so="I write one or two short sentences.",
            check=f"Every word of the answer is {self.spoken}.",
            restated=f"The user writes in {self.heard}.",
            plan="The rule holds for every answer, and I think in English.",
        )
        answer = languages.elided(answer)
        return Reply(SKILL, thoughts, answer, value or answer)

    def talk(self) -> Exchange:
        topic = self.rng.choice(tuple(languages.TALK))
        said = languages.TALK[topic]
        user = self.rng.choice(said[self.heard][0].split("|"))
        return Exchange(user, self.reply(f"This is about: {topic}.", said[self.spoken][1]))

    def sum(self) -> Exchange:
        a, b = self.rng.randrange(100), self.rng.randrange(100)
        asked = languages.SUMS[self.heard][0]
        answer = languages.SUMS[self.spoken][1].format(a=a, b=b, c=a + b)
        user = self.rng.choice(asked.split("|")).format(a=a, b=b)
        return Exchange(user, self.reply(f"{added(a, b)} {a} + {b} = {a + b}.", answer))

    def tell(self) -> Exchange:
        topic = self.rng.choice(tuple(languages.TOLD))
        strange = self.rng.random() < 0.2
        pools = {
            "name": (made_up(self.rng).capitalize(),) if strange else NAMES,
            "town": (made_up(self.rng).capitalize(),) if strange else TOWNS,
            "colour": languages.COLOURS["English"],
            "number": tuple(map(str, range(2, 100))),
            "dog": PETS,
        }
        value = self.rng.choice(pools[topic])
        self.told[topic] = value
        said, _, _, _ = languages.TOLD[topic][self.heard]
        _, answer, _, _ = languages.TOLD[topic][self.spoken]
        user = self.rng.choice(said.split("|")).format(it=self.shown(topic, value, self.heard))
        work = f"The user's {topic} is {value}.{self.translated(topic, value)}"
        return Exchange(
            languages.elided(user),
            self.reply(work, answer.format(it=self.shown(topic, value, self.spoken))),
        )

    def ask(self) -> Exchange:
        if not self.told:
            return self.tell()
        topic = self.rng.choice(tuple(languages.TOLD) if self.rng.random() < 0.2 else [*self.told])
        _, _, asked, _ = languages.TOLD[topic][self.heard]
        _, _, _, answer = languages.TOLD[topic][self.spoken]
        user = self.rng.choice(asked.split("|"))
        value = self.told.get(topic)
        if value is None:
            unknown = languages.UNKNOWN[self.spoken]
            return Exchange(user, self.reply(f"The user has not told the {topic}.", unknown))
        shown = self.shown(topic, value, self.spoken)
        work = f"The user's {topic} is {value}.{self.translated(topic, value)}"
        return Exchange(user, self.reply(work, answer.format(it=shown), shown))

    def shown(self, topic: str, value: str, language: str) -> str:
        """A told value in a language: only colours have another word there."""
        if topic != "colour":
            return value
        return languages.COLOURS[language][languages.COLOURS["English"].index(value)]

    def translated(self, topic: str, value: str) -> str:
        shown = self.shown(topic, value, self.spoken)
        return f" {value} is {shown}." if shown != value else ""

    def after(self) -> Exchange:
        days = self.rng.random() < 0.6
        table = languages.DAYS if days else languages.MONTHS
        k = self.rng.randrange(len(table["English"]))
        after = (k + 1) % len(table["English"])
        asked = self.rng.choice(languages.AFTER[self.heard][0].split("|"))
        it, following = table[self.spoken][k], table[self.spoken][after]
        user = asked.format(kind="day" if days else "month", it=table[self.heard][k])
        answer = languages.AFTER[self.spoken][1].format(it=it, next=following)
        if answer.startswith(it):
            answer = answer[0].upper() + answer[1:]
        work = f"{table['English'][after]} comes after {table['English'][k]}."
        return Exchange(user, self.reply(work, answer, following))

    def word(self) -> Exchange:
        """A colour or a number as a word: asked in English, said in the language."""
        table = languages.COLOURS if self.rng.random() < 0.4 else languages.NUMBERS
        k = self.rng.randrange(len(table["English"]))
        english, word = table["English"][k], table[self.spoken][k]
        if table is languages.COLOURS:
            user = self.rng.choice(("Say the colour {}.", "Write the colour {}.",
                                    "Name the colour {}.")).format(english)  # fmt: skip
        else:
            user = self.rng.choice(("Write {} as a word.", "Write the number {} as a word.",
                                    "Say the number {} in words.")).format(k)  # fmt: skip
        work = f"{english} is {word}." if word != english else "I write the word."
        return Exchange(user, self.reply(work, word))

    def turn(self) -> Exchange:
        kinds: tuple[Callable[[], Exchange], ...] = (
            self.talk, self.sum, self.tell, self.ask, self.after, self.word,
        )  # fmt: skip
        (make,) = self.rng.choices(kinds, (0.3, 0.12, 0.18, 0.2, 0.08, 0.12))
        return make()

    def before(self) -> Exchange:
        """A turn in plain English before any instruction, answered as always."""
        if self.rng.random() < 0.5:
            told = memory_turns.tell(self.rng, self.memory, _SHARED)
            if told is not None:
                for fact in self.memory.facts:
                    topic = next(topic for topic, kind in _KINDS if kind == fact.kind.name)
                    (self.told[topic],) = fact.values.values()
                return told
        return _plain_turn(self.rng, Memory(self.rng))

    def order(self, language: str) -> Exchange:
        """The user asks for another language."""
        own, answer = languages.ORDERS[language]
        self.spoken = language
        self.source = f"The user wants answers in {language}."
        if self.heard == language and self.rng.random() < 0.5:
            user = self.rng.choice(own)
        else:
            user = self.rng.choice(_LEADS).format(self.rng.choice(_SPEAK[:6]).format(language))
        return Exchange(user, self.reply("I switch the language.", answer))


def _in_a_language(rng: Random, turns: int) -> tuple[str | None, list[Exchange]]:
    spoken = rng.choice(LANGUAGES[1:])
    heard = "English" if rng.random() < 0.65 else rng.choice((spoken, spoken, *LANGUAGES))
    memory = Memory(rng, strange=rng.choice((0.0, 0.1, 0.3)))
    form = rng.random()
    if form < 0.62:  # the system message says so
        if heard != "English" and rng.random() < 0.2:
            spoken = "English"
        system = _system(rng, rng.choice(_SPEAK).format(spoken))
        source = f"The system message wants answers in {spoken}."
        speaker = _Speaker(rng, memory, {}, spoken, heard, source)
        switch = rng.randint(2, 6) if rng.random() < 0.25 else turns
    elif form < 0.87:  # the user says so later
        system = _system(rng, "")
        speaker = _Speaker(rng, memory, {}, "English", "English", _NO_RULE)
        switch = rng.randint(0, 2)
    else:  # nobody says so: the user's own language
        system = _system(rng, "")
        source = f"Nobody asked for another language, and the user writes in {spoken}."
        speaker = _Speaker(rng, memory, {}, spoken, spoken, source)
        switch = turns
    exchanges: list[Exchange] = []
    for turn in range(turns):
        if turn == switch:
            others = [one for one in LANGUAGES if one != speaker.spoken]
            exchanges.append(speaker.order(spoken if spoken in others else rng.choice(others)))
        else:
            if heard != "English" and turn > switch and rng.random() < 0.5:
                speaker.heard = rng.choice(("English", heard))
            plain = speaker.source == _NO_RULE
            exchanges.append(speaker.before() if plain else speaker.turn())
            if speaker.heard == "English":
                exchanges[-1] = replace(exchanges[-1], user=dressed(rng, exchanges[-1].user))
    return system, exchanges


def instructed(rng: Random, room: int) -> Conversation:
    """A conversation under an instruction, of at most about `room` characters."""
    strength = STRENGTHS[int(rng.random() * 4)] if rng.random() < 0.7 else "high"
    level = STRENGTHS.index(strength)
    turns = rng.choice((1, 2, 3, 4, 5, 6, 8, 10))
    make = _in_a_language if rng.random() < 0.5 else _in_a_manner
    system, made = make(rng, turns)
    exchanges: list[Exchange] = []
    used = 250
    for exchange in made:
        reply = exchange.reply
        used += len(exchange.user) + len(reply.thoughts[level]) + len(reply.answer) + 60
        if used > room and exchanges:
            break
        exchanges.append(exchange)
    date = f"20{rng.randint(24, 31)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
    shown = date if system is None else None
    return Conversation(
        "instructed", system, shown, strength, tuple(exchanges),
        kept_thoughts(rng, len(exchanges)),
    )  # fmt: skip
