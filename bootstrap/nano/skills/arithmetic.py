"""How are small sums asked, worked out and answered?

Two-digit addition and subtraction, the tables to twelve and their exact divisions, comparing, odd
and even. The work at higher strengths goes digit by digit, as on paper.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bootstrap.nano.lexicon import GOODS, NUMBER_WORDS
from bootstrap.nano.replies import Exchange, Reply, think

if TYPE_CHECKING:
    from random import Random

__all__ = ["added", "arithmetic", "sum_question"]

_PLUS = (
    "What is {a} + {b}?", "What is {a} plus {b}?", "{a} + {b}", "{a}+{b}", "{a} + {b} = ?",
    "Calculate {a} + {b}.", "How much is {a} plus {b}?", "Add {a} and {b}.",
    "Compute {a} plus {b}.", "What is the sum of {a} and {b}?", "{a} plus {b}?",
)  # fmt: skip
_MINUS = (
    "What is {a} - {b}?", "What is {a} minus {b}?", "{a} - {b}", "{a}-{b}", "{a} - {b} = ?",
    "Calculate {a} - {b}.", "How much is {a} minus {b}?", "Subtract {b} from {a}.",
    "Take {b} away from {a}.", "{a} minus {b}?",
)  # fmt: skip
_TIMES = (
    "What is {a} times {b}?", "What is {a} x {b}?", "{a} * {b}", "{a} x {b}", "{a} times {b}",
    "Multiply {a} by {b}.", "How much is {a} times {b}?", "Calculate {a} * {b}.",
)  # fmt: skip
_OVER = (
    "What is {a} divided by {b}?", "{a} / {b}", "Divide {a} by {b}.", "How much is {a} / {b}?",
)  # fmt: skip


def added(a: int, b: int) -> str:
    """The written addition of two numbers under 100."""
    ones = a % 10 + b % 10
    tens = a // 10 + b // 10
    text = f"Ones: {a % 10} + {b % 10} = {ones}. Tens: {a // 10} + {b // 10} = {tens}"
    return f"{text}, and 1 more is {tens + 1}." if ones > 9 else f"{text}."


def _taken(a: int, b: int) -> str:
    """The written subtraction of a smaller number from one under 100."""
    ones, tens = a % 10 - b % 10, a // 10 - b // 10
    if ones >= 0:
        return f"Ones: {a % 10} - {b % 10} = {ones}. Tens: {a // 10} - {b // 10} = {tens}."
    return (
        f"Ones: {a % 10 + 10} - {b % 10} = {ones + 10}. "
        f"Tens: {a // 10} - {b // 10} = {tens}, and 1 less is {tens - 1}."
    )


def _reply(skill: str, said: str, result: int, paper: str, check: str) -> Reply:
    fact = f"{said} = {result}."
    thoughts = think(
        wants="The user asks for a sum.",
        work=paper or fact,
        so=f"So {fact}",
        check=check,
        restated=f"The sum is {said}.",
        easy=True,
    )
    if paper:
        thoughts = (thoughts[0], f"{paper} So {fact}", *thoughts[2:])
    return Reply(skill, thoughts, fact, str(result))


def sum_question(rng: Random, a: int, b: int, sign: str) -> Exchange:
    """One sum in one of its wordings; `sign` is one of `+ - x /`."""
    if sign == "+":
        text = rng.choice(_PLUS)
        reply = _reply("addition", f"{a} + {b}", a + b, added(a, b), f"Check: {a + b} - {b} = {a}.")
    elif sign == "-":
        text = rng.choice(_MINUS)
        paper = _taken(a, b) if a >= b else f"{b} - {a} = {b - a}, and {a} is smaller."
        check = f"Check: {a - b} + {b} = {a}."
        reply = _reply("subtraction", f"{a} - {b}", a - b, paper, check)
    elif sign == "x":
        text = rng.choice(_TIMES)
        check = f"Check: {b} x {a} = {a * b}."
        reply = _reply("times tables", f"{a} x {b}", a * b, "", check)
    else:
        text = rng.choice(_OVER)
        check = f"Check: {a // b} x {b} = {a}."
        reply = _reply("division", f"{a} / {b}", a // b, "", check)
    return Exchange(text.format(a=a, b=b), reply)


def _number(rng: Random) -> int:
    return rng.randrange(10) if rng.random() < 0.2 else rng.randrange(100)


def _words(rng: Random) -> Exchange:
    a, b = rng.randint(0, 20), rng.randint(0, 20)
    spoken = rng.choice(("What is {} plus {}?", "{} plus {}", "How much is {} plus {}?"))
    reply = _reply("addition", f"{a} + {b}", a + b, added(a, b), f"Check: {a + b} - {b} = {a}.")
    return Exchange(spoken.format(NUMBER_WORDS[a], NUMBER_WORDS[b]), reply)


def _story(rng: Random) -> Exchange:
    goods = rng.choice((rng.choice(GOODS), "apples", "euros", "coins"))
    a, b = rng.randint(2, 60), rng.randint(1, 39)
    gain = rng.random() < 0.5
    if not gain and b > a:
        a, b = b, a
    verb = rng.choice(("get", "buy", "find") if gain else ("lose", "sell", "give away"))
    result = a + b if gain else a - b
    sign, paper = ("+", added(a, b)) if gain else ("-", _taken(a, b))
    more = "more" if gain else "of them"
    if rng.random() < 0.5:
        user = f"I have {a} {goods} and {verb} {b} {more}. How many {goods} do I have now?"
    else:
        verb = verb if gain or rng.random() < 0.5 else "eat"
        spoken = NUMBER_WORDS[b] if b <= 20 and rng.random() < 0.5 else str(b)
        joint = rng.choice((", I ", ". I ", ", then I ", " and I "))
        ask = rng.choice(("How many are left?", "How many do I have?", "How many are there now?",
                          "How many {} do I have left?")).format(goods)  # fmt: skip
        user = f"I have {a} {goods}{joint}{verb} {spoken}. {ask}"
    thoughts = think(
        wants="The user tells a sum as a story.",
        work=paper,
        so=f"So {a} {sign} {b} = {result}.",
        restated=f"At first there are {a} {goods}.",
        check="I count the last number.",
    )
    thoughts = (f"{a} {sign} {b} = {result}.", f"{paper} {a} {sign} {b} = {result}.", *thoughts[2:])
    return Exchange(user, Reply("story sum", thoughts, f"You have {result} {goods}.", str(result)))


def _compared(rng: Random) -> Exchange:
    a, b = rng.sample(range(100), 2)
    larger = rng.random() < 0.5
    word = rng.choice(("larger", "bigger", "greater") if larger else ("smaller", "less"))
    winner = max(a, b) if larger else min(a, b)
    text = rng.choice(("Which is {w}, {a} or {b}?", "Which number is {w}: {a} or {b}?"))
    thoughts = think(
        wants="The user compares two numbers.",
        work=f"{min(a, b)} is less than {max(a, b)}.",
        so=f"So {winner} is {word}.",
        restated=f"The numbers are {a} and {b}.",
        check="I compare the tens first and then the ones.",
        easy=True,
    )
    answer = f"{winner} is {word}."
    return Exchange(text.format(w=word, a=a, b=b), Reply("comparing", thoughts, answer, answer))


def _parity(rng: Random) -> Exchange:
    n = rng.randrange(100)
    word = "odd" if n % 2 else "even"
    text = rng.choice(("Is {n} odd or even?", "Is {n} even or odd?", "Is {n} an even number?"))
    answer = f"{n} is {word}."
    thoughts = think(
        wants="The user asks whether a number is odd or even.",
        work=f"The last digit of {n} is {n % 10}, and {n % 10} is {word}.",
        so=f"So {n} is {word}.",
        restated=f"The number is {n}.",
        check="Only the last digit counts.",
        easy=True,
    )
    return Exchange(text.format(n=n), Reply("odd or even", thoughts, answer, word))


def arithmetic(rng: Random) -> Exchange:
    """Any question about numbers."""
    draw = rng.random()
    if draw < 0.32:
        return sum_question(rng, _number(rng), _number(rng), "+")
    if draw < 0.60:
        a, b = _number(rng), _number(rng)
        if a < b and rng.random() < 0.65:
            a, b = b, a
        return sum_question(rng, a, b, "-")
    if draw < 0.75:
        return sum_question(rng, rng.randint(0, 12), rng.randint(0, 12), "x")
    if draw < 0.81:
        b, result = rng.randint(1, 12), rng.randint(0, 12)
        return sum_question(rng, b * result, b, "/")
    if draw < 0.85:
        return _words(rng)
    if draw < 0.91:
        return _story(rng)
    return _compared(rng) if draw < 0.96 else _parity(rng)
