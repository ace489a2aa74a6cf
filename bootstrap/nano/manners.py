"""In which manners can an answer be asked for, and what does each make of a plain answer?

A manner is a rule that turns a plain reply into the one that was asked for, so what is right stays
a function of the prompt: upper case, a JSON object, a list, a first or last word, numbers in
words, a tone.
"""

# ruff: noqa: E501  (a row of the table is one manner)

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bootstrap.nano.lexicon import ANIMALS, NUMBER_WORDS, OBJECTS, made_up

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from random import Random

    from bootstrap.nano.replies import Reply

__all__ = ["MANNERS", "Manner", "applies", "draw", "in_words", "spelt_numbers"]


@dataclass(frozen=True, slots=True)
class Manner:
    """A way to answer; `{w}` in its texts is a word that the user chooses."""

    name: str
    orders: tuple[str, ...]  # imperatives, as a system message or a user says them
    note: str  # what is thought about it
    change: Callable[[str, str], str]  # (plain answer, word) -> answer
    pattern: str  # what such an answer looks like; `{w}` is the word
    words: tuple[str, ...] = ()
    bare: bool = False  # takes the value instead of the sentence


_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def in_words(digits: str) -> str:
    """A number under 1,000 in words; anything longer, or with a zero in front, digit by digit.

    >>> in_words("42"), in_words("407"), in_words("0815")
    ('forty-two', 'four hundred and seven', 'zero eight one five')
    """
    number = int(digits)
    if len(digits) > 3 or digits != str(number):
        return " ".join(NUMBER_WORDS[int(digit)] for digit in digits)
    hundreds, rest = divmod(number, 100)
    if hundreds:
        said = f"{NUMBER_WORDS[hundreds]} hundred"
        return f"{said} and {in_words(str(rest))}" if rest else said
    if number <= 20:
        return NUMBER_WORDS[number]
    tens, ones = divmod(number, 10)
    return f"{_TENS[tens]}-{NUMBER_WORDS[ones]}" if ones else _TENS[tens]


def spelt_numbers(text: str) -> str:
    """The text with its numbers in words."""
    text = re.sub(r"(?<=\d):(?=\d)", " ", text)
    text = re.sub(r"\d+", lambda found: in_words(found[0]), text)
    return text[:1].upper() + text[1:] if text[-1:] in ".!?" else text


_PIRATE: Mapping[str, str] = {
    "Hello": "Ahoy", "I am": "I be", "my": "me", "My": "Me", "Your": "Yer", "your": "yer",
    "you": "ye", "You": "Ye", "is": "be", "are": "be", "Yes": "Aye", "the": "th'", "The": "Th'",
    "of": "o'", "and": "an'",
}  # fmt: skip
_THOU: Mapping[str, str] = {
    "You are": "Thou art", "you are": "thou art", "You have": "Thou hast", "you have": "thou hast",
    "Your": "Thy", "your": "thy", "you": "thee", "You": "Thou", "Yes": "Verily",
    "Hello": "Hail", "Thank you": "I thank thee",
}  # fmt: skip


def _spoken(table: Mapping[str, str], text: str) -> str:
    """Replace whole words by those of the table."""
    longest = sorted(table, key=len, reverse=True)
    pattern = rf"\b(?:{'|'.join(longest)})\b(?!')"
    return re.sub(pattern, lambda found: table[found[0]], text)


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?]) ", text)


def _json(text: str, key: str) -> str:
    return json.dumps({key: text}, ensure_ascii=False)


def _formal(text: str, _: str) -> str:
    text = text.replace("don't", "do not").replace("Don't", "Do not")
    return f"Certainly. {text} I remain at your service."


# The first words that lose their capital after an address.
_SMALL = frozenset({"The", "There", "Your", "You", "Noted:", "Nice", "Updated:", "Good.", "My",
                    "Hello!", "Goodbye!", "Yes,", "Understood."})  # fmt: skip
_COMMON = (
    "sure", "well", "okay", "indeed", "listen", "yes", "so", "look", "right", "over", "amen", "cheers",
    "done", "thanks", "please", "hello", "answer", "result", "roger", "bravo", "stop", "now",
)  # fmt: skip
_WORDS = (*(word for word in (*OBJECTS, *ANIMALS) if word.isalpha()), *_COMMON * 8)

