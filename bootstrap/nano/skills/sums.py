"""How are sums of several steps asked, worked out and answered?

Expressions with precedence and brackets, numbers of three digits, products of two-digit numbers,
averages, percentages and fractions that come out whole, and word problems. Every one is an
expression; the thought goes through its steps in the order in which they are worked out.
"""

# ruff: noqa: RUF001  (the signs that users type)

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from bootstrap.nano.lexicon import GOODS, NAMES
from bootstrap.nano.replies import Exchange, Reply, think
from bootstrap.nano.skills.wording import worded
from bootstrap.nano.skills.written import applied, full, terse, undone

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

__all__ = ["SKILL", "Expression", "said", "steps", "sums"]

SKILL = "multi-step sums"

Expression: TypeAlias = "int | tuple[Expression, str, Expression]"

_RANK = {"+": 1, "-": 1, "x": 2, "/": 2}


def said(expression: Expression, rank: int = 0) -> str:
    """The expression as it is written, brackets only where they are needed.

    >>> said(((2, "+", 3), "x", 4))
    '(2 + 3) x 4'
    """
    if isinstance(expression, int):
        return str(expression)
    left, sign, right = expression
    own = _RANK[sign]
    text = f"{said(left, own)} {sign} {said(right, own + 1)}"
    return f"({text})" if own < rank else text


def steps(expression: Expression) -> list[tuple[int, str, int]]:
    """What is worked out, in order; the last one gives the result."""
    done: list[tuple[int, str, int]] = []
    _value(expression, done)
    return done


def _value(expression: Expression, done: list[tuple[int, str, int]]) -> int:
    if isinstance(expression, int):
        return expression
    left, sign, right = expression
    a, b = _value(left, done), _value(right, done)
    done.append((a, sign, b))
    return applied(a, sign, b)


def _thoughts(
    expression: Expression, wants: str, why: str, so: str, told: str
) -> tuple[str, str, str, str]:
    done = steps(expression)
    leads = ("First ", "Then ", "Then ", "At last ") if len(done) > 1 else ("",)
    brief = " ".join(terse(*step) for step in done)
    medium = " ".join(f"{lead}{terse(*step)}" for lead, step in zip(leads, done, strict=False))
    thorough = " ".join(f"{lead}{full(*step)}" for lead, step in zip(leads, done, strict=False))
    back = ", ".join(undone(*step) for step in reversed(done))
    thoughts = think(
        wants=wants, work=f"{why} {thorough}", so="" if so in thorough else so,
        check=f"Check from the end: {back}.", restated=told, second="That agrees, step for step.",
    )  # fmt: skip
    return brief, f"{why} {medium} {so}", *thoughts[2:]


_ASKED = (
    "What is {e}?", "{e}", "{e} = ?", "[Please |]calculate {e}.", "Compute {e}.",
    "How much is {e}?", "[Please |]work out {e}.", "What does {e} equal?", "Solve {e}.",
    "What do I get for {e}?", "{e} =", "Can you work out {e}?", "What's the result of {e}?",
    "Tell me what {e} is.", "[I need|Give me] the result of {e}.", "Evaluate {e}.", "Find {e}.",
)  # fmt: skip


def _typed(rng: Random, text: str) -> str:
    """The expression as users type it: other signs for times and over, fewer spaces."""
    draw = rng.random()
    if draw < 0.35:
        text = text.replace(" x ", " * ")
    elif draw < 0.43:
        text = text.replace(" x ", " × ").replace(" / ", " ÷ ")
    elif draw < 0.53 and "(" not in text:
        for sign, word in (("+", "plus"), ("-", "minus"), ("x", "times"), ("/", "divided by")):
            text = text.replace(f" {sign} ", f" {word} ")
    if rng.random() < 0.15 and "*" in text:
        text = text.replace(" ", "")
    return text


def _asked(rng: Random, expression: Expression) -> Exchange:
    text = said(expression)
    done = steps(expression)
    result = applied(*done[-1])
    if len(done) == 1:
        why = "I go from the ones up." if done[0][1] in "+-" else "I cut it into easy parts."
    elif "(" in text:
        why = "Brackets come first."
    elif {sign for _, sign, _ in done} & {"x", "/"}:
        why = "Times and divided by come before plus and minus."
    else:
        why = "I go from left to right."
    thoughts = _thoughts(
        expression, "The user asks for a sum.", why, f"So {text} = {result}.",
        f"The sum is {text}, with {len(done)} step{'s' if len(done) > 1 else ''}.",
    )  # fmt: skip
    user = worded(rng, rng.choice(_ASKED), e=_typed(rng, text))
    return Exchange(user, Reply(SKILL, thoughts, f"{text} = {result}.", str(result)))


