"""What does a gate measure, with which margins, and how often? Data in, or an error with its line.

name, question         as in a scenario
scenarios              played at each start, in this order, by their file names in `scenarios/`
suite, quick, only     the acceptance suite that both sides have to pass, and which of its parts
pairs, least           at most so many pairs of starts; nothing is decided before `least`
confirm                pairs of the fresh block that a fail has to be found in again: see `decision`
budget_min             minutes after which no new pair begins
confidence             of the interval, two-sided: 0.90
cooldown_s             rest before each start
[[metric]]             one number of a start:
    name, title            what reports call it
    measure                a metric of `harness.metrics` by name, or one of `OF_START`
    scenario, leg, turns   the turns that it is the median of; empty `turns` for all of a leg
    margin                 the change for the worse that is accepted, as a share: 0.05
    gated                  whether it can fail the gate; at most `MOST_GATED` can, with a margin
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field, TypeAdapter
from pydantic.dataclasses import dataclass

from harness.scenario import Name, Text, closed
from harness.toml_values import mistake, parse_toml

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["MOST_GATED", "OF_START", "GateMetric", "Policy", "parse_policy"]

MOST_GATED = 6
"""With more, one of them is outside its margin by chance too often."""

OF_START = (
    "start.ready",
    "start.load",
    "memory.worker_peak",
    "memory.worker_steady",
    "memory.server_peak",
)
"""Numbers that belong to a start and not to a turn."""


@dataclass(frozen=True, config=closed)
class GateMetric:
    """One number of a start."""

    name: Name
    title: Text
    measure: Text
    scenario: Name = ""
    leg: Text = ""
    turns: tuple[Annotated[int, Field(ge=1)], ...] = ()
    margin: Annotated[float, Field(gt=0, lt=1)] | None = None
    gated: bool = False


@dataclass(frozen=True, config=closed)
class Policy:
    """A policy file, whole."""

    name: Name
    question: Text
    scenarios: Annotated[tuple[Name, ...], Field(min_length=1)]
    metric: Annotated[tuple[GateMetric, ...], Field(min_length=1)]
    suite: Name = "acceptance"
    quick: bool = True
    only: tuple[Name, ...] = ()
    pairs: Annotated[int, Field(ge=2, le=100)] = 10
    least: Annotated[int, Field(ge=2, le=100)] = 4
    confirm: Annotated[int, Field(ge=2, le=100)] = 6
    budget_min: Annotated[float, Field(gt=0)] = 20.0
    confidence: Annotated[float, Field(gt=0.5, lt=1)] = 0.90
    cooldown_s: Annotated[float, Field(ge=0)] = 1.0


_ADAPTER: TypeAdapter[Policy] = TypeAdapter(Policy)


def parse_policy(text: str, path: Path) -> Policy:
    """The policy that a TOML text tells; `path` is only for messages.

    Raises:
        ScenarioError: with the line and key of the first thing that is wrong.
    """
    policy = parse_toml(text, path, _ADAPTER)
    for loc, said in _rules(policy):
        raise mistake(path, text, loc, said)
    return policy


def _rules(policy: Policy) -> Iterator[tuple[tuple[int | str, ...], str]]:
    """What no single key can tell: where it is wrong, and what."""
    names = [metric.name for metric in policy.metric]
    gated = [place for place, metric in enumerate(policy.metric) if metric.gated]
    for place, metric in enumerate(policy.metric):
        if metric.name in names[:place]:
            yield ("metric", place, "name"), f"{metric.name!r} is there twice"
        if metric.gated and metric.margin is None:
            yield ("metric", place, "gated"), "what can fail the gate has a margin"
    if len(gated) > MOST_GATED:
        yield ("metric", gated[MOST_GATED], "gated"), f"at most {MOST_GATED} can fail the gate"
    if policy.least > policy.pairs:
        yield ("least",), f"more than the {policy.pairs} pairs there are at most"
