"""What does a conversation with declared functions look like?

One to five functions, known ones and invented ones, and a few turns that need one, several or none
of them. Some functions come in pairs that work only one after the other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bootstrap.nano.conversation import Conversation, kept_thoughts
from bootstrap.nano.dressing import dressed
from bootstrap.nano.replies import STRENGTHS
from bootstrap.nano.tools import turns
from bootstrap.nano.tools.functions import FUNCTIONS
from bootstrap.nano.tools.invented import invented, invented_pair
from bootstrap.nano.tools.turns import Chain
from bootstrap.nano.tools.uses import Declared, declare

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

    from bootstrap.nano.replies import Exchange
    from bootstrap.nano.tools.functions import Function

__all__ = ["tool_talk"]

# first function, second function, its parameters from the first one's results, want, wordings
_CHAINS: tuple[tuple[str, str, Mapping[str, str], str, tuple[str, ...]], ...] = (
    ("person", "weather", {"place": "place"}, "the weather where {who} is",
     ("How is the weather where {who} is?", "What is the weather where {who} is now?",
      "Is it nice out for {who} today?")),
    ("person", "time", {"place": "place"}, "the time where {who} is",
     ("What time is it where {who} is?", "How late is it for {who} now?")),
    ("person", "distance", {"goal": "place"}, "the distance from {start} to {who}",
     ("How far is it from {start} to where {who} is?", "I am in {start}. How far away is {who}?")),
    ("contact", "email", {"address": "address"}, "a mail to {who}",
     ('Mail {who} that says "{text}".', 'Write {who} an e-mail: "{text}".')),
    ("order", "parcel", {"parcel": "parcel"}, "where the parcel of order {order} is",
     ("Where is the parcel of order {order} now?", "Track the parcel of my order {order}.")),
    ("stock", "convert", {"amount": "price", "source": "currency"},
     "the price of {symbol} in {target}",
     ("What does a share of {symbol} cost in {target}?", "Price of {symbol} in {target}?")),
    ("files", "read", {"path": "path"}, "the content of the file about {topic}",
     ("What does my file about {topic} say?", "Read me the file about {topic}.")),
    ("birthday", "days", {"date": "date"}, "the days until the birthday of {who}",
     ("How many days are left until the birthday of {who}?",
      "How long is it until {who} has birthday?")),
    ("customer", "balance", {"customer": "customer"}, "the balance of {who}",
     ("How much money does the customer {who} have?", "What is the balance of {who}?")),
    ("search", "translate", {"text": "note"}, "the note about {query} in {language}",
     ("Translate my note about {query} into {language}.",
      "What is my note about {query} in {language}?")),
)  # fmt: skip

_SYSTEMS = (
    "You are a helpful assistant.", "You are Muse Nano.", "Use the tools when they help.",
    "You are an assistant with tools. Never make up a result.", "Answer briefly.",
    "You help in an office. Use the functions that you have.", "You are a helpful AI assistant.",
    "Be precise and short.", "You are part of a test. Answer exactly.", "Use simple words.",
)  # fmt: skip


def _linked(
    rng: Random,
) -> tuple[tuple[Function, Function], Mapping[str, str], str, tuple[str, ...]]:
    if rng.random() < 0.4:
        first, second, link = invented_pair(rng)
        (noun, _), *_ = second.gives
        want = f"the {noun} of the {link} of {{x}}"
        spoken = (f"What is {want}?", f"Tell me {want}.", f"I need {want}.")
        return (first, second), {"x": link}, want, spoken
    one, two, links, want, asks = rng.choice(_CHAINS)
    return (FUNCTIONS[one], FUNCTIONS[two]), links, want, asks


def _declared(rng: Random) -> tuple[list[Declared], Chain | None, list[Function]]:
    """The conversation's functions, a chain through two of them, and functions it lacks."""
    known = rng.sample(list(FUNCTIONS.values()), 6)
    count = rng.randint(1, 5)
    wanted = [invented(rng) if rng.random() < 0.45 else known.pop() for _ in range(count)]
    linked = _linked(rng) if rng.random() < 0.45 else None
    if linked is not None:
        wanted = [*wanted[: rng.randint(0, 2)], *linked[0]]
    functions = list({function.want: function for function in wanted}.values())
    tools = [declare(rng, function) for function in functions]
    while len({tool.name for tool in tools}) < len(tools):
        tools = [declare(rng, function) for function in functions]
    chain = None
    if linked is not None:
        (one, two), links, want, asks = linked
        first, second = (tools[functions.index(function)] for function in (one, two))
        chain = Chain(first, second, links, want, asks)
    rng.shuffle(tools)
    wants = {function.want for function in functions}
    lacking = [one for one in (invented(rng), *known) if one.want not in wants]
    return tools, chain, lacking


