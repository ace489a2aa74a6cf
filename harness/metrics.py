"""Which numbers follow from one observed turn, and when is there none?

Stamps, all relative to t_send, the instant before the first byte of the request is written:

    t_byte0    first byte of the response body
    t_event0   first frame that says anything (a comment says nothing)
    t_tok0     first token-bearing frame: non-empty content, reasoning or tool fragment
    t_reason0  first frame with reasoning          t_vis0   first frame with content
    t_tokN     last token-bearing frame            t_done   `[DONE]`, or the end of a whole body

Counts: N = completion tokens and P = prompt tokens as the server counts them, R = prompt tokens
reused, k0 = tokens in the first token-bearing frame (from continuous usage, else 1, and the
measurement's note says so).  Frames are not tokens and are never counted as such.

    client.ttfb          t_byte0 - t_send: first byte, never to be called TTFT
    client.ttfe          t_event0 - t_send: first event, a role frame is enough
    client.ttft          t_tok0 - t_send: first token on any channel
    client.ttfv          t_vis0 - t_send: first visible content, what a person waits for
    client.think         t_vis0 - t_reason0
    client.e2e           t_tokN - t_send: to the last token
    client.to_done       t_done - t_send: to the end, usage frame included
    client.tpot          (t_tokN - t_tok0) / (N - k0)
    client.decode_rate   1 / tpot
    client.e2e_rate      N / e2e: another thing than the decode rate
    client.icl_median    median gap between token-bearing frames: inter-chunk latency
    client.icl_max       longest gap between token-bearing frames
    client.itl_median    median of gap / tokens in the frame that ends it; continuous usage only
    client.stalls        gaps above max(250 ms, 5 x median gap)
    client.prefill_rate  (P - R) / (ttft - rtt): an estimate, ttft holds queueing and a step too
    cancel.ack           cancel posted to its HTTP answer
    cancel.quiet         cancel posted to the last token-bearing frame; 0 where none came after it
    cancel.frames_after  token-bearing frames after the answer to the cancel
    page.send            the click on Send to t_send: what page and browser do before they ask
    page.dom_ttft        first text of the reply in the document, of any channel, - t_send
    page.paint_ttft      first frame drawn that shows it - t_send
    page.dom_ttfv        first visible content in the document - t_send
    page.paint_ttfv      first frame drawn that shows it - t_send
    page.dom_e2e         last text of the reply in the document - t_send
    page.paint_e2e       the frame drawn that shows it - t_send
    page.stop_quiet      the click on Stop to the last text in the document; 0 where none came
    tokens.prompt        P
    tokens.completion    N
    tokens.reused        R
    tokens.prefilled     prompt tokens computed, as reported; else P - R
    tokens.resident      tokens the session holds after the turn, as reported
    tokens.reasoning     tokens of the reasoning channel, as reported
    frames.bearing       token-bearing frames
    reuse.ratio          R / P
    draft.rounds         passes that verified proposed tokens, as reported
    draft.plain_steps    passes that made one token and verified none, as reported
    draft.proposed       proposed tokens, as reported
    draft.accepted       proposed tokens that were kept, as reported
    draft.per_round      1 + accepted / rounds: tokens a round returns, the bonus token included
    draft.acceptance     accepted / proposed
    draft.row1           rounds that kept their first proposal / rounds that made one
    draft.row2           the same for the second
    draft.row3           the same for the third
    server.ttft          the server's clock: request accepted to first token
    server.queue         the server's clock: accepted to handed to the worker
    server.prompt        the server's clock: rendering and tokenising the prompt
    server.prefill       the worker's clock: prompt tokens computed
    server.decode        the worker's clock: answer tokens computed
    server.total         the worker's clock: the whole generation
    server.wall          the server's clock: accepted to the worker's last word
    server.vision        the worker's clock: vision encoder
    server.prefill_rate  (P - R) / server.prefill: never the whole prompt on a warm turn
    server.decode_rate   as the server claims it; `agreement` asks whether it can be true

Rules.  What is missing is None with a reason, never 0.  A turn that failed has no measurement
at all, so no pool can hold one; a cancelled one keeps only what came before the cancel could
bend it.  A buffered reply has no first token, and one with tools may be buffered to its end:
both refuse everything timed from t_tok0.  Hidden reasoning refuses the TPOT family, because N
counts tokens whose time passed before t_tok0.
"""

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.drafting import acceptance, row_share, tokens_per_round
from harness.turn_facts import Absent, Noted, TurnFacts
from harness.units import COUNT, RATIO, SECONDS, TOKENS, TOKENS_PER_SECOND, Better, Unit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harness.events import Observation

