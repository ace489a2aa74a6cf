"""What a scenario file of races says: data in, or an error with file, line and key.

    name, question, answer, seed, [settings]    as in a conversation
    rounds                   how many races by default, spread evenly over the cells
    together                 races of one cell that share a session, one after the other
    system                   stands before every prompt
    [opening]                says, max_tokens: the first turn of every session.  The next turn after
                             a race asks it again, and is to be answered as ever
    [bystander]              says, max_tokens: a turn without a session, that a race is not about
    [[prompt]]               what the turn that is stopped is asked:
        name, says
        goes_on = false          it stands alone, instead of behind the opening and its answer
        pictures = 2             so many pictures before the text
        max_tokens = 400         the cap of a turn that is to be stopped
        whole = 24               the cap of one that is to come to its end
        effort = "medium"        its reasoning effort, where it is not that of the settings
    [[point]]                at (one of `moments.Point`), about, and
        prompt = "name"          what is asked
        jitter_ms = 5            the stop is sent up to so much later than the moment is seen
        hits = 0.9               the share of races of each cell that must hit their moment
    [[way]]                  does (one of `ways.Way`), about
    [limits]                 what is promised of every race:
        texts_after_ack = 6      pieces of text that may come after a stop was acknowledged
        freed = 0.75             what came next begins before so much of the rest has passed that
                                 the stopped turn had yet to say
        rest_ms = 300            and that is only judged where the rest is at least so long
        idle = 0.5               processors that the target may use when nothing is asked of it

A cell is a point and a way.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, TypeAdapter
from pydantic.dataclasses import dataclass

from harness.races.moments import Point  # noqa: TC001  (pydantic reads the annotations)
from harness.races.ways import Way  # noqa: TC001
from harness.scenario import Name, Settings, Text, closed
from harness.toml_values import mistake, parse_toml

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness.scenario_rules import Key

__all__ = ["Asked", "Limits", "PointPlan", "Prompt", "Races", "WayPlan", "parse_races"]

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1)]


@dataclass(frozen=True, config=closed)
class Asked:
    """A turn that comes to its end."""

    says: Text
    max_tokens: Count


@dataclass(frozen=True, config=closed)
class Prompt:
    """What the turn that is stopped is asked."""

    name: Name
    says: Text
    max_tokens: Count
    whole: Count
    goes_on: bool = True
    pictures: Annotated[int, Field(ge=0, le=8)] = 0
    effort: Literal["low", "medium", "high", "xhigh"] | None = None


@dataclass(frozen=True, config=closed)
class PointPlan:
    """A moment, and how it is aimed at."""

    at: Point
    prompt: Name
    about: str = ""
    jitter_ms: Annotated[float, Field(ge=0)] = 0.0
    hits: Share = 0.9

    @property
    def needs(self) -> tuple[str, ...]:
        """What a target must claim to come to this moment."""
        return self.at.needs


@dataclass(frozen=True, config=closed)
class WayPlan:
    """A way of stopping."""

    does: Way
    about: str = ""

    @property
    def needs(self) -> tuple[str, ...]:
        """What a target must claim to be stopped so."""
        return self.does.needs


@dataclass(frozen=True, config=closed)
class Limits:
    """What is promised of every race."""

    texts_after_ack: Annotated[int, Field(ge=0)] = 6
    freed: Share = 0.75
    rest_ms: Annotated[float, Field(ge=0)] = 300.0
    idle: Annotated[float, Field(gt=0)] = 0.5


@dataclass(frozen=True, config=closed)
class Races:
    """A scenario file of races, whole."""

    name: Name
    question: Text
    answer: Text
    """What the final result is, in words."""
    opening: Asked
    bystander: Asked
    prompt: Annotated[tuple[Prompt, ...], Field(min_length=1)]
    point: Annotated[tuple[PointPlan, ...], Field(min_length=1)]
    way: Annotated[tuple[WayPlan, ...], Field(min_length=1)]
    rounds: Annotated[int, Field(ge=1, le=10_000)] = 100
    together: Count = 6
    seed: Annotated[int, Field(ge=0)] = 0
    system: str = ""
    settings: Settings = field(default_factory=Settings)
    limits: Limits = field(default_factory=Limits)

    def prompt_of(self, point: Point) -> Prompt:
        """What is asked at a point."""
        plan = self.plan_of(point)
        return next(prompt for prompt in self.prompt if prompt.name == plan.prompt)

    def plan_of(self, point: Point) -> PointPlan:
        """How a point is aimed at."""
        return next(plan for plan in self.point if plan.at is point)


_ADAPTER: TypeAdapter[Races] = TypeAdapter(Races)


def parse_races(text: str, path: Path) -> Races:
    """The races that a TOML text tells; `path` is only for messages.

    Raises:
        ScenarioError: with the line and key of the first thing that is wrong.
    """
    races = parse_toml(text, path, _ADAPTER)
    for key, said in _mistakes(races):
        raise mistake(path, text, key, said)
    return races


def _mistakes(races: Races) -> Iterator[tuple[Key, str]]:
    names = [prompt.name for prompt in races.prompt]
    for place, prompt in enumerate(races.prompt):
        if prompt.name in names[:place]:
            yield ("prompt", place, "name"), f"two prompts are called {prompt.name!r}"
    points = [plan.at for plan in races.point]
    for place, plan in enumerate(races.point):
        if plan.at in points[:place]:
            yield ("point", place, "at"), f"{plan.at.value!r} stands here twice"
        if plan.prompt not in names:
            known = ", ".join(sorted(names))
            yield ("point", place, "prompt"), f"no prompt is called {plan.prompt!r}; known: {known}"
    ways = [plan.does for plan in races.way]
    for place, way in enumerate(races.way):
        if way.does in ways[:place]:
            yield ("way", place, "does"), f"{way.does.value!r} stands here twice"
