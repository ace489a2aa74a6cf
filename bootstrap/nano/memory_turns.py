"""How does one turn tell, correct or ask for a fact?

Each function takes the conversation's `Memory`, changes it where the turn does, and returns the
exchange. `long_first_turn` is the turn that the warm-resume scenario rests on: a random code, many
notes, facts about the user, and a request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bootstrap.nano.kinds import CODES, NOTE_KINDS, PERSONAL_KINDS
from bootstrap.nano.replies import Exchange, Reply, think
from bootstrap.nano.skills.arithmetic import added

if TYPE_CHECKING:
    from random import Random

    from bootstrap.nano.facts import Fact, Memory
    from bootstrap.nano.kinds import Kind, Question

__all__ = [
    "ask",
    "ask_about_notes",
    "ask_two",
    "ask_unknown",
    "confirm_a_claim",
    "correct",
    "long_first_turn",
    "sum_with_lucky_number",
    "tell",
    "what_is_known",
]

_BARE = ("Answer with the value only.", "Just the value, please.", "One word or number only.",
         "Only the value.")  # fmt: skip
_DONT_KNOW = "I don't know. You have not told me that."


def lower_first(sentence: str) -> str:
    """The sentence as it goes on after a comma: names and `I` keep their capital."""
    first = sentence.split(" ", 1)[0]
    if first in {"The", "There", "My", "You", "Trains", "Your"}:
        return sentence[0].lower() + sentence[1:]
    return sentence


def _pick_fact(rng: Random, memory: Memory) -> tuple[Fact, Question] | None:
    """A fact that can be asked for, corrected ones and ones about the user more often."""
    facts = memory.facts
    for _ in range(8):
        fact = facts[int(rng.random() * len(facts))]
        draw = rng.random()
        if draw < 0.2:
            special = [f for f in facts if f.corrected]
            fact = rng.choice(special) if special else fact
        elif draw < 0.32:
            special = [f for f in facts if f.kind.personal]
            fact = rng.choice(special) if special else fact
        elif draw < 0.36:
            special = [f for f in facts if f.number is None]
            fact = rng.choice(special) if special else fact
        questions = memory.askable(fact)
        if questions:
            return fact, questions[int(rng.random() * len(questions))]
    return None


def ask(rng: Random, memory: Memory) -> Exchange | None:
    """Ask for one slot of a fact that was told; None where nothing can be asked."""
    if not memory.facts or (picked := _pick_fact(rng, memory)) is None:
        return None
    fact, question = picked
    text = question.text.format_map(fact.values)
    label, value = fact.kind.labels[question.slot], fact.values[question.slot]
    if fact.corrected:
        check = f"Before it was {fact.past[-1][fact.kind.changes]}, and the latest counts."
    else:
        check = "Nothing later changes this."
    thoughts = think(
        wants=f"The user asks for the {label}. I look it up.",
        work=fact.quote,
        so=f"So the {label} asked for is {value}.",
        check=check,
        restated=f"The question: {text}",
    )
    answer, skill = question.answer.format_map(fact.values), _skill(fact)
    user = text
    if rng.random() < 0.10:
        user, answer = f"{text} {rng.choice(_BARE)}", value
    return Exchange(user, Reply(skill, thoughts, answer, value), fact.said)


def ask_two(rng: Random, memory: Memory) -> Exchange | None:
    """Ask for two facts in one message; they are thought about and answered in order."""
    first, second = ask(rng, memory), ask(rng, memory)
    if first is None or second is None or first.user == second.user:
        return None
    one, two = first.reply, second.reply
    low, medium, high, xhigh = (f"{a} {b}" for a, b in zip(one.thoughts, two.thoughts, strict=True))
    answer = f"{one.answer} {two.answer}"
    joint = rng.choice((" ", " And: ", " Also: "))
    reply = Reply("two questions at once", (low, medium, high, xhigh), answer, answer)
    return Exchange(first.user + joint + second.user, reply, first.needle)


def _skill(fact: Fact) -> str:
    if fact.corrected:
        return "recall after a correction"
    if fact.number is not None or fact.source == "The notes say":
        return "recall from notes"
    return "recall of a told fact"


def ask_unknown(rng: Random, memory: Memory) -> Exchange | None:
    """Ask for something never told."""
    told = [fact.kind for fact in memory.facts if not fact.kind.personal]
    near = told and rng.random() < 0.6
    kind = rng.choice(told) if near else rng.choice((*PERSONAL_KINDS, *NOTE_KINDS))
    if kind in CODES or (drawn := memory.unknown(kind)) is None:
        return None
    question, values = drawn
    text = question.text.format_map(values)
    label = kind.labels[question.slot]
    thoughts = think(
        wants=f"The user asks for the {label}. I look it up.",
        work="I find nothing about it.",
        so="So I do not know.",
        check="I must not guess.",
        restated=f"The question: {text}",
    )
    return Exchange(text, Reply("saying I don't know", thoughts, _DONT_KNOW, "don't know"))


def ask_about_notes(rng: Random, memory: Memory) -> Exchange | None:
    """Ask what a numbered note says, which note speaks of something, or how many there are."""
    numbered = [fact for fact in memory.facts if fact.number is not None and not fact.corrected]
    if not numbered:
        return None
    fact = rng.choice(numbered)
    number = str(fact.number)
    draw = rng.random()
    if draw < 0.2:
        value = rng.choice(list(fact.values.values()))
        if sum(value in other.said for other in memory.facts) == 1 and not value.isdigit():
            text = rng.choice(("Which note mentions {}?", "Which note talks about {}?",
                               "Which note is about {}?")).format(value)  # fmt: skip
            thoughts = think(
                wants="The user asks which note it is.", work=fact.quote,
                so=f"So it is note {number}.", restated="I look for the word.",
                check="No other note says this.",
            )  # fmt: skip
            answer = f"Note {number} says: {fact.said}"
            return Exchange(text, Reply("finding a note", thoughts, answer, number), fact.said)
    if draw < 0.8:
        text = rng.choice(("What does note {} say?", "Read me note {}.", "What is note {}?",
                           "Repeat note {}.")).format(number)  # fmt: skip
        thoughts = think(
            wants="The user asks for a note.", work=fact.quote, so="I repeat it.",
            restated=f"The number is {number}.", check="I change no word.", easy=True,
        )  # fmt: skip
        answer = f"Note {number} says: {fact.said}"
        return Exchange(text, Reply("reading a note", thoughts, answer, fact.said), fact.said)
    question = memory.askable(fact)
    if not question:
        return None
    thoughts = think(
        wants="The user asks which note it is.", work=fact.quote, so=f"So it is note {number}.",
        restated="I look for the sentence.", check="No other note says this.",
    )  # fmt: skip
    text = rng.choice(("Which note says: {}", "In which note is this: {}")).format(fact.said)
    answer = f"Note {number} says that."
    return Exchange(text, Reply("finding a note", thoughts, answer, number), fact.said)


def confirm_a_claim(rng: Random, memory: Memory) -> Exchange | None:
    """Ask whether a sentence about a fact is true."""
    facts = [fact for fact in memory.facts if not fact.kind.personal and fact.kind not in CODES]
    if not facts:
        return None
    fact = rng.choice(facts)
    kind = fact.kind
    true = rng.random() < 0.5
    values = dict(fact.values)
    if not true:
        pool = kind.slots[kind.changes]
        while values[kind.changes] == fact.values[kind.changes]:
            values[kind.changes] = memory.value(pool)
    claim = lower_first(kind.statements[0].format_map(values)).rstrip(".")
    text = rng.choice(("Is it true that {}?", "Is this right: {}?", "Did I say that {}?"))
    label, value = kind.labels[kind.changes], fact.values[kind.changes]
    thoughts = think(
        wants="The user asks whether this is true. I look it up.", work=fact.quote,
        so=f"The {label} is {value}, so {'yes' if true else 'no'}.",
        restated=f"The claim: {claim}.", check="I compare the two.",
    )  # fmt: skip
    answer = f"{'Yes' if true else 'No'}. {fact.echo}"
    reply = Reply("confirming a claim", thoughts, answer, answer.split(" ", 1)[0])
    return Exchange(text.format(claim), reply, fact.said)


def _acknowledged(facts: list[Fact]) -> str:
    first = facts[0]
    if first.kind.name == "my name":
        greeting = f"Nice to meet you, {first.values['name']}."
        rest = " ".join(fact.echo for fact in facts[1:])
        return f"{greeting} Noted: {rest}" if rest else greeting
    return "Noted: " + " ".join(fact.echo for fact in facts)


def tell(rng: Random, memory: Memory, pool: tuple[Kind, ...] = ()) -> Exchange | None:
    """Tell one to three facts in a turn of their own, of the kinds in `pool` if it has any."""
    pool = pool or (PERSONAL_KINDS if rng.random() < 0.55 else NOTE_KINDS)
    size = 1 if rng.random() < 0.65 else rng.randint(2, 3)
    facts: list[Fact] = []
    for _ in range(size):
        fact = memory.invent(rng.choice(pool))
        if fact is not None:
            memory.tell(fact)
            facts.append(fact)
    if not facts:
        return None
    said = " ".join(fact.said for fact in facts)
    if len(facts) == 2 and rng.random() < 0.4:
        said = f"{facts[0].said[:-1]} and {lower_first(facts[1].said)}"
    lead = rng.choice(
        (
            "",
            "",
            "",
            "Please remember: ",
            "Remember this: ",
            "Note this: ",
            "Here is a fact: ",
            "By the way: ",
            "Keep in mind: ",
            "Hello! ",
            "Hi! ",
        )
    )
    if lead == "" and len(facts) == 1 and rng.random() < 0.25:
        said, lead = lower_first(said), rng.choice(
            ("Please remember that ", "Remember that ", "Don't forget that ",
             "You should know that ",
             "By the way, ", "Also, ", "Hi, ", "Hello, "))  # fmt: skip
    tail = rng.choice(("", "", "", "", " Please remember that.", " Can you remember this?"))
    answer = _acknowledged(facts)
    thoughts = think(
        wants="The user tells me something to remember.", work=f"It is: {facts[-1].said}",
        so="I keep it and confirm it.",
        restated=f"There are {len(facts)} facts." if size > 1 else "It is new.",
        check="I may need it later.", easy=True,
    )  # fmt: skip
    value = facts[-1].echo if facts[-1].echo in answer else answer
    return Exchange(lead + said + tail, Reply("noting a fact", thoughts, answer, value))


def correct(rng: Random, memory: Memory) -> Exchange | None:
    """Correct a fact; the latest wins from here on."""
    facts = [fact for fact in memory.facts if fact.kind not in CODES]
    if not facts:
        return None
    fact = rng.choice(facts)
    mine = [f for f in facts if f.kind.personal]
    if mine and rng.random() < 0.35:
        fact = rng.choice(mine)
    if fact.corrected and rng.random() < 0.6:
        fact = rng.choice(facts)
    before, number = fact.quote, fact.number
    said = memory.correct(fact)
    draw = rng.random()
    if draw < 0.45:
        lead = rng.choice(("Actually, ", "Actually, ", "Sorry, ", "No, ", "Wait, ", "Oh, ",
                           "Well, ", "I was wrong, ", "Actually ", "Actually ", "No wait, ",
                           "Sorry but ", "No ", "I meant that "))  # fmt: skip
        user = lead + lower_first(said)
    elif draw < 0.8 or number is None:
        lead = rng.choice(("Correction: ", "Update: ", "Change of plan: ", "I made a mistake. ",
                           "That has changed. ", "Actually: ",
                           "Please correct this: "))  # fmt: skip
        user = lead + said
    else:
        user = rng.choice(("Note {n} is wrong. {s}", "Please change note {n}: {s}",
                           "Note {n} has changed. {s}")).format(n=number, s=said)  # fmt: skip
    if rng.random() < 0.15:
        user += rng.choice((" Please update that.", " Please remember the new one.",
                            " What I said before is wrong."))  # fmt: skip
    thoughts = think(
        wants="The user corrects a fact.", work=f"Before: {before}", so=f"Now: {said}",
        restated="Something has changed.", check="The latest counts.", easy=True,
    )  # fmt: skip
    thoughts = (thoughts[0], f"The user corrects a fact. Now: {said}", *thoughts[2:])
    answer = f"Updated: {fact.echo}"
    return Exchange(user, Reply("correcting a fact", thoughts, answer, fact.echo))


def sum_with_lucky_number(rng: Random, memory: Memory) -> Exchange | None:
    """A sum whose first number was told earlier."""
    found = [f for f in memory.facts if f.kind.name == "my lucky number" and len(f.values["n"]) < 3]
    if not found:
        return None
    fact = found[0]
    a, b = int(fact.values["n"]), rng.randint(1, 50)
    text = rng.choice(("What is my lucky number plus {}?", "Add {} to my lucky number."))
    thoughts = think(
        wants="The user asks for a sum with the lucky number.",
        work=f"{fact.quote} {added(a, b)}", so=f"So {a} + {b} = {a + b}.",
        restated=f"I need the number and then {b} more.", check="First I look it up.",
    )  # fmt: skip
    answer = f"{a} + {b} = {a + b}."
    reply = Reply("sum with a told number", thoughts, answer, str(a + b))
    return Exchange(text.format(b), reply, fact.said)


def what_is_known(rng: Random, memory: Memory) -> Exchange | None:
    """Ask what it knows about the user: everything told, if that is little."""
    mine = [fact for fact in memory.facts if fact.kind.personal]
    if len(mine) > 4:
        return None
    text = rng.choice(("What do you know about me?", "What have I told you about me?",
                       "Tell me what you know about me.", "Who am I to you?"))  # fmt: skip
    told = " ".join(fact.quote for fact in mine)
    thoughts = think(
        wants="The user asks what I know about them.", work=told or "I find nothing about it.",
        so="I say that.", restated="I look for facts about the user.",
        check="The latest counts.",
    )  # fmt: skip
    answer = " ".join(fact.echo for fact in mine) or _DONT_KNOW
    return Exchange(text, Reply("what it knows about the user", thoughts, answer, answer))


_FILLER = (
    "The weather was fine all week.", "Nothing else happened today.", "We had soup for lunch.",
    "The lights went out twice.", "It rained in the morning.", "The old clock is slow again.",
    "Somebody painted the fence.", "The roof was repaired.", "The music was too loud.",
    "Everyone came home late.", "The dog barked at night.", "There was no mail.",
)  # fmt: skip
_OPENINGS = ("Here are my notes. Please remember them.", "Here are my notes.", "My notes:",
             "Please read these notes.", "These are the notes for today.", "Notes:",
             "Please remember the following notes.", "I will give you a list of notes.",
             "Read this list and remember it.", "Keep these facts in mind.", "")  # fmt: skip
_CONFIRM = ("Please confirm that you have read the notes.", "Reply when you have read them.",
            "Please confirm.", "Tell me when you have read everything.", "Have you read them all?",
            "Confirm that you will remember them.", "Please say when you are ready.",
            "I will ask about them later.", "Did you get all of that?")  # fmt: skip


def _listed(rng: Random, sentences: list[tuple[str, Fact | None]]) -> list[str]:
    """Number or dash the notes, and say in each fact where it stands."""
    form = rng.random()
    lines = []
    for number, (sentence, fact) in enumerate(sentences, 1):
        if form < 0.62:
            lines.append(f"Note {number}: {sentence}")
        elif form < 0.74:
            lines.append(f"{number}. {sentence}")
        elif form < 0.80:
            lines.append(f"{number}) {sentence}")
        else:
            lines.append(f"- {sentence}" if form < 0.92 else sentence)
        if fact is not None:
            fact.source = f"Note {number}" if form < 0.80 else "The notes say"
            fact.number = number if form < 0.80 else None
    return lines


def long_first_turn(rng: Random, memory: Memory, notes: int) -> Exchange:
    """A code, `notes` notes, facts about the user, and a request to confirm or a question."""
    header: list[str] = []
    if rng.random() < 0.85:
        fact = memory.invent(rng.choice(CODES[:1] if rng.random() < 0.3 else CODES))
        if fact is not None:
            memory.tell(fact)
            header.append(fact.said + ("." if rng.random() < 0.2 else ""))
    elif rng.random() < 0.5:
        header.append(f"[{memory.value('code')}]")

    kinds = NOTE_KINDS if rng.random() < 0.7 else rng.sample(NOTE_KINDS, rng.randint(2, 8))
    sentences: list[tuple[str, Fact | None]] = []
    mixed_in = rng.random() < 0.25
    for _ in range(notes):
        if rng.random() < 0.03:
            sentences.append((rng.choice(_FILLER), None))
            continue
        mine = mixed_in and rng.random() < 0.2
        fact = memory.invent(rng.choice(PERSONAL_KINDS) if mine else rng.choice(kinds))
        if fact is not None:
            memory.tell(fact)
            sentences.append((fact.said, fact))
    numbered = _listed(rng, sentences)

    about_me = []
    for kind in rng.sample(PERSONAL_KINDS, rng.choice((0, 1, 2, 3, 4, 5))):
        fact = memory.invent(kind)
        if fact is not None:
            memory.tell(fact)
            about_me.append(fact.said)
    me = [" ".join(about_me)] if about_me else []
    opening = [line for line in (rng.choice(_OPENINGS),) if line]
    before, after = (me, []) if rng.random() < 0.4 else ([], me)

    body = [*header, *before, *opening, *numbered, *after]
    if rng.random() < 0.6 or (question := ask(rng, memory)) is None:
        return Exchange(
            "\n".join([*body, rng.choice(_CONFIRM)]), _confirmed(memory, len(sentences))
        )
    return Exchange("\n".join([*body, question.user]), question.reply, question.needle)


def _confirmed(memory: Memory, size: int) -> Reply:
    counted = any(fact.number is not None for fact in memory.facts)
    notes = f"{size} notes" if counted else "notes"
    last = next((f for f in reversed(memory.facts) if f.number is not None), None)
    work = f"The last note is note {size}." if last else "I have read them to the end."
    thoughts = think(
        wants=f"The user gives me {'numbered ' if counted else ''}notes to remember.",
        work=work, so="I confirm that.", restated="This is a long list.",
        check="I may be asked about any of them.", easy=True,
    )  # fmt: skip
    answer = f"I have read your {notes} and will remember them."
    return Reply("confirming notes", thoughts, answer, answer)
