"""Can it be played in the page, and does the page then send what was typed?

Asked of what is played in the page, and of nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.capabilities import Capabilities
    from harness.played import PlayedTurn

__all__ = ["plays", "typed"]


def plays(why_not: str) -> Verdict:
    """What is not played in the page is skipped, with the reason."""
    return Verdict("page.plays", Outcome.SKIP, why_not)


def typed(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:  # noqa: ARG001
    """The messages of a request are those of the conversation as it was typed."""
    actions = {action.name: action for action in turn.seen.trace.actions}
    if "page" not in actions:
        return
    if differs := actions.get("page.differs"):
        yield Verdict("page.typed", Outcome.FAIL, differs.detail["why"], turn.evidence())
    else:
        sent = len(turn.seen.trace.request.get("messages", ()))
        message = f"the page sent the {sent} messages of the conversation"
        yield Verdict("page.typed", Outcome.PASS, message, turn.evidence())
