"""What did a turn gain by drafting, and can the server's counts of it be true?

A speculative server's model does a *round* (propose tokens, verify them in one pass, return those
accepted and one more) or a *plain step* (one token). The server counts; from its counts follow

    tokens a round    1 + accepted / rounds, the one more included
    acceptance        accepted / proposed
    row i             rounds that accepted their i-th proposal / rounds that made one

and what they have to obey, whoever counted:

    draft.accepted    no more is accepted than was proposed, and no more proposed than rounds have
                      rows for
    draft.rows        rows sum up to the totals, no row is accepted more often than proposed, nor
                      more often than the row before it
    draft.total       first token + plain steps + rounds + accepted = completion, and up to 2 more
                      where the model ended the turn: its end-of-turn token, and the token that did
                      not follow an accepted one
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from harness.turn_facts import Absent, Noted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harness.turn_facts import TurnFacts

__all__ = ["acceptance", "broken_rules", "row_share", "tokens_per_round"]

AT_THE_END = 2
"""Tokens that a turn may have made and does not count."""


def tokens_per_round(turn: TurnFacts) -> float:
    """Tokens returned by a round, in the mean."""
    return 1 + turn.count("draft_accepted").value / _some(turn, "draft_rounds")


def acceptance(turn: TurnFacts) -> Noted:
    """The share of proposed tokens that was accepted."""
    accepted = turn.count("draft_accepted")
    return Noted(accepted.value / _some(turn, "draft_proposed"), accepted.note)


def row_share(row: int) -> Callable[[TurnFacts], float]:
    """The share of rounds with a proposal in this row, from 1, that accepted it."""

    def share(turn: TurnFacts) -> float:
        attempts, accepts = _rows(turn)
        if len(attempts) < row or not attempts[row - 1]:
            raise Absent(f"nothing was proposed in row {row}")
        return accepts[row - 1] / attempts[row - 1]

    return share


def broken_rules(turn: TurnFacts) -> Iterator[tuple[str, str]]:
    """Each rule that the counts break, with both figures; nothing where nothing was drafted."""
    try:
        rounds, proposed, accepted = (
            turn.count(name).value for name in ("draft_rounds", "draft_proposed", "draft_accepted")
        )
        attempts, accepts = _rows(turn)
    except Absent:
        return
    if accepted > proposed:
        yield "draft.accepted", f"{accepted:.0f} accepted, {proposed:.0f} proposed"
    if proposed > rounds * len(attempts):
        most = f"{rounds:.0f} rounds of {len(attempts)} rows"
        yield "draft.accepted", f"{proposed:.0f} proposed in {most}"
    yield from _rows_that_cannot_be(attempts, accepts, proposed, accepted)
    yield from _total(turn, rounds + accepted)


def _rows_that_cannot_be(
    attempts: tuple[int, ...], accepts: tuple[int, ...], proposed: float, accepted: float
) -> Iterator[tuple[str, str]]:
    for name, rows, total in (("proposed", attempts, proposed), ("accepted", accepts, accepted)):
        if sum(rows) != total:
            yield "draft.rows", f"rows {list(rows)} of {total:.0f} {name}"
    if len(attempts) != len(accepts) or any(map(int.__lt__, attempts, accepts)):
        yield "draft.rows", f"accepted {list(accepts)}, proposed {list(attempts)}"
    if any(later > earlier for earlier, later in pairwise(accepts)):
        yield "draft.rows", f"a row is accepted more often than the one before: {list(accepts)}"


def _total(turn: TurnFacts, from_rounds: float) -> Iterator[tuple[str, str]]:
    try:
        steps, completion = turn.count("draft_plain_steps").value, turn.count("completion").value
    except Absent:
        return
    made = 1 + steps + from_rounds
    if not completion <= made <= completion + AT_THE_END:
        sources = f"1 + {steps:.0f} steps + {from_rounds:.0f} from rounds"
        yield "draft.total", f"{sources} = {made:.0f}, counted {completion:.0f}"


def _rows(turn: TurnFacts) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return turn.counts_by_row("dflash_attempts_by_row"), turn.counts_by_row("dflash_accepts_by_row")


def _some(turn: TurnFacts, name: str) -> float:
    value = turn.count(name).value
    if not value:
        raise Absent("nothing was drafted")
    return value
