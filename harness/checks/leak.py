"""Does anything reach the reader that was meant for the parser?

A control token (`<|…|>`) or a Harmony message header (` to=self`, ` to=user`) in a channel means
that the server's parser was fooled.  Prose such as `goto=x` is not a header.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.events import Channel, Delta
from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.capabilities import Capabilities
    from harness.played import PlayedTurn

__all__ = ["CONTROL", "no_control_text"]

NAME = "answer.no_control_text"
CONTROL = re.compile(r"<\|[^|<>\s]{1,64}\|>|(?<!\S)to=(?:self|user)(?!\w)")


def no_control_text(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:  # noqa: ARG001
    """No channel holds a control token or a message header."""
    for channel in Channel:
        text = turn.seen.text(channel)
        found = CONTROL.search(text)
        if found is not None:
            slice_ = text[max(0, found.start() - 40) : found.end() + 40]
            message = f"{channel.value} holds {found[0].strip()!r}"
            evidence = turn.evidence(_event_at(turn, channel, found.start()), excerpt=slice_)
            yield Verdict(NAME, Outcome.FAIL, message, evidence)
            return
    yield Verdict(NAME, Outcome.PASS, "no control text in any channel", turn.evidence())


def _event_at(turn: PlayedTurn, channel: Channel, offset: int) -> int | None:
    """The event that holds the character at this offset of a channel's text."""
    end = 0
    for observed in turn.seen.of(Delta):
        if isinstance(observed.event, Delta) and observed.event.channel is channel:
            end += len(observed.event.text)
            if offset < end:
                return observed.index
    return None
