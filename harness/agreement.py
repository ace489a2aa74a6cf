"""Can what the server says of itself and what the client saw both be true?

Servers have claimed 95,000 tokens a second, and 0; a rate that cannot be true spoils the
measurement, whichever side is wrong.  Bounds are one-sided wherever physics is: a client cannot
see a token before the server made it, but it may see it later.  `slack_s` is what scheduling may
cost on both sides together; `rtt_s` the round trip.

Only turns that succeeded or were cancelled are asked, and only about figures that are there; a
cancelled one has no end of its own, so that nothing that goes up to the end is asked of it.

A machine that is busy with other things can hold up what a server has said on its way to us, and
nothing else; one that slept, or whose wall clock was set, can have spoilt either clock.  What such
a machine may have done is a disagreement still, and `explained`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.dirty import stains
from harness.drafting import broken_rules
from harness.events import Channel, Ending
from harness.metrics import measure
from harness.turn_facts import Absent, TurnFacts
from harness.units import SECONDS, TOKENS_PER_SECOND, format_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from harness.events import Observation
    from harness.trace import Trace

__all__ = ["AGREEMENTS", "COUNTS", "LATE", "Disagreement", "disagreements", "explained"]

AGREEMENTS: Mapping[str, str] = {
    "ttft.early": "the client sees the first token no earlier than the server made it",
    "ttft.late": "the client sees the first token soon after its making: header and round trip",
    "ttft.whole": "of a whole reply, the first token was made before the client had it all",
    "wall.long": "the server's wall time fits into the client's",
    "wall.short": "the server's wall time is as long as the client waited",
    "wall.order": "queue, first token and wall end in this order, and the worker's time within it",
    "prefill.long": "queue, prompt and prefill fit into the client's time to first token",
    "vision.long": "the vision encoder's time fits into the client's time to first token",
    "decode_rate.zero": "tokens came, so the decode rate is above 0",
    "decode_rate.slow": "at the claimed decode rate the answer fits into the client's time",
    "decode_rate.fast": "at the claimed decode rate the answer takes as long as the client saw it",
    "decode.product": "decode rate x decode time = completion tokens",
    "prefill.product": "prefill rate x prefill time = prefilled tokens",
    "counts.prompt": "prompt = reused + prefilled",
    "counts.usage": "usage and the server's metrics count the same tokens",
    "counts.frames": "there are no more token-bearing frames than tokens",
    "counts.text": "there are no more tokens than bytes of text, but for some of headers",
    "counts.cap": "there are no more tokens than were asked for",
    "counts.part": "what is a part of a count is no more than it: reused, reasoning",
    "counts.running": "counts that come with frames rise, and no further than the last",
    "draft.accepted": "no more is accepted than proposed, nor proposed than rounds have rows for",
    "draft.rows": "the rows of a draft sum up to its totals, and none beats the one before it",
    "draft.total": "first token + plain steps + rounds + accepted = completion, 2 more at the end",
}
"""Every rule a `Disagreement` can name, and what it asks."""

LATE = frozenset({"ttft.late", "decode_rate.fast", "wall.short"})
"""The rules that are broken where a token comes late."""

COUNTS = "counts."
"""What the rules about tokens begin with; all others are about time."""

TOLERANCE = 0.05
"""Relative; products of rounded figures are allowed this much."""
WAIT_TOLERANCE, WAIT_SLACKS = 0.25, 4
"""A request waits to be read, and a reply to be, on both sides: what was waited for outside."""
TOKENS_SLACK = 2
"""First and last token fall in or out of a server's decode window as it likes."""

UNSEEN_TOKENS = 16
"""A server may start its clock at the first token of a Harmony header, which no client sees."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two figures of which at most one is true."""

    rule: str
    """A key of `AGREEMENTS`."""
    detail: str
    """Both figures, for a person."""


