"""Does a question that is asked once more get the answer that it got first?

At greedy decoding a prompt has one answer, however it comes: streamed or whole, drafted or token by
token, its reasoning shown or hidden.  Then text, finish reason and token counts are the same, and
what is hidden is counted all the same.

How many tokens were computed behind a stop string is the server's own affair, and not compared.

Under a smaller cap it gets a beginning of that answer, channel by channel, with as many tokens as
the cap allows; so a channel that was not reached is empty, and nothing of a header is text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.events import Channel
from harness.tool_calls import calls_in
from harness.turn_facts import Absent, TurnFacts
from harness.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.capabilities import Capabilities
    from harness.played import PlayedTurn

__all__ = ["same_answer"]

NAME = "answer.same"
COUNTED = ("prompt", "completion", "reasoning")


def same_answer(turn: PlayedTurn, can: Capabilities) -> Iterator[Verdict]:  # noqa: ARG001
    """The answer is that of the twin, or a beginning of it."""
    promise, twin = turn.promise, turn.twin
    if promise.same_as is None and promise.begins is None:
        return
    if twin is None:
        message = "the question was not answered before, there is nothing to compare with"
        yield Verdict(NAME, Outcome.INCONCLUSIVE, message, turn.evidence())
        return
    cut = promise.begins is not None and _cut(turn, twin)
    wrong = list(_not_begun(turn, twin) if cut else _differences(turn, twin))
    evidence = (*turn.evidence(), *twin.evidence())
    if wrong:
        yield Verdict(NAME, Outcome.FAIL, "; ".join(wrong), evidence)
    else:
        said = "a beginning of" if cut else "the same as"
        message = f"{said} what was answered to request {twin.label.turn}"
        yield Verdict(NAME, Outcome.PASS, message, evidence)


def _cut(turn: PlayedTurn, twin: PlayedTurn) -> bool:
    """Whether the cap stands before the end of the twin's answer, or right at it."""
    cap, whole = turn.seen.trace.request.get("max_tokens"), _count(twin, "completion")
    return isinstance(cap, int) and whole is not None and cap <= whole


def _differences(turn: PlayedTurn, twin: PlayedTurn) -> Iterator[str]:
    for channel in (Channel.CONTENT, Channel.REASONING):
        one, other = turn.seen.text(channel), twin.seen.text(channel)
        hidden = channel is Channel.REASONING and not (one and other)
        if one != other and not hidden:
            yield f"{channel.value} differs: {_apart(one, other)}"
    calls, others = _calls(turn), _calls(twin)
    if calls != others:
        told = ", ".join(calls) or "nothing"
        yield f"calls {told}, where it called {', '.join(others) or 'nothing'}"
    ends = [each.seen.finish_reason for each in (turn, twin)]
    if ends[0] != ends[1]:
        yield f"finished with {ends[0]}, and with {ends[1]} before"
    for name in COUNTED[:1] if turn.stopped else COUNTED:
        count, before = _count(turn, name), _count(twin, name)
        if count != before:
            yield f"{name} tokens {count}, and {before} before"


def _not_begun(turn: PlayedTurn, twin: PlayedTurn) -> Iterator[str]:
    for channel in (Channel.CONTENT, Channel.REASONING):
        one, whole = turn.seen.text(channel), twin.seen.text(channel)
        if not whole.startswith(one):
            yield f"{channel.value} is no beginning: {_apart(one, whole)}"
    thought, whole = turn.seen.text(Channel.REASONING), twin.seen.text(Channel.REASONING)
    if turn.seen.text() and thought and thought != whole:
        yield "the answer began before the reasoning was over"
    calls, others = _calls(turn), _calls(twin)
    if calls != others[: len(calls)]:
        yield f"calls {', '.join(calls)}, where it called {', '.join(others) or 'nothing'}"
    cap, count = turn.seen.trace.request["max_tokens"], _count(turn, "completion")
    if count != cap:
        yield f"{count} tokens under a cap of {cap}"
    if turn.seen.finish_reason != "length" and cap != _count(twin, "completion"):
        yield f"finished with {turn.seen.finish_reason}, and was cut"


def _count(turn: PlayedTurn, name: str) -> int | None:
    try:
        return int(TurnFacts(turn.seen).count(name).value)
    except Absent:
        return None


def _calls(turn: PlayedTurn) -> tuple[str, ...]:
    return tuple(map(str, calls_in(turn.seen)))


def _apart(one: str, other: str, around: int = 20) -> str:
    """Where two texts part, with what stands around it."""
    pairs = enumerate(zip(one, other, strict=False))
    at = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
    start = max(0, at - around)
    return f"at character {at}, {one[start : at + around]!r} and {other[start : at + around]!r}"
