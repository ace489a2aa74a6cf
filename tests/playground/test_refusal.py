"""A caller gets one sentence that names each field, what it should be, and what it was."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from playground.errors import InvalidJSON, InvalidRequest, UnsupportedParameter
from playground.refusal import invalid, refusal_of, shown, unsupported


def _no_blue(colour: str) -> str:
    if colour == "blue":
        raise unsupported("cannot be blue")
    if colour == "{red}":
        raise invalid("is not {red} today")
    return colour


class Cat(BaseModel):
    """One branch of a union."""

    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    """The other."""

    kind: Literal["dog"]


class Zoo(BaseModel):
    """A request for a zoo."""

    model_config = ConfigDict(extra="forbid", strict=True)

    size: Annotated[int, Field(le=9)] = 1
    colour: Annotated[str, AfterValidator(_no_blue)] = "red"
    pets: list[Annotated[Cat | Dog, Field(discriminator="kind")]] = []


def refused(body: str) -> InvalidRequest:
    """What is said of a body."""
    with pytest.raises(ValidationError) as caught:
        Zoo.model_validate_json(body)
    return refusal_of(caught.value, branches=("cat", "dog"))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"size": 10}', "size should be less than or equal to 9, got 10"),
        ('{"size": "1"}', 'size should be a valid integer, got "1"'),
        ('{"colour": "{red}"}', "colour is not {red} today"),
        ('{"pets": [{"kind": "cat"}]}', "pets[0].lives is required"),
        (
            '{"pets": [{"kind": "cat", "lives": null}]}',
            "pets[0].lives should be a valid integer, got",
        ),
        (
            '{"pets": [{"kind": "cow"}]}',
            "pets[0] should have one of the roles known here, 'cat', 'd",
        ),
        ('{"pets": [{}]}', "pets[0] needs a role"),
        (
            '{"size": 10, "pets": 5}',
            "size should be less than or equal to 9, got 10; pets should be",
        ),
        ("5", "the body should be a JSON object"),
    ],
)
def test_a_value_that_is_wrong_is_named_by_its_path(body: str, said: str) -> None:
    """Paths are as one writes them, without the names of a union's branches."""
    error = refused(body)

    assert type(error) is InvalidRequest
    assert str(error).startswith(said)


def test_what_is_unknown_comes_before_what_is_wrong() -> None:
    """All of it at once, as one kind of error, and nothing about the values besides."""
    error = refused('{"size": 10, "colour": "blue", "shape": [1]}')

    assert type(error) is UnsupportedParameter
    assert str(error) == "colour cannot be blue; shape is not a field known here, got [1]"


def test_a_long_list_of_faults_is_cut_short() -> None:
    """Eight are named, the rest are counted."""
    error = refused("{" + ", ".join(f'"field{number}": 1' for number in range(11)) + "}")

    assert str(error).count("not a field known") == 8
    assert str(error).endswith("; and 3 more")


def test_what_is_not_json_is_told_so() -> None:
    """With the place where the parser gave up."""
    error = refused('{"size": ')

    assert isinstance(error, InvalidJSON)
    assert str(error) == "the body is not JSON: EOF while parsing a value at line 1 column 9"


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, "null"), (True, "true"), ("é", '"é"'), ([1, {"a": 2}], '[1, {"a": 2}]')],
)
def test_values_are_shown_as_json(value: object, expected: str) -> None:
    """As the caller wrote them."""
    assert shown(value) == expected


def test_a_large_value_is_shown_in_part() -> None:
    """A message stays one that a person can read."""
    assert shown("x" * 1000) == '"' + "x" * 58 + "…"
