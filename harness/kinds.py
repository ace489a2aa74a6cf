"""Which kinds of scenario are there, and what does one of each kind need to be run and reported?

    conversation   `[[turn]]`s: one conversation, told once, played by legs     (harness.scenario)
    exam           `[cases]`: many prompts, each on its own, answered by legs   (harness.exam)
    acts           `[[cell]]`s: what people do besides asking on, by clients    (harness.acts)
    conformance    `[[probe]]`s: single requests, and the rules of their answers
                                                                         (harness.conformance)
    races          `[[point]]`s: a turn is stopped at a moment, in some way     (harness.races)
    load           `[load]`: many clients on one worker, and probes beside them (harness.load)
    page           `[[visit]]`s: what somebody does in the target's own page    (harness.visits)

A file's kind shows in a top-level key that only files of that kind have.  This is the one place
that knows every kind: the command, the reports and the schema ask here.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from harness.acts.judge import ActsResult, judge_acts
from harness.acts.scenario import Acts, parse_acts
from harness.conformance.judge import ProbesResult, judge_probes
from harness.conformance.scenario import Probes, parse_probes
from harness.driver import page_legs
from harness.errors import UsageError
from harness.exam.judge import ExamResult, judge_exam
from harness.exam.record import read_exam_run
from harness.exam.scenario import Exam, parse_exam
from harness.judge import Result, judge
from harness.load.judge import LoadResult, judge_load
from harness.load.scenario import Load, parse_load
from harness.playing import (
    acts_player,
    conversation_player,
    exam_player,
    load_player,
    probes_player,
    races_player,
    visits_player,
)
from harness.races.judge import RacesResult, judge_races
from harness.races.scenario import Races, parse_races
from harness.report import render_exam_reports, render_reports
from harness.report.acts import tell_acts
from harness.report.conformance import tell_probes
from harness.report.console import print_result
from harness.report.exam.console import print_exam
from harness.report.load import tell_load
from harness.report.races import tell_races
from harness.report.sheets import sheet_reports, show_sheets
from harness.report.visits import tell_visits
from harness.results import read_run, read_run_as, read_text
from harness.scenario import Scenario, parse_scenario
from harness.toml_values import read_toml_file
from harness.visits.judge import VisitsResult, judge_visits
from harness.visits.scenario import Visits, parse_visits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from rich.console import Console

    from harness.judged import JudgedRun
    from harness.playing import Asked, Player
    from harness.report.sheets import Told

__all__ = [
    "KINDS",
    "Kind",
    "derive",
    "json_schema",
    "kind_of",
    "kind_of_result",
    "load_scenario",
    "reports_of",
]


@dataclass(frozen=True, slots=True)
class Kind:
    """What is done with a scenario of one kind; `Any` is its scenario, or its result."""

    name: str
    key: str
    """The top-level key of its files."""
    scenario: type
    result: type
    options: frozenset[str]
    """Which fields of `playing.Asked` it heeds; the others are refused."""
    parse: Callable[[str, Path], Any]
    """(text, path for messages) to a scenario; raises ScenarioError."""
    player: Callable[..., Player]
    """(asked, scenario, text, path, console, stack) to what plays it."""
    judge: Callable[[Path], Any]
    """A run folder, or the trace in it, to a result; raises TraceError, ScenarioError."""
    reports: Callable[[Any], dict[str, str]]
    """A result to the text of every report, by file name."""
    show: Callable[[Any, Path, Console], None]
    """Prints a result, and where it is kept."""
    page: Callable[[Asked, Any], bool] = lambda _asked, _scenario: False
    """Whether a scenario, asked for so, needs the target to serve its page."""

    def refuse(self, asked: Asked) -> None:
        """What was asked on the command line and this kind does not heed.

        Raises:
            UsageError: with the option, and which kinds know it.
        """
        for option in asked.given:
            if option not in self.options:
                able = [kind.name for kind in KINDS.values() if option in kind.options]
                raise UsageError(
                    f"--{option} is for scenarios of kind {', '.join(able)}; "
                    f"this one is of kind {self.name}"
                )


def _sheets(tell: Callable[[Any], Told]) -> dict[str, Any]:
    """Reports and terminal of a kind whose result is told by tables."""
    return {
        "reports": lambda result: sheet_reports(result, tell(result)),
        "show": lambda result, *where: show_sheets(result, tell(result), *where),
    }


KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            name="conversation",
            key="turn",
            scenario=Scenario,
            result=Result,
            options=frozenset({"repeat", "seed", "driver", "chromium"}),
            parse=parse_scenario,
            player=conversation_player,
            judge=lambda path: judge(*read_run(path)),
            reports=render_reports,
            show=print_result,
            page=lambda asked, scenario: page_legs(scenario, asked.driver or "http"),
        ),
        Kind(
            name="exam",
            key="cases",
            scenario=Exam,
            result=ExamResult,
            options=frozenset({"repeat", "first"}),
            parse=parse_exam,
            player=exam_player,
            judge=lambda path: judge_exam(*read_exam_run(path)),
            reports=render_exam_reports,
            show=print_exam,
        ),
        Kind(
            name="acts",
            key="cell",
            scenario=Acts,
            result=ActsResult,
            options=frozenset({"repeat", "seed"}),
            parse=parse_acts,
            player=acts_player,
            judge=lambda path: judge_acts(*read_run_as(parse_acts, path)),
            **_sheets(tell_acts),
        ),
        Kind(
            name="conformance",
            key="probe",
            scenario=Probes,
            result=ProbesResult,
            options=frozenset(),
            parse=parse_probes,
            player=probes_player,
            judge=lambda path: judge_probes(*read_run_as(parse_probes, path)),
            **_sheets(tell_probes),
        ),
        Kind(
            name="races",
            key="point",
            scenario=Races,
            result=RacesResult,
            options=frozenset({"rounds", "seed"}),
            parse=parse_races,
            player=races_player,
            judge=lambda path: judge_races(*read_run_as(parse_races, path)),
            **_sheets(tell_races),
        ),
        Kind(
            name="load",
            key="load",
            scenario=Load,
            result=LoadResult,
            options=frozenset({"rounds", "seed"}),
            parse=parse_load,
            player=load_player,
            judge=lambda path: judge_load(*read_run_as(parse_load, path)),
            **_sheets(tell_load),
        ),
        Kind(
            name="page",
            key="visit",
            scenario=Visits,
            result=VisitsResult,
            options=frozenset({"repeat", "seed", "chromium"}),
            parse=parse_visits,
            player=visits_player,
            judge=lambda path: judge_visits(*read_run_as(parse_visits, path)),
            page=lambda _asked, _scenario: True,
            **_sheets(tell_visits),
        ),
    )
}
"""Every kind by name; the first is what a file is taken for that has no kind's key."""


