"""Which functions does nobody know beforehand?

Their nouns, verbs and results are put together anew for every conversation, so that only the
declaration says which of them does what a user asks for.
"""

# ruff: noqa: SIM905  (a column of words reads better than a column of quotes)

from __future__ import annotations

from typing import TYPE_CHECKING

from bootstrap.nano.lexicon import OBJECTS, made_up
from bootstrap.nano.tools.functions import Function, Parameter

if TYPE_CHECKING:
    from random import Random

__all__ = ["invented", "invented_pair"]

_NOUNS = (
    "speed badge score quota colour owner level weight price rank label region size status value "
    "code limit age width depth grade team floor seat debt bonus phase route partner deadline "
    "capacity pressure voltage mass volume signal format version channel budget share"
).split()
_VERBS = (
    "archive polish launch paint mark freeze ship scan clean lock move rename repair test print "
    "weigh pack sort count copy charge refill unlock hide start stop restart publish sign rotate"
).split()
_OWNERS = (
    ("person", "name"), ("town", "town"), ("place", "place"), ("animal", "animal"),
    ("article", "goods"), ("order", "order"), ("file", "path"), ("word", "strange"),
    ("account", "number"), ("device", "object"), ("team", "colour"),
)  # fmt: skip
_RESULTS = (
    "number", "word", "town", "time", "colour", "strange", "price", "date", "name", "small",
    "order", "job", "animal", "food", "place", "state",
)  # fmt: skip
_FETCH = ("get", "fetch", "read", "find", "check", "query", "show", "look_up", "load")
_CHOICES = ("fast", "slow", "red", "green", "left", "right", "full", "half", "dry", "wet", "deep")


def _noun(rng: Random) -> str:
    return made_up(rng).replace("-", "") if rng.random() < 0.5 else rng.choice(_NOUNS)


def _names(rng: Random, verb: str, noun: str) -> tuple[str, ...]:
    form = rng.randrange(6)
    if form == 0:
        return (f"{noun}.{verb}",)
    if form == 1:
        return (f"{verb}{noun.capitalize()}",)
    if form == 2:
        return (f"{noun}_{verb}",)
    if form == 3:
        return (f"{made_up(rng).replace('-', '')}_{rng.randint(1, 99)}",)
    return (f"{verb}_{noun}",)


def _owner(rng: Random) -> tuple[str, Parameter]:
    kind, pool = rng.choice(_OWNERS)
    names = (kind, f"{kind}_id", "key", "which", made_up(rng).replace("-", ""))
    return kind, Parameter("x", names, pool, f"Which {kind}.")


def _optional(rng: Random) -> tuple[Parameter, ...]:
    draw = rng.random()
    if draw < 0.5:
        return ()
    word = made_up(rng).replace("-", "") if rng.random() < 0.5 else rng.choice(_NOUNS)
    if draw < 0.65:
        about, said = f"The {word} to use.", (f" Use {word} {{y}}.", f" With {word} {{y}}.")
        return (
            Parameter("y", (word,), rng.choice(("few", "amount", "word", "colour")), about, said),
        )
    if draw < 0.8:
        spoken = (f" It is {word}.", f" It is not {word}.")
        return (Parameter("y", (word, f"is_{word}"), "yes", f"Whether it is {word}.", spoken),)
    choices = tuple(rng.sample(_CHOICES, rng.randint(2, 4)))
    about = f"The {word}: one of the choices."
    return (
        Parameter("y", (word, f"{word}_mode"), "", about, (f" The {word} is {{y}}.",), choices),
    )


def _lookup(rng: Random, noun: str, kind: str, owner: Parameter, pool: str) -> Function:
    of = f"the {noun} of {{x}}"
    return Function(
        _names(rng, rng.choice(_FETCH), noun),
        (f"Get the {noun} of a {kind}.", f"The {noun} of a {kind}.",
         f"Tells the {noun} of one {kind}."),
        (owner, *_optional(rng)),
        of,
        (f"What is {of}?", f"Tell me {of}.", f"Look up {of}.", f"I need {of}.", f"Get {of}."),
        ((noun, pool),),
        f"The {noun} of {{x}} is {{{noun}}}.",
        f"What is the {noun}?",
        f"which {kind}",
    )  # fmt: skip


def _action(rng: Random) -> Function:
    verb = made_up(rng).replace("-", "") if rng.random() < 0.4 else rng.choice(_VERBS)
    noun = rng.choice((_noun(rng), rng.choice(OBJECTS)))
    receipt = rng.choice(("receipt", "ticket", "number", "job", "id", "reference"))
    pool = rng.choice(("order", "word", "name"))
    item = Parameter("x", (noun, "target", "id", "name", "item"), pool, f"Which {noun}.")
    return Function(
        _names(rng, verb, noun),
        (f"{verb.capitalize()} a {noun}.", f"Can {verb} one {noun}."),
        (item, *_optional(rng)),
        f"to {verb} the {noun} {{x}}",
        (f"{verb.capitalize()} the {noun} {{x}}.", f"Please {verb} {noun} {{x}}.",
         f"Can you {verb} the {noun} {{x}}?", f"I want you to {verb} the {noun} {{x}}."),
        ((receipt, rng.choice(("order", "number"))), ("state", "state")),
        f"Done. The {receipt} is {{{receipt}}}.",
        f"{verb.capitalize()} a {noun}.",
        f"which {noun}",
    )  # fmt: skip


def invented(rng: Random) -> Function:
    """A function that looks something up or does something."""
    if rng.random() < 0.4:
        return _action(rng)
    kind, owner = _owner(rng)
    return _lookup(rng, _noun(rng), kind, owner, rng.choice(_RESULTS))


def invented_pair(rng: Random) -> tuple[Function, Function, str]:
    """Two functions, the second of which takes what the first gives, and the key of that."""
    kind, owner = _owner(rng)
    first, second = _noun(rng), _noun(rng)
    while second == first:
        second = _noun(rng)
    pool = rng.choice(_RESULTS)
    link = Parameter("x", (first, f"{first}_id", "key"), pool, f"Which {first}.")
    return (
        _lookup(rng, first, kind, owner, pool),
        _lookup(rng, second, first, link, rng.choice(_RESULTS)),
        first,
    )
