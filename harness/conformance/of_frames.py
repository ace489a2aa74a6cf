"""What must the lines, the frames and the chunks of a stream be like?

Each function judges one rule of the table.  The lines are looked at as bytes, since what a
tolerant reader passes over (see `harness.sse`) is just what others have lost text by.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from harness.conformance.rule import broken, kept, moot

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harness.conformance.heard import Heard
    from harness.conformance.rule import Finding

__all__ = [
    "choices",
    "comments_apart",
    "created",
    "finish_null",
    "ids",
    "line_ends",
    "model",
    "object_named",
    "one_data_line",
    "only_chunks",
    "only_data",
    "role_first",
    "separators_escaped",
    "unbroken",
    "utf8",
]

LINE_END = re.compile(rb"\r\n|\r|\n")
BOM = b"\xef\xbb\xbf"
SEPARATORS = re.compile("[\u0085\u2028\u2029]")
NAMES = {b"\r\n": "CRLF", b"\r": "CR", b"\n": "LF"}
CHUNK = "chat.completion.chunk"


def unbroken(*rules: str) -> Callable[[Heard], Finding]:
    """A judge of what `wire` watches over already."""

    def judge(heard: Heard) -> Finding:
        found = heard.violation(*rules)
        return broken(found[1], found[0]) if found else kept()

    return judge


# -- lines


def utf8(heard: Heard) -> Finding:
    """All of it, not only what is between the lines."""
    try:
        heard.trace.body.decode("utf-8")
    except UnicodeDecodeError as problem:
        found = heard.violation("utf8")
        return broken(str(problem), found[0] if found else None)
    return kept(f"{len(heard.trace.body)} bytes of UTF-8")


def line_ends(heard: Heard) -> Finding:
    """One kind through the whole stream, and the one that everybody reads."""
    used = {NAMES[end] for end in LINE_END.findall(heard.trace.body)}
    if used <= {"LF"}:
        return kept("LF")
    return broken(f"lines end with {' and '.join(sorted(used))}; some readers know LF only")


def only_data(heard: Heard) -> Finding:
    """No other fields, and a space behind the colon."""
    if heard.trace.body.startswith(BOM):
        return broken("the stream begins with a byte order mark")
    for line in _lines(heard):
        if line and not line.startswith((b":", b"data: ")):
            return broken(f"a line that is neither `data: …` nor a comment: {_shown(line)}")
    return kept()


def one_data_line(heard: Heard) -> Finding:
    """Events whose data is spread over lines are legal, and lost by many."""
    for one, next_ in pairwise(_lines(heard)):
        if one.startswith(b"data") and next_.startswith(b"data"):
            return broken(f"an event of several data lines: {_shown(next_)}")
    return kept()


def comments_apart(heard: Heard) -> Finding:
    """Between events, with an empty line behind it."""
    number = 0
    for one, next_ in pairwise([b"", *_lines(heard)]):
        if one.startswith(b":"):
            number += 1
            if next_ and not next_.startswith(b":"):
                return broken(f"no empty line behind the comment {_shown(one)}")
        elif one and next_.startswith(b":"):
            return broken(f"the comment {_shown(next_)} is in the middle of an event")
    return kept(f"{number} comments" if number else "no comment came")


def separators_escaped(heard: Heard) -> Finding:
    """Line ends to some readers of text, and none to the format."""
    for frame in heard.frames:
        if found := SEPARATORS.search(frame.text):
            return broken(f"U+{ord(found[0]):04X} stands unescaped in a frame", frame.number)
    return kept()


def _lines(heard: Heard) -> list[bytes]:
    return LINE_END.split(heard.trace.body)


def _shown(line: bytes) -> str:
    return repr(line[:60].decode("utf-8", "replace"))


# -- chunks


def only_chunks(heard: Heard) -> Finding:
    """A client that reads `choices` of every frame meets nothing else."""
    known = {frame.number for frame, _ in heard.chunks}
    for frame in heard.frames:
        value = frame.value
        if isinstance(value, dict) and frame.number not in known and "error" not in value:
            return broken(f"a frame without choices: {', '.join(value)}", frame.number)
    return kept(f"{len(heard.chunks)} chunks")


def object_named(heard: Heard) -> Finding:
    """Every chunk says that it is one."""
    for frame, chunk in heard.chunks:
        if chunk.get("object") != CHUNK:
            return broken(f"object is {chunk.get('object')!r}, not {CHUNK!r}", frame.number)
    return _chunked(heard)


def ids(heard: Heard) -> Finding:
    """One text, in every chunk."""
    return _same(heard, "id", lambda value: isinstance(value, str) and bool(value), "a text")


def created(heard: Heard) -> Finding:
    """One number, in every chunk."""
    return _same(heard, "created", _is_count, "a whole number of seconds")


def model(heard: Heard) -> Finding:
    """One text, in every chunk."""
    return _same(heard, "model", lambda value: isinstance(value, str) and bool(value), "a text")


def choices(heard: Heard) -> Finding:
    """A list of objects with an index and a delta."""
    for frame, chunk in heard.chunks:
        listed = chunk["choices"]
        if not isinstance(listed, list):
            return broken(f"choices is a {type(listed).__name__}", frame.number)
        for choice in listed:
            if not isinstance(choice, dict) or not isinstance(choice.get("delta"), dict):
                return broken("a choice without an object in delta", frame.number)
            if choice.get("index") != 0:
                return broken(f"index is {choice.get('index')!r}, one was asked for", frame.number)
    return _chunked(heard)


def finish_null(heard: Heard) -> Finding:
    """The key is there from the first chunk on."""
    for frame, choice in heard.choices():
        if "finish_reason" not in choice:
            return broken("a choice without finish_reason", frame.number if frame else None)
    return _chunked(heard)


def role_first(heard: Heard) -> Finding:
    """Who speaks is known before what is said."""
    for frame, choice in heard.choices():
        said = choice.get("delta")
        role = said.get("role") if isinstance(said, dict) else None
        if role == "assistant":
            return kept("the first delta says assistant")
        return broken(f"the first delta has the role {role!r}", frame.number if frame else None)
    return moot("no choice came")


def _same(heard: Heard, key: str, good: Callable[[Any], bool], what: str) -> Finding:
    first: Any = None
    for frame, chunk in heard.chunks:
        value = chunk.get(key)
        if not good(value):
            return broken(f"{key} is {value!r}, not {what}", frame.number)
        if first is not None and value != first:
            return broken(f"{key} was {first!r} and became {value!r}", frame.number)
        first = value
    return _chunked(heard)


def _chunked(heard: Heard) -> Finding:
    return kept(f"in {len(heard.chunks)} chunks") if heard.chunks else broken("no chunk came")


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
