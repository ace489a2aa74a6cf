"""What does one observed turn say about speed, whichever server it came from?

A rate has to be made of the same tokens everywhere. Counted are the steps between the first text
that is seen and the finish: all that the server counts, the one that ends the answer included,
less those that were made before or with the first text:

    steps = completion_tokens (+ 1 for the end, where the server leaves it out) - k0
    k0    = tokens of the header, where the server hides it, + tokens of the first text

The tokens of a text are what the model's tokenizer makes of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.events import Channel, Delta, Done, Ending, Finish
from tests.benchmarks.peers.record import Kind, Turn

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.events import Observation

__all__ = ["TurnFailed", "read_turn"]

NS = 1e-9
HEADERS = {
    Channel.REASONING: " to=self<|message|>",
    Channel.CONTENT: " to=user<|message|>",
}
MESSAGE, ENDS = "<|message|>", ("<|eom|>", "<|eot|>")


class TurnFailed(Exception):
    """A server did not answer a turn as one that can be measured."""


def read_turn(
    seen: Observation,
    kind: Kind,
    conversation: str,
    *,
    count: Callable[[str], int],
    hides_header: bool,
    counts_end: bool,
    dirty: bool = False,
) -> Turn:
    """The turn in numbers.

    Raises:
        TurnFailed: it ended in another way than a model ends one, or is not counted.
    """
    usage = seen.usage
    endings = {Ending.OK, Ending.EMPTY} if kind is Kind.COLD else {Ending.OK}
    if seen.ending not in endings or usage is None:
        raise TurnFailed(
            f"{conversation} ended as {seen.ending.value}: {seen.detail or 'no usage'}"
        )
    if usage.prompt_tokens is None or usage.completion_tokens is None:
        raise TurnFailed(f"{conversation}: usage without prompt or completion tokens")
    deltas = [(event.at_ns, event.event) for event in seen.events if isinstance(event.event, Delta)]
    ends = [event.at_ns for event in seen.events if isinstance(event.event, Finish | Done)]
    before = 0
    if deltas:
        first = deltas[0][1]
        before = count(first.text) + (count(HEADERS[first.channel]) if hides_header else 0)
    made = usage.completion_tokens + (seen.finish_reason == "stop" and not counts_end)
    drafted, accepted = _drafts(seen)
    return Turn(
        conversation=conversation,
        kind=kind,
        prompt_tokens=usage.prompt_tokens,
        cached_tokens=usage.cached_tokens or 0,
        made=made,
        first_text_s=deltas[0][0] * NS if deltas else None,
        finish_s=ends[0] * NS,
        steps=max(0, made - before) if deltas else 0,
        text=answer("".join(d.text for _, d in deltas if d.channel is Channel.CONTENT)),
        drafted=drafted,
        accepted=accepted,
        decode_s=_milliseconds(seen, ("muse_metrics", "decode_ms"), ("timings", "predicted_ms")),
        dirty=dirty,
    )


def answer(text: str) -> str:
    """The last message of a text in which headers may stand."""
    body = text.rpartition(MESSAGE)[2]
    for end in ENDS:
        body = body.partition(end)[0]
    return body.strip()


def _drafts(seen: Observation) -> tuple[int | None, int | None]:
    metrics, timings = seen.extension("muse_metrics") or {}, seen.extension("timings") or {}
    found: list[Any] = []
    for ours, theirs in (
        ("dflash_proposed", "draft_n"),
        ("dflash_accepted", "draft_n_accepted"),
    ):
        value = metrics.get(ours, timings.get(theirs))
        found.append(value if isinstance(value, int) else None)
    return found[0], found[1]


def _milliseconds(seen: Observation, *places: tuple[str, str]) -> float | None:
    """The first of these figures that the server sent, in seconds."""
    for source, key in places:
        value = (seen.extension(source) or {}).get(key)
        if isinstance(value, int | float):
            return value / 1000
    return None
