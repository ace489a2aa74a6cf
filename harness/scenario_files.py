"""Which scenario files are there, of which kind is one, and what may a file of each kind say?

    conversation   `[[turn]]`s: one conversation, told once, played by legs     (harness.scenario)
    suite          `[cases]`: many prompts, each on its own, answered by legs   (harness.suite)
    acts           `[[cell]]`s: what people do besides asking on, by clients    (harness.acts)

This is the one place that knows all three.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import TypeAdapter

from harness.acts.scenario import Acts, parse_acts
from harness.errors import ScenarioError, UnknownScenario
from harness.scenario import Scenario, parse_scenario
from harness.suite.cases import load_cases
from harness.suite.scenario import Suite, parse_suite

if TYPE_CHECKING:
    from harness.suite.cases import CaseFile

__all__ = [
    "SCENARIOS",
    "cases_of",
    "find_scenario",
    "json_schema",
    "kind_of",
    "known_scenarios",
    "load_scenario",
]

Kind = Literal["conversation", "suite", "acts"]

SCENARIOS = Path(__file__).resolve().parent.parent / "scenarios"


def known_scenarios(folder: Path = SCENARIOS) -> dict[str, Path]:
    """The scenarios that come with the harness, by name."""
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def find_scenario(name: str, folder: Path = SCENARIOS) -> Path:
    """The file of a known name, or the file that the name itself is.

    Raises:
        UnknownScenario: neither; the message lists the known names.
    """
    known = known_scenarios(folder)
    if name in known:
        return known[name]
    path = Path(name)
    if path.suffix == ".toml" or path.is_file():
        return path
    raise UnknownScenario(name, tuple(known))


def load_scenario(path: Path) -> tuple[Scenario | Suite | Acts, str]:
    """The scenario in a file, and the file's text.

    Raises:
        ScenarioError: the file cannot be read, or says something that cannot be run.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise ScenarioError(path, f"cannot be read ({problem})") from problem
    match kind_of(text):
        case "suite":
            return parse_suite(text, path), text
        case "acts":
            return parse_acts(text, path), text
        case _:
            return parse_scenario(text, path), text


def kind_of(text: str) -> Kind:
    """The kind of a scenario text; what is no TOML is left for its parser to tell."""
    try:
        keys = tomllib.loads(text).keys()
    except tomllib.TOMLDecodeError:
        return "conversation"
    return "suite" if "cases" in keys else "acts" if "cell" in keys else "conversation"


def cases_of(suite: Suite, path: Path) -> CaseFile:
    """The cases that the suite in this file names, beside that file.

    Raises:
        ScenarioError: they cannot be read, or do not hold what the suite asks for.
    """
    return load_cases(path.parent / suite.cases.file)


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a scenario file of any kind, for editors."""
    kinds: dict[str, TypeAdapter[Any]] = {
        "Conversation": TypeAdapter(Scenario),
        "Suite": TypeAdapter(Suite),
        "Acts": TypeAdapter(Acts),
    }
    schemas, shared = TypeAdapter.json_schemas(
        [(name, "validation", adapter) for name, adapter in kinds.items()],
        ref_template="#/$defs/{model}",
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Scenario",
        "if": {"required": ["cases"]},
        "then": schemas["Suite", "validation"],
        "else": {
            "if": {"required": ["cell"]},
            "then": schemas["Acts", "validation"],
            "else": schemas["Conversation", "validation"],
        },
        "$defs": shared["$defs"],
    }
