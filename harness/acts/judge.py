"""What follows from a run of acts: a verdict for each promise, and the exit code.

A pure function of what is on disk, so that a result can be derived again from a folder at any time
and comes out the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.acts.scenario import RESTART
from harness.capabilities import Capabilities, capabilities, unclaimed
from harness.checks import check_turn
from harness.judged import Judged, JudgedRun
from harness.played import play_back
from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.acts.scenario import Acts, Cell
    from harness.played import PlayedTurn
    from harness.results import RunRecord, Seen
    from harness.trace import Trace

__all__ = ["ActsResult", "judge_acts", "why_not_played"]


@dataclass(frozen=True, slots=True)
class ActsResult(JudgedRun):
    """A run of acts, judged."""

    record: RunRecord
    scenario: Acts
    can: Capabilities
    turns: tuple[PlayedTurn, ...]
    """Every request in the order it was sent, resets and closes among them."""


def judge_acts(record: RunRecord, acts: Acts, traces: Sequence[Trace]) -> ActsResult:
    """Everything that follows from a run."""
    promises = {promised.label: promised.promise for promised in record.promised}
    turns = play_back(promises, traces)
    can = capabilities(record.target.runtime, [turn.reuse for turn in turns])
    played = {turn.label for turn in turns}
    return ActsResult(
        record=record,
        scenario=acts,
        can=can,
        turns=turns,
        judged=(*_judge_turns(turns, can), *_judge_skipped(record, acts)),
        unplayed=tuple(label for label in promises if label not in played),
    )


def why_not_played(cell: Cell, target: Seen) -> str:
    """What a target lacks to be asked a cell; empty where it lacks nothing."""
    claims = [need for need in cell.needs if need != RESTART]
    if missing := unclaimed(claims, target.runtime):
        return f"the target lacks {'; '.join(missing)}"
    if RESTART in cell.needs and target.kind != "embedded":
        return "the target was not started here, so it cannot be started again"
    return ""


def _judge_turns(turns: Sequence[PlayedTurn], can: Capabilities) -> Iterator[Judged]:
    for turn in turns:
        label = turn.label
        about = f"{label.leg} request {label.turn}, repeat {label.repeat}"
        for verdict in check_turn(turn, can):
            yield Judged(verdict, label, about)


def _judge_skipped(record: RunRecord, acts: Acts) -> Iterator[Judged]:
    """The cells that were not played."""
    for cell in acts.cell:
        if why := why_not_played(cell, record.target):
            message = f"not played, {why}"
            yield Judged(Verdict("target.claims", Outcome.SKIP, message), None, cell.name)
