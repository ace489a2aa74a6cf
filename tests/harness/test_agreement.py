"""What a server says of itself is believed only as far as the client's clock allows."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.agreement import AGREEMENTS, disagreements
from harness.events import Ending
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
    ({"wall_ms": 1500}, ["wall.short"]),
    ({"queue_ms": 500}, ["wall.order", "prefill.long"]),
    ({"total_ms": 2300}, ["wall.order"]),
    ({"prefill_ms": 200, "prefill_tokens_per_second": 200}, ["prefill.long"]),
    ({"vision_encoder_ms": 200}, ["vision.long"]),
    ({"decode_tokens_per_second": 0}, ["decode_rate.zero"]),
    ({"decode_tokens_per_second": 10, "decode_ms": 5000}, ["decode_rate.slow"]),
    ({"decode_tokens_per_second": 95_000, "decode_ms": 0.53}, ["decode_rate.fast"]),
    ({"decode_tokens_per_second": 40}, ["decode_rate.fast", "decode.product"]),
    ({"prefill_tokens_per_second": 1000}, ["prefill.product"]),
    ({"prefilled_prompt_tokens": 100, "prefill_tokens_per_second": 1000}, ["counts.prompt"]),
    ({"thinking_tokens": 51}, ["counts.part"]),
    (
        {
            "reused_prompt_tokens": 101,
            "prefilled_prompt_tokens": None,
            "prefill_tokens_per_second": None,
        },
        ["counts.part"],
    ),
    ({"completion_tokens": 49}, ["counts.usage"]),
]


def told(changes: dict[str, Any], *, usage: dict[str, Any] | None = None) -> list[str]:
    """The rules broken by a turn of 50 tokens, seen from 120 ms to 2.12 s."""
    counts = {"prompt_tokens": 100, "completion_tokens": 50} | (usage or {})
    tail = frame(finish="stop") + frame(muse_metrics=HONEST | changes) + frame(usage=counts)
    turn = trace(
        *((120 + 200 * number, frame(content="12345")) for number in range(11)),
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
    fewer = {"completion_tokens": 8}
    claims = {"completion_tokens": 8, "decode_tokens_per_second": 4}

    assert told(claims, usage=fewer) == ["counts.frames"]


CALM = {"ttft_ms": 10, "wall_ms": 20}


def few(text: str, usage: dict[str, Any], **request: Any) -> list[str]:  # noqa: ANN401 - JSON
    """The rules broken by a short whole reply."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    counts = {"prompt_tokens": 10, **usage}
    body = json.dumps({"choices": [choice], "usage": counts, "muse_metrics": CALM})
    turn = trace((30, body), request=request, content_type="application/json")
    return [found.rule for found in disagreements(observe(turn))]


@pytest.mark.parametrize(
    ("text", "tokens", "request_", "rules"),
    [
        ("Oslo.", 5, {}, []),
        ("Oslo.", 21, {}, []),
        ("Oslo.", 22, {}, ["counts.text"]),
        ("\N{SNOWMAN}", 19, {}, []),
        ("Oslo.", 22, {"stop": ["x"]}, []),
        ("Oslo.", 22, {"tools": [{}]}, []),
        ("Oslo.", 22, {"chat_template_kwargs": {"return_reasoning": False}}, []),
        ("Oslo.", 5, {"max_tokens": 5}, []),
        ("Oslo.", 6, {"max_tokens": 5}, ["counts.cap"]),
        ("Oslo.", 6, {"max_completion_tokens": 5, "max_tokens": 9}, ["counts.cap"]),
    ],
)
def test_tokens_have_text_and_a_cap(
    text: str, tokens: int, request_: dict[str, Any], rules: list[str]
) -> None:
    """A token is a byte of text at least; what nobody sees is not held against it."""
    assert few(text, {"completion_tokens": tokens}, **request_) == rules


@pytest.mark.parametrize(("ttft_ms", "rules"), [(100, []), (200, ["ttft.whole"])])
def test_a_whole_reply_is_held_against_its_end(ttft_ms: int, rules: list[str]) -> None:
    """Its first token cannot be seen, but it came before the last."""
    told = {"ttft_ms": ttft_ms, "wall_ms": 250}
    message = {"role": "assistant", "content": "Oslo."}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    body = json.dumps({"choices": [choice], "muse_metrics": told})
    turn = trace((140, body), request={}, content_type="application/json")

    found = [each.rule for each in disagreements(observe(turn), slack_s=0.0)]

    assert [rule for rule in found if rule.startswith("ttft")] == rules


@pytest.mark.parametrize(
    ("counts", "rules"), [((1, 2), []), ((2, 1), ["counts.running"]), ((1, 9), ["counts.running"])]
)
def test_counts_that_come_with_frames_rise(counts: tuple[int, int], rules: list[str]) -> None:
    """To the last one, which is the turn's."""
    frames = [frame(content="x", usage={"completion_tokens": count}) for count in counts]
    last = frame(finish="stop") + frame(usage={"completion_tokens": 2}) + DONE
    turn = trace(*((10 + n, text) for n, text in enumerate(frames)), (13, last))

    assert [found.rule for found in disagreements(observe(turn))] == rules


def test_a_cancelled_turn_is_asked_what_does_not_take_its_end() -> None:
    """Its counts are as true as those of any other."""
    told = {**HONEST, "cancelled": True, "reused_prompt_tokens": 50}
    tail = frame(finish="stop") + frame(muse_metrics=told) + DONE
    turn = observe(trace((120, frame(content="x")), (300, tail)))

    assert turn.ending is Ending.CANCELLED
    assert [found.rule for found in disagreements(turn)] == ["counts.prompt"]


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
    elsewhere = {"counts.frames", "counts.text", "counts.cap", "counts.running", "ttft.late"}
    assert broken | elsewhere | {"ttft.whole"} | drafting == set(AGREEMENTS)
