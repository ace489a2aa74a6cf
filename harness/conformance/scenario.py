"""What a scenario file of probes says: data in, or an error with file, line and key.

    name, question, answer   as in a conversation
    [body]                   what every request carries that is sent to the path of a chat
    [[probe]]                one request, and the rules that its response has to show:
        name, about
        rules = ["sse.*"]        names of rules (`harness.conformance.rules`); `*` ends a name
        body = {…}               laid over `[body]`; `{slice}` in a text stands for three characters
                                 from the middle of what `beside` was answered
        without = ["messages"]   what of that is not sent
        content = "{"            sent in place of a body; `{model}` stands for the model's name
        padding = 33             MiB of spaces behind it
        beside = "plain"         an earlier probe, whose response this one is compared with
        method, path, headers    POST, /v1/chat/completions, none
        status = 404             for `refusal.exact`: the status that OpenAI uses
        names = "messages"       for `refusal.names`: what a refusal has to name

The model's name is sent along, the first that the target lists, unless the body has another.
"""

from __future__ import annotations

import json
from collections.abc import Mapping  # noqa: TC003  (pydantic reads the annotations)
from dataclasses import field
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, TypeAdapter
from pydantic.dataclasses import dataclass

from harness.conformance.rules import rules_for
from harness.scenario import Name, Text, closed
from harness.toml_values import mistake, parse_toml

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness.scenario_rules import Key

__all__ = ["CHAT_PATH", "SLICE", "Probe", "Probes", "parse_probes"]

CHAT_PATH = "/v1/chat/completions"
SLICE = "{slice}"
"""Stands for a part of another answer."""


@dataclass(frozen=True, config=closed)
class Probe:
    """One request, and what is asked of its response."""

    name: Name
    rules: Annotated[tuple[Text, ...], Field(min_length=1)]
    about: str = ""
    method: Literal["GET", "POST", "PUT", "DELETE"] = "POST"
    path: Annotated[str, Field(pattern="^/")] = CHAT_PATH
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)
    without: tuple[Text, ...] = ()
    content: Text | None = None
    padding: Annotated[int, Field(ge=1, le=256)] | None = None
    beside: Name | None = None
    status: Annotated[int, Field(ge=400, le=499)] | None = None
    names: Text | None = None

    @property
    def cuts(self) -> bool:
        """Whether its request holds a part of another answer."""
        return SLICE in json.dumps(dict(self.body))


@dataclass(frozen=True, config=closed)
class Probes:
    """A scenario file of probes, whole."""

    name: Name
    question: Text
    answer: Text
    """What the final result is, in words."""
    probe: Annotated[tuple[Probe, ...], Field(min_length=1)]
    body: Mapping[str, Any] = field(default_factory=dict)


_ADAPTER: TypeAdapter[Probes] = TypeAdapter(Probes)


def parse_probes(text: str, path: Path) -> Probes:
    """The probes that a TOML text tells; `path` is only for messages.

    Raises:
        ScenarioError: with the line and key of the first thing that is wrong.
    """
    probes = parse_toml(text, path, _ADAPTER)
    for key, said in _mistakes(probes):
        raise mistake(path, text, key, said)
    return probes


def _mistakes(probes: Probes) -> Iterator[tuple[Key, str]]:
    names: set[str] = set()
    for place, probe in enumerate(probes.probe):
        key: Key = ("probe", place)
        if probe.name in names:
            yield (*key, "name"), f"two probes are called {probe.name!r}"
        for number, pattern in enumerate(probe.rules):
            if not rules_for([pattern]):
                yield (*key, "rules", number), f"no rule is called {pattern!r}"
        if probe.beside is not None and probe.beside not in names:
            yield (*key, "beside"), f"{probe.beside!r} is no earlier probe"
        if probe.cuts and probe.beside is None:
            yield (*key, "beside"), f"is missing: {SLICE} is a part of its answer"
        if probe.content is not None and (probe.body or probe.without):
            yield (*key, "content"), "goes without body"
        asked = {rule.name for rule in rules_for(probe.rules)}
        for rule, option in (("refusal.exact", "status"), ("refusal.names", "names")):
            if rule in asked and getattr(probe, option) is None:
                yield (*key, option), f"is missing: {rule} asks for it"
        names.add(probe.name)
