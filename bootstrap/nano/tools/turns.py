"""How does a turn with tools go: what is asked, called, given back and answered?

Every turn is made for a set of declared functions. A request needs one call, several at once, or
two one after another; or none, because it is an ordinary one, because it lacks something, or
because no declared function fits. What an answer says of a result is nowhere but in the result.
"""

# ruff: noqa: ISC004  (the thoughts of the four strengths are long)

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bootstrap.nano.lexicon import made_up
from bootstrap.nano.replies import Exchange, Reply, ToolStep
from bootstrap.nano.skills.catalogue import other
from bootstrap.nano.tools.uses import Declared, Use, declare, draw_use, request
from bootstrap.nano.tools.values import Value, said

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from random import Random

    from bootstrap.nano.tools.functions import Function

__all__ = [
    "Chain",
    "again",
    "asked_back",
    "chained",
    "failed",
    "needless",
    "single",
    "together",
    "unfit",
]

Thoughts = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Chain:
    """Two functions; `links` says which result of the first is which parameter of the second."""

    first: Declared
    second: Declared
    links: Mapping[str, str]  # parameter: result
    want: str
    asks: tuple[str, ...]


def _pairs(items: Mapping[str, Value]) -> str:
    return ", ".join(f"{key} = {said(value)}" for key, value in items.items())


def _calling(uses: Sequence[Use], want: str, tools: Sequence[Declared], first: str) -> Thoughts:
    """The thought before the calls; `first` is what is known from an earlier one."""
    names = " and ".join(use.call.name for use in uses)
    described = " and ".join(f"{use.call.name} with {_pairs(use.call.arguments)}" for use in uses)
    abouts = " ".join(f"{use.call.name} can do it: {use.declared.spec.description}" for use in uses)
    left = [
        name
        for use in uses
        for name in use.declared.names.values()
        if name not in use.call.arguments
    ]
    unsaid = f" Nothing was said of {', '.join(dict.fromkeys(left))}." if left else ""
    every = ", ".join(tool.name for tool in tools)
    wanted = f"The user wants {want}."
    lead = f"{first} " if first else ""
    return (
        f"{lead}I call {names}.",
        f"{wanted} {lead}I call {described}.",
        f"{wanted} {lead}{abouts} I call {described}.{unsaid}",
        f"My functions are: {every}. {wanted} {lead}{abouts} So I need no other one. "
        f"I call {described}.{unsaid} Then I answer with what comes back.",
    )


def _gave(use: Use) -> str:
    return f"{use.call.name} gave {_pairs(use.given)}."


def _answering(uses: Sequence[Use], want: str) -> Thoughts:
    gave = " ".join(map(_gave, uses))
    about = " and ".join(_pairs(use.call.arguments) for use in uses)
    return (
        "",
        f"I have {' and '.join(use.value for use in uses)}.",
        f"The user wants {want}. {gave}",
        f"The user wants {want}. {gave} I asked it for {about}, which is what was wanted, so it "
        "holds. I say it in one short sentence.",
    )


def _reply(uses: Sequence[Use], want: str) -> Reply:
    """The answer from the results of the calls."""
    answer = " ".join(use.answer for use in uses)
    value = uses[0].value if len(uses) == 1 else ""
    pattern = "" if value else "(?s)" + ".*".join(re.escape(use.value) for use in uses)
    return Reply("tool results", _answering(uses, want), answer, value, pattern)


def _step(uses: Sequence[Use], want: str, tools: Sequence[Declared], first: str = "") -> ToolStep:
    return ToolStep(
        _calling(uses, want, tools, first),
        tuple(use.call for use in uses),
        tuple(use.output for use in uses),
    )


def single(rng: Random, tools: Sequence[Declared]) -> Exchange:
    """A request that one call answers."""
    use, user = request(rng, rng.choice(tools))
    return Exchange(user, _reply([use], use.want), steps=(_step([use], use.want, tools),))


def together(rng: Random, tools: Sequence[Declared]) -> Exchange:
    """Several requests in one message, none of which needs another's result."""
    count = 3 if rng.random() < 0.15 else 2
    same = rng.random() < 0.5
    chosen = [rng.choice(tools)] * count if same else [rng.choice(tools) for _ in range(count)]
    drawn = [request(rng, declared) for declared in chosen]
    uses = [use for use, _ in drawn]
    joint = rng.choice((" ", " ", " Also: ", " And then: ", "\n"))
    want = " and ".join(use.want for use in uses)
    user = joint.join(text for _, text in drawn)
    return Exchange(user, _reply(uses, want), steps=(_step(uses, want, tools),))