_KINDS: tuple[tuple[float, str], ...] = (
    (0.36, "single"), (0.14, "together"), (0.16, "chained"), (0.08, "failed"),
    (0.11, "needless"), (0.08, "unfit"), (0.04, "asked back"), (0.03, "again"),
)  # fmt: skip


def _turn(
    rng: Random,
    tools: list[Declared],
    chain: Chain | None,
    lacking: list[Function],
    before: list[Exchange],
) -> Exchange:
    (kind,) = rng.choices([name for _, name in _KINDS], [share for share, _ in _KINDS])
    if kind == "together":
        return turns.together(rng, tools)
    if kind == "chained" and chain is not None:
        return turns.chained(rng, tools, chain)
    if kind == "failed":
        return turns.failed(rng, tools)
    if kind == "needless":
        return turns.needless(rng)
    if kind == "unfit":
        return turns.unfit(rng, tools, rng.choice(lacking))
    if kind == "again" and before and before[-1].steps:
        return turns.again(rng, before[-1])
    back = turns.asked_back(rng, tools) if kind == "asked back" else None
    return back or turns.single(rng, tools)


def _length(exchange: Exchange, level: int) -> int:
    """About how many characters a turn takes."""
    steps = sum(
        len(step.thoughts[level])
        + sum(180 + len(str(call.arguments)) for call in step.calls)
        + sum(120 + len(output) for output in step.outputs)
        for step in exchange.steps
    )
    reply = exchange.reply
    return len(exchange.user) + len(reply.thoughts[level]) + len(reply.answer) + 60 + steps


_MOST = 6800  # characters, about four a token
_BLOCK = 1900  # of them the fixed part of what is said about tools


def tool_talk(rng: Random, room: int) -> Conversation:
    """A conversation about declared functions of at most about `room` characters."""
    tools, chain, lacking = _declared(rng)
    strength = rng.choice(STRENGTHS) if rng.random() < 0.7 else "high"
    level = STRENGTHS.index(strength)
    date = f"20{rng.randint(24, 31)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
    system = None if rng.random() < 0.55 else " ".join(rng.sample(_SYSTEMS, rng.randint(1, 2)))

    used = _BLOCK + sum(len(str(tool.spec.parameters)) + 120 for tool in tools)
    exchanges: list[Exchange] = []
    for _ in range(rng.randint(1, 9)):
        exchange = _turn(rng, tools, chain, lacking, exchanges)
        exchange = replace(exchange, user=dressed(rng, exchange.user))
        if exchange.steps and rng.random() < 0.35:  # as a client without a session tells it
            steps = tuple(replace(step, kept=False) for step in exchange.steps)
            exchange = replace(exchange, steps=steps)
        used += _length(exchange, level)
        if exchanges and used > min(room, _MOST):
            break
        exchanges.append(exchange)
    return Conversation(
        "tools",
        system,
        date if system is None and rng.random() < 0.9 else None,
        strength,
        tuple(exchanges),
        kept_thoughts(rng, len(exchanges)),
        tuple(tool.spec for tool in tools),
    )
