"""Which functions does a request declare, and which calls of them are in its history?

A declared function has a name (identifiers joined by dots), a description, and a JSON Schema of
its parameters, which has to describe an object. The model reads the schema and `playground.atem`
reads calls by it; nobody validates a call against it, so `strict` cannot be promised.
"""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import from_json

from playground.refusal import invalid, shown
from playground.strict import Only, Strict

__all__ = [
    "MAX_TOOLS",
    "CalledFunction",
    "DeclaredFunction",
    "Name",
    "Tool",
    "ToolCall",
    "Tools",
]

MAX_TOOLS = 128
FUNCTION_NAME = r"^[A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z_][A-Za-z0-9_-]*)*$"
RESERVED = {"self", "user"}
"""Recipients of messages that are no calls."""

NO_PARAMETERS: dict[str, Any] = {"type": "object", "properties": {}}


def _arguments(text: object) -> object:
    """The object that a call's arguments spell in JSON."""
    if not isinstance(text, str):
        raise invalid("should be a string that holds a JSON object")
    try:
        value = from_json(text, allow_inf_nan=False)
    except ValueError as error:
        raise invalid(f"should be a string that holds a JSON object: {error}") from None
    if not isinstance(value, dict):
        raise invalid("should hold a JSON object")
    _need_finite(value)
    return value


def _schema(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema itself, if it describes an object by its properties."""
    if schema.get("type", "object") != "object":
        raise invalid(f'should have the type "object", got {shown(schema["type"])}')
    properties = schema.get("properties", {})
    if not isinstance(properties, dict):
        raise invalid("should have its properties as an object")
    for name, value in properties.items():
        if not isinstance(value, dict):
            raise invalid(f"should have a schema for the property {shown(name)}")
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        raise invalid("should have required as a list of names")
    _need_finite(schema)
    return schema


def _need_finite(value: dict[str, Any]) -> None:
    """JSON has no other numbers, though readers of it make infinity of 1e999."""
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        raise invalid("should hold no number beyond the finite ones") from None


def _free(name: str) -> str:
    if name in RESERVED:
        raise invalid(f"may not be {shown(name)}, which messages that are no calls are sent to")
    return name


def _each_once(tools: list[Tool]) -> list[Tool]:
    seen: set[str] = set()
    for number, tool in enumerate(tools):
        name = tool.function.name
        if name in seen:
            raise invalid(f"declares {shown(name)} twice, the second time as number {number}")
        seen.add(name)
    return tools


Name = Annotated[str, Field(pattern=FUNCTION_NAME, max_length=128)]


class DeclaredFunction(Strict):
    """A function that the model may ask for."""

    name: Annotated[Name, AfterValidator(_free)]
    description: str | None = None
    parameters: Annotated[dict[str, Any], AfterValidator(_schema)] | None = None
    strict: Annotated[Any, AfterValidator(Only(None, False))] = None

    @property
    def schema_of_parameters(self) -> dict[str, Any]:
        """The schema of its parameters; without one it takes none."""
        return self.parameters or NO_PARAMETERS


class Tool(Strict):
    """A tool of the only type there is."""

    type: Annotated[Any, AfterValidator(Only("function"))]
    function: DeclaredFunction

    def as_template(self) -> dict[str, Any]:
        """As a chat template knows it."""
        function = {
            "name": self.function.name,
            "description": self.function.description or "",
            "parameters": self.function.schema_of_parameters,
        }
        return {"type": "function", "function": function}


Tools = Annotated[list[Tool], Field(max_length=MAX_TOOLS), AfterValidator(_each_once)]


class CalledFunction(Strict):
    """Which function, with what; the arguments arrive as JSON text and are kept as the object."""

    name: Name
    arguments: Annotated[dict[str, Any], BeforeValidator(_arguments)]


class ToolCall(Strict):
    """A call that the assistant made in an earlier turn."""

    id: str
    index: int | None = None
    """Accepted and dropped: who puts a stream together may have kept it."""
    type: Annotated[Any, AfterValidator(Only("function"))] = "function"
    function: CalledFunction