def disagreements(
    observation: Observation, *, rtt_s: float = 0.0, slack_s: float = 0.05
) -> tuple[Disagreement, ...]:
    """Every rule of `AGREEMENTS` that this turn breaks."""
    if observation.ending not in {Ending.OK, Ending.CANCELLED}:
        return ()
    figures = {name: found.value for name, found in measure(observation).items()}
    claims = _Claims(observation, figures, TurnFacts(observation), rtt_s, slack_s)
    return tuple(Disagreement(rule, detail) for ask in _RULES for rule, detail in ask(claims))


def explained(found: Disagreement, trace: Trace) -> bool:
    """Whether what the machine did beside this turn may be the cause of a disagreement."""
    marks = stains(trace).keys()
    if marks & {"asleep_s", "clock_jump_s"}:
        return True
    return found.rule in LATE and bool(marks & {"busy", "load"})


@dataclass(frozen=True, slots=True)
class _Claims:
    seen: Observation
    figures: Mapping[str, float | None]
    facts: TurnFacts
    rtt_s: float
    slack_s: float

    def get(self, *names: str) -> tuple[float, ...] | None:
        """These figures, or None where one of them is absent."""
        found = tuple(self.figures[name] for name in names)
        return None if None in found else tuple(value for value in found if value is not None)

    def server(self, name: str) -> float | None:
        """A rate the server claims that is no metric of ours."""
        try:
            return self.facts.server(name)
        except Absent:
            return None


def _ttft(claims: _Claims) -> Iterator[tuple[str, str]]:
    if pair := claims.get("client.ttft", "server.ttft"):
        client, server = pair
        both = f"client {_s(client)}, server {_s(server)}"
        if server > client + claims.slack_s:
            yield "ttft.early", both
        unseen_s = UNSEEN_TOKENS * (claims.figures["client.tpot"] or 0.0)
        late = client > server + unseen_s + claims.rtt_s + claims.slack_s
        if late and not claims.facts.hidden_reasoning:
            yield "ttft.late", both
    if pair := claims.get("client.to_done", "server.ttft"):
        client, server = pair
        if claims.figures["client.ttft"] is None and server > client + claims.slack_s:
            yield "ttft.whole", f"client had it all at {_s(client)}, server {_s(server)}"


def _spans(claims: _Claims) -> Iterator[tuple[str, str]]:
    if pair := claims.get("client.to_done", "server.wall"):
        client, server = pair
        both = f"client {_s(client)}, server {_s(server)}"
        if server > client + claims.slack_s:
            yield "wall.long", both
        if server * (1 + WAIT_TOLERANCE) < client - claims.rtt_s - WAIT_SLACKS * claims.slack_s:
            yield "wall.short", both
    for first, then in (("queue", "ttft"), ("ttft", "wall"), ("queue", "wall"), ("total", "wall")):
        if pair := claims.get(f"server.{first}", f"server.{then}"):
            before, after = pair
            if before > after + claims.slack_s:
                yield "wall.order", f"{first} {_s(before)}, {then} {_s(after)}"
    if pair := claims.get("client.ttft", "server.prefill"):
        client, prefill = pair
        # A prompt is made while its turn is not handed on yet: the longer one holds the other.
        before = max(claims.figures[name] or 0.0 for name in ("server.queue", "server.prompt"))
        if before + prefill > client + claims.slack_s:
            yield "prefill.long", f"client TTFT {_s(client)}, server {_s(before + prefill)}"
    if pair := claims.get("client.ttft", "server.vision"):
        client, vision = pair
        if vision > client + claims.slack_s:
            yield "vision.long", f"client TTFT {_s(client)}, vision encoder {_s(vision)}"


