"""Does reasoning stay in its channel, shown or hidden as was asked, and counted either way?

`chat_template_kwargs.return_reasoning` asks for it or against it; a request without that is judged
by what is shown alone.  Whether it comes back in a later prompt shows in the tokens of that prompt:
`answer.same` compares them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.capabilities import ReuseReport
from harness.events import Channel, Delta
from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.capabilities import Capabilities
    from harness.played import PlayedTurn

__all__ = ["apart", "as_asked", "counted"]

TELLING = 20
"""Characters from which on a thought that stands in the answer too is no chance."""
TAGS = re.compile(r"</?(?:think|thinking|reasoning)>", re.IGNORECASE)


def as_asked(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:
    """It is shown where that was asked for, and hidden where the contrary was.

    A server that does not speak our dialect may not know how it is asked to hide it.
    """
    name = "reasoning.as_asked"
    kwargs = turn.seen.trace.request.get("chat_template_kwargs")
    asked = kwargs.get("return_reasoning") if isinstance(kwargs, dict) else None
    if not isinstance(asked, bool):
        return
    thought, tokens = turn.seen.text(Channel.REASONING), _tokens(turn)
    evidence = turn.evidence(_first(turn, Channel.REASONING))
    if thought and not asked and can.reuse is not ReuseReport.ACCOUNTS:
        message = "shown, and it was to be hidden; who has no muse_metrics may not know that key"
        yield Verdict(name, Outcome.SKIP, message, evidence)
    elif thought and not asked:
        yield Verdict(name, Outcome.FAIL, "shown, and it was to be hidden", evidence)
    elif tokens is None and not thought:
        message = "the reply does not count reasoning, so that nothing is known of what is hidden"
        yield Verdict(name, Outcome.SKIP, message, evidence)
    elif asked and tokens and not thought:
        message = f"{tokens} tokens counted and none shown, and it was asked for"
        yield Verdict(name, Outcome.FAIL, message, evidence)
    else:
        said = "shown" if thought else "hidden" if tokens else "none"
        yield Verdict(name, Outcome.PASS, f"{said}, as asked", evidence)


def counted(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:  # noqa: ARG001
    """What was thought is counted, and fits into the completion; promised thought is there.

    Nothing is said of a reply that counts none and promised none.
    """
    name = "reasoning.counted"
    thought, tokens = turn.seen.text(Channel.REASONING), _tokens(turn)
    if not (turn.promise.reasons or tokens or (thought and tokens is not None)):
        return
    completion, evidence = turn.reuse.completion, turn.evidence()
    if tokens is None:
        yield Verdict(name, Outcome.SKIP, "the reply does not count reasoning", evidence)
    elif thought.strip() and not tokens:
        message = f"{len(thought)} characters shown and no token counted"
        yield Verdict(name, Outcome.FAIL, message, evidence)
    elif not tokens:
        yield Verdict(name, Outcome.FAIL, "nothing was thought, by the count", evidence)
    elif completion is not None and tokens > completion:
        message = f"{tokens} tokens of reasoning in a completion of {completion}"
        yield Verdict(name, Outcome.FAIL, message, evidence)
    else:
        yield Verdict(name, Outcome.PASS, f"{tokens} of {completion} tokens", evidence)


def apart(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:  # noqa: ARG001
    """The answer repeats no thought, and holds no tag that was to part the two."""
    name = "reasoning.apart"
    answer, thought = turn.seen.text(), turn.seen.text(Channel.REASONING)
    if not thought and turn.twin is not None:
        thought = turn.twin.seen.text(Channel.REASONING)  # the same, hidden here
    found = TAGS.search(answer)
    at = turn.evidence(_first(turn, Channel.CONTENT))
    if found is not None:
        yield Verdict(name, Outcome.FAIL, f"the answer holds {found[0]!r}", at)
    elif len(thought.strip()) >= TELLING and thought.strip() in answer:
        yield Verdict(name, Outcome.FAIL, "the answer holds all that was thought", at)
    elif thought:
        yield Verdict(name, Outcome.PASS, "no thought in the answer", at)


def _tokens(turn: PlayedTurn) -> int | None:
    usage = turn.seen.usage
    return usage.reasoning_tokens if usage else None


def _first(turn: PlayedTurn, channel: Channel) -> int | None:
    """The first event of a channel."""
    for observed in turn.seen.of(Delta):
        if isinstance(observed.event, Delta) and observed.event.channel is channel:
            return observed.index
    return None
