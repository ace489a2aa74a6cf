"""What can be asked: each scenario with its kind, its needs and its time, and each suite.

Needs are read wherever a scenario states them: those of all of it, and those of parts of it, which
are skipped alone where the target lacks them.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from harness.suite.parts import Suite

__all__ = ["Listed", "listing", "needs_of"]

TIMES = "on two idle cores"
PAGE = "needs our page, the extra `browser` and a Chromium"


@dataclass(frozen=True, slots=True)
class Listed:
    """A scenario, as far as it is listed."""

    name: str
    kind: str
    scenario: Any
    """Of its kind; it has a question."""


def listing(scenarios: Sequence[Listed], suites: Sequence[Suite]) -> str:
    """The text of `muse-bench list`."""
    budgets = {
        part.scenario: part.budget_s for suite in suites for part in suite.part if part.budget_s
    }
    return "\n".join([*_scenarios(scenarios, budgets), *_suites(suites)]) + "\n"


def needs_of(scenario: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What all of a scenario needs of the target, and what only parts of it need."""
    whole = tuple(getattr(scenario, "needs", ()))
    inner = dict.fromkeys(need for part in _parts(scenario) for need in _needs_within(part))
    return whole, tuple(need for need in inner if need not in whole)


def _needs_within(value: object) -> Iterator[str]:
    yield from getattr(value, "needs", ())
    for part in _parts(value):
        yield from _needs_within(part)


def _parts(value: object) -> Iterator[object]:
    """The dataclasses that a value holds."""
    if is_dataclass(value) and not isinstance(value, type):
        held: Iterable[object] = (getattr(value, each.name) for each in fields(value))
    elif isinstance(value, tuple):
        held = value
    else:
        return
    for each in held:
        if is_dataclass(each):
            yield each
        elif isinstance(each, tuple):
            yield from _parts(each)


def _scenarios(scenarios: Sequence[Listed], budgets: Mapping[str, int]) -> Iterator[str]:
    yield "Scenarios: muse-bench run --scenario NAME"
    for each in scenarios:
        yield ""
        yield each.name
        yield f"    {each.scenario.question}"
        budget = budgets.get(each.name)
        whole, parts = needs_of(each.scenario)
        told = [each.kind]
        if budget:
            told.append(f"up to {_time(budget)} {TIMES}, as the suites play it")
        if each.kind == "page":
            told.append(PAGE)
        if whole:
            told.append(f"needs {', '.join(whole)}")
        if parts:
            told.append(f"parts of it need {', '.join(parts)}")
        yield f"    {'; '.join(told)}"


def _suites(suites: Sequence[Suite]) -> Iterator[str]:
    yield ""
    yield "Suites: muse-bench run --suite NAME"
    for suite in suites:
        yield ""
        yield suite.name
        yield f"    {suite.question}"
        budget = sum(part.budget_s or 0 for part in suite.part)
        said = f"{len(suite.part)} parts"
        yield f"    {said}, up to {_time(budget)} {TIMES}" if budget else f"    {said}"
        for title, quick in (("all", False), ("--quick", True)):
            names = ", ".join(part.called for part in suite.parts(quick=quick))
            yield f"    {title}: {names}"


def _time(seconds: int) -> str:
    return f"{seconds} s" if seconds < 120 else f"{-(-seconds // 60)} min"
