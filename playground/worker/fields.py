"""How one JSON object is read field by field, each wrong type or range being told by name.

A `Fields` wraps the object of one line. `read` runs a reading function and adds the line's number
and text to whatever MessageError leaves it, so that functions further in need to know neither.
An absent field and one that is null are the same thing.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, NoReturn, TypeVar, cast

from playground.worker.errors import MessageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = ["Fields"]

T = TypeVar("T")
Choice = TypeVar("Choice", bound=str)


class Fields:
    """The fields of one JSON object; every getter raises MessageError on a wrong value."""

    def __init__(
        self, values: Mapping[str, object], *, text: str = "", line_number: int = 0
    ) -> None:
        self._values = values
        self._text = text
        self._line_number = line_number
        self._read: set[str] = set()

    @classmethod
    def of_line(cls, line: bytes, line_number: int = 0) -> Fields:
        """Decode a line that must be one JSON object in UTF-8."""
        text = line.decode("utf-8", "replace").strip()

        def wrong(reason: str) -> MessageError:
            return MessageError(reason, text=text, line_number=line_number)

        try:
            values = _decode(line.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise wrong(f"not UTF-8 at byte {error.start}") from error
        except RecursionError as error:
            raise wrong("JSON nested too deeply") from error
        except ValueError as error:
            raise wrong(f"not JSON: {error}") from error
        if not isinstance(values, dict):
            raise wrong("not a JSON object")
        return cls(values, text=text, line_number=line_number)

    def read(self, reading: Callable[[Fields], T]) -> T:
        """Run a reading function; what it raises leaves with the line's number and text."""
        try:
            return reading(self)
        except MessageError as error:
            raise MessageError(
                error.reason, text=self._text, line_number=self._line_number
            ) from error

    def __contains__(self, key: str) -> bool:
        return self._values.get(key) is not None

    def unread(self, *known: str) -> dict[str, object]:
        """Return the fields that no getter has asked for, without those in `known`."""
        return {
            key: value
            for key, value in self._values.items()
            if value is not None and key not in self._read and key not in known
        }

    # --- required, or with a default ---

    def string(self, key: str, default: str | None = None) -> str:
        """Read a string of valid Unicode."""
        value = self._get(key, default)
        if not isinstance(value, str):
            self._wrong_type(key, "a string")
        return _unicode(key, value)

    def name(self, key: str) -> str:
        """Read a string that is not empty."""
        value = self.string(key)
        if not value:
            raise MessageError(f"{key!r} is empty")
        return value

    def integer(
        self,
        key: str,
        default: int | None = None,
        *,
        low: int | None = None,
        high: int | None = None,
    ) -> int:
        """Read an integer from `low` to `high`."""
        value = self._get(key, default)
        if type(value) is not int:
            self._wrong_type(key, "an integer")
        if (low is not None and value < low) or (high is not None and value > high):
            raise MessageError(f"{key!r} is {value}; it must be from {low} to {high}")
        return value

    def number(self, key: str, default: float | None = None) -> float:
        """Read a finite number."""
        value = self._get(key, default)
        if type(value) is not int and type(value) is not float:
            self._wrong_type(key, "a number")
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise MessageError(f"{key!r} is not a finite number")
        return number

    def flag(self, key: str, *, default: bool = False) -> bool:
        """Read a boolean."""
        value = self._get(key, default)
        if not isinstance(value, bool):
            self._wrong_type(key, "true or false")
        return value

    def choice(self, key: str, choices: tuple[Choice, ...]) -> Choice:
        """Read one of a closed set of strings."""
        value = self.string(key)
        for choice in choices:
            if value == choice:
                return choice
        raise MessageError(f"{key!r} is {value!r}; it must be one of {', '.join(choices)}")

    def token_ids(self, key: str) -> tuple[int, ...]:
        """Read a list of token ids, none negative."""
        values = cast("list[int]", self._list(key))
        if not set(map(type, values)) <= {int} or min(values, default=0) < 0:
            self._wrong_type(key, "a list of token ids")
        return tuple(values)

    # --- lists and objects; absent is empty ---

    def counts(self, key: str) -> tuple[int, ...]:
        """Read a list of integers, none negative."""
        values = self._list(key) if key in self else []
        if not all(type(value) is int and value >= 0 for value in values):
            self._wrong_type(key, "a list of counts")
        return tuple(cast("list[int]", values))

    def strings(self, key: str) -> tuple[str, ...]:
        """Read a list of strings."""
        values = self._list(key) if key in self else []
        if not all(isinstance(value, str) for value in values):
            self._wrong_type(key, "a list of strings")
        return tuple(_unicode(key, str(value)) for value in values)

    def objects(self, key: str) -> Iterable[Fields]:
        """Read a list of objects."""
        for value in self._list(key):
            if not isinstance(value, dict):
                self._wrong_type(key, "a list of objects")
            yield Fields(value)

    def optional_strings_by_name(self, key: str) -> dict[str, str | None]:
        """Read an object whose values are strings or null."""
        values = self._get(key, {})
        if not isinstance(values, dict):
            self._wrong_type(key, "an object")
        if not all(value is None or isinstance(value, str) for value in values.values()):
            self._wrong_type(key, "an object of strings")
        return dict(values)

    # --- None when absent ---

    def optional_string(self, key: str) -> str | None:
        """Read a string, or None."""
        return self.string(key) if key in self else None

    def optional_integer(self, key: str, *, low: int, high: int | None = None) -> int | None:
        """Read an integer from `low` to `high`, or None."""
        return self.integer(key, low=low, high=high) if key in self else None

    def optional_number(self, key: str) -> float | None:
        """Read a finite number, or None."""
        return self.number(key) if key in self else None

    def optional_choice(self, key: str, choices: tuple[Choice, ...]) -> Choice | None:
        """Read one of a closed set of strings, or None."""
        return self.choice(key, choices) if key in self else None

    def optional_token_ids(self, key: str) -> tuple[int, ...] | None:
        """Read a list of token ids, or None."""
        return self.token_ids(key) if key in self else None

    def optional_object(self, key: str) -> Fields | None:
        """Read an object, or None."""
        value = self._get(key, {})
        if not isinstance(value, dict):
            self._wrong_type(key, "an object")
        return Fields(value) if key in self else None

    # --- inside ---

    def _get(self, key: str, default: object = None) -> object:
        self._read.add(key)
        value = self._values.get(key)
        if value is not None:
            return value
        if default is None:
            raise MessageError(f"{key!r} is missing")
        return default

    def _list(self, key: str) -> list[object]:
        value = self._get(key)
        if not isinstance(value, list):
            self._wrong_type(key, "a list")
        return value

    def _wrong_type(self, key: str, wanted: str) -> NoReturn:
        raise MessageError(f"{key!r} must be {wanted}")


def _unicode(key: str, value: str) -> str:
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise MessageError(f"{key!r} holds a lone surrogate, so it is not Unicode") from error
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_decode = json.JSONDecoder(parse_constant=_no_constant).decode
"""Made once: `json.loads` with an option makes a decoder for every line."""
