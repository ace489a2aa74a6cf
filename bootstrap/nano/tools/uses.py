"""How does a function become a declaration, and a call with all that is said about it?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bootstrap.nano.lexicon import made_up
from bootstrap.nano.replies import Call, ToolSpec
from bootstrap.nano.tools.values import POOLS, Value, said

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

    from bootstrap.nano.tools.functions import Function, Parameter

__all__ = ["Declared", "Use", "declare", "draw_use", "request"]


@dataclass(frozen=True, slots=True)
class Declared:
    """A function under the name and with the parameter names of one conversation."""

    function: Function
    spec: ToolSpec
    names: Mapping[str, str]  # by key of the parameter

    @property
    def name(self) -> str:
        """The name that a call is addressed to."""
        return self.spec.name


@dataclass(frozen=True, slots=True)
class Use:
    """One call of a declared function, with all that was drawn for it, by key."""

    declared: Declared
    arguments: Mapping[str, Value]
    given: Mapping[str, Value]
    output: str

    @property
    def call(self) -> Call:
        """The call as the model writes it."""
        names = self.declared.names
        return Call(
            self.declared.name, {names[key]: value for key, value in self.arguments.items()}
        )

    def fill(self, text: str) -> str:
        """The text with arguments and results in place of their keys."""
        values = {**self.arguments, **self.given}
        return text.format(**{key: said(value) for key, value in values.items()})

    @property
    def value(self) -> str:
        """The result that the answer has to contain."""
        return said(self.given[self.declared.function.gives[0][0]])

    @property
    def answer(self) -> str:
        """What the user is told."""
        return self.fill(self.declared.function.answer)

    @property
    def want(self) -> str:
        """What the user wants, as a noun."""
        return self.fill(self.declared.function.want)


_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number"}


def _schema(rng: Random, parameter: Parameter, *, told: bool) -> dict[str, Any]:
    kind: dict[str, Any]
    if parameter.choices:
        kind = {"type": "string", "enum": list(parameter.choices)}
    elif parameter.pool == "amount":
        kind = {"type": "number"}
    else:
        value = POOLS[parameter.pool](rng)
        kind = (
            {"type": "array", "items": {"type": "string"}}
            if isinstance(value, list)
            else {"type": _TYPES[type(value)]}
        )
    return kind | ({"description": parameter.about} if told else {})


def declare(rng: Random, function: Function) -> Declared:
    """Draw the name, the description and the parameters' names of a function."""
    draw = rng.random()
    name = rng.choice(function.names)
    if draw < 0.08:
        name = f"{made_up(rng).replace('-', '')}_{name.partition('.')[0]}"
    elif draw < 0.14:
        name = made_up(rng).replace("-", "")
    names: dict[str, str] = {}
    for parameter in function.parameters:
        drawn = rng.choice(parameter.names)
        if drawn in names.values() or rng.random() < 0.06:
            drawn = f"{made_up(rng).replace('-', '')}_{parameter.key}"
        names[parameter.key] = drawn
    told = rng.random() < 0.8
    parameters: dict[str, Any] = {
        "type": "object",
        "properties": {
            names[parameter.key]: _schema(rng, parameter, told=told)
            for parameter in function.parameters
        },
        "required": [names[p.key] for p in function.parameters if not p.said],
    }
    if rng.random() < 0.1:
        parameters["additionalProperties"] = False
    return Declared(function, ToolSpec(name, rng.choice(function.abouts), parameters), names)


def _output(rng: Random, given: Mapping[str, Value]) -> str:
    """What a function gives back: JSON, lines, or the bare value."""
    draw = rng.random()
    if draw < 0.15 and len(given) == 1:
        return said(next(iter(given.values())))
    fields = list(given.items())
    if rng.random() < 0.3:
        key = rng.choice(("updated", "source", "version", "elapsed", "page", made_up(rng)))
        extra = POOLS[rng.choice(("time", "word", "few", "order"))](rng)
        place = rng.randint(0, len(fields))
        if key not in given:
            fields.insert(place, (key, extra))
    if draw < 0.35:
        return "\n".join(f"{key}: {said(value)}" for key, value in dict(fields).items())
    return json.dumps(dict(fields), ensure_ascii=False)


def _drawn(rng: Random, parameter: Parameter) -> Value:
    return rng.choice(parameter.choices) if parameter.choices else POOLS[parameter.pool](rng)


def draw_use(
    rng: Random, declared: Declared, known: Mapping[str, Value], *, optional: bool = True
) -> tuple[Use, str]:
    """A call, and how the parameters that need not be given were mentioned."""
    arguments: dict[str, Value] = {}
    mentioned = ""
    for parameter in declared.function.parameters:
        if parameter.key in known:
            arguments[parameter.key] = known[parameter.key]
        elif not parameter.said:
            arguments[parameter.key] = _drawn(rng, parameter)
        elif optional and rng.random() < 0.4:
            value = _drawn(rng, parameter)
            arguments[parameter.key] = value
            spoken = (
                parameter.said[0 if value else 1]
                if isinstance(value, bool)
                else rng.choice(parameter.said)
            )
            mentioned += spoken.format(**{parameter.key: said(value)})
    given = {key: POOLS[pool](rng) for key, pool in declared.function.gives}
    return Use(declared, arguments, given, _output(rng, given)), mentioned


def request(rng: Random, declared: Declared) -> tuple[Use, str]:
    """A call and the request that asks for it."""
    use, mentioned = draw_use(rng, declared, {})
    ask = rng.choice(declared.function.asks)
    return use, use.fill(ask) + mentioned