__all__ = [
    "DEFINITIONS",
    "METRICS",
    "Measurement",
    "Metric",
    "inter_chunk_gaps",
    "measure",
]

STALL_FLOOR_S, STALL_FACTOR = 0.25, 5.0


@dataclass(frozen=True, slots=True)
class Metric:
    """One definition."""

    name: str
    title: str
    """What a table calls it."""
    unit: Unit
    better: Better
    formula: Callable[[TurnFacts], float | Noted]
    """Raises `Absent` with the reason when the turn has no such number."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One metric of one turn."""

    name: str
    value: float | None
    """In base units; None when there is none."""
    unit: Unit
    reason: str = ""
    """Why there is no value."""
    note: str = ""
    """What is to be known about a value that is there."""


def measure(observation: Observation, *, rtt_s: float = 0.0) -> Mapping[str, Measurement]:
    """Every metric of `METRICS` for this turn, by name; those it has not with their reason.

    `rtt_s` is the round trip to the server, which only `client.prefill_rate` takes off.
    """
    facts = TurnFacts(observation, rtt_s)
    return {metric.name: _apply(metric, facts) for metric in METRICS.values()}


def inter_chunk_gaps(observation: Observation) -> tuple[float, ...]:
    """The gaps between token-bearing frames in seconds, for pooling; empty where refused."""
    try:
        return TurnFacts(observation).gaps_s
    except Absent:
        return ()


def _apply(metric: Metric, facts: TurnFacts) -> Measurement:
    try:
        facts.refuse_failed()
        found = metric.formula(facts)
    except Absent as absent:
        return Measurement(metric.name, None, metric.unit, reason=str(absent))
    value, note = (found.value, found.note) if isinstance(found, Noted) else (found, "")
    return Measurement(metric.name, float(value), metric.unit, note=note)


# -- formulas, in the order of the docstring


def _think(turn: TurnFacts) -> float:
    seconds = turn.since_send("vis0") - turn.since_send("reason0")
    if seconds < 0:
        raise Absent("content came before reasoning")
    return seconds


def _tpot(turn: TurnFacts) -> float | Noted:
    turn.refuse_buffered()
    turn.refuse_cancelled()
    turn.refuse_hidden_reasoning()
    tokens, first = turn.count("completion"), turn.tokens_in_first_frame()
    span = turn.since_send("tokN") - turn.since_send("tok0")
    if tokens.value - first.value < 1:
        raise Absent(f"{tokens.value:.0f} tokens in all, {first.value:.0f} in the first frame")
    if span <= 0:
        raise Absent("all tokens came in one read")
    return Noted(span / (tokens.value - first.value), _join(first.note, tokens.note))


def _decode_rate(turn: TurnFacts) -> float | Noted:
    tpot = _tpot(turn)
    return Noted(1 / tpot.value, tpot.note) if isinstance(tpot, Noted) else 1 / tpot


def _e2e(turn: TurnFacts) -> float:
    turn.refuse_cancelled()
    return turn.since_send("tokN")


def _e2e_rate(turn: TurnFacts) -> Noted:
    tokens, seconds = turn.count("completion"), _e2e(turn)
    if seconds <= 0:
        raise Absent("no time passed before the last token")
    return Noted(tokens.value / seconds, tokens.note)


