"""What was seen: turns of visits, as values and as JSON that can be read again."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from harness.fingerprint import Commit, Fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Asked", "Kind", "Seen", "Turn", "Visit", "dump", "load"]


class Kind(StrEnum):
    """What a turn is asked for."""

    SHORT = "short"
    """A single short prompt: decode at little depth."""
    COLD = "cold"
    """A thousand tokens that the server has not seen, one token wanted: prefill."""
    DEEP = "deep"
    """The same again, or a later turn behind it: decode at depth."""
    WARM = "warm"
    """A later turn of a deep conversation: as DEEP, and its time to first token counts."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn; times in seconds from the first byte sent, by the client's clock."""

    conversation: str
    kind: Kind
    prompt_tokens: int
    cached_tokens: int
    made: int
    """As the server counts them, and the token that ended the answer where it leaves that out."""
    first_text_s: float | None
    """None where no text came."""
    finish_s: float
    steps: int
    """Tokens that were made between the first text seen and the finish."""
    text: str
    """The answer without the reasoning."""
    drafted: int | None
    accepted: int | None
    """Draft tokens, as the server counts them; None where it drafts none."""
    decode_s: float | None
    """The server's own clock over its decode; None where it does not say."""
    dirty: bool
    """Our own loop was late."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One server's life: started, asked, ended."""

    arm: str
    """`Arm.label`."""
    round: int
    ready_s: float
    peak_bytes: int
    load: float
    """The machine's load average over a minute, before the server was started."""
    turns: tuple[Turn, ...]

    def of(self, *kinds: Kind) -> tuple[Turn, ...]:
        """Its turns of these kinds."""
        return tuple(turn for turn in self.turns if turn.kind in kinds)

    @property
    def summary(self) -> str:
        """For whoever waits."""
        steps = sum(turn.steps for turn in self.turns)
        return f"{self.arm}: {len(self.turns)} turns, {steps} steps, load {self.load:.1f}"


@dataclass(frozen=True, slots=True)
class Seen:
    """A run so far."""

    visits: list[Visit] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)
    """Why an arm, by its label, could not be measured (any further)."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a report says of an arm, without the means to start it."""

    name: str
    threads: int | None
    """None where the server chooses."""

    @property
    def label(self) -> str:
        """Its name and threads, the key of its visits."""
        return f"{self.name}, {self.threads or 'its own choice of'} threads"


def dump(machine: Fingerprint, arms: Sequence[Asked], seen: Seen) -> str:
    """All of it, as JSON, for `load`."""
    held: dict[str, Any] = {
        "machine": asdict(machine),
        "arms": [{"name": arm.name, "threads": arm.threads} for arm in arms],
        "failures": seen.failures,
        "visits": [asdict(visit) for visit in seen.visits],
    }
    return json.dumps(held, indent=1, ensure_ascii=False) + "\n"


def load(text: str) -> tuple[Fingerprint, tuple[Asked, ...], Seen]:
    """What `dump` was given."""
    held: dict[str, Any] = json.loads(text)
    machine = held["machine"]
    commit = Commit(**machine["commit"]) if machine["commit"] else None
    return (
        Fingerprint(**(machine | {"commit": commit})),
        tuple(Asked(**arm) for arm in held["arms"]),
        Seen([_visit(visit) for visit in held["visits"]], held["failures"]),
    )


def _visit(held: Mapping[str, Any]) -> Visit:
    turns = tuple(Turn(**(turn | {"kind": Kind(turn["kind"])})) for turn in held["turns"])
    return Visit(**(dict(held) | {"turns": turns}))
