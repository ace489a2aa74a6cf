"""How are word games asked, worked out and answered?

Repeating, upper and lower case, counting words and letters, reversing, picking, spelling.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bootstrap.nano.lexicon import NUMBER_WORDS, WORDS, code, made_up
from bootstrap.nano.replies import Exchange, Reply, think

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

__all__ = ["ORDINALS", "letter_drill", "wordplay"]

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")


def _word(rng: Random, strange: float = 0.25) -> str:
    return made_up(rng) if rng.random() < strange else WORDS[int(rng.random() * len(WORDS))]


def _list(rng: Random, low: int, high: int, strange: float = 0.25) -> list[str]:
    words: list[str] = []
    size = rng.randint(low, high)
    while len(words) < size:
        word = _word(rng, strange)
        if word not in words:
            words.append(word)
    return words


def _joined(rng: Random, words: list[str]) -> str:
    return (", " if rng.random() < 0.6 else " ").join(words)


def _repeat(rng: Random, strange: float = 0.2) -> Exchange:
    draw = rng.random()
    if draw < 0.15:
        text = code(rng) if rng.random() < 0.6 else str(rng.randrange(10_000))
        user = rng.choice(("Repeat this code: {}", "Repeat the code {}", "Say the code {}",
                           "Say {}", "Repeat: {}", "Reply with exactly this: {}"))  # fmt: skip
    elif draw < 0.30:
        text = " ".join(_list(rng, 2, 9, strange)).capitalize() + rng.choice(".!?")
        user = rng.choice(("Repeat: {}", "Say exactly: {}", "Repeat this sentence: {}",
                           "Reply with exactly this: {}", "Repeat after me: {}"))  # fmt: skip
    elif draw < 0.55:
        text = _word(rng, 1.5 * strange)
        user = rng.choice(("Say the word {}.", "Say {}.", "Repeat the word {}.", "Say: {}",
                           "Please say only the word {}.", "Answer with the word {}.",
                           "Reply with exactly one word: {}",
                           "Please say {}.", "Answer only {}."))  # fmt: skip
    else:
        text = _joined(rng, _list(rng, 2, 9, strange))
        user = rng.choice(("Repeat: {}", "Repeat after me: {}", "Say exactly: {}", "Say this: {}",
                           "Repeat these words: {}", "Please repeat: {}", "Echo: {}"))  # fmt: skip
    thoughts = think(
        wants="The user wants words repeated.", work=f"The words: {text}.", so="I say them again.",
        restated="I must not change anything.", check="Nothing is missing.", easy=True,
    )  # fmt: skip
    return Exchange(user.format(text), Reply("repeating", thoughts, text, text))


def _times(rng: Random, strange: float = 0.25) -> Exchange:
    word, n = _word(rng, strange), rng.randint(2, 10)
    spoken = NUMBER_WORDS[n] if rng.random() < 0.5 else str(n)
    user = rng.choice(
        (
            "Say {} {} times.",
            "Repeat {} {} times.",
            "Write {} {} times.",
            "Repeat the word {} {} times.",
            "Say the word {} {} times.",
        )
    )
    text = " ".join([word] * n)
    tally = ", ".join(f"{word} {k}" for k in range(1, n + 1))
    thoughts = think(
        wants="The user wants one word several times.", work=f"{tally}.",
        so=f"The tally ends at {n}, so that is {n} times.",
        restated=f"The word is {word}.", check="I counted each one.",
    )  # fmt: skip
    return Exchange(user.format(word, spoken), Reply("saying it n times", thoughts, text, text))


def _cased(rng: Random, strange: float = 0.25) -> Exchange:
    words = _list(rng, 1, 5, strange)
    plain = _joined(rng, words)
    upper = rng.random() < 0.6
    name = rng.choice(("upper case", "capital letters", "capitals")) if upper else "lower case"
    given, text = (plain, plain.upper()) if upper else (plain.upper(), plain)
    user = rng.choice(("Write {} in {}.", "Put this in {1}: {0}", "Write this in {1}: {0}",
                       "Make this {1}: {0}", "Say {} in {}.", "Please write {} in {}.",
                       "Can you write {} in {}?"))  # fmt: skip
    kind = "upper case" if upper else "lower case"
    thoughts = think(
        wants=f"The user wants {kind}.", work=f"{given} becomes {text}.", so="I write that.",
        restated="The words stay the same, only the letters change.",
        check="Every letter is changed.", easy=True,
    )  # fmt: skip
    return Exchange(user.format(given, name), Reply(kind, thoughts, text, text))


def _count_words(rng: Random) -> Exchange:
    words = _list(rng, 1, 10)
    n = len(words)
    user = rng.choice(("How many words are in: {}", "Count the words: {}", "How many words: {}",
                       "Count these words: {}", "How many words are there in: {}?"))  # fmt: skip
    tally = ", ".join(f"{word} {k}" for k, word in enumerate(words, 1))
    answer = "There is 1 word." if n == 1 else f"There are {n} words."
    thoughts = think(
        wants="The user wants words counted.", work=f"{tally}.",
        so=f"The tally ends at {n}, so the count is {n}.",
        restated="I count one by one.", check=f"The last word is {words[-1]}.",
    )  # fmt: skip
    return Exchange(
        user.format(_joined(rng, words)), Reply("counting words", thoughts, answer, str(n))
    )


def _count_letters(rng: Random, strange: float = 0.2) -> Exchange:
    word = _word(rng, strange)
    user = rng.choice(("How many letters are in {}?", "How many letters does {} have?",
                       "Count the letters of {}.",
                       "How many letters has the word {}?"))  # fmt: skip
    tally = ", ".join(f"{letter} {k}" for k, letter in enumerate(word, 1))
    thoughts = think(
        wants="The user wants letters counted.", work=f"{tally}.",
        so=f"So the count is {len(word)}.",
        restated="I spell the word and count.", check="Each letter counts once.",
    )  # fmt: skip
    answer = f"{word} has {len(word)} letters."
    return Exchange(user.format(word), Reply("counting letters", thoughts, answer, str(len(word))))


def _count_one_letter(rng: Random, strange: float = 0.2) -> Exchange:
    word = _word(rng, strange)
    letter = rng.choice(word) if rng.random() < 0.85 else rng.choice("aeiourst")
    n = word.count(letter)
    user = rng.choice(("How many times is {1} in {0}?", "How many {1}'s are in {0}?",
                       "How often does {1} occur in {0}?", "Count the letter {1} in {0}.",
                       "How many letters {1} are in {0}?")).format(word, letter)  # fmt: skip
    seen, tally = 0, []
    for here in word:
        seen += here == letter
        tally.append(f"{here} {seen}")
    thoughts = think(
        wants=f"The user wants the letter {letter} counted.", work=f"{', '.join(tally)}.",
        so=f"So the count is {n}.", restated="I spell the word and count.",
        check="Only that letter counts.",
    )  # fmt: skip
    answer = f"{letter} is in {word} {n} times." if n != 1 else f"{letter} is in {word} 1 time."
    return Exchange(user, Reply("counting one letter", thoughts, answer, answer))


def _reverse(rng: Random) -> Exchange:
    words = _list(rng, 2, 7)
    user = rng.choice(("Reverse these words: {}", "Reverse the order of these words: {}",
                       "Say these words backwards: {}", "Reverse: {}"))  # fmt: skip
    text = ", ".join(reversed(words))
    thoughts = think(
        wants="The user wants the order reversed.", work=f"The last word is {words[-1]}.",
        so=f"From the end: {text}.", restated=f"The first word is {words[0]}.",
        check="No word is lost.", easy=True,
    )  # fmt: skip
    return Exchange(
        user.format(_joined(rng, words)), Reply("reversing words", thoughts, text, text)
    )


def _pick(rng: Random) -> Exchange:
    words = _list(rng, 3, 7)
    last = rng.random() < 0.2
    k = len(words) - 1 if last else rng.randrange(len(words))
    place = "last" if last else ORDINALS[k]
    user = rng.choice(("What is the {} word of: {}", "Which word is {} in this list: {}",
                       "What is the {} word in: {}?", "Give me the {} word: {}"))  # fmt: skip
    tally = ", ".join(f"{word} {n}" for n, word in enumerate(words[: k + 1], 1))
    answer = f"The {place} word is {words[k]}."
    thoughts = think(
        wants=f"The user wants the {place} word.", work=f"{tally}.",
        so=f"So the {place} word is {words[k]}.",
        restated="I count from the left.", check="I stop at the right word.",
    )  # fmt: skip
    return Exchange(
        user.format(place, _joined(rng, words)), Reply("picking a word", thoughts, answer, words[k])
    )


def _contains(rng: Random) -> Exchange:
    words = _list(rng, 3, 7)
    inside = rng.random() < 0.5
    word = rng.choice(words) if inside else _word(rng)
    inside = word in words
    listed = _joined(rng, words)
    user = rng.choice(("Is {} in this list: {}?", "Does this list contain {}: {}",
                       "Is the word {} here: {}?"))  # fmt: skip
    answer = f"Yes, {word} is in the list." if inside else f"No, {word} is not in the list."
    looked = words[: words.index(word) + 1] if inside else words
    work = ", ".join(f"{other} {'yes' if other == word else 'no'}" for other in looked)
    thoughts = think(
        wants=f"The user looks for {word}.", work=f"{work}.",
        so=f"So {word} is {'in the list' if inside else 'not in the list'}.",
        restated="I go through the list.", check="I compared every word.",
    )  # fmt: skip
    return Exchange(
        user.format(word, listed),
        Reply("searching a list", thoughts, answer, answer.split(",", 1)[0]),
    )


def _spell(rng: Random, strange: float = 0.2) -> Exchange:
    word = _word(rng, strange)
    back = rng.random() < 0.35
    letters = "-".join(word)
    text = letters[::-1] if back else letters
    forms = ("Spell {} backwards.", "Reverse the letters of {}.", "Write {} backwards.")
    user = rng.choice(
        forms if back else ("Spell {}.", "Spell the word {}.", "How do you spell {}?")
    )
    thoughts = think(
        wants="The user wants letters.", work=f"{word} is {letters}.",
        so="I read from the end." if back else "I write the letters.",
        restated=f"The word is {word}.", check="No letter is lost.", easy=not back,
    )  # fmt: skip
    return Exchange(
        user.format(word), Reply("spelling backwards" if back else "spelling", thoughts, text, text)
    )


def _begins(rng: Random) -> Exchange:
    word = _word(rng, 0.05)
    user = rng.choice(("Which letter does {} begin with?", "What is the first letter of {}?",
                       "Which letter does {} start with?"))  # fmt: skip
    thoughts = think(
        wants="The user asks for a letter.", work=f"{word} begins with {word[0]}.",
        so="I say the letter.", restated=f"The word is {word}.", check="Only the first counts.",
        easy=True,
    )  # fmt: skip
    answer = f"{word} begins with {word[0]}."
    return Exchange(user.format(word), Reply("first letter", thoughts, answer, answer))


_GAMES: tuple[tuple[float, Callable[[Random], Exchange]], ...] = (
    (0.14, _repeat), (0.05, _times), (0.20, _cased), (0.12, _count_words), (0.08, _count_letters),
    (0.09, _reverse), (0.05, _pick),
    (0.08, _contains), (0.05, _spell), (0.01, _begins), (0.04, _count_one_letter),
)  # fmt: skip


def wordplay(rng: Random) -> Exchange:
    """Any word game."""
    draw = rng.random() * sum(share for share, _ in _GAMES)
    for share, game in _GAMES:
        draw -= share
        if draw < 0:
            return game(rng)
    return _repeat(rng)


_DRILLS: tuple[tuple[float, Callable[[Random, float], Exchange]], ...] = (
    (0.60, _cased), (0.10, _count_letters), (0.05, _count_one_letter), (0.10, _spell),
    (0.10, _repeat), (0.05, _times),
)  # fmt: skip


def letter_drill(rng: Random) -> Exchange:
    """A game that turns on single letters, with more words that no list holds than others."""
    (game,) = rng.choices([game for _, game in _DRILLS], [share for share, _ in _DRILLS])
    return game(rng, 0.6)
