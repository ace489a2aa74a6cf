"""Does a turn stay within the window that the target claims, and use it before it is cut?

Prompt and completion together are at most the window.  An answer that was cut (`length`) before
the cap it asked for ends where the window does: the cap was clamped to the room there was, and not
to less.  Servers differ in whether the last token needs a place, hence the slack.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.capabilities import Capabilities
    from harness.played import PlayedTurn

__all__ = ["SLACK", "within_window"]

NAME = "limits.window"
SLACK = 2
"""Tokens by which a window may seem to end early."""


def within_window(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:
    """The tokens of a turn fit; nothing is said where window or counts are not known."""
    prompt, completion = turn.reuse.prompt, turn.reuse.completion
    if can.window is None or prompt is None or completion is None:
        return
    used = prompt + completion
    cap = turn.seen.trace.request.get("max_tokens")
    cut = turn.seen.finish_reason == "length" and isinstance(cap, int) and completion < cap
    message = f"{prompt} + {completion} of {can.window} tokens"
    outcome = Outcome.PASS
    if used > can.window:
        outcome, message = Outcome.FAIL, f"{message}: more than the window holds"
    elif cut and used < can.window - SLACK:
        outcome = Outcome.FAIL
        message = f"{message}: cut with room left, and the cap was {cap}"
    yield Verdict(NAME, outcome, message, turn.evidence(turn.reuse.at))
