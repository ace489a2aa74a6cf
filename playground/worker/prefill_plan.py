"""How much of a prompt must be computed, given what a session's cache already holds.

The first line that is true decides:

    the session is dirty                              all of it, "dirty"
    nothing is resident                               all of it, "new"
    the prompt is shorter, or an id differs           all of it, "mismatch"
    prompt and resident ids are the same              all of it, "equal"
    the prompt begins with the resident ids           the rest,  "exact_prefix"

"equal" computes everything again because the first new token is chosen from the logits of a
forward pass, and an empty rest has none. Nothing is shared between sessions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.worker.messages import ResetReason

__all__ = ["PrefillPlan", "plan_prefill"]


@dataclass(frozen=True, slots=True)
class PrefillPlan:
    """Keep the first `start` rows of the cache and prefill the prompt from there on."""

    start: int
    reason: ResetReason


def plan_prefill(resident: Sequence[int], prompt: Sequence[int], *, dirty: bool) -> PrefillPlan:
    """Compare a prompt with the resident ids; both of the same sequence type."""
    if dirty:
        return PrefillPlan(0, "dirty")
    if not resident:
        return PrefillPlan(0, "new")
    if prompt[: len(resident)] != resident:
        return PrefillPlan(0, "mismatch")
    if len(prompt) == len(resident):
        return PrefillPlan(0, "equal")
    return PrefillPlan(len(resident), "exact_prefix")
