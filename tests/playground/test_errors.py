"""Every error has one shape, and the tree that is drawn is the tree that is there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from playground import errors
from playground.errors import APIError, ContextLengthExceeded, MethodNotAllowed, ModelNotFound

if TYPE_CHECKING:
    from collections.abc import Iterator


def tree(root: type[APIError] = APIError) -> Iterator[type[APIError]]:
    """A class and all below it."""
    yield root
    for child in root.__subclasses__():
        yield from tree(child)


def drawn() -> dict[str, tuple[int, str, str | None]]:
    """Status, type and code by class, read from the drawing."""
    rows = re.findall(r"(\w+) +(\d{3}) +(\w+) +(\w+)$", errors.__doc__ or "", re.MULTILINE)
    found = {name: (int(status), kind, code) for name, status, kind, code in rows}
    return {n: (s, k, None if c == "null" else c) for n, (s, k, c) in found.items()}


def test_the_drawing_tells_status_type_and_code() -> None:
    """Who reads the top of the file knows what a caller sees."""
    assert drawn() == {kind.__name__: (kind.status, kind.type, kind.code) for kind in tree()}


def test_the_public_names_are_the_tree() -> None:
    """Nothing is public that is no error, and no error is private."""
    assert sorted(kind.__name__ for kind in tree()) == sorted(errors.__all__)


def test_codes_are_told_apart() -> None:
    """A program can go by the code alone."""
    codes = [kind.code for kind in tree() if kind.code is not None]

    assert len(set(codes)) == len(codes)


def test_a_body_has_the_four_keys_of_openai() -> None:
    """The one shape, whatever went wrong."""
    assert ModelNotFound("x", "muse-nano").body == {
        "error": {
            "message": "model 'x' is not served here; use 'muse-nano' or leave model out",
            "type": "invalid_request_error",
            "param": None,
            "code": "model_not_found",
        }
    }


def test_a_long_session_id_is_not_repeated_whole() -> None:
    """A message stays readable, whatever was sent."""
    assert len(str(errors.InvalidSessionId("x" * 10_000))) < 150


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            MethodNotAllowed("PUT", "/health", ["GET"]),
            "PUT is not allowed on /health; allowed: GET",
        ),
        (MethodNotAllowed("PUT", "/x", []), "PUT is not allowed on /x"),
        (errors.BodyTooLarge(10), "the request body is larger than 10 bytes"),
        (
            ContextLengthExceeded(
                what="the prompt has", tokens=9, context_length=8, advice="cut it"
            ),
            "the prompt has 9 tokens, the context holds 8; cut it",
        ),
    ],
)
def test_messages_are_composed_from_what_happened(error: APIError, said: str) -> None:
    """Names, numbers and what to try."""
    assert str(error) == said