MANNERS: tuple[tuple[float, Manner], ...] = (
    (1.2, Manner(
        "upper case",
        ("Answer in upper case.", "Write everything in capital letters.", "Use only capital letters.", "Always write in UPPER CASE.", "All your answers must be in capitals.", "Reply in all caps.", "Shout: use upper case only."),
        "in upper case", lambda text, _: text.upper(), r"^[^a-z]+$")),
    (1.0, Manner(
        "lower case",
        ("Answer in lower case.", "Write everything in small letters.", "Never use capital letters.", "Always write in lower case.", "Do not use any capitals.", "Use lower-case letters only.", "Reply all in lower case."),
        "in lower case", lambda text, _: text.lower(), r"^[^A-Z]+$")),
    (1.2, Manner(
        "json",
        ('Answer with a JSON object with the key "{w}".', 'Always reply as JSON: {{"{w}": ...}}.', 'Give every answer as a JSON object {{"{w}": ...}}.', 'Reply only with JSON. Put the answer under the key "{w}".', 'Your output must be a JSON object whose only key is "{w}".', 'Format: JSON, key "{w}".', 'Return JSON with one key, "{w}".'),
        'as JSON under "{w}"', _json, r'^\{{"{w}": ".+"\}}$',
        ("answer", "reply", "text", "result", "output", "response", "message", "value", "content", "say"))),
    (0.7, Manner(
        "plain json",
        ("Answer in JSON.", "Answer with a JSON object.", "Always reply as JSON.", "Output JSON only.", "Use JSON for every answer.", "Reply only with a JSON object.", "Your output must be valid JSON."),
        'as JSON under "answer"', lambda text, _: _json(text, "answer"), r'^\{{"answer": ".+"\}}$')),
    (0.8, Manner(
        "bullets",
        ("Answer with a bullet list.", "Write every answer as a bullet list.", "Use bullet points.", "Always answer in bullet points, one sentence each.", "Each sentence must be a bullet point.", "Format your answers as a list with dashes.", "Reply as a bulleted list."),
        "as a bullet list", lambda text, _: "\n".join(f"- {one}" for one in _sentences(text)), r"^- ")),
    (0.5, Manner(
        "numbered",
        ("Answer with a numbered list.", "Number your sentences.", "Write every answer as a numbered list.", "Each sentence must be a numbered item.", "Reply as a numbered list.", "Format your answers as a numbered list."),
        "as a numbered list", lambda text, _: "\n".join(f"{k}. {one}" for k, one in enumerate(_sentences(text), 1)), r"^1\. ")),
    (1.2, Manner(
        "first word",
        ('Begin every answer with the word "{w}".', "Start each answer with {w}.", "Always begin with the word {w}.", "Every reply must start with the word {w}.", 'The first word of every answer must be "{w}".', "Your answers begin with {w}.", "Put {w} in front of every answer."),
        "after the word {w}", lambda text, word: f"{word.capitalize()}: {text}", r"^(?i:{w})\b", _WORDS)),
    (1.2, Manner(
        "last word",
        ('End every answer with the word "{w}".', "Finish each answer with {w}.", "Always end with the word {w}.", "Every reply must end with the word {w}.", 'The last word of every answer must be "{w}".', "Your answers end with {w}.", "Put {w} at the end of every answer."),
        "with {w} at the end", lambda text, word: f"{text} {word.capitalize()}.", r"\b(?i:{w})\W*$", _WORDS)),
    (0.9, Manner(
        "title",
        ("Call the user {w}.", "Always address the user as {w}.", "Address me as {w} in every answer.", "Call me {w}.", "You call the user {w}.", "In every answer, call me {w}."),
        "to {w}", lambda text, word: f"{word}, {text[0].lower() if text.split(' ')[0] in _SMALL else text[0]}{text[1:]}", r"^(?i:{w}), ",
        ("Captain", "Boss", "Chief", "Professor", "Doctor", "Your Majesty", "Sir", "Madam", "Friend", "Master", "General", "Champion", "Commander", "Coach"))),
    (1.0, Manner(
        "no digits",
        ("Never use digits. Write numbers as words.", "Write all numbers as words.", "Do not use digits.", "Spell out every number.", "Numbers must be written in words.", "Use no digits in your answers.", "Write numbers out in words, without digits."),
        "with numbers in words", lambda text, _: spelt_numbers(text), r"^\D+$")),
    (1.0, Manner(
        "bare",
        ("Answer with the value only.", "Answer with one word or number.", "Be very terse: only the value.", "Answer as tersely as you can.", "Give only the value, no sentence.", "No sentences, just the value.", "One word answers only.", "Answer with one word only."),
        "as the value alone", lambda text, _: text, r"^[^.!?]+$", (), bare=True)),
    (1.2, Manner(
        "pirate",
        ("Talk like a pirate.", "You are a pirate.", "Speak like a pirate.", "Answer in the tone of a pirate.", "Answer like an old pirate.", "Be a pirate in all your answers.", "Use pirate speech."),
        "like a pirate", lambda text, _: f"Arr! {_spoken(_PIRATE, text)}", r"^Arr! ")),
    (0.6, Manner(
        "old speech",
        ("Speak like Shakespeare.", "Use old English: thou and thy.", "Talk like a knight of old.", "Say thou and thy instead of you and your.", "Answer in the speech of old plays.", "Use thee and thou."),
        "in old speech", lambda text, _: f"Hark! {_spoken(_THOU, text)}", r"^Hark! ")),
    (1.0, Manner(
        "formal",
        ("Be very formal.", "Use a formal tone.", "Answer formally.", "Speak like a butler.", "Write in a formal style.", "Keep a formal tone in every answer.", "Your tone is formal."),
        "formally", _formal, r"^Certainly\. ")),
    (1.0, Manner(
        "cheerful",
        ("Be very cheerful.", "Use a cheerful tone.", "Answer cheerfully.", "Be enthusiastic.", "Answer with a lot of joy.", "Your tone is cheerful.", "Sound happy in every answer."),
        "cheerfully", lambda text, _: f"Hooray! {text} What a wonderful day!", r"^Hooray! ")),
    (0.6, Manner(
        "robot",
        ("Talk like a robot.", "You are a robot.", "Answer like a robot.", "Speak like a machine from an old film.", "Sound like a robot.", "Use a robot voice."),
        "like a robot", lambda text, _: f"BEEP. {text} BOOP.", r"^BEEP\. .* BOOP\.$")),
    (0.6, Manner(
        "grumpy",
        ("Be grumpy.", "Use a grumpy tone.", "Answer grumpily.", "You are in a bad mood.", "Sound annoyed in every answer.", "Your tone is grumpy."),
        "grumpily", lambda text, _: f"Hmpf. {text} Now leave me alone.", r"^Hmpf\. ")),
    (0.6, Manner(
        "bold",
        ("Write every answer in bold.", "Use bold Markdown for your answers.", "Put your whole answer in bold.", "Answers must be bold, in Markdown.", "Reply in bold text.", "Make every answer bold."),
        "in bold", lambda text, _: f"**{text}**", r"^\*\*[^*]+\*\*$")),
    (0.6, Manner(
        "quotes",
        ("Put every answer in quotation marks.", "Quote your answers.", "Write your answers between double quotes.", "Every answer must stand in quotation marks.", 'Wrap each answer in "quotes".', "Use quotation marks around the answer."),
        "in quotation marks", lambda text, _: f'"{text}"', r'^"[^"]+"$')),
    (0.5, Manner(
        "twice",
        ("Say everything twice.", "Repeat every answer.", "Give each answer two times.", "Write every answer twice.", "Always say your answer twice.", "Double every answer."),
        "two times", lambda text, _: f"{text} {text}", r"^(.+) \1$")),
    (0.6, Manner(
        "code block",
        ("Put every answer in a code block.", "Wrap your answers in triple backticks.", "Reply inside a code block.", "Every answer must be a fenced block.", "Use a code block for each answer.", "Write your answers in fenced code blocks."),
        "in a code block", lambda text, _: f"```\n{text}\n```", r"^```\n[^`]+\n```$")),
)  # fmt: skip


