"""Does the answer hold the facts that it must?

Facts are looked for as whole words, whatever their case and the space between them: an answer is
right or wrong by what it says, not by how it puts it.  A number is a word with its sign, its
decimals and its thousands: neither 12.5 nor -5 nor 1,005 says 5.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.events import Channel, Delta
from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.capabilities import Capabilities
    from harness.played import PlayedTurn

__all__ = ["expected", "says", "shortfalls"]

NAME = "answer.expected"

_BEFORE = r"(?<!\w)(?<!\d\.)(?<!(?<!\w)[-\u2212])(?!(?<=\d,)\d{3}(?!\d))"
_AFTER = r"(?!\w)(?!\.\d)(?!,\d{3}(?!\d))"
"""What does not stand before a number, and after it: the rest of a longer one, a minus."""


def expected(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:  # noqa: ARG001
    """What must be in the answer is, and what must not be is not."""
    promise = turn.promise
    if not (promise.contains or promise.excludes or promise.matches):
        return
    answer = turn.seen.text()
    wrong = list(shortfalls(answer, promise.contains, promise.excludes, promise.matches))
    deltas = [
        observed.index
        for observed in turn.seen.of(Delta)
        if isinstance(observed.event, Delta) and observed.event.channel is Channel.CONTENT
    ]
    if deltas:
        evidence = turn.evidence(deltas[0], last=deltas[-1], excerpt=answer)
    else:
        evidence = turn.evidence()
    if wrong:
        message = f"the answer {'; '.join(wrong)}: {_short(answer)}"
        yield Verdict(NAME, Outcome.FAIL, message, evidence)
    else:
        yield Verdict(NAME, Outcome.PASS, _short(answer), evidence)


def shortfalls(
    answer: str, contains: Iterable[str], excludes: Iterable[str], matches: str | None
) -> Iterator[str]:
    """What an answer lacks, or should not say; none where it is right."""
    yield from (f"does not say {fact!r}" for fact in contains if not says(answer, fact))
    yield from (f"says {fact!r}" for fact in excludes if says(answer, fact))
    if matches and not re.search(matches, answer):
        yield f"does not match {matches!r}"


def says(answer: str, fact: str) -> bool:
    """Whether the words of a fact stand in the answer, as whole words."""
    words = r"\s+".join(re.escape(word) for word in fact.split())
    before = _BEFORE if fact.strip()[:1].isdigit() else r"(?<!\w)"
    after = _AFTER if fact.strip()[-1:].isdigit() else r"(?!\w)"
    return re.search(before + words + after, answer, re.IGNORECASE) is not None


def _short(text: str, limit: int = 160) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= limit else f"{line[: limit - 1]}…")
