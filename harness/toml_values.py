"""How does a TOML text become values, or an error with file, line and key?

Every scenario file is read by this, whatever its kind: its text is parsed, its values are checked
against a dataclass that knows every key, and the first thing that is wrong is told in one line.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, TypeVar

from pydantic import TypeAdapter, ValidationError

from harness.errors import ScenarioError
from harness.toml_lines import line_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pydantic_core import ErrorDetails

__all__ = ["key_of", "mistake", "parse_toml", "read_toml_file", "what_is_wrong"]

T = TypeVar("T")


def parse_toml(text: str, path: Path, adapter: TypeAdapter[T]) -> T:
    """The values that a TOML text tells; `path` is only for messages.

    Raises:
        ScenarioError: with the line and key of the first thing that is wrong.
    """
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        said = re.sub(r" \(at .*\)$", "", str(problem))
        line = re.search(r"at line (\d+)", str(problem))
        last = len(text.splitlines())
        raise ScenarioError(path, said, line=int(line[1]) if line else last) from problem
    try:
        return adapter.validate_json(json.dumps(raw, default=str), strict=True)
    except ValidationError as problem:
        first = problem.errors()[0]
        raise mistake(path, text, first["loc"], what_is_wrong(first)) from problem


def read_toml_file(path: Path) -> str:
    """The text of a file that somebody wrote.

    Raises:
        ScenarioError: it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise ScenarioError(path, f"cannot be read ({problem})") from problem


def mistake(path: Path, text: str, loc: Sequence[int | str], said: str) -> ScenarioError:
    """The error that says what is wrong at a key of a TOML text."""
    return ScenarioError(path, said, line=line_of(text, loc), key=key_of(loc))


def key_of(loc: Sequence[int | str]) -> str:
    """A key path for people: `leg[2].resets`; places count from 1."""
    key = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in loc)
    return key.lstrip(".")


def what_is_wrong(error: ErrorDetails) -> str:
    """One thing that a dataclass refused, in words."""
    kind = error["type"]
    if kind in {"unexpected_keyword_argument", "extra_forbidden"}:
        return "no such key; see `muse-bench list --schema`"
    if kind in {"missing", "missing_argument", "missing_keyword_only_argument"}:
        return "is missing"
    given = error.get("input")
    said = str(error["msg"])
    return f"{said[:1].lower()}{said[1:]}" + (f", not {given!r}" if _short(given) else "")


def _short(value: object) -> bool:
    return isinstance(value, str | int | float) and len(repr(value)) <= 60