def _long_sum(rng: Random) -> Exchange:
    a, b = rng.randint(100, 999), rng.randint(11, 999)
    if rng.random() < 0.5:
        return _asked(rng, (a, "+", b) if rng.random() < 0.7 else (b, "+", a))
    return _asked(rng, (max(a, b), "-", min(a, b)))


def _product(rng: Random) -> Exchange:
    draw = rng.random()
    if draw < 0.55:
        a, b = rng.randint(13, 99), rng.randint(2, 9)
    elif draw < 0.65:
        a, b = rng.randint(101, 499), rng.randint(2, 9)
    elif draw < 0.9:
        a, b = rng.randint(13, 99), rng.randint(13, 99)
    else:
        b, result = rng.randint(2, 9), rng.randint(13, 99)
        return _asked(rng, (b * result, "/", b))
    return _asked(rng, (b, "x", a) if rng.random() < 0.15 else (a, "x", b))


def _expression(rng: Random) -> Exchange:
    """Two or three operations; nothing below zero on the way."""
    while True:
        a, b, c = (rng.randint(2, 99) for _ in range(3))
        s, t, u = rng.randint(2, 12), rng.randint(2, 12), rng.randint(2, 9)
        plus = rng.choice("+-")
        expression: Expression = rng.choice((
            ((a, "+", b), plus, c), ((a, "-", b), "+", c), ((a, "-", b), "-", c),
            ((s, "x", t), plus, c), (c, plus, (s, "x", t)),
            ((s, plus, t), "x", u), (u, "x", (s, plus, t)), ((a, plus, s), "x", u),
            (a, "-", (s, plus, t)), (a, "-", (b, "-", c)),
            ((s, "x", t), plus, (u, "x", rng.randint(2, 9))),
            ((s, plus, t), "x", (u, rng.choice("+-"), rng.randint(1, 9))),
            ((s * u, "/", u), plus, t), (c, plus, (t * u, "/", u)),
            ((s * u - t, "+", t), "/", u), (((s, "x", t), "+", a), "-", b),
            ((u, "x", (s, "+", t)), plus, c), (((a, "+", b), "+", c), plus, s),
        ))  # fmt: skip
        if all(min(x, y, applied(x, sign, y)) >= 0 for x, sign, y in steps(expression)):
            return _asked(rng, expression)


def _average(rng: Random) -> Exchange:
    size = rng.choice((2, 2, 3, 3, 4, 5))
    mean = rng.randint(3, 60)
    numbers = [max(1, mean + rng.randint(-12, 12)) for _ in range(size - 1)]
    last = mean * size - sum(numbers)
    if last < 1:
        return _average(rng)
    numbers.append(last)
    rng.shuffle(numbers)
    total: Expression = numbers[0]
    for number in numbers[1:]:
        total = (total, "+", number)
    expression = (total, "/", size)
    listed = ", ".join(map(str, numbers))
    joined = f"{', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"
    user = worded(rng, rng.choice((
        "What is the [average|mean] of {n}?", "[Average|Mean] of {n}?",
        "[Calculate|Find|Work out] the [average|mean] of {n}.",
        "What is the average of these numbers: {m}", "[Please give|Give] me the average: {m}",
        "I scored {n}. What is my average?", "How much is {n} on average?",
    )), n=rng.choice((listed, joined)), m=listed)  # fmt: skip
    answer = f"The average is {mean}."
    brief = " ".join(terse(*step) for step in steps(expression))
    back = f"Check: {size} x {mean} = {size * mean}."
    why = f"There are {size} numbers, so I add them and divide by {size}."
    thoughts = think(
        wants="The user asks for an average.", work=f"{why} {brief}",
        so=f"So the average is {mean}.", check=back, restated=f"The numbers are {joined}.",
        brief=brief, second=f"That is the sum of all {size} numbers, as it should be.",
    )  # fmt: skip
    return Exchange(user, Reply(SKILL, thoughts, answer, str(mean)))


