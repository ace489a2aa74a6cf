"""A leg as it was played: what was promised, side by side with what was seen.

This is what checks look at.  It is made from the plan and the traces alone, so that it can be
made again from what is on disk.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from harness.events import Ending
from harness.metrics import measure
from harness.novelty import new_words, text_of
from harness.reuse import Reuse, reuse_of
from harness.verdict import Evidence
from harness.wire import observe

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from harness.events import Observation
    from harness.metrics import Measurement
    from harness.plan import Promise
    from harness.trace import Trace, TurnLabel

__all__ = ["WARM", "PlayedTurn", "play_back"]

WARM = frozenset({None, "exact_prefix"})
"""The reset reasons, promised, of a prompt that is not meant to be cold."""


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """One turn that was sent."""

    label: TurnLabel
    promise: Promise
    seen: Observation
    reuse: Reuse
    measurements: Mapping[str, Measurement]
    resident_before: int | None
    """Tokens the session should hold when this turn starts: prompt and completion of the turn
    before it on the same leg; None on a leg's first turn, or where that turn did not tell."""
    prompt_before: int | None = None
    """Tokens of the prompt of the request before it on the same leg; None where not told."""
    twin: PlayedTurn | None = field(default=None, repr=False)
    """The turn whose answer it must give again, or a beginning of; None where none is promised,
    or where that turn was not answered."""

    new_words: int = 0
    """Words of its messages behind the longest beginning shared with any earlier request."""

    @property
    def answered(self) -> bool:
        """Whether the reply came to its end, so that what it says can be judged."""
        return self.seen.ending in {Ending.OK, Ending.NO_USAGE}

    @property
    def stopped(self) -> bool:
        """Whether a stop string may have ended the answer, and not the model or a limit."""
        return bool(self.seen.trace.request.get("stop")) and self.seen.finish_reason == "stop"

    def evidence(
        self, at: int | None = None, *, last: int | None = None, excerpt: str | None = None
    ) -> tuple[Evidence, ...]:
        """This turn as evidence: the events `at` to `last`, or the trace as a whole."""
        trace_id = self.seen.trace.trace_id
        if at is None:
            return (Evidence(trace_id, excerpt=excerpt or ""),)
        end = at if last is None else last
        if excerpt is None:
            shown = (str(o.event) for o in self.seen.events if at <= o.index <= end)
            excerpt = "\n".join(shown)
        return (Evidence(trace_id, at, end, excerpt),)


def play_back(
    promises: Mapping[TurnLabel, Promise], traces: Iterable[Trace]
) -> tuple[PlayedTurn, ...]:
    """The turns that were sent, in order; a trace that no plan knows of is left out."""
    turns: dict[TurnLabel, PlayedTurn] = {}
    before: dict[tuple[int, str], tuple[int, int | None]] = {}
    said: list[str] = []
    for trace in traces:
        label, text = trace.label, text_of(trace.request)
        earlier = tuple(said)
        said += [text] if text else []
        if label not in promises:
            continue
        promise = promises[label]
        seen = observe(trace)
        reuse = reuse_of(seen)
        leg = (label.repeat, label.leg)
        turn, resident = before.get(leg, (0, None))
        last = turns.get(replace(label, turn=label.turn - 1))
        twin = turns.get(replace(label, turn=promise.same_as or promise.begins or 0))
        turns[label] = PlayedTurn(
            label=label,
            promise=promise,
            seen=seen,
            reuse=reuse,
            measurements=measure(seen),
            resident_before=resident if turn == label.turn - 1 else None,
            prompt_before=last.reuse.prompt if last else None,
            twin=twin if twin and twin.answered else None,
            # Looked for where a prompt is meant to be cold: it takes a look at every earlier one.
            new_words=new_words(text, earlier) if promise.reset not in WARM else 0,
        )
        # What is refused changes nothing.
        refused = 400 <= (trace.status or 0) < 500
        before[leg] = (label.turn, resident if refused else _resident_after(reuse))
    return tuple(turns.values())


def _resident_after(reuse: Reuse) -> int | None:
    if reuse.prompt is None or reuse.completion is None:
        return None
    return reuse.prompt + reuse.completion
