"""What does a scenario file of cases say?

    name, question, answer   what it is called, what it asks, what its final result is
    needs                    what the target must claim in /api/runtime (`dflash`, `vision`); a
                             target that does not is skipped
    warm_ups                 so many cases are sent on every leg before the first; in no figure
    seed                     of the resampling that makes the intervals of comparisons
    [cases]                  file = "cases/some.jsonl", beside this file: see `harness.exam.cases`
    [settings]               generation settings, sent with every case; a case's own strength goes
                             before `reasoning_effort`
    [[leg]]                  one way of asking:
        name, about              what it is called and what it is for
        settings = { … }         settings of its own; those it names go before the ones above, and
                                 `extra` is merged key by key
        groups = ["…"]           of these groups only
        first = 10               so many cases of each group, a pair counting as one
        repeat = 2               every case so often; a seed is one higher each time
    [[goal]]                 leg, of, and a bound:
        of = "overall"           the share of right answers            at_least = 0.95
           | "each group"        the same in every group               at_least = 0.90
           | "pairs"             in every group, the share of opposite pairs of which both are right
           | "malformed"         how many turns broke the contract of the wire      at_most = 0
           | "strengths"         how many times more tokens of reasoning (medians) each strength has
                                 than the one below it              at_least = 1.5
           | "figures"           how many turns report figures that cannot all be true
                             The share itself is judged; its interval is shown beside it.
    [[compare]]              name, metric, baseline, candidate: how many times better a metric is on
                             the candidate, paired by case; `at_least = 1.89` makes it a check
    [[identical]]            legs = ["a", "b"], at_least = 0.99: the share of cases on which two
                             legs give the same text, reasoning and calls

Legs take turns case by case, and who is first changes with every case, so that whatever drifts in
a long run touches them alike.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, TypeAdapter
from pydantic.dataclasses import dataclass

from harness.metrics import METRICS
from harness.scenario import Name, Settings, Text, closed
from harness.toml_values import mistake, parse_toml
from harness.units import Better

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = [
    "Cases",
    "Exam",
    "ExamLeg",
    "Goal",
    "Identical",
    "Need",
    "Ratio",
    "check_against",
    "parse_exam",
]

Share = Annotated[float, Field(gt=0, le=1)]
Need = Literal["dflash", "vision"]


@dataclass(frozen=True, config=closed)
class Cases:
    """Where the cases are."""

    file: Text
    """Beside the scenario file; JSON Lines."""


@dataclass(frozen=True, config=closed)
class ExamLeg:
    """One way of asking the cases."""

    name: Name
    about: str = ""
    """What this leg is for, in a phrase, for reports."""
    settings: Settings = field(default_factory=Settings)
    groups: tuple[Text, ...] = ()
    first: Annotated[int, Field(ge=1)] | None = None
    repeat: Annotated[int, Field(ge=1, le=1000)] = 1


@dataclass(frozen=True, config=closed)
class Goal:
    """What is asked of a leg's answers."""

    leg: Name
    of: Literal["overall", "each group", "pairs", "strengths", "malformed", "figures"]
    at_least: Annotated[float, Field(gt=0)] | None = None
    """A share; of `strengths`, a ratio."""
    at_most: Annotated[int, Field(ge=0)] | None = None


@dataclass(frozen=True, config=closed)
class Ratio:
    """How many times better a metric is on one leg than on another, for the same cases."""

    name: Text
    metric: Text
    """One of `metrics.METRICS` that has a better direction."""
    baseline: Name
    candidate: Name
    at_least: Annotated[float, Field(gt=0)] | None = None
    """It must be this many times better; absent: shown, not judged."""


@dataclass(frozen=True, config=closed)
class Identical:
    """How often two legs give the same answer."""

    legs: tuple[Name, Name]
    at_least: Share


