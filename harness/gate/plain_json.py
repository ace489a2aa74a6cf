"""JSON to be committed: what holds no further table is one line, so that a diff can be read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

__all__ = ["plain_json"]


def plain_json(value: object) -> str:
    """The text of a file; mappings keep their order."""
    return _told(value, "") + "\n"


def _told(value: object, pad: str) -> str:
    inner = pad + " "
    match value:
        case Mapping() if _nested(value.values()):
            rows = [f"{_line(key)}: {_told(each, inner)}" for key, each in value.items()]
        case list() | tuple() if _nested(value):
            rows = [_told(each, inner) for each in value]
        case _:
            return _line(value)
    opens, closes = "{}" if isinstance(value, Mapping) else "[]"
    return f"{opens}\n" + ",\n".join(inner + row for row in rows) + f"\n{pad}{closes}"


def _nested(values: Iterable[object]) -> bool:
    return any(isinstance(each, Mapping | list | tuple) and each for each in values)


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
