"""Is enough measured to stop?  Pure.

Measuring ends where every gated metric passes or fails, after `least` pairs at the earliest; and
where something stands that no pair can change: the gate is refused, a promise or the answers were
lost.  A gate of a pin against itself is asked for its noise and plays every pair: had it ended when
the noise was small by chance, the noise that is kept would be too small.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.gate.measured import decided
from harness.gate.result import Ruling
from harness.gate.sequence import Design

if TYPE_CHECKING:
    from harness.gate.policy import Policy
    from harness.gate.result import GateResult

__all__ = ["why_enough", "why_it_stands"]


def why_it_stands(result: GateResult, *, everything: bool = False) -> str:
    """What no further pair can change, in a sentence; empty where there is nothing such.

    With `everything`, a candidate that fails is measured all the same.
    """
    if result.ruling is Ruling.REFUSED:
        return result.headline
    lost = [f"{row.check} in {row.part}" for row in result.checks if row.ruling is Ruling.FAIL]
    if result.answers is not None and result.answers.ruling is Ruling.FAIL:
        lost.append("the answers")
    if lost and not everything:
        more = f" and {len(lost) - 1} more" if lost[1:] else ""
        return f"the candidate fails in {lost[0]}{more}, whatever else it does"
    return ""


def why_enough(result: GateResult, policy: Policy) -> str:
    """Why no further pair is needed to decide; empty where one is."""
    if result.baseline.digest == result.candidate.digest or result.pairs < policy.least:
        return ""
    if not decided(result.metrics, Design.of(policy, result.record.pairs)):
        return ""
    return f"every gated metric is decided after {result.pairs} pairs"
