"""How many checks hold, and how many were never seen to?

A row that is not ruled against the candidate need not be one that holds: neither side may have been
asked, or neither could tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.gate.result import CheckRow

__all__ = ["standing"]


def standing(rows: Sequence[CheckRow]) -> str:
    """`9 checks hold, 2 were not asked, 1 could not tell`; what there is none of is left out."""
    found = [_stands(row) for row in rows]
    hold, fail = found.count(Outcome.PASS), found.count(Outcome.FAIL)
    unasked, unsure = found.count(Outcome.SKIP), found.count(Outcome.INCONCLUSIVE)
    told = [f"{hold} check{'s hold' if hold != 1 else ' holds'}"]
    if unasked:
        told.append(f"{unasked} {'was' if unasked == 1 else 'were'} not asked")
    if unsure:
        told.append(f"{unsure} could not tell")
    if fail:
        told.append(f"{fail} failed")
    return ", ".join(told)


def _stands(row: CheckRow) -> Outcome:
    """What the candidate has shown: a failure is never hidden, and one pass is a pass."""
    shown = {outcome for outcome, count in row.candidate.items() if count}
    for outcome in (Outcome.FAIL, Outcome.PASS, Outcome.INCONCLUSIVE):
        if outcome in shown:
            return outcome
    # What is only recommended fails nothing.
    return Outcome.PASS if Outcome.NOTE in shown else Outcome.SKIP
