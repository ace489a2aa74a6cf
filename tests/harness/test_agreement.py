"""What a server says of itself is believed only as far as the client's clock allows."""

from __future__ import annotations

from typing import Any

import pytest

from harness.agreement import AGREEMENTS, disagreements
from harness.testing import DONE, frame, trace
from harness.wire import observe

HONEST: dict[str, Any] = {
    "prompt_tokens": 100,
    "completion_tokens": 50,
    "reused_prompt_tokens": 60,
    "prefilled_prompt_tokens": 40,
    "ttft_ms": 118,
    "queue_ms": 1,
    "prompt_ms": 2,
    "prefill_ms": 100,
    "prefill_tokens_per_second": 400,
    "decode_ms": 2000,
    "decode_tokens_per_second": 25,
    "wall_ms": 2120,
}

LIES: list[tuple[dict[str, Any], list[str]]] = [
    ({"ttft_ms": 400}, ["ttft.early"]),
    ({"wall_ms": 2500}, ["wall.long"]),
    ({"queue_ms": 500}, ["prefill.long"]),
    ({"decode_tokens_per_second": 0}, ["decode_rate.zero"]),
    ({"decode_tokens_per_second": 10, "decode_ms": 5000}, ["decode_rate.slow"]),
    ({"decode_tokens_per_second": 95_000, "decode_ms": 0.53}, ["decode_rate.fast"]),
    ({"decode_tokens_per_second": 40}, ["decode_rate.fast", "decode.product"]),
    ({"prefill_tokens_per_second": 1000}, ["prefill.product"]),
    ({"prefilled_prompt_tokens": 100, "prefill_tokens_per_second": 1000}, ["counts.prompt"]),
    ({"completion_tokens": 49}, ["counts.usage"]),
]


def told(changes: dict[str, Any], *, usage: dict[str, Any] | None = None) -> list[str]:
    """The rules broken by a turn of 50 tokens, seen from 120 ms to 2.12 s."""
    counts = {"prompt_tokens": 100, "completion_tokens": 50} | (usage or {})
    tail = frame(finish="stop") + frame(muse_metrics=HONEST | changes) + frame(usage=counts)
    turn = trace(
        *((120 + 200 * number, frame(content="x")) for number in range(11)),
        (2125, tail + DONE),
        request={"stream": True, "stream_options": {"include_usage": True}},
    )
    return [found.rule for found in disagreements(observe(turn))]


def test_an_honest_server_agrees() -> None:
    """Figures that can be true break no rule."""
    assert told({}) == []


@pytest.mark.parametrize(("changes", "rules"), LIES)
def test_a_figure_that_cannot_be_true_is_named(changes: dict[str, Any], rules: list[str]) -> None:
    """mlxcel#1592 claimed 95,000 tok/s, llama.rn#358 0 tok/s; sglang PR#12064 time x rate."""
    assert told(changes) == rules


def test_more_frames_than_tokens_cannot_be() -> None:
    """Every token-bearing frame holds at least one token, but for what a flush may add."""
    few = {"completion_tokens": 8}
    claims = {"completion_tokens": 8, "decode_tokens_per_second": 4}

    assert told(claims, usage=few) == ["counts.frames"]


def test_reuse_is_counted_alike_in_both_places() -> None:
    """usage.cached_tokens and reused_prompt_tokens are one number."""
    assert told({}, usage={"prompt_tokens_details": {"cached_tokens": 59}}) == ["counts.usage"]


def test_a_round_trip_is_no_lateness() -> None:
    """Over a slow line the client sees the first token later, and that is no lie."""
    tail = frame(finish="stop", muse_metrics={"ttft_ms": 100}) + DONE
    far = observe(trace((400, frame(content="x")), (410, tail)))

    assert [found.rule for found in disagreements(far)] == ["ttft.late"]
    assert disagreements(far, rtt_s=0.3) == ()


def test_a_header_that_nobody_sees_is_no_lateness() -> None:
    """The server's first token may open a Harmony header; at 40 ms a token that takes a while."""
    slow = {"ttft_ms": 50, "decode_tokens_per_second": 25}

    assert told(slow) == []


def test_reasoning_that_nobody_sees_is_no_lateness() -> None:
    """The server's first token was made long before the first that was shown."""
    turn = trace(
        (900, frame(content="x")),
        (901, frame(finish="stop", muse_metrics={"ttft_ms": 100, "thinking_tokens": 40}) + DONE),
    )

    assert disagreements(observe(turn)) == ()


def test_a_failed_turn_is_not_asked() -> None:
    """Its figures are nobody's claim."""
    failed = observe(trace((1, frame(content="x", muse_metrics={"ttft_ms": 9000}))))

    assert disagreements(failed) == ()


def test_every_rule_is_broken_by_some_lie() -> None:
    """No rule is described that nothing can break."""
    broken = {rule for _, rules in LIES for rule in rules}

    drafting = {rule for rule in AGREEMENTS if rule.startswith("draft.")}  # see test_drafting
    assert broken | {"counts.frames", "ttft.late"} | drafting == set(AGREEMENTS)
