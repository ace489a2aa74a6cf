"""What is one case, and what is wrong with a file of them?

A file of cases is JSON Lines, one independent prompt a line:

    id         unique in the file
    skill      the group it is reported in
    pair       (optional) two cases that share it are opposites: the pair is right if both are
    system     (optional) the system message; null sends none
    strength   (optional) low, medium, high or xhigh: how much to reason
    messages   OpenAI-shaped, without the system message; the last is a person's or a tool's
    tools      (optional) OpenAI-shaped functions that are declared
    expect     contains, excludes   whole words; case and the space between words not looked at
               matches              a regular expression, searched for in the answer
               calls                exactly these function calls, in this order, instead of an
                                    answer: {"name", "arguments"}; arguments are compared as JSON

All that `expect` holds must hold.  Where no calls are expected, an answer is: one that says
nothing, or calls a function, is wrong.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping  # noqa: TC003  (pydantic reads the annotations)
from dataclasses import dataclass as plain
from dataclasses import field
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from harness.errors import ScenarioError
from harness.scenario import digest
from harness.toml_values import key_of, what_is_wrong

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["Call", "Case", "CaseFile", "Expect", "load_cases", "parse_cases"]

Text = Annotated[str, Field(min_length=1)]

_closed = ConfigDict(extra="forbid")


@dataclass(frozen=True, config=_closed)
class Call:
    """A function call that is expected."""

    name: Text
    arguments: Mapping[str, Any]


@dataclass(frozen=True, config=_closed)
class Expect:
    """What a right answer holds."""

    contains: tuple[Text, ...] = ()
    excludes: tuple[Text, ...] = ()
    matches: Text | None = None
    calls: Annotated[tuple[Call, ...], Field(min_length=1)] | None = None


@dataclass(frozen=True, config=_closed)
class Case:
    """One prompt, and what a right answer holds."""

    id: Text
    skill: Text
    messages: Annotated[tuple[Mapping[str, Any], ...], Field(min_length=1)]
    expect: Expect
    pair: Text | None = None
    system: str | None = None
    strength: Literal["low", "medium", "high", "xhigh"] | None = None
    tools: tuple[Mapping[str, Any], ...] = field(default_factory=tuple)


@plain(frozen=True, slots=True)
class CaseFile:
    """A file of cases, and the text it was read from."""

    path: Path
    text: str
    cases: tuple[Case, ...]

    @property
    def sha256(self) -> str:
        """The hash by which a result names these cases."""
        return digest(self.text)

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups, in the order in which they first stand."""
        return tuple(dict.fromkeys(case.skill for case in self.cases))


_CASE: TypeAdapter[Case] = TypeAdapter(Case)


def load_cases(path: Path) -> CaseFile:
    """The cases in a file.

    Raises:
        ScenarioError: it cannot be read, or a line is no case; with file, line and key.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise ScenarioError(path, f"cannot be read ({problem})") from problem
    return CaseFile(path, text, parse_cases(text, path))


def parse_cases(text: str, path: Path) -> tuple[Case, ...]:
    """The cases of a text; `path` is only for messages.

    Raises:
        ScenarioError: with the line and key of the first thing that is wrong.
    """
    # Not splitlines: a JSON text may hold line separators other than the line feed.
    lines = [(n, line) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
    cases = tuple(_parse(line, path, number) for number, line in lines)
    if not cases:
        raise ScenarioError(path, "holds no case")
    for place, key, said in _mistakes(cases):
        raise ScenarioError(path, said, line=lines[place][0], key=key)
    return cases


def _parse(line: str, path: Path, number: int) -> Case:
    try:
        return _CASE.validate_json(line, strict=True)
    except ValidationError as problem:
        first = problem.errors()[0]
        said, key = what_is_wrong(first), key_of(first["loc"])
        said = re.sub(r" at line 1 (column \d+).*", r" at \1", said)  # of this line, not the file
        raise ScenarioError(path, said, line=number, key=key) from problem


def _mistakes(cases: Sequence[Case]) -> Iterator[tuple[int, str, str]]:
    """What lines of the right shape can still get wrong: which case, which key, what."""
    ids = Counter(case.id for case in cases)
    for place, case in enumerate(cases):
        if ids[case.id] > 1:
            yield place, "id", f"{ids[case.id]} cases are called {case.id!r}"
        yield from ((place, *told) for told in _message_mistakes(case))
        yield from ((place, *told) for told in _expect_mistakes(case.expect))
    pairs: dict[str, list[int]] = {}
    for place, case in enumerate(cases):
        if case.pair is not None:
            pairs.setdefault(case.pair, []).append(place)
    for name, places in pairs.items():
        if len(places) != 2:
            yield places[0], "pair", f"{len(places)} cases share {name!r}; a pair is two"
        elif len({cases[place].skill for place in places}) > 1:
            yield places[1], "pair", f"the two cases of {name!r} are of different groups"


def _message_mistakes(case: Case) -> Iterator[tuple[str, str]]:
    for number, message in enumerate(case.messages, start=1):
        if message.get("role") not in ("user", "assistant", "tool"):  # JSON: need not be hashable
            said = f"user, assistant or tool, not {message.get('role')!r}"
            yield f"messages[{number}].role", said
    if case.messages[-1].get("role") == "assistant":
        yield f"messages[{len(case.messages)}].role", "the last message is a person's or a tool's"


def _expect_mistakes(expect: Expect) -> Iterator[tuple[str, str]]:
    words = expect.contains or expect.excludes or expect.matches
    if expect.calls is None and not words:
        yield "expect", "asks for nothing; every case must be able to fail"
    if expect.calls is not None and words:
        yield "expect.calls", "goes without contains, excludes and matches"
    for key, texts in (("contains", expect.contains), ("excludes", expect.excludes)):
        for number, text in enumerate(texts, start=1):
            if not text.strip():
                yield f"expect.{key}[{number}]", "holds no word; every case must be able to fail"
    if expect.matches:
        try:
            re.compile(expect.matches)
        except (re.error, OverflowError, RecursionError) as problem:
            yield "expect.matches", f"not a regular expression: {problem}"