def applies(manner: Manner, reply: Reply) -> bool:
    """Whether the manner's rule suits this reply."""
    if manner.bare:
        return bool(reply.value) and not re.search(r"[.!?]", reply.value)
    if manner.name in _WORDING and reply.answer[-1] not in ".!?":
        return False  # a word alone is not spoken like a sentence
    if manner.name == "no digits":
        return not re.search(r"[A-Za-z][-]?\d|\d[-]?[A-Za-z]|\d[-.,/]\d| -\d|= -", reply.answer)
    return '"' not in reply.answer


# Manners that may be asked for together: the wording first, then the look of the whole.
_WORDING = frozenset({"first word", "last word", "title", "pirate", "formal", "cheerful", "robot",
                      "grumpy", "old speech", "no digits"})  # fmt: skip
_LOOK = frozenset({"upper case", "lower case", "bold", "quotes", "code block"})


def _together(rng: Random) -> Manner:
    """Two manners at once."""
    first = rng.choice([one for _, one in MANNERS if one.name in _WORDING])
    second = rng.choice([one for _, one in MANNERS if one.name in _LOOK])
    orders = tuple(
        f"{rng.choice(pair[0].orders)} {rng.choice(pair[1].orders)}"
        for pair in ((first, second), (second, first))
    )
    return Manner(
        first.name,
        orders,
        f"{first.note}, {second.note}",
        lambda text, word: second.change(first.change(text, word), word),
        second.pattern,
        first.words,
    )


def draw(rng: Random) -> tuple[Manner, str]:
    """A manner and the word that goes with it."""
    if rng.random() < 0.12:
        manner = _together(rng)
    else:
        (manner,) = rng.choices([one for _, one in MANNERS], [share for share, _ in MANNERS])
    if manner.words is _WORDS and rng.random() < 0.1:
        return manner, made_up(rng)
    return manner, rng.choice(manner.words) if manner.words else ""
