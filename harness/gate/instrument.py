"""Which failed checks say that a side's own figures cannot be true?

A side whose figures contradict each other, or the clock and the text of the client, cannot be
compared with another one: whatever its numbers say, the gate would repeat it.  So a check of this
table that fails, and is found again, refuses the gate; every other one fails the candidate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["INSTRUMENT"]

INSTRUMENT: Mapping[str, str] = {
    "clocks.agree": "durations and rates contradict the client's clock, or each other",
    "counts.agree": "token counts contradict each other, the frames or the text",
    "resume.accounts": "what was reused and prefilled does not add up to the prompt",
    "memory.believable": "its worker held more memory than it says",
    "goal.figures": "more replies than allowed report figures that cannot all be true",
}
"""By the name of the check: what is wrong with the figures of a side that fails it."""
