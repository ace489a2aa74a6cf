"""What do all parts of a request have in common? No field that is not known, nothing converted."""

from __future__ import annotations

import json

from pydantic import BaseModel, ConfigDict

from playground.refusal import shown, unsupported

__all__ = ["Only", "Strict"]


class Strict(BaseModel):
    """A part of a request: unknown fields are refused, and a string is no number."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class Only:
    """A field that may be sent, but only with a value that asks for nothing."""

    def __init__(self, *allowed: object) -> None:
        self._allowed = allowed

    def __call__(self, value: object) -> object:
        """The value, if it is one of the allowed ones."""
        # bool is an int to Python; to JSON it is not.
        for candidate in self._allowed:
            if value == candidate and isinstance(value, bool) == isinstance(candidate, bool):
                return value
        offered = " or ".join(json.dumps(candidate) for candidate in self._allowed)
        raise unsupported(f"can only be {offered} here, got {shown(value)}")
