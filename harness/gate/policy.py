"""What does a gate measure, with which margins, and how often? Data in, or an error with its line.

name, question         as in a scenario
scenarios              played at each start, in this order, by their file names in `scenarios/`
suite, quick, only     the acceptance suite that both sides have to pass, and which of its parts
pairs, least           at most so many pairs of starts; nothing is decided before `least`
confirm                pairs of the fresh block that a fail has to be found in again: see `decision`
budget_min             minutes after which no new pair begins, but those of the fresh block
confidence             of the interval, two-sided: 0.90
cooldown_s             rest before each start
    together               both sides of a pair are up at once, where a machine can hold both, and
                           are asked in turn, request by request (`alternation`)
agreement              the share of a greedy answer that both sides have to begin with, in the
                       median, where they have one model; absent: shown, not judged
[[metric]]             one number of a start:
    name, title            what reports call it
    measure                a metric of `harness.metrics` by name, or one of `OF_START`
    scenario, leg, turns   of such a metric, the turns that it is the median of, over all repeats;
                           a leg as traces are labelled, `long.ann`; empty `turns` for all of it
    margin                 the change for the worse that is accepted, as a share: 0.05
    gated                  whether it can fail the gate; at most `MOST_GATED` can, with a margin

Policies that come with the project are known by the name of their file.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, TypeAdapter
from pydantic.dataclasses import dataclass

from harness.errors import UnknownPolicy
from harness.metrics import METRICS
from harness.scenario import Name, Text, closed
from harness.scenario_rules import no_such
from harness.toml_values import mistake, parse_toml
from harness.units import BYTES, SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harness.scenario_rules import Key
    from harness.units import Unit

__all__ = [
    "DEFAULT_POLICY",
    "GATES",
    "MOST_GATED",
    "MOST_PAIRS",
    "OF_START",
    "GateMetric",
    "Policy",
    "find_policy",
    "known_policies",
    "parse_policy",
]

GATES = Path(__file__).resolve().parents[2] / "bootstrap" / "gates"

DEFAULT_POLICY = "embedded"
"""The one where none is named."""
MOST_PAIRS = 100
"""That a gate can be asked for."""
MOST_GATED = 6
"""With more, one of them is outside its margin by chance too often."""

OF_START: Mapping[str, Unit] = {
    "start.ready": SECONDS,
    "start.load": SECONDS,
    "memory.worker_peak": BYTES,
    "memory.worker_steady": BYTES,
    "memory.server_peak": BYTES,
}
"""Numbers that belong to a start and not to a turn, each with its unit."""


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

    @property
    def unit(self) -> Unit:
        """Of its value."""
        return OF_START.get(self.measure) or METRICS[self.measure].unit


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
    together: bool = False
    agreement: Annotated[float, Field(gt=0, le=1)] | None = None


_ADAPTER: TypeAdapter[Policy] = TypeAdapter(Policy)


def parse_policy(text: str, path: Path) -> Policy:
    """The policy that a TOML text tells; `path` is only for messages.

    Raises:
        ScenarioError: with the line and key of the first thing that is wrong.
    """
    policy = parse_toml(text, path, _ADAPTER)
    for key, said in _rules(policy):
        raise mistake(path, text, key, said)
    return policy


def known_policies(folder: Path = GATES) -> dict[str, Path]:
    """The policies that come with the project, by name."""
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def find_policy(name: str, folder: Path = GATES) -> Path:
    """The file of a known name, or the file that the name itself is.

    Raises:
        UnknownPolicy: neither; the message lists the known names.
    """
    known, path = known_policies(folder), Path(name)
    if name in known:
        return known[name]
    if path.suffix == ".toml" or path.is_file():
        return path
    raise UnknownPolicy(name, tuple(known))


def _rules(policy: Policy) -> Iterator[tuple[Key, str]]:
    """What no single key can tell: where it is wrong, and what."""
    names = [metric.name for metric in policy.metric]
    gated = [place for place, metric in enumerate(policy.metric) if metric.gated]
    for place, metric in enumerate(policy.metric):
        if metric.name in names[:place]:
            yield ("metric", place, "name"), f"{metric.name!r} is there twice"
        if metric.gated and metric.margin is None:
            yield ("metric", place, "gated"), "what can fail the gate has a margin"
        for key, said in _measure_rules(metric, policy):
            yield ("metric", place, key), said
    if not gated:
        yield ("metric", 0, "gated"), "one metric at least can fail the gate"
    if len(gated) > MOST_GATED:
        yield ("metric", gated[MOST_GATED], "gated"), f"at most {MOST_GATED} can fail the gate"
    if policy.least > policy.pairs:
        yield ("least",), f"more than the {policy.pairs} pairs there are at most"


def _measure_rules(metric: GateMetric, policy: Policy) -> Iterator[tuple[str, str]]:
    of_turns = metric.measure in METRICS
    if not of_turns and metric.measure not in OF_START:
        yield "measure", no_such("metric", metric.measure, {*METRICS, *OF_START})
    elif of_turns and not (metric.scenario and metric.leg):
        yield "measure", "is taken of turns: say of which scenario and leg"
    elif not of_turns and (metric.scenario or metric.leg or metric.turns):
        yield "measure", "is one number of a start, and has neither scenario, leg nor turns"
    elif of_turns and metric.scenario not in policy.scenarios:
        yield "scenario", f"{metric.scenario!r} is none of the scenarios that are played"
