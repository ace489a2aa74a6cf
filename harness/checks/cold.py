"""Is a prompt that is meant to be cold really cold?

Without this a fast control leg would prove nothing: it may have been served from a cache; and an
edit could be answered from what was there before it.

A target that accounts for its sessions promises that nothing is reused.  One that only counts its
cached tokens may keep prefixes of any prompt, and reuse what this one shares with an earlier one;
what it may not do is compute fewer tokens than there are new words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.capabilities import ReuseReport
from harness.played import WARM
from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.capabilities import Capabilities
    from harness.played import PlayedTurn

__all__ = ["cold"]

NAME = "resume.cold"


def cold(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:
    """A turn that promised any reset reason but `exact_prefix` reuses nothing that it may not."""
    if turn.promise.reset in WARM:
        return
    if can.reuse is ReuseReport.NOTHING:
        yield Verdict(NAME, Outcome.SKIP, f"cannot tell whether it was cold: {can.why}")
        return
    reused = turn.reuse.reused
    evidence = turn.evidence(turn.reuse.at)
    if reused is None:
        yield Verdict(NAME, Outcome.FAIL, "the reply does not tell its reused tokens", evidence)
    elif not reused:
        yield Verdict(NAME, Outcome.PASS, "nothing reused", evidence)
    elif can.reuse is ReuseReport.ACCOUNTS:
        message = f"{reused} tokens were reused on a prompt that should have been cold"
        yield Verdict(NAME, Outcome.FAIL, message, evidence)
    else:
        computed = (turn.reuse.prompt or 0) - reused
        message = f"{reused} tokens reused, {computed} computed, and {turn.new_words} words are new"
        kept = computed >= turn.new_words
        yield Verdict(NAME, Outcome.PASS if kept else Outcome.FAIL, message, evidence)
