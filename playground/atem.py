r"""Which calls does a message to a function hold, and with which arguments?

Models of the Muse family write calls in ATEM, a markup that looks like XML and is not:

    <atem:function_calls>
    <atem:invoke name="get_weather">
    <atem:parameter name="city">Paris</atem:parameter>
    </atem:invoke>
    </atem:function_calls>

    message := TEXT block+
    block   := <atem:function_calls> invoke+ </atem:function_calls>
    invoke  := <atem:invoke name="NAME"> parameter* </atem:invoke>
    value   := a string as it is, blanks and line ends included; anything else as JSON

with blanks and line ends allowed between tags. Nothing is escaped, so a value may hold what looks
like a tag: a closing tag counts only where what follows may follow it.

    the message                            what becomes of it
    well formed, all functions declared    its calls; the text before them is content
    a function that is not declared        the whole message is content, no call
    no markup at all                       the whole message is content
    it ends before it should,              the calls that are complete; the text before them
    in the middle of a tag or not
    it breaks the grammar elsewhere        the text before the markup

An argument becomes what the declared schema says. A value that does not fit stays the string it
is: whoever runs the function sees what the model wrote. NaN and infinities are never made.

    string    as it is              integer   digits           number   a finite number
    boolean   true, false           null      null             others   JSON, or else a string

Of several types, in a list or by `anyOf` or `oneOf`, the first that fits, a string last.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic_core import from_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Invocation", "Reading", "coerced", "read_calls"]

OPEN, CLOSE = "<atem:function_calls>", "</atem:function_calls>"
NAMED = '<atem:invoke name="'
MARKER = re.compile(r'<atem:(?:function_calls>|invoke name="|[a-z_ ]*\Z)')


def _begun(tag: str) -> str:
    """A pattern for every beginning of a tag, from nothing to all of it."""
    return f"(?:{'|'.join(re.escape(tag[:end]) for end in range(len(tag), -1, -1))})"


_BLANKS = re.compile(r"\s*")
_BLOCK_ENDS = rf"{CLOSE}\s*(?:{OPEN}|{_begun(OPEN)}\Z)"
_INVOKE_ENDS = rf"</atem:invoke>\s*(?:{NAMED}|{_BLOCK_ENDS}|(?:{_begun(NAMED)}|{_begun(CLOSE)})\Z)"
_INVOKE = re.compile(rf'{NAMED}(?P<name>[^"]*)">\s*')
_INVOKE_BEGUN = re.compile(rf'{_begun(NAMED)}|{NAMED}[^"]*"?')
_PARAMETER = re.compile(
    r'<atem:parameter name="(?P<name>[^"]*)">(?P<value>.*?)</atem:parameter>'
    rf'(?=\s*(?:<atem:parameter name="|{_INVOKE_ENDS}))\s*',
    re.DOTALL,
)
_INVOKE_CLOSE = re.compile(rf"(?={_INVOKE_ENDS})</atem:invoke>")
_INTEGER = re.compile(r"-?[0-9]{1,1000}")
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


class Invocation(NamedTuple):
    """One call: which function, with what."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a message came to: text for the reader, calls, and whether it broke the grammar."""

    text: str
    calls: tuple[Invocation, ...] = ()
    flawed: bool = False


class _Broken(Exception):
    """The text does not go on as the grammar wants; `cut` if it ends there."""

    def __init__(self, *, cut: bool) -> None:
        self.cut = cut


def read_calls(text: str, tools: Mapping[str, Mapping[str, Any]]) -> Reading:
    """The calls in the body of one message; `tools` has a parameter schema for each function."""
    marker = MARKER.search(text)
    if marker is None:
        return Reading(text, flawed=True)
    before = text[: marker.start()].rstrip()
    calls: list[Invocation] = []
    flawed = False
    try:
        for name, values in _invocations(text, marker.start()):
            schema = tools.get(name)
            if schema is None:
                return Reading(text, flawed=True)
            calls.append(Invocation(name, _arguments(values, schema)))
    except _Broken as broken:
        flawed = True
        if not broken.cut:
            calls = []
    return Reading(before, tuple(calls), flawed)


def _invocations(text: str, at: int) -> Iterator[tuple[str, dict[str, str]]]:
    """Name and values as written of each complete invoke.

    Raises:
        _Broken: what follows is none.
    """
    while at < len(text):
        at = _skip(text, at, OPEN)
        begun = at
        while (invoke := _INVOKE.match(text, at)) is not None:
            at = invoke.end()
            values: dict[str, str] = {}
            while (parameter := _PARAMETER.match(text, at)) is not None:
                values[parameter["name"]] = parameter["value"]
                at = parameter.end()
            closed = _INVOKE_CLOSE.match(text, at)
            if closed is None:
                raise _Broken(cut=True)  # no end of it is to be found
            yield invoke["name"], values
            at = _after_blanks(text, closed.end())
        if _INVOKE_BEGUN.fullmatch(text, at):
            raise _Broken(cut=True)
        if at == begun:
            raise _Broken(cut=False)
        at = _skip(text, at, CLOSE)


def _skip(text: str, at: int, tag: str) -> int:
    """Behind the tag that has to stand here, and the blanks around it."""
    if not text.startswith(tag, at):
        raise _Broken(cut=tag.startswith(text[at:]))
    return _after_blanks(text, at + len(tag))


def _after_blanks(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at


def _arguments(values: Mapping[str, str], schema: Mapping[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties")
    known = properties if isinstance(properties, dict) else {}
    return {name: coerced(value, known.get(name)) for name, value in values.items()}


def coerced(value: str, schema: object) -> Any:  # noqa: ANN401 - whatever JSON holds
    """A value as the schema of its parameter wants it, or as it is where that fails."""
    declared: Any = schema if isinstance(schema, dict) else {}
    choices = declared.get("enum")
    if isinstance(choices, list) and value in choices:
        return value
    written = value.strip()
    for kind in _kinds(declared):
        match kind:
            case "string":
                continue
            case "null":
                fits, made = written == "null", None
            case "boolean":
                fits, made = written.lower() in {"true", "false"}, written.lower() == "true"
            case "integer":
                fits, made = _integer(written)
            case "number":
                fits, made = _number(written)
            case _:
                fits, made = _json(written)
        if fits:
            return made
    return value


def _kinds(schema: Mapping[str, Any]) -> list[Any]:
    """The types that a schema allows; None for any."""
    kinds = schema.get("type")
    if kinds is not None:
        return kinds if isinstance(kinds, list) else [kinds]
    options = schema.get("anyOf", schema.get("oneOf"))
    if not isinstance(options, list):
        return [None]
    return [kind for option in options if isinstance(option, dict) for kind in _kinds(option)]


def _integer(text: str) -> tuple[bool, Any]:
    return (True, int(text)) if _INTEGER.fullmatch(text) else (False, None)


def _number(text: str) -> tuple[bool, Any]:
    if _INTEGER.fullmatch(text):
        return True, int(text)
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    return math.isfinite(number), number


def _json(text: str) -> tuple[bool, Any]:
    """What the text says as JSON that can be said again."""
    try:
        made = from_json(text, allow_inf_nan=False)
        json.dumps(made, allow_nan=False)
    except (ValueError, RecursionError):
        return False, None
    return True, made
