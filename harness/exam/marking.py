"""Is an answer right by what its case expects, and did its turn keep the contract of the wire?

Questions that are asked of every turn and never mixed: a wrong answer in a faultless stream is
wrong; a right answer in a broken stream is right, and broken.

unlikely  the figures it reports cannot all be true (`harness.agreement`)
broken    the reply did not come whole, broke a rule of the wire, showed text meant for the parser
          (`harness.checks`), or its `muse_metrics.malformed` says that the model broke its own
          grammar
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.agreement import disagreements, explained
from harness.capabilities import Capabilities, ReuseReport
from harness.checks.answer import shortfalls
from harness.checks.clocks import SLACK_S
from harness.checks.leak import no_control_text
from harness.checks.stream import complete, rules
from harness.events import Channel
from harness.plan import Promise
from harness.played import PlayedTurn, play_back
from harness.tool_calls import calls_in, same_json
from harness.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from harness.exam.cases import Call, Case
    from harness.tool_calls import CallSeen
    from harness.trace import Trace, TurnLabel

__all__ = ["MarkedTurn", "asked_of", "mark", "mark_all", "picture_of"]

_CONTRACT = (complete, rules, no_control_text)
_ANY = Capabilities(ReuseReport.NOTHING, "not asked")


@dataclass(frozen=True, slots=True)
class MarkedTurn:
    """One case as it was answered."""

    case: Case
    turn: PlayedTurn
    calls: tuple[CallSeen, ...]
    wrong: tuple[str, ...]
    """Why the answer is not right; empty where it is."""
    broken: tuple[str, ...]
    """How the turn broke its contract; empty where it did not."""
    unlikely: tuple[str, ...]
    """Which of its figures cannot all be true; empty where they can."""

    @property
    def label(self) -> TurnLabel:
        """Which turn it was."""
        return self.turn.label

    @property
    def right(self) -> bool:
        """Whether everything that was expected holds."""
        return not self.wrong

    @property
    def counts_malformed(self) -> bool:
        """Whether the server told how often the model broke its own grammar."""
        return _malformed(self.turn) is not None

    @property
    def answer(self) -> str:
        """What was said, calls included."""
        said = [self.turn.seen.text(Channel.CONTENT), *map(str, self.calls)]
        return "\n".join(text for text in said if text)

    @property
    def whole(self) -> tuple[str, str]:
        """Reasoning and answer."""
        return self.turn.seen.text(Channel.REASONING), self.answer


def mark_all(cases: Sequence[Case], traces: Iterable[Trace]) -> tuple[MarkedTurn, ...]:
    """Every turn that was sent, in order; the label of a trace says which case it was."""
    known = (trace for trace in traces if 1 <= trace.label.turn <= len(cases))
    return tuple(mark(cases[trace.label.turn - 1], trace) for trace in known)


def mark(case: Case, trace: Trace) -> MarkedTurn:
    """One turn, marked."""
    (turn,) = play_back({trace.label: Promise()}, [trace])
    calls = calls_in(turn.seen)
    return MarkedTurn(
        case=case,
        turn=turn,
        calls=calls,
        wrong=tuple(_wrong(case, turn, calls)),
        broken=tuple(_broken(turn)),
        unlikely=tuple(_unlikely(turn)),
    )


def _wrong(case: Case, turn: PlayedTurn, calls: Sequence[CallSeen]) -> Iterator[str]:
    expect = case.expect
    if not turn.answered:
        yield f"no answer: the turn ended as {turn.seen.ending.value}: {turn.seen.detail}"
    elif expect.calls is not None:
        yield from _wrong_calls(expect.calls, calls)
    elif calls:
        yield f"calls {calls[0].name!r} where an answer was due"
    elif not turn.seen.text().strip():
        yield "says nothing"
    else:
        yield from shortfalls(turn.seen.text(), expect.contains, expect.excludes, expect.matches)


def _wrong_calls(wanted: Sequence[Call], calls: Sequence[CallSeen]) -> Iterator[str]:
    if len(wanted) != len(calls):
        yield f"{len(calls)} calls where {len(wanted)} were due"
        return
    for call, seen in zip(wanted, calls, strict=True):
        if call.name != seen.name:
            yield f"calls {seen.name!r} instead of {call.name!r}"
        elif not same_json(dict(call.arguments), seen.arguments):
            yield f"calls {seen.name!r} with other arguments"


def _broken(turn: PlayedTurn) -> Iterator[str]:
    for check in _CONTRACT:
        for verdict in check(turn, _ANY):
            if verdict.outcome is Outcome.FAIL:
                yield f"{verdict.check}: {verdict.message}"
    if faults := _malformed(turn):
        yield f"muse_metrics.malformed: {faults}"


def _malformed(turn: PlayedTurn) -> int | None:
    """Breaks of the grammar as the server counted them; None where it does not."""
    faults = (turn.seen.extension("muse_metrics") or {}).get("malformed")
    return faults if type(faults) is int and faults >= 0 else None


def _unlikely(turn: PlayedTurn) -> Iterator[str]:
    slack_s = SLACK_S + turn.seen.trace.lag_ns / 1e9
    for found in disagreements(turn.seen, slack_s=slack_s):
        if not explained(found, turn.seen.trace):
            yield f"{found.rule}: {found.detail}"


def asked_of(case: Case) -> str:
    """The last message of a case as text; of its parts those that are text."""
    content = case.messages[-1].get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part["text"]) for part in parts if _is(part, "text"))


def picture_of(case: Case) -> str | None:
    """The data URL of the last picture that a case shows, if it shows one."""
    found = None
    for message in case.messages:
        content = message.get("content")
        for part in content if isinstance(content, list) else ():
            if _is(part, "image_url") and isinstance(part["image_url"], dict):
                url = str(part["image_url"].get("url", ""))
                found = url if url.startswith("data:image/") else found
    return found


def _is(part: Any, kind: str) -> bool:  # noqa: ANN401 - JSON
    return isinstance(part, dict) and part.get("type") == kind and kind in part
