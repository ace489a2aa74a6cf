"""Can all the token counts of a turn be true, held against its frames, its text and its cap?

`agreement` states each rule.  Counts are exact, so that nothing excuses a wrong one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.agreement import COUNTS, disagreements
from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.capabilities import Capabilities
    from harness.played import PlayedTurn

__all__ = ["counts_agree"]

NAME = "counts.agree"


def counts_agree(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:  # noqa: ARG001
    """No count contradicts another, nor what came."""
    prompt, completion = turn.reuse.prompt, turn.reuse.completion
    evidence = turn.evidence(turn.reuse.at)
    if completion is None:
        yield Verdict(NAME, Outcome.SKIP, "the reply counts no tokens", evidence)
        return
    wrong = [each for each in disagreements(turn.seen) if each.rule.startswith(COUNTS)]
    if wrong:
        said = "; ".join(f"{each.rule}: {each.detail}" for each in wrong)
        yield Verdict(NAME, Outcome.FAIL, said, evidence)
    else:
        message = f"{prompt} prompt, {completion} completion: nothing that came speaks against it"
        yield Verdict(NAME, Outcome.PASS, message, evidence)