# name, top, bottom
_FRACTIONS = (
    ("half", 1, 2), ("a third", 1, 3), ("a quarter", 1, 4), ("a fifth", 1, 5), ("a tenth", 1, 10),
    ("three quarters", 3, 4), ("two thirds", 2, 3), ("two fifths", 2, 5), ("three fifths", 3, 5),
    ("1/2", 1, 2), ("1/3", 1, 3), ("1/4", 1, 4), ("3/4", 3, 4), ("2/3", 2, 3), ("1/5", 1, 5),
    ("3/5", 3, 5), ("1/8", 1, 8), ("3/10", 3, 10),
)  # fmt: skip
# per cent, the part of a hundred that it is
_PERCENTS = ((10, 1, 10), (20, 1, 5), (25, 1, 4), (50, 1, 2), (75, 3, 4), (30, 3, 10), (5, 1, 20),
             (40, 2, 5), (60, 3, 5), (80, 4, 5), (100, 1, 1), (1, 1, 100), (70, 7, 10),
             (90, 9, 10))  # fmt: skip


def _times(top: int) -> str:
    return f" and multiply by {top}" if top > 1 else ""


def _part(rng: Random) -> Exchange:
    """A percentage or a fraction of a number."""
    if rng.random() < 0.55:
        percent, top, bottom = rng.choice(_PERCENTS)
        name, asked = f"{percent}%", f"{percent}{rng.choice(('%', '%', ' percent', ' per cent'))}"
        why = f"{percent}% is {top}/{bottom}: I divide by {bottom}{_times(top)}."
    else:
        name, top, bottom = rng.choice(_FRACTIONS)
        asked, why = name, f"For {name} I divide by {bottom}{_times(top)}."
    whole = bottom * rng.randint(1, max(2, min(60, 600 // bottom)))
    unit = rng.choice(("", "", "", " euros", " crowns", " km", " pages"))
    result = whole * top // bottom
    expression: Expression = (whole, "/", bottom)
    if top > 1:
        expression = (expression, "x", top)
    user = worded(rng, rng.choice((
        "What is {p} of {w}{u}?", "How much is {p} of {w}{u}?", "{p} of {w}{u}",
        "[Calculate|Work out|Find] {p} of {w}{u}.", "[Please give|Give] me {p} of {w}{u}.",
        "What do I get if I take {p} of {w}{u}?", "{p} of {w}{u} is how much?",
        "Tell me {p} of {w}{u}.",
    )), p=asked, w=whole, u=unit)  # fmt: skip
    thoughts = _thoughts(
        expression, "The user asks for a part of a number.", why,
        f"So {name} of {whole} is {result}.", f"The whole is {whole}{unit}, the part is {name}.",
    )  # fmt: skip
    answer = f"{name[0].upper()}{name[1:]} of {whole}{unit} is {result}{unit}."
    return Exchange(user, Reply(SKILL, thoughts, answer, f"{result}{unit}"))


# what happens; the expression in its letters; the unit of the result
_PROBLEMS: tuple[tuple[str, Callable[..., Expression], str], ...] = (
    (("{n} has {a} {g}[. {n} buys| and buys] {b} more and [gives away|loses|sells] {s}. "
     "How many {g} does {n} have [now|left|in the end]?"),
     lambda a, b, s, **_: ((a, "+", b), "-", s), "{g}"),
    (("[There are|I have] {s} [boxes|bags|baskets] with {t} {g} each. {u} {g} are [broken|lost]. "
     "How many [good ones are there|are left|{g} are left]?"),
     lambda s, t, u, **_: ((s, "x", t), "-", u), "{g}"),
    (("[A ticket|A book|A cake] costs {s} crowns. I buy {u} and pay with {c} crowns. "
     "How much [change |money |]do I get back?"),
     lambda s, u, c, **_: (c, "-", (s, "x", u)), "crowns"),
    (("{n} reads {s} pages [a day|every day] for {u} days[ and then|, then] {b} pages more. "
     "How many pages [is that|are that|has {n} read]?"),
     lambda s, u, b, **_: ((s, "x", u), "+", b), "pages"),
    (("[{n} has {v} {g} and {m} has {w}|{n} finds {v} {g} and {m} finds {w}]. They share them "
     "equally among {u} children. How many does each child get?"),
     lambda v, w, u, **_: ((v, "+", w), "/", u), "{g}"),
    (("There are {a} people on a [bus|train|ferry]. {s} get off and {t} get on. "
     "How many [people |]are on it [now|then]?"),
     lambda a, s, t, **_: ((a, "-", s), "+", t), "people"),
    (("I save {s} euros a week. After {t} weeks I spend {u} euros. "
     "How much [is left|do I have left|money do I have]?"),
     lambda s, t, u, **_: ((s, "x", t), "-", u), "euros"),
    (("{n} bakes {u} trays [of|with] {s} buns and [sells|eats|gives away] {t}. "
     "How many [buns |]are left?"),
     lambda u, s, t, **_: ((u, "x", s), "-", t), "buns"),
    (("[There are|A hall has] {u} rows of {s} chairs and {v2} rows of {t} chairs. "
     "How many chairs are [there|that] [in all|altogether|together]?"),
     lambda u, s, v2, t, **_: ((u, "x", s), "+", (v2, "x", t)), "chairs"),
    (("{n} is {s} years old. {m} is {t} years older than {n}, and {k} is twice as old as {m}. "
     "How old is {k}?"),
     lambda s, t, **_: ((s, "+", t), "x", 2), "years"),
    ("{n} has {s} {g}. {m} has {u} times as many. How many [{g} |]do they have together?",
     lambda s, u, **_: (s, "+", (s, "x", u)), "{g}"),
    (("[A ticket costs|The entry is] {s} euros for adults and {u} euros for children. How much do "
     "{v2} adults and {t} children pay?"),
     lambda s, u, v2, t, **_: ((v2, "x", s), "+", (t, "x", u)), "euros"),
    (("[A trip is|The way is] {far} km long. On the first day we go {a} km, on the second day "
     "{b} km. How many km are left?"),
     lambda far, a, b, **_: ((far, "-", a), "-", b), "km"),
    (("{n} has {a} {g}, {m} has {b} and {k} has {c}. How many {g} do they have "
     "[together|in all|altogether]?"),
     lambda a, b, c, **_: ((a, "+", b), "+", c), "{g}"),
    (("A box holds {s} {g}. {n} has {u} full boxes and {t} {g} more. "
     "How many {g} [is that|are that|does {n} have]?"),
     lambda s, u, t, **_: ((u, "x", s), "+", t), "{g}"),
    (("{n} buys {u} [pens|pencils|books] for {s} crowns each and a [bag|lamp|cup] for {b} crowns. "
     "How much does {n} pay[| in all]?"),
     lambda u, s, b, **_: ((u, "x", s), "+", b), "crowns"),
)  # fmt: skip


def _problem(rng: Random) -> Exchange:
    template, formula, unit = rng.choice(_PROBLEMS)
    names = rng.sample(NAMES, 3)
    while True:
        u = rng.randint(2, 9)
        v = rng.randint(2, 60)
        numbers = {
            "a": rng.randint(10, 99), "b": rng.randint(2, 99), "c": rng.randint(5, 200),
            "s": rng.randint(2, 20), "t": rng.randint(2, 12), "u": u, "v": v,
            "w": u * rng.randint(1, 12) - v, "v2": rng.randint(2, 6), "far": rng.randint(80, 400),
        }  # fmt: skip
        if numbers["w"] < 2:
            continue
        expression = formula(**numbers)
        done = steps(expression)
        results = [applied(*step) for step in done]
        if results[-1] > 1 and all(min(x, y) > 0 for x, _, y in done) and min(results) > 0:
            break
    slots = dict(zip("nmk", names, strict=True)) | {"g": rng.choice((rng.choice(GOODS), "apples"))}
    user = worded(rng, template, **numbers, **slots)
    result = applied(*done[-1])
    unit = unit.format_map(slots)
    text = said(expression)
    thoughts = _thoughts(
        expression, "The user tells a sum as a story.", f"That is {text}.",
        f"So it is {result} {unit}.",
        f"The question is how many {unit} there are in the end.",
    )  # fmt: skip
    brief = f"{text}. {thoughts[0]}"
    answer = f"That makes {result} {unit}."
    return Exchange(user, Reply(SKILL, (brief, *thoughts[1:]), answer, f"{result} {unit}"))


_KINDS: tuple[tuple[float, Callable[[Random], Exchange]], ...] = (
    (0.18, _long_sum), (0.17, _product), (0.27, _expression), (0.07, _average), (0.11, _part),
    (0.20, _problem),
)  # fmt: skip


def sums(rng: Random) -> Exchange:
    """Any sum of more than one step."""
    (kind,) = rng.choices([kind for _, kind in _KINDS], [share for share, _ in _KINDS])
    return kind(rng)
