"""Everything that can stop the harness, and the exit code of each.

    HarnessError                      code  whose fault
    ├── UsageError                     2    the command line, or a value given on it
    │   ├── UnknownScenario            2    a name that no scenario file carries
    │   ├── UnknownSuite               2    a name that no suite file carries
    │   ├── PinUnusable                2    a pin that is unknown, not what it says, or not prepared
    │   ├── UnknownPolicy              2    a name that no gate's policy carries
    │   ├── ScenarioError              2    a scenario file, with path, line and key
    │   ├── NotComparable              2    two measurements that differ in more than is asked
    │   └── TooCoarse                  2    a margin that the instrument cannot resolve
    ├── NotAsPinned                    2    a server runs something else than its pin says
    ├── TraceError                     2    a recorded trace that cannot be read again
    ├── TargetError                    3    the server under test cannot be measured at all
    │   ├── TargetUnreachable          3    nothing answers at the address
    │   ├── TargetNotReady             3    it answers, but not as a ready chat server
    │   ├── LaunchFailed               3    the playground we started ended or never got ready
    │   ├── PageUnusable               3    it has no page of ours, or there is no browser for it
    │   └── PageStuck                  3    something that the page must have or do never came
    └── Interrupted                    3    the person stopped the run

A failed *check* is not an error: it is a `Verdict`, and makes the run exit with 1.
Exit codes of a run: 0 every check passed, 1 a check failed, 2 used wrongly, 3 could not tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = [
    "HarnessError",
    "Interrupted",
    "LaunchFailed",
    "NotAsPinned",
    "NotComparable",
    "PageStuck",
    "PageUnusable",
    "PinUnusable",
    "ScenarioError",
    "TargetError",
    "TargetNotReady",
    "TargetUnreachable",
    "TooCoarse",
    "TraceError",
    "UnknownPolicy",
    "UnknownScenario",
    "UnknownSuite",
    "UsageError",
]


class HarnessError(Exception):
    """The root: `str()` is what a person is shown; `exit_code` is what the shell gets."""

    exit_code: ClassVar[int] = 3


class UsageError(HarnessError):
    """The command was used wrongly; the message says what to type instead."""

    exit_code = 2


class UnknownScenario(UsageError):
    """No scenario has this name."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"unknown scenario {name!r}; known: {', '.join(known) or 'none'}")
        self.name = name
        self.known = tuple(known)


class UnknownSuite(UsageError):
    """No suite has this name."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"unknown suite {name!r}; known: {', '.join(known) or 'none'}")
        self.name = name
        self.known = tuple(known)


class UnknownPolicy(UsageError):
    """No policy has this name."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"unknown policy {name!r}; known: {', '.join(known) or 'none'}")
        self.name = name
        self.known = tuple(known)


class PinUnusable(UsageError):
    """A pin cannot be a side of anything; the message is bootstrap's."""

    def __init__(self, pin: str, problem: str) -> None:
        super().__init__(problem)
        self.pin, self.problem = pin, problem


class ScenarioError(UsageError):
    """A scenario file says something that cannot be run."""

    def __init__(self, path: Path, problem: str, *, line: int | None = None, key: str = "") -> None:
        where = f"{path}:{line}" if line else str(path)
        super().__init__(f"{where}: {f'{key}: ' if key else ''}{problem}")
        self.path, self.line, self.key, self.problem = path, line, key, problem


class NotComparable(UsageError):
    """Two measurements differ in something else than what is being asked."""


class TooCoarse(UsageError):
    """So many pairs cannot tell what a margin asks for."""


class NotAsPinned(HarnessError):
    """A server was found to run something else than its pin says."""

    exit_code = 2

    def __init__(self, wrong: Sequence[str]) -> None:
        super().__init__("; ".join(wrong))
        self.wrong = tuple(wrong)


class TraceError(HarnessError):
    """A trace file cannot be read again."""

    exit_code = 2

    def __init__(self, path: Path, problem: str, *, line: int | None = None) -> None:
        super().__init__(f"{path}{f':{line}' if line else ''}: {problem}")
        self.path, self.line, self.problem = path, line, problem


class TargetError(HarnessError):
    """The server under test cannot be measured."""


class TargetUnreachable(TargetError):
    """Nothing answers at the address."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"no answer from {url} ({reason}); is the server running?")
        self.url, self.reason = url, reason


class TargetNotReady(TargetError):
    """Something answers, but it is not a chat server that is ready."""

    def __init__(self, url: str, answer: str) -> None:
        super().__init__(f"{url} is not ready: it answered {answer}")
        self.url, self.answer = url, answer


class LaunchFailed(TargetError):
    """The playground that the harness started ended, or never said that it was ready."""

    def __init__(self, command: Sequence[str], reason: str, tail: str = "") -> None:
        said = f"\n{tail}" if tail else ""
        super().__init__(f"could not start {' '.join(command)}: {reason}{said}")
        self.command, self.reason, self.tail = tuple(command), reason, tail


class PageUnusable(TargetError):
    """The target's page cannot be driven; what needs the page is skipped with this reason."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the page cannot be driven: {reason}")
        self.reason = reason


class PageStuck(TargetError):
    """The page did not have, or do, what was waited for."""

    def __init__(self, what: str, told: str) -> None:
        super().__init__(f"the page is stuck: {what} ({told})")
        self.what, self.told = what, told


class Interrupted(HarnessError):
    """The person stopped the run; what was finished is on disk."""
