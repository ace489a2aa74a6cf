"""Is enough measured to stop, or does something wait to be found again?  Pure.

Measuring ends where every gated metric passes or fails, after `least` pairs at the earliest; and
where something stands that no pair can change: the gate is refused, a promise or the answers were
lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.gate.result import Ruling

if TYPE_CHECKING:
    from harness.gate.policy import Policy
    from harness.gate.result import GateResult

__all__ = ["needs_confirming", "why_enough", "why_it_stands"]

DECIDED = {Ruling.PASS, Ruling.FAIL}


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
    gated = [metric for metric in result.metrics if metric.gated]
    if result.pairs < policy.least or any(metric.first not in DECIDED for metric in gated):
        return ""
    return f"every gated metric is decided after {result.pairs} pairs"


def needs_confirming(result: GateResult) -> bool:
    """Whether a metric fails that nobody has looked for in a fresh block."""
    return any(
        metric.gated and metric.first is Ruling.FAIL and metric.confirmed is None
        for metric in result.metrics
    )
