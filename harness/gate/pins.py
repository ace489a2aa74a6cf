"""What is a side of a gate, and how is it started?

What a pin is made of is `bootstrap`'s to know: it is asked by its command line, and answers JSON.

    python -m bootstrap pin NAME --json       what the pin says, and what was found of it
    python -m bootstrap prepare NAME --json   the same, after its environment was made
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  (pydantic reads the annotations)
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["Loaded", "Pin"]


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a process was found to have loaded, or is expected to."""

    versions: Mapping[str, str] = field(default_factory=dict)
    """By package: `executorch`, `torch`, `python`."""
    artifact_sha256: str = ""
    """Of the model's program; empty where it is not known."""
    libraries: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 by file name, of the native libraries of the runtime."""


@dataclass(frozen=True, slots=True)
class Pin:
    """One side, as it is to be."""

    name: str
    """As it was asked for: `embedded`, `executorch==1.5.0`, `http://127.0.0.1:8080`."""
    kind: Literal["pin", "release", "url"]
    digest: str
    """SHA-256 of all that the pin says; of the address of a URL."""
    facts: Mapping[str, str]
    """What it is made of, for people, in the order of a report: `executorch` → `1.5.1`."""
    why: str = ""
    arguments: tuple[str, ...] = ()
    """What the playground is started with."""
    expected: Loaded = field(default_factory=Loaded)
    """What its processes have to have loaded; what is empty is not known beforehand."""

    @property
    def url(self) -> str | None:
        """The address of a server that somebody else starts."""
        return self.name if self.kind == "url" else None
