"""What was looked at, how was it, and what is to be done?"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["Finding", "State", "exit_code"]


class State(Enum):
    """How a thing was found."""

    OK = "ok"
    WARN = "warn"
    """It works, and somebody should know."""
    FAIL = "fail"
    """It has to be mended."""
    SKIPPED = "skipped"
    """It does not apply here."""
    NOT_RUN = "not-run"
    """It was not looked at; nothing is known."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One row of the table."""

    name: str
    state: State
    found: str
    todo: str = ""
    """What to do; empty where nothing is to be done."""

    def to_json(self) -> dict[str, str]:
        """For `--json`."""
        return {
            "name": self.name,
            "state": self.state.value,
            "found": self.found,
            "todo": self.todo,
        }


def exit_code(findings: list[Finding]) -> int:
    """0 all right, 1 something to mend."""
    return int(any(finding.state is State.FAIL for finding in findings))
