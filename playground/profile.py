"""What has the setup made ready on this machine, to be served where nobody asks for another?

`.runtime/profile.json`, which `python -m bootstrap` writes when all that it names is there:

    {"schema": 1, "profile": "muse", "pin": "muse-m5", "digest": "…",
     "arguments": ["--worker", "…/muse_glimmer_worker …", "--worker-kind", "native",
                   "--model-dir", "…"]}

`arguments` are flags of this server, of those in `FLAGS`. What a flag or its variable says wins
over them; other keys are for other readers.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["FILE", "FLAGS", "MEND", "Profile", "ProfileBroken", "read_profile"]

FILE = "profile.json"
SCHEMA = 1
FLAGS = (
    "max-sessions",
    "model-dir",
    "no-dflash",
    "port",
    "ready-timeout",
    "threads",
    "worker",
    "worker-kind",
)
"""What a profile may say."""
SWITCHES = ("no-dflash",)
MEND = "make it anew with `python -m bootstrap`, or do without it with --profile none"


class ProfileBroken(Exception):
    """The file cannot be used; the message names it, and what to do."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}; {MEND}")
        self.path, self.problem = path, problem


@dataclass(frozen=True, slots=True)
class Profile:
    """What is to be served here."""

    path: Path
    name: str
    """`muse` or `embedded`."""
    flags: Mapping[str, str]
    """By the flag's name without its dashes; a switch is `1`."""


def read_profile(path: Path) -> Profile:
    """The profile in a file.

    Raises:
        ProfileBroken: it cannot be read, or says what it may not.
    """
    try:
        told: Any = json.loads(path.read_bytes())
    except OSError as error:
        raise ProfileBroken(path, str(error.strerror)) from error
    except ValueError as error:
        raise ProfileBroken(path, f"it is not JSON: {error}") from error
    if not isinstance(told, dict) or told.get("schema") != SCHEMA:
        raise ProfileBroken(path, f'it is no object with "schema": {SCHEMA}')
    arguments = told.get("arguments")
    if not isinstance(arguments, list) or not all(isinstance(word, str) for word in arguments):
        raise ProfileBroken(path, "its `arguments` are no list of strings")
    return Profile(path, str(told.get("profile", "")), _flags(path, arguments))


def _flags(path: Path, arguments: Sequence[str]) -> Mapping[str, str]:
    flags = {}
    words = iter(arguments)
    for word in words:
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or name not in FLAGS:
            raise ProfileBroken(path, f"{word!r} is not for a profile")
        if name in SWITCHES:
            flags[name] = "1"
        elif equals:
            flags[name] = value
        elif (value := next(words, "")) == "":
            raise ProfileBroken(path, f"{word} has no value")
        else:
            flags[name] = value
    return flags
