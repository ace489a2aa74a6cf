"""How is a short message typed: with a greeting before it, in lower case, with a mistake?"""

# ruff: noqa: SIM905  (a column of words reads better than a column of quotes)

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

__all__ = ["dressed"]

_LEADS = ("Please tell me: ", "Quick question: ", "And ", "Now: ", "Next: ", "Tell me: ", "So, ",
          "Hey, ", "Another question: ", "One more: ", "Okay. ", "Thanks. ", "Good. ",
          "I forgot. ", "Please answer: ", "Can you tell me: ", "Using my notes: ", "Hello! ",
          "Do you remember: ", "Last question: ", "Thank you. ", "Great. ")  # fmt: skip


def dressed(rng: Random, text: str) -> str:
    """Change how a short message is typed, not what it says."""
    if not 3 < len(text) <= 300:
        return text
    draw = rng.random()
    for long, short in (("What is ", "What's "), ("Where is ", "Where's "), ("Who is ", "Who's ")):
        if text.startswith(long) and rng.random() < 0.12:
            text = short + text.removeprefix(long)
    if draw < 0.10:
        text = rng.choice(_LEADS) + text
    elif draw < 0.14:
        text = text[0].lower() + text[1:]
    elif draw < 0.17 and text[-1] in ".?!":
        text = text[:-1]
    elif draw < 0.19:
        text = text + rng.choice((" Please.", " Thank you.", " Thanks!", " :)"))
    elif draw < 0.205:
        text = _mistyped(rng, text)
    return text


_SAFE_TO_MISTYPE = frozenset(
    """
    what where which when does your you name live keep colour words please remember much many
    called number actually sorry correction repeat sort these count from hello think says
    """.split()
)


def _mistyped(rng: Random, text: str) -> str:
    """Swap two letters of a word that carries no fact."""
    words = text.split(" ")
    places = [k for k, word in enumerate(words) if word.lower() in _SAFE_TO_MISTYPE]
    if not places:
        return text
    k = rng.choice(places)
    word = words[k]
    at = rng.randrange(len(word) - 1)
    words[k] = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return " ".join(words)
