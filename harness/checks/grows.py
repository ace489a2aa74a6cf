"""Is a prompt as much longer than the one before it as its text is?

A name like `<|eot|>` that a person wrote is text of several tokens.  A server that takes it for the
token of that name counts one, and lets whoever writes to the model put words into its mouth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.capabilities import Capabilities
    from harness.played import PlayedTurn

__all__ = ["grows"]

NAME = "prompt.grows"


def grows(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:  # noqa: ARG001
    """The prompt has at least so many tokens more than that of the request before."""
    promised = turn.promise.grows
    if promised is None:
        return
    before, now = turn.prompt_before, turn.reuse.prompt
    evidence = turn.evidence(turn.reuse.at)
    if before is None or now is None:
        yield Verdict(NAME, Outcome.SKIP, "the replies do not count the prompt", evidence)
        return
    kept = now - before >= promised
    message = f"{before} tokens, then {now}" + ("" if kept else f": promised {promised} more")
    yield Verdict(NAME, Outcome.PASS if kept else Outcome.FAIL, message, evidence)
