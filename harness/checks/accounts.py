"""Do the token accounts add up, to the token?

Three promises.  Within a reply: reused + prefilled = prompt, and `usage` tells the same counts as
`muse_metrics`.  After every reply: what is resident is its prompt and its completion (the token
that ends a turn is never forwarded, so it is never resident).  Across replies of a session: a turn
that goes on from an exact prefix reuses all that the turn before left resident.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.capabilities import ReuseReport
from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.capabilities import Capabilities
    from harness.played import PlayedTurn

__all__ = ["accounts", "resident", "reuses_resident"]


def accounts(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:
    """Every sum and every pair of counts in one reply agrees."""
    name = "resume.accounts"
    if can.reuse is not ReuseReport.ACCOUNTS:
        yield Verdict(name, Outcome.SKIP, f"no accounts to add up: {can.why}")
        return
    wrong = list(_disagreements(turn))
    if wrong:
        yield Verdict(name, Outcome.FAIL, "; ".join(wrong), turn.evidence(turn.reuse.at))
        return
    told = turn.reuse
    message = f"{told.prefilled} prefilled + {told.reused} reused = {told.prompt} prompt"
    yield Verdict(name, Outcome.PASS, message, turn.evidence(told.at))


def resident(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:
    """What is resident after a turn is what was sent and what was answered.

    Nothing is said of a turn that a stop string ended: the last token of it may lie behind that.
    """
    name = "resume.resident"
    if can.reuse is not ReuseReport.ACCOUNTS or turn.stopped:  # `resume.accounts` says the first
        return
    told, evidence = turn.reuse, turn.evidence(turn.reuse.at)
    if told.resident is None or told.prompt is None or told.completion is None:
        message = "the reply does not tell what is resident now"
        yield Verdict(name, Outcome.SKIP, message, evidence)
        return
    expected = told.prompt + told.completion
    if told.resident == expected:
        message = f"{told.prompt} prompt + {told.completion} completion = {expected} resident"
        yield Verdict(name, Outcome.PASS, message, evidence)
    else:
        message = f"{told.resident} resident where prompt + completion is {expected}"
        yield Verdict(name, Outcome.FAIL, message, evidence)


def reuses_resident(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:
    """A turn that promised an exact prefix reuses all that was resident."""
    name = "resume.reuses_resident"
    if turn.promise.reset != "exact_prefix":
        return
    if can.reuse is not ReuseReport.ACCOUNTS:
        yield Verdict(name, Outcome.SKIP, f"no exact counts to compare: {can.why}")
        return
    resident, reused = turn.resident_before, turn.reuse.reused
    evidence = turn.evidence(turn.reuse.at)
    if resident is None:
        message = "the turn before did not tell what it left resident"
        yield Verdict(name, Outcome.INCONCLUSIVE, message, evidence)
    elif reused is None:
        message = f"the reply does not tell its reused tokens, {resident} were resident"
        yield Verdict(name, Outcome.FAIL, message, evidence)
    elif reused == resident:
        yield Verdict(name, Outcome.PASS, f"all {resident} resident tokens reused", evidence)
    else:
        message = f"{reused} tokens reused where {resident} were resident"
        yield Verdict(name, Outcome.FAIL, message, evidence)


def _disagreements(turn: PlayedTurn) -> Iterator[str]:
    told, usage = turn.reuse, turn.seen.usage
    counts = {"prompt": told.prompt, "reused": told.reused, "prefilled": told.prefilled}
    missing = [name for name, value in counts.items() if value is None]
    if told.prompt is None or told.reused is None or told.prefilled is None:
        yield f"the reply does not tell its {', '.join(missing)} tokens"
        return
    if told.reused + told.prefilled != told.prompt:
        yield (
            f"{told.prefilled} prefilled + {told.reused} reused = "
            f"{told.prefilled + told.reused}, and the prompt has {told.prompt}"
        )
    if usage is not None:
        pairs = (
            ("prompt_tokens", usage.prompt_tokens, told.prompt),
            ("completion_tokens", usage.completion_tokens, told.completion),
            ("cached_tokens", usage.cached_tokens, told.reused),
        )
        for name, in_usage, in_metrics in pairs:
            if in_usage is not None and in_metrics is not None and in_usage != in_metrics:
                yield f"usage says {name} {in_usage}, muse_metrics says {in_metrics}"