def _decode_rate(claims: _Claims) -> Iterator[tuple[str, str]]:
    if not (known := claims.get("server.decode_rate", "tokens.completion", "client.e2e")):
        return
    rate, tokens, e2e = known
    if tokens <= 1:
        return
    if rate <= 0:
        yield "decode_rate.zero", f"{tokens:.0f} tokens at {_rate(rate)}"
        return
    implied = tokens / rate
    both = f"{tokens:.0f} tokens at {_rate(rate)} take {_s(implied)}"
    if implied > e2e * (1 + TOLERANCE) + claims.slack_s:
        yield "decode_rate.slow", f"{both}, the whole turn took {_s(e2e)}"
    seen = claims.get("client.ttft")
    if seen and implied < (e2e - seen[0]) / (1 + TOLERANCE) - claims.slack_s:
        yield "decode_rate.fast", f"{both}, the client watched them for {_s(e2e - seen[0])}"


def _products(claims: _Claims) -> Iterator[tuple[str, str]]:
    for rule, rate, seconds, count in (
        (
            "decode.product",
            claims.figures["server.decode_rate"],
            claims.figures["server.decode"],
            claims.figures["tokens.completion"],
        ),
        (
            "prefill.product",
            claims.server("prefill_rate"),
            claims.figures["server.prefill"],
            claims.figures["tokens.prefilled"],
        ),
    ):
        if rate and seconds is not None and count is not None:
            product = rate * seconds
            if abs(product - count) > max(TOKENS_SLACK, TOLERANCE * count):
                made = f"{_rate(rate)} x {_s(seconds)} = {product:.0f}"
                yield rule, f"{made}, counted {count:.0f}"


def _counts(claims: _Claims) -> Iterator[tuple[str, str]]:
    if known := claims.get("tokens.prompt", "tokens.reused", "tokens.prefilled"):
        prompt, reused, prefilled = known
        if prompt != reused + prefilled:
            yield "counts.prompt", f"{prompt:.0f} = {reused:.0f} + {prefilled:.0f}"
    for source, name, twin in claims.facts.counted_twice():
        if name != twin:
            yield "counts.usage", f"{source}: {name:.0f} in usage, {twin:.0f} in the metrics"
    if known := claims.get("frames.bearing", "tokens.completion"):
        frames, tokens = known
        if frames > tokens + TOKENS_SLACK:
            yield "counts.frames", f"{frames:.0f} frames, {tokens:.0f} tokens"


def _counts_of_text(claims: _Claims) -> Iterator[tuple[str, str]]:
    request, tokens = claims.seen.trace.request, claims.figures["tokens.completion"]
    for part, whole in (("reused", "prompt"), ("reasoning", "completion")):
        if known := claims.get(f"tokens.{part}", f"tokens.{whole}"):
            some, all_ = known
            if some > all_:
                yield "counts.part", f"{some:.0f} {part} of {all_:.0f} {whole}"
    if tokens is None:
        return
    cap = request.get("max_completion_tokens") or request.get("max_tokens")
    if isinstance(cap, int) and tokens > cap:
        yield "counts.cap", f"{tokens:.0f} tokens, {cap} were asked for"
    running = [count for count in claims.facts.running_counts if count is not None]
    if running and (running != sorted(running) or running[-1] > tokens):
        yield "counts.running", f"{running[-1]} with the last frame, {tokens:.0f} in the end"
    # Tokens that nobody sees are counted too: hidden ones, a call's markup, behind a stop string.
    unseen = claims.facts.hidden_reasoning or request.get("tools") or request.get("stop")
    if unseen or claims.seen.ending is Ending.CANCELLED:
        return
    written = sum(len(claims.seen.text(channel).encode()) for channel in Channel)
    if tokens > written + UNSEEN_TOKENS:
        yield "counts.text", f"{tokens:.0f} tokens in {written} bytes of text"


_RULES: tuple[Callable[[_Claims], Iterator[tuple[str, str]]], ...] = (
    _ttft,
    _spans,
    _decode_rate,
    _products,
    _counts,
    _counts_of_text,
    lambda claims: broken_rules(claims.facts),
)


def _s(seconds: float) -> str:
    return format_value(seconds, SECONDS)


def _rate(tokens_per_second: float) -> str:
    return format_value(tokens_per_second, TOKENS_PER_SECOND)
