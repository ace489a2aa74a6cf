"""Which scenarios and suites come with the harness, and which file is meant by a name?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from harness.errors import UnknownScenario, UnknownSuite
from harness.exam.cases import load_cases

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.exam.cases import CaseFile
    from harness.exam.scenario import Exam

__all__ = [
    "SCENARIOS",
    "SUITES",
    "cases_of",
    "find_scenario",
    "find_suite",
    "known_scenarios",
    "scenario_beside",
]

SCENARIOS = Path(__file__).resolve().parent.parent / "scenarios"
SUITES = SCENARIOS / "suites"


def known_scenarios(folder: Path = SCENARIOS) -> dict[str, Path]:
    """The scenarios, or the suites, that come with the harness, by name."""
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def find_scenario(name: str, folder: Path = SCENARIOS) -> Path:
    """The file of a known name, or the file that the name itself is.

    Raises:
        UnknownScenario: neither; the message lists the known names.
    """
    known = known_scenarios(folder)
    found = _file(name, known)
    if found is None:
        raise UnknownScenario(name, tuple(known))
    return found


def scenario_beside(suite: Path, name: str) -> Path:
    """The file of a scenario that a suite file names: known, or a file beside the suite.

    Raises:
        UnknownScenario: neither.
    """
    return suite.parent / name if name.endswith(".toml") else find_scenario(name)


def find_suite(name: str, folder: Path = SUITES) -> Path:
    """The file of a known suite, or the file that the name itself is.

    Raises:
        UnknownSuite: neither; the message lists the known names.
    """
    known = known_scenarios(folder)
    found = _file(name, known)
    if found is None:
        raise UnknownSuite(name, tuple(known))
    return found


def _file(name: str, known: Mapping[str, Path]) -> Path | None:
    path = Path(name)
    return known.get(name) or (path if path.suffix == ".toml" or path.is_file() else None)


def cases_of(exam: Exam, path: Path) -> CaseFile:
    """The cases that the exam in this file names, beside that file.

    Raises:
        ScenarioError: they cannot be read, or do not hold what the exam asks for.
    """
    return load_cases(path.parent / exam.cases.file)
