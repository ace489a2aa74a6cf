"""What a scenario file says: data in, or an error with file, line and key.

A scenario is one conversation, told once, and the *legs* that play it.

    name, question, answer   what it is called, what it asks, what its final result is
    repeat, seed             how often by default, and what the slots are drawn from
    warm_ups                 repeats played before those; judged, but in no summary
    [settings]               generation settings, sent with every turn
    [lists]                  name = ["value", …]
    [slots.NAME]             what `{NAME}` stands for in the texts; drawn anew for each repeat
        from = "list"            one value; no two slots of a repeat share one
        digits = 6               a number of so many digits
        number = [10, 99]        a whole number in a range, ends included
        count = 40, each = […]   so many lines, each from one of these texts; `{list}` draws
                                 from a list what no slot has drawn
            among = ["…"]            lines that stand somewhere among them; `{SLOT}` as elsewhere
            mark = "Note {n}: "      what every line begins with; `{n}` counts them
        fresh = true             (with from or digits) drawn anew for every prompt sent cold,
                                 and never the same in two runs: a nonce
    [[turn]]                 user = "…", and what its answer must hold:
        [turn.expect]            contains = ["{city}"], excludes = [...], matches = "regex"
    [[leg]]                  name, and how it plays the turns:
        session = "kept"         all its turns on one session, closed at the end
                | "fresh"        every turn on a new session
                | "none"         every turn without a session
        replays = "warm"         send what that leg sent, instead of holding a conversation
        resets = ["new", …]      the reset reason each turn must report; `exact_prefix` promises
                                 that all that was resident is reused, any other that nothing is
        driver = "page"          typed into the target's own page, on a kept session; else "http"
    [[compare]]              metric, baseline leg, candidate leg, turns; `at_least = 5.0` makes it
                             a check: baseline / candidate, paired by repeat

A replayed prompt holds the same messages and answers; only the `fresh` slots differ.
Unknown keys are refused everywhere, so that a misspelt promise is not a promise forgotten.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  (pydantic reads the annotations)
from dataclasses import field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter
from pydantic.dataclasses import dataclass

from harness.scenario_rules import mistakes, placeholders
from harness.toml_values import mistake, parse_toml

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "Comparison",
    "Expectation",
    "Leg",
    "Name",
    "Scenario",
    "Settings",
    "Slot",
    "Text",
    "Turn",
    "closed",
    "digest",
    "parse_scenario",
    "placeholders",
]

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*$", max_length=64)]
Text = Annotated[str, Field(min_length=1)]
ResetReason = Literal["new", "exact_prefix", "mismatch", "dirty", "equal"]

closed = ConfigDict(extra="forbid")
"""Unknown keys are refused."""


@dataclass(frozen=True, config=closed)
class Settings:
    """Generation settings as a request carries them; what is absent is not sent."""

    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    top_k: Annotated[int, Field(ge=0)] | None = None
    seed: Annotated[int, Field(ge=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    reasoning_effort: Literal["low", "medium", "high", "xhigh"] | None = None
    send_reasoning: bool = False
    """Whether the assistant's reasoning goes back with its turn in the messages that follow."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """More fields of the request body, as they are: a dialect of one server."""

    def fields(self) -> dict[str, Any]:
        """What a request carries, by name."""
        return {**self._named(), **self.extra}

    def over(self, general: Settings) -> Settings:
        """These where they say something, else the general ones; `extra` key by key."""
        return replace(
            general,
            **self._named(),
            send_reasoning=self.send_reasoning or general.send_reasoning,
            extra={**general.extra, **self.extra},
        )

    def _named(self) -> dict[str, Any]:
        names = ("temperature", "top_p", "top_k", "seed", "max_tokens", "reasoning_effort")
        told = {name: getattr(self, name) for name in names}
        return {name: value for name, value in told.items() if value is not None}


@dataclass(frozen=True, config=closed)
class Slot:
    """What a placeholder stands for; exactly one of `from`, `digits`, `number`, `each`."""

    from_: Annotated[Name | None, Field(alias="from")] = None
    digits: Annotated[int, Field(ge=1, le=18)] | None = None
    number: tuple[int, int] | None = None
    count: Annotated[int, Field(ge=1, le=10_000)] | None = None
    each: Annotated[tuple[Text, ...], Field(min_length=1)] | None = None
    among: tuple[Text, ...] = ()
    mark: str = ""
    fresh: bool = False


@dataclass(frozen=True, config=closed)
class Expectation:
    """What an answer must hold; case and the space between words are not looked at."""

    contains: tuple[Text, ...] = ()
    excludes: tuple[Text, ...] = ()
    matches: Text | None = None
    """A regular expression, searched for; not templated."""


@dataclass(frozen=True, config=closed)
class Turn:
    """One thing the person says, and what the answer must hold."""

    user: Text
    expect: Expectation = field(default_factory=Expectation)


@dataclass(frozen=True, config=closed)
class Leg:
    """One way of playing the conversation."""

    name: Name
    session: Literal["kept", "fresh", "none"] = "none"
    replays: Name | None = None
    resets: tuple[ResetReason, ...] | None = None
    about: str = ""
    """What this leg is for, in a phrase, for reports."""
    driver: Literal["http", "page"] = "http"
    """Who plays it: our client, or somebody who types into the page (`harness.driver`)."""


@dataclass(frozen=True, config=closed)
class Comparison:
    """How many times smaller a metric is on one leg than on another, for the same turns."""

    name: Text
    metric: Text
    """One of `metrics.METRICS`."""
    baseline: Name
    candidate: Name
    turns: Annotated[tuple[int, ...], Field(min_length=1)]
    """1-based."""
    at_least: Annotated[float, Field(gt=0)] | None = None
    """baseline / candidate must be this much; absent: shown, not judged."""


@dataclass(frozen=True, config=closed)
class Scenario:
    """A scenario file, whole."""

    name: Name
    question: Text
    answer: Text
    """What the final result is, in words."""
    turn: Annotated[tuple[Turn, ...], Field(min_length=1)]
    leg: Annotated[tuple[Leg, ...], Field(json_schema_extra={"minItems": 1})]
    """A file has one at least; of those that are played there may be none (`harness.driver`)."""
    repeat: Annotated[int, Field(ge=1, le=1000)] = 1
    seed: Annotated[int, Field(ge=0)] = 0
    warm_ups: Annotated[int, Field(ge=0, le=10)] = 0
    """The first prompt of a process pays for pages and caches once; numbered from 0 down."""
    system: str = ""
    settings: Settings = field(default_factory=Settings)
    lists: Mapping[Name, Annotated[tuple[Text, ...], Field(min_length=1)]] = field(
        default_factory=dict
    )
    slots: Mapping[Name, Slot] = field(default_factory=dict)
    compare: tuple[Comparison, ...] = ()


_ADAPTER: TypeAdapter[Scenario] = TypeAdapter(Scenario)


def parse_scenario(text: str, path: Path) -> Scenario:
    """The scenario that a TOML text tells; `path` is only for messages.

    Raises:
        ScenarioError: with the line and key of the first thing that is wrong.
    """
    scenario = parse_toml(text, path, _ADAPTER)
    for key, said in mistakes(scenario):
        raise mistake(path, text, key, said)
    return scenario


def digest(text: str) -> str:
    """The hash by which a result names the scenario text that made it."""
    return sha256(text.encode()).hexdigest()
