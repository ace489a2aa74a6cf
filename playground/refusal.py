"""Which one sentence tells a caller what is wrong with a request?

pydantic gives a list of faults in its own words. `refusal_of` makes one error of it: each fault is
the field's path as one writes it (`messages[0].content`), what it should be, and what it was.

What the server does not know or not offer comes before what is merely wrong, and all of it is
named at once; its own kind of error says that no other value would have helped. Validators of ours
raise `unsupported` or `invalid` with a message that follows the field's path.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from pydantic_core import PydanticCustomError

from playground.errors import InvalidJSON, InvalidRequest, UnsupportedParameter

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

__all__ = ["invalid", "refusal_of", "shown", "unsupported"]

MAX_TOLD = 8
"""Faults that one message names; it says how many there are besides."""
MAX_SHOWN = 60
"""Characters of a value that a message repeats."""

UNSUPPORTED = {"extra_forbidden", "unsupported"}
WORDING = {
    "extra_forbidden": "is not a field known here",
    "missing": "is required",
    "model_type": "should be a JSON object",
    "string_pattern_mismatch": "should be identifiers joined by dots",
    "union_tag_invalid": "should have one of the roles known here",
    "union_tag_not_found": "needs a role",
}
"""Our words for a kind of fault; the other kinds keep pydantic's."""
SPEAKS_FOR_ITSELF = {"invalid", "missing", "model_type", "union_tag_not_found", "unsupported"}
SUBJECT = re.compile(r"^(Input|List|Tuple|String) should")


def unsupported(message: str) -> PydanticCustomError:
    """For a validator to raise: this is not offered, whatever the value."""
    return PydanticCustomError("unsupported", "{message}", {"message": message})


def invalid(message: str) -> PydanticCustomError:
    """For a validator to raise: another value would do."""
    return PydanticCustomError("invalid", "{message}", {"message": message})


def refusal_of(error: ValidationError, *, branches: Collection[str] = ()) -> InvalidRequest:
    """The error to tell a caller. `branches` are tags of unions, which paths are to leave out."""
    faults = error.errors(include_url=False)
    if faults[0]["type"] == "json_invalid":
        reason = faults[0]["msg"].removeprefix("Invalid JSON: ")
        return InvalidJSON(f"the body is not JSON: {reason}")
    if faults[0]["type"] == "model_type" and not faults[0]["loc"]:
        return InvalidRequest("the body should be a JSON object")
    unheard_of = [fault for fault in faults if fault["type"] in UNSUPPORTED]
    told = unheard_of or faults
    sentences = [_sentence(fault, branches) for fault in told[:MAX_TOLD]]
    if len(told) > MAX_TOLD:
        sentences.append(f"and {len(told) - MAX_TOLD} more")
    kind = UnsupportedParameter if unheard_of else InvalidRequest
    return kind("; ".join(sentences))


def shown(value: object) -> str:
    """A value as JSON, short enough for a message."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def _sentence(fault: ErrorDetails, branches: Collection[str]) -> str:
    kind = fault["type"]
    said = WORDING.get(kind) or SUBJECT.sub("should", fault["msg"])
    sentence = f"{_path(fault['loc'], branches)} {said}".strip()
    if kind == "union_tag_invalid":
        context = fault["ctx"]
        return f"{sentence}, {context['expected_tags']}, got {shown(context['tag'])}"
    return sentence if kind in SPEAKS_FOR_ITSELF else f"{sentence}, got {shown(fault['input'])}"


def _path(location: Sequence[int | str], branches: Collection[str]) -> str:
    """`messages[0].content` from pydantic's location, which also names the branch of a union."""
    path = ""
    for before, step in zip(("", *location), location, strict=False):
        if isinstance(step, int):
            path += f"[{step}]"
        elif not (isinstance(before, int) and step in branches):
            path += f".{step}" if path else step
    return path