def _to_done(turn: TurnFacts) -> float:
    turn.refuse_cancelled()
    return turn.since_send("done")


def _stalls(turn: TurnFacts) -> float:
    limit = max(STALL_FLOOR_S, STALL_FACTOR * statistics.median(turn.gaps_s))
    return sum(gap > limit for gap in turn.gaps_s)


def _client_prefill_rate(turn: TurnFacts) -> Noted:
    seconds = turn.first_token() - turn.rtt_s
    if seconds <= 0:
        raise Absent("the first token came within the round trip")
    return Noted(turn.prefilled() / seconds, "estimate: TTFT holds queueing and one step too")


def _server_prefill_rate(turn: TurnFacts) -> float:
    seconds = turn.server("prefill")
    if seconds <= 0:
        raise Absent("the server reports no time for prefill")
    return turn.prefilled() / seconds


def _prefilled_tokens(turn: TurnFacts) -> Noted:
    try:
        return turn.count("prefilled")
    except Absent:
        return Noted(turn.count("prompt").value - turn.count("reused").value, "prompt - reused")


def _reuse_ratio(turn: TurnFacts) -> float:
    prompt = turn.count("prompt").value
    if not prompt:
        raise Absent("the prompt has no tokens")
    return turn.count("reused").value / prompt


def _join(*notes: str) -> str:
    return "; ".join(note for note in notes if note)


def _server(name: str) -> Callable[[TurnFacts], float]:
    return lambda turn: turn.server(name)


def _page(name: str) -> Callable[[TurnFacts], float]:
    return lambda turn: turn.page_stamp(name)


def _count(name: str) -> Callable[[TurnFacts], Noted]:
    return lambda turn: turn.count(name)


_LOWER, _HIGHER, _NEITHER = Better.LOWER, Better.HIGHER, Better.NEITHER

METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("client.ttfb", "TTFB", SECONDS, _LOWER, lambda t: t.since_send("byte0")),
        Metric("client.ttfe", "TTFE", SECONDS, _LOWER, lambda t: t.since_send("event0")),
        Metric("client.ttft", "TTFT", SECONDS, _LOWER, lambda t: t.first_token()),
        Metric("client.ttfv", "TTFV", SECONDS, _LOWER, lambda t: t.first_visible()),
        Metric("client.think", "think time", SECONDS, _NEITHER, _think),
        Metric("client.e2e", "E2E", SECONDS, _LOWER, _e2e),
        Metric("client.to_done", "to done", SECONDS, _LOWER, _to_done),
        Metric("client.tpot", "TPOT", SECONDS, _LOWER, _tpot),
        Metric("client.decode_rate", "decode rate", TOKENS_PER_SECOND, _HIGHER, _decode_rate),
        Metric("client.e2e_rate", "e2e rate", TOKENS_PER_SECOND, _HIGHER, _e2e_rate),
        Metric("client.icl_median", "ICL", SECONDS, _LOWER, lambda t: statistics.median(t.gaps_s)),
        Metric("client.icl_max", "longest ICL", SECONDS, _LOWER, lambda t: max(t.gaps_s)),
        Metric(
            "client.itl_median",
            "ITL",
            SECONDS,
            _LOWER,
            lambda t: statistics.median(t.gaps_per_token_s()),
        ),
        Metric("client.stalls", "stalls", COUNT, _LOWER, _stalls),
        Metric(
            "client.prefill_rate",
            "prefill rate (client)",
            TOKENS_PER_SECOND,
            _HIGHER,
            _client_prefill_rate,
        ),
        Metric("cancel.ack", "cancel answered", SECONDS, _LOWER, lambda t: t.cancel_ack()),
        Metric("cancel.quiet", "cancel quiet", SECONDS, _LOWER, lambda t: t.cancel_quiet()),
        Metric(
            "cancel.frames_after", "frames after", COUNT, _LOWER, lambda t: t.frames_after_ack()
        ),
        Metric("page.send", "click to request", SECONDS, _LOWER, lambda t: t.page_send()),
        Metric("page.dom_ttft", "TTFT (DOM)", SECONDS, _LOWER, _page("dom.first")),
        Metric("page.paint_ttft", "TTFT (paint)", SECONDS, _LOWER, _page("paint.first")),
        Metric("page.dom_ttfv", "TTFV (DOM)", SECONDS, _LOWER, _page("dom.content.first")),
        Metric("page.paint_ttfv", "TTFV (paint)", SECONDS, _LOWER, _page("paint.content.first")),
        Metric("page.dom_e2e", "E2E (DOM)", SECONDS, _LOWER, _page("dom.last")),
        Metric("page.paint_e2e", "E2E (paint)", SECONDS, _LOWER, _page("paint.last")),
        Metric(
            "page.stop_quiet", "Stop to quiet (DOM)", SECONDS, _LOWER, lambda t: t.page_stop_quiet()
        ),
        Metric("tokens.prompt", "prompt", TOKENS, _NEITHER, _count("prompt")),
        Metric("tokens.completion", "completion", TOKENS, _NEITHER, _count("completion")),
        Metric("tokens.reused", "reused", TOKENS, _NEITHER, _count("reused")),
        Metric("tokens.prefilled", "prefilled", TOKENS, _NEITHER, _prefilled_tokens),
        Metric("tokens.resident", "resident", TOKENS, _NEITHER, _count("resident")),
        Metric("tokens.reasoning", "reasoning", TOKENS, _NEITHER, _count("reasoning")),
        Metric("frames.bearing", "frames", COUNT, _NEITHER, lambda t: len(t.bearing)),
        Metric("reuse.ratio", "reuse", RATIO, _HIGHER, _reuse_ratio),
        Metric("draft.rounds", "rounds", COUNT, _NEITHER, _count("draft_rounds")),
        Metric("draft.plain_steps", "plain steps", COUNT, _NEITHER, _count("draft_plain_steps")),
        Metric("draft.proposed", "proposed", TOKENS, _NEITHER, _count("draft_proposed")),
        Metric("draft.accepted", "accepted", TOKENS, _NEITHER, _count("draft_accepted")),
        Metric("draft.per_round", "tokens a round", TOKENS, _HIGHER, tokens_per_round),
        Metric("draft.acceptance", "acceptance", RATIO, _HIGHER, acceptance),
        Metric("draft.row1", "row 1 kept", RATIO, _HIGHER, row_share(1)),
        Metric("draft.row2", "row 2 kept", RATIO, _HIGHER, row_share(2)),
        Metric("draft.row3", "row 3 kept", RATIO, _HIGHER, row_share(3)),
        Metric("server.ttft", "TTFT (server)", SECONDS, _LOWER, _server("ttft")),
        Metric("server.queue", "queue", SECONDS, _LOWER, _server("queue")),
        Metric("server.prompt", "prompt made", SECONDS, _LOWER, _server("prompt")),
        Metric("server.prefill", "prefill", SECONDS, _LOWER, _server("prefill")),
        Metric("server.decode", "decode", SECONDS, _LOWER, _server("decode")),
        Metric("server.total", "worker total", SECONDS, _LOWER, _server("total")),
        Metric("server.wall", "wall (server)", SECONDS, _LOWER, _server("wall")),
        Metric("server.vision", "vision encoder", SECONDS, _LOWER, _server("vision")),
        Metric(
            "server.prefill_rate",
            "prefill rate",
            TOKENS_PER_SECOND,
            _HIGHER,
            _server_prefill_rate,
        ),
        Metric(
            "server.decode_rate",
            "decode rate (server)",
            TOKENS_PER_SECOND,
            _HIGHER,
            _server("decode_rate"),
        ),
    )
}
"""Every metric by name, in the order of the docstring."""

DEFINITIONS: Mapping[str, str] = dict(
    re.findall(r"^    (\w+\.\w+) +(.+)$", __doc__, flags=re.MULTILINE)
)
"""The docstring's definition of every metric, for reports: one text, so it cannot drift."""
