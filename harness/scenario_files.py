"""Which scenario files come with the harness, and which one is meant by a name?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from harness.errors import UnknownScenario
from harness.exam.cases import load_cases

if TYPE_CHECKING:
    from harness.exam.cases import CaseFile
    from harness.exam.scenario import Exam

__all__ = ["SCENARIOS", "cases_of", "find_scenario", "known_scenarios"]

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


def cases_of(exam: Exam, path: Path) -> CaseFile:
    """The cases that the exam in this file names, beside that file.

    Raises:
        ScenarioError: they cannot be read, or do not hold what the exam asks for.
    """
    return load_cases(path.parent / exam.cases.file)
