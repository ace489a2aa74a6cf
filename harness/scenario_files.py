"""Which scenario files are there, of which kind is one, and what may a file of each kind say?

    conversation   `[[turn]]`s: one conversation, told once, played by legs     (harness.scenario)
    suite          `[cases]`: many prompts, each on its own, answered by legs   (harness.suite)

This is the one place that knows both.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

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
    "known_scenarios",
    "load_scenario",
]

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


def load_scenario(path: Path) -> tuple[Scenario | Suite, str]:
    """The scenario in a file, and the file's text.

    Raises:
        ScenarioError: the file cannot be read, or says something that cannot be run.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise ScenarioError(path, f"cannot be read ({problem})") from problem
    return (parse_suite if _has_cases(text) else parse_scenario)(text, path), text


def cases_of(suite: Suite, path: Path) -> CaseFile:
    """The cases that the suite in this file names, beside that file.

    Raises:
        ScenarioError: they cannot be read, or do not hold what the suite asks for.
    """
    return load_cases(path.parent / suite.cases.file)


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a scenario file of either kind, for editors."""
    kinds: dict[str, TypeAdapter[Any]] = {
        "Conversation": TypeAdapter(Scenario),
        "Suite": TypeAdapter(Suite),
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
        "else": schemas["Conversation", "validation"],
        "$defs": shared["$defs"],
    }


def _has_cases(text: str) -> bool:
    try:
        return "cases" in tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