def chained(rng: Random, tools: Sequence[Declared], chain: Chain) -> Exchange:
    """A request whose second call needs what the first one gave."""
    first, _ = draw_use(rng, chain.first, {}, optional=False)
    known = {key: first.given[result] for key, result in chain.links.items()}
    second, _ = draw_use(rng, chain.second, known, optional=False)
    values = {**second.arguments, **first.arguments}
    filled = {key: said(value) for key, value in values.items()}
    want = chain.want.format(**filled)
    steps = (
        _step([first], want, tools),
        _step([second], want, tools, _gave(first)),
    )
    return Exchange(rng.choice(chain.asks).format(**filled), _reply([second], want), steps=steps)


_ERRORS = (
    "not found", "no such entry", "permission denied", "timeout after {n} seconds",
    "service unavailable", "error {n}", "invalid value", "{word} is offline", "code {n}: {word}",
    "rate limit reached, wait {n} seconds", "the {word} server does not answer", "bad request",
)  # fmt: skip


def failed(rng: Random, tools: Sequence[Declared]) -> Exchange:
    """A request whose call comes back with an error."""
    use, user = request(rng, rng.choice(tools))
    error = rng.choice(_ERRORS).format(n=rng.randint(2, 999), word=made_up(rng))
    output = rng.choice((json.dumps({"error": error}), f"Error: {error}", f"error: {error}"))
    use = replace(use, output=output)
    name = use.call.name
    thoughts = (
        "",
        f"{name} failed: {error}.",
        f"The user wants {use.want}. {name} failed: {error}. I say so.",
        f"The user wants {use.want}. {name} failed: {error}. So I have no result, and I must not "
        f"make one up. I say plainly that it did not work and why.",
    )
    reply = Reply("tool results", thoughts, f"That did not work: {error}.", error)
    return Exchange(user, reply, steps=(_step([use], use.want, tools),))


def needless(rng: Random) -> Exchange:
    """An ordinary request, for which the functions are of no use."""
    exchange = other(rng)
    while exchange.reply.skill == "story":
        exchange = other(rng)
    low, medium, high, xhigh = exchange.reply.thoughts
    note = "This needs no function."
    thoughts = (low, medium, f"{note} {high}".strip(), f"{note} {xhigh}".strip())
    return replace(
        exchange, reply=replace(exchange.reply, skill="no tool needed", thoughts=thoughts)
    )


def unfit(rng: Random, tools: Sequence[Declared], missing: Function) -> Exchange:
    """A request for a function that is not there."""
    use, user = request(rng, declare(rng, missing))
    every = ", ".join(tool.name for tool in tools)
    thoughts = (
        "No function fits.",
        f"The user wants {use.want}. No function fits.",
        f"The user wants {use.want}. My functions are: {every}. None of them fits.",
        f"The user wants {use.want}. My functions are: {every}. None of them can do that, and I "
        "must not make up a result. I say that I have no tool for it.",
    )
    reply = Reply("no tool needed", thoughts, "I have no tool for that.", "no tool for that")
    return Exchange(user, reply)


def asked_back(rng: Random, tools: Sequence[Declared]) -> Exchange | None:
    """A request that leaves out what the function has to be given."""
    able = [tool for tool in tools if tool.function.bare]
    if not able:
        return None
    tool = rng.choice(able)
    function = tool.function
    thoughts = (
        "Something is missing.",
        f"{tool.name} needs {function.lack}.",
        f"{tool.name} can do it: {tool.spec.description} It needs {function.lack}.",
        f"{tool.name} can do it: {tool.spec.description} It needs {function.lack}, and the user "
        "did not say it. I must not guess, so I ask back.",
    )
    answer = f"Please tell me {function.lack}."
    return Exchange(function.bare, Reply("no tool needed", thoughts, answer, function.lack))


_AGAIN = ("Say that again.", "Please repeat that.", "Once more, please.", "What did you say?")


def again(rng: Random, last: Exchange) -> Exchange:
    """A request to hear the last answer once more."""
    reply = last.reply
    thoughts = (
        "",
        "I say my last answer again.",
        "The user wants my last answer again. It needs no function.",
        "The user wants to hear my last answer again. I have it already, so no function has to be "
        "called. I repeat it word for word.",
    )
    repeated = Reply("no tool needed", thoughts, reply.answer, reply.value, reply.pattern)
    return Exchange(rng.choice(_AGAIN), repeated)