@dataclass(frozen=True, config=closed)
class Exam:
    """A scenario file of cases, whole."""

    name: Name
    question: Text
    answer: Text
    """What the final result is, in words."""
    cases: Cases
    leg: Annotated[tuple[ExamLeg, ...], Field(min_length=1)]
    needs: tuple[Need, ...] = ()
    warm_ups: Annotated[int, Field(ge=0, le=10)] = 0
    seed: Annotated[int, Field(ge=0)] = 0
    settings: Settings = field(default_factory=Settings)
    goal: tuple[Goal, ...] = ()
    compare: tuple[Ratio, ...] = ()
    identical: tuple[Identical, ...] = ()


_ADAPTER: TypeAdapter[Exam] = TypeAdapter(Exam)

_Key = tuple[str | int, ...]


def parse_exam(text: str, path: Path) -> Exam:
    """The exam that a TOML text tells; `path` is only for messages.

    Raises:
        ScenarioError: with the line and key of the first thing that is wrong.
    """
    exam = parse_toml(text, path, _ADAPTER)
    for key, said in _mistakes(exam):
        raise mistake(path, text, key, said)
    return exam


def check_against(exam: Exam, groups: Sequence[str], text: str, path: Path) -> None:
    """That the cases hold every group the exam speaks of; `text` and `path` for messages.

    Raises:
        ScenarioError: a leg asks for a group that no case is of.
    """
    for place, leg in enumerate(exam.leg):
        for group in leg.groups:
            if group not in groups:
                said = f"no case is of {group!r}; there are: {', '.join(groups)}"
                raise mistake(path, text, ("leg", place, "groups"), said)


def _mistakes(exam: Exam) -> Iterator[tuple[_Key, str]]:
    if exam.settings.send_reasoning:
        yield ("settings", "send_reasoning"), "is for conversations; a case brings its messages"
    names = [leg.name for leg in exam.leg]
    for place, leg in enumerate(exam.leg):
        if leg.name in names[:place]:
            yield ("leg", place, "name"), f"two legs are called {leg.name!r}"
        if leg.settings.send_reasoning:
            said = "is for conversations; a case brings its messages"
            yield ("leg", place, "settings", "send_reasoning"), said
    for place, goal in enumerate(exam.goal):
        yield from _goal_mistakes(("goal", place), goal, names)
    for place, ratio in enumerate(exam.compare):
        yield from _ratio_mistakes(("compare", place), ratio, names)
    for place, same in enumerate(exam.identical):
        for name in same.legs:
            if name not in names:
                yield ("identical", place, "legs"), _no_such("leg", name, names)
        if same.legs[0] == same.legs[1]:
            yield ("identical", place, "legs"), "a leg is always identical to itself"


def _goal_mistakes(key: _Key, goal: Goal, names: Sequence[str]) -> Iterator[tuple[_Key, str]]:
    counted = goal.of in {"malformed", "figures"}
    bound, other = ("at_most", "at_least") if counted else ("at_least", "at_most")
    if goal.leg not in names:
        yield (*key, "leg"), _no_such("leg", goal.leg, names)
    if getattr(goal, bound) is None:
        yield key, f"{goal.of} needs {bound}"
    if goal.of != "strengths" and (goal.at_least or 0) > 1:
        yield (*key, "at_least"), f"is a share of 1, not {goal.at_least:g}"
    if getattr(goal, other) is not None:
        yield (*key, other), f"{goal.of} takes {bound}"


def _ratio_mistakes(key: _Key, ratio: Ratio, names: Sequence[str]) -> Iterator[tuple[_Key, str]]:
    if ratio.metric not in METRICS:
        yield (*key, "metric"), _no_such("metric", ratio.metric, tuple(METRICS))
    elif METRICS[ratio.metric].better is Better.NEITHER:
        yield (*key, "metric"), "has no better direction"
    for side in ("baseline", "candidate"):
        if getattr(ratio, side) not in names:
            yield (*key, side), _no_such("leg", getattr(ratio, side), names)


def _no_such(what: str, name: str, known: Sequence[str]) -> str:
    return f"no {what} is called {name!r}; there are: {', '.join(sorted(known))}"
