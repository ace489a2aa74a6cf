"""Which parts of a suite are played, and is each of them something that can be?

Every mistake in the suite, in a scenario it names or in what is asked of one is found here, before
the target is met.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING

from harness.errors import UsageError
from harness.fingerprint import fingerprint
from harness.kinds import load_scenario
from harness.playing import Asked
from harness.scenario_files import scenario_beside
from harness.suite.parts import parse_suite
from harness.suite.runner import PlannedPart, SuiteOrder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.console import Console

    from harness.suite.parts import Part, Suite

__all__ = ["plan_suite"]


def plan_suite(
    text: str,
    path: Path,
    console: Console,
    *,
    quick: bool = False,
    only: Sequence[str] = (),
    asked: Asked | None = None,
) -> SuiteOrder:
    """What is to be run of a suite file; `console` is where the parts draw their progress.

    `asked` is what was said of all parts; it goes to those of which it can be said.

    Raises:
        UsageError: `only` names a part that is not there, or that the quick run leaves out.
        ScenarioError: the suite file, or a scenario that it names, cannot be run.
    """
    suite = parse_suite(text, path)
    _check_names(suite, only, quick=quick)
    return SuiteOrder(
        suite=suite,
        text=text,
        parts=[
            _planned(part, path, console, asked or Asked(), quick=quick)
            for part in suite.parts(quick=quick, only=only)
        ],
        quick=quick,
        only=tuple(only),
        fingerprint=fingerprint(),
    )


def _planned(
    part: Part, suite: Path, console: Console, of_all: Asked, *, quick: bool
) -> PlannedPart:
    path, asked = scenario_beside(suite, part.scenario), part.asked(quick=quick)
    kind, scenario, text = load_scenario(path)
    kind.refuse(asked)
    heeded = [name for name in of_all.given if name in kind.options and name not in asked.given]
    asked = replace(asked, **{name: getattr(of_all, name) for name in heeded})
    return PlannedPart(
        name=part.called,
        scenario=part.scenario,
        asked=asked,
        player=functools.partial(kind.player, asked, scenario, text, path, console),
        page=kind.page(asked, scenario),
    )


def _check_names(suite: Suite, only: Sequence[str], *, quick: bool) -> None:
    there = [part.called for part in suite.parts(quick=quick)]
    for name in only:
        if name not in there:
            which = "quick run" if quick else "suite"
            raise UsageError(
                f"--only {name!r} is no part of the {which}; it has: {', '.join(there)}"
            )
