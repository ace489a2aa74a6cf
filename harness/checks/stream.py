"""Did the reply come whole, and by the rules of the wire?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.events import Done, Ending, Finish, HttpError, InBandError, Violation
from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.capabilities import Capabilities
    from harness.played import PlayedTurn

__all__ = ["complete", "rules"]


def complete(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:  # noqa: ARG001
    """One finish reason, one `[DONE]`, no error on the way, usage where it was asked for."""
    seen = turn.seen
    if seen.ending is not Ending.OK:
        message = f"the turn ended as {seen.ending.value}: {seen.detail}"
        told = [observed.index for observed in seen.of(InBandError, HttpError)]
        at = told[0] if told else seen.events[-1].index if seen.events else None
        yield Verdict("stream.complete", Outcome.FAIL, message, turn.evidence(at))
        return
    for kind, name in ((Finish, "finish reason"), (Done, "[DONE]")):
        found = [observed.index for observed in seen.of(kind)]
        if len(found) != 1:
            message = f"{len(found)} times {name} instead of once"
            evidence = turn.evidence(found[0] if found else None, last=found[-1] if found else None)
            yield Verdict("stream.complete", Outcome.FAIL, message, evidence)
            return
    yield Verdict(
        "stream.complete",
        Outcome.PASS,
        f"finish reason {seen.finish_reason}, then [DONE]",
        turn.evidence(),
    )


def rules(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:  # noqa: ARG001
    """No rule of the wire is broken; frames come in their order."""
    broken = list(turn.seen.of(Violation))
    if not broken:
        yield Verdict("stream.rules", Outcome.PASS, "no rule broken", turn.evidence())
        return
    first = broken[0]
    assert isinstance(first.event, Violation)
    more = f" (and {len(broken) - 1} more)" if len(broken) > 1 else ""
    message = f"{first.event.rule}: {first.event.detail}{more}"
    yield Verdict("stream.rules", Outcome.FAIL, message, turn.evidence(first.index))
