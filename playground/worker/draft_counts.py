"""What did drafting do in a turn?

Every cycle after a turn's first token is one forward pass of the target. A *speculative* cycle
verifies the pending token and its draft in one, a *target-only* one forwards the pending token
alone. A speculative cycle returns the tokens that were accepted and one more, the target's own,
except that an accepted end-of-turn token is the last. So of a turn that was not cut short by a
stop string,

    first token + target_only_cycles + speculative_cycles + accepted
        = completion_tokens, and up to 2 more where the turn ended by itself:
          the end-of-turn token, and the token that did not follow an accepted one

Row i is the i-th token of a draft: `draft_attempts_by_row[i]` cycles proposed one there, and in
`draft_accepts_by_row[i]` of them it was accepted, and with it all before it. The field names are
ExecuTorch's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from playground.worker.errors import MessageError

if TYPE_CHECKING:
    from playground.worker.fields import Fields

__all__ = ["UNAVAILABLE", "DraftCounts", "DraftState", "Tally", "read_draft_counts"]

DraftState = Literal["on", "off", "fallback", "unavailable"]
"""Drafting; switched off; given up for a while because it was slower; no draft in the program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftCounts:
    """The counts of one turn. Times in milliseconds, of the calls into the program."""

    dflash: DraftState
    cycles: int = 0
    speculative_cycles: int = 0
    target_only_cycles: int = 0
    draft_attempts_by_row: tuple[int, ...] = ()
    draft_accepts_by_row: tuple[int, ...] = ()
    draft_execute_ms: float = 0.0
    target_execute_ms: float = 0.0

    @property
    def proposed(self) -> int:
        """Tokens that the draft proposed."""
        return sum(self.draft_attempts_by_row)

    @property
    def accepted(self) -> int:
        """Proposed tokens that the target chose too."""
        return sum(self.draft_accepts_by_row)

    def to_json(self) -> dict[str, object]:
        """Return the counts as they stand in a done line: the state alone where there are none."""
        if self.dflash == "unavailable":
            return {"dflash": self.dflash}
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


class Tally:
    """Counts while a turn runs; `tokens` are proposed a full round, 0 where drafting is off."""

    def __init__(self, tokens: int) -> None:
        self._attempts = [0] * tokens
        self._accepts = [0] * tokens
        self._rounds = self._steps = 0
        self._draft_s = self._target_s = 0.0
        self.gave_up = False
        """Whether a step was taken because drafting did not pay."""

    def step(self, target_s: float) -> None:
        """Count a target-only cycle."""
        self._steps += 1
        self._target_s += target_s

    def round(self, proposed: int, accepted: int, draft_s: float, target_s: float) -> None:
        """Count a speculative cycle."""
        self._rounds += 1
        for row in range(proposed):
            self._attempts[row] += 1
        for row in range(accepted):
            self._accepts[row] += 1
        self._draft_s += draft_s
        self._target_s += target_s

    def counts(self) -> DraftCounts:
        """Return what was counted so far."""
        on: DraftState = "fallback" if self.gave_up else "on"
        return DraftCounts(
            dflash=on if self._attempts else "off",
            cycles=self._rounds + self._steps,
            speculative_cycles=self._rounds,
            target_only_cycles=self._steps,
            draft_attempts_by_row=tuple(self._attempts),
            draft_accepts_by_row=tuple(self._accepts),
            draft_execute_ms=self._draft_s * 1e3,
            target_execute_ms=self._target_s * 1e3,
        )


UNAVAILABLE = DraftCounts(dflash="unavailable")


def read_draft_counts(fields: Fields) -> DraftCounts | None:
    """Read them from a done line; None where it has none."""
    state = fields.optional_choice("dflash", get_args(DraftState))
    if state is None:
        return None
    if state == "unavailable":
        return UNAVAILABLE
    counts = DraftCounts(
        dflash=state,
        cycles=fields.integer("cycles", low=0),
        speculative_cycles=fields.integer("speculative_cycles", low=0),
        target_only_cycles=fields.integer("target_only_cycles", low=0),
        draft_attempts_by_row=fields.counts("draft_attempts_by_row"),
        draft_accepts_by_row=fields.counts("draft_accepts_by_row"),
        draft_execute_ms=fields.number("draft_execute_ms", 0.0),
        target_execute_ms=fields.number("target_execute_ms", 0.0),
    )
    if len(counts.draft_attempts_by_row) != len(counts.draft_accepts_by_row):
        raise MessageError("'draft_attempts_by_row' and 'draft_accepts_by_row' differ in length")
    return counts