def load_scenario(path: Path) -> tuple[Kind, Any, str]:
    """The kind of a scenario file, the scenario in it, and its text.

    Raises:
        ScenarioError: the file cannot be read, or says something that cannot be run.
    """
    text = read_toml_file(path)
    kind = kind_of(text)
    return kind, kind.parse(text, path), text


def kind_of(text: str) -> Kind:
    """The kind of a scenario text; what is no TOML is left for its parser to tell."""
    default, *others = KINDS.values()
    try:
        keys = tomllib.loads(text).keys()
    except tomllib.TOMLDecodeError:
        return default
    return next((kind for kind in others if kind.key in keys), default)


def kind_of_result(result: JudgedRun) -> Kind:
    """The kind whose result this is."""
    return next(kind for kind in KINDS.values() if isinstance(result, kind.result))


def derive(path: Path) -> JudgedRun:
    """The result of a run, whichever kind was run; `path` is its folder, or the trace in it.

    Raises:
        TraceError: something is missing or cannot be read, by file and what to try.
        ScenarioError: what was kept is nothing that this version can read.
    """
    folder = path if path.is_dir() else path.parent
    result: JudgedRun = kind_of(read_text(folder / "scenario.toml")).judge(path)
    return result


def reports_of(result: JudgedRun) -> dict[str, str]:
    """The text of every report of a result, by file name."""
    return kind_of_result(result).reports(result)


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a scenario file of any kind, for editors."""
    adapters: dict[str, TypeAdapter[Any]] = {
        name: TypeAdapter(kind.scenario) for name, kind in KINDS.items()
    }
    schemas, shared = TypeAdapter.json_schemas(
        [(name, "validation", adapter) for name, adapter in adapters.items()],
        ref_template="#/$defs/{model}",
    )
    default, *others = KINDS.values()
    chosen: dict[str, Any] = dict(schemas[default.name, "validation"])
    for kind in reversed(others):
        of_kind = schemas[kind.name, "validation"]
        chosen = {"if": {"required": [kind.key]}, "then": of_kind, "else": chosen}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Scenario",
        **chosen,
        "$defs": shared["$defs"],
    }
