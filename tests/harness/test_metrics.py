"""Every number is what its definition says, or absent with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from harness.dirty import is_dirty
from harness.metrics import DEFINITIONS, METRICS, inter_chunk_gaps, measure
from harness.testing import DONE, frame, trace
from harness.trace import Action
from harness.wire import observe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.trace import Trace

MS = 1_000_000
USAGE = {"stream": True, "stream_options": {"include_usage": True}}


def usage(prompt: int = 100, completion: int = 5, **details: int) -> dict[str, Any]:
    """A usage object; cached= and reasoning= go where OpenAI puts them."""
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "prompt_tokens_details": {"cached_tokens": details.get("cached")},
        "completion_tokens_details": {"reasoning_tokens": details.get("reasoning")},
    }


def answered(*tokens_at_ms: float, counts: Mapping[str, Any] | None = None, **fields: Any) -> Trace:  # noqa: ANN401
    """A stream with one content frame at each time, then finish and usage 1 ms after the last."""
    end = (tokens_at_ms[-1] if tokens_at_ms else 0) + 1
    tail = frame(finish="stop") + frame(usage=usage() if counts is None else counts) + DONE
    return trace(
        (2, frame(role="assistant")),
        *((at, frame(content=f"w{at} ")) for at in tokens_at_ms),
        (end, tail),
        **({"request": USAGE} | fields),
    )


def value(of: Trace, name: str, **options: float) -> float | None:
    """One metric of a trace."""
    return measure(observe(of), **options)[name].value


def reason(of: Trace, name: str) -> str:
    """Why a metric is absent; fails when it is not."""
    found = measure(observe(of))[name]
    assert found.value is None
    return found.reason


def test_every_metric_is_defined_in_the_docstring() -> None:
    """What the table computes and what the text defines are the same names in the same order."""
    assert list(METRICS) == list(DEFINITIONS)


def test_every_metric_is_there_or_says_why_not() -> None:
    """measure() gives every name, and no absence without a reason."""
    found = measure(observe(answered(10, 20)))

    assert list(METRICS) == list(found)
    assert all(m.reason if m.value is None else not m.reason for m in found.values())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("client.ttfb", 0.002),
        ("client.ttfe", 0.002),
        ("client.ttft", 0.100),
        ("client.ttfv", 0.100),
        ("client.e2e", 0.140),
        ("client.to_done", 0.141),
        ("client.tpot", 0.010),
        ("client.decode_rate", 100.0),
        ("client.e2e_rate", 5 / 0.140),
        ("client.icl_median", 0.010),
        ("client.icl_max", 0.010),
        ("client.stalls", 0),
        ("tokens.prompt", 100),
        ("tokens.completion", 5),
        ("frames.bearing", 5),
    ],
)
def test_an_even_stream_measures_as_it_was_made(name: str, expected: float) -> None:
    """Five tokens, the first after 100 ms, then one every 10 ms."""
    even = answered(100, 110, 120, 130, 140)

    assert value(even, name) == pytest.approx(expected)


def test_a_comment_is_no_first_event() -> None:
    """A keep-alive is a byte, but says nothing."""
    early = trace(
        (5, ": prefill\n\n"),
        (30, frame(role="assistant")),
        (50, frame(content="x") + frame(finish="stop") + DONE),
    )

    assert value(early, "client.ttfb") == pytest.approx(0.005)
    assert value(early, "client.ttfe") == pytest.approx(0.030)


def test_ttft_is_of_any_channel_and_ttfv_of_the_visible_one() -> None:
    """vllm-project/guidellm#737: reasoning came first, the clock waited for content."""
    thinking = trace(
        (0, frame(role="assistant")),
        (105, frame(reasoning="hm")),
        (407, frame(content="Hi")),
        (408, frame(finish="stop") + DONE),
    )

    assert value(thinking, "client.ttft") == pytest.approx(0.105)
    assert value(thinking, "client.ttfv") == pytest.approx(0.407)
    assert value(thinking, "client.think") == pytest.approx(0.302)


def test_a_tool_call_is_a_first_token() -> None:
    """A tool fragment bears tokens as text does."""
    call = (
        'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"1"}]},'
        '"finish_reason":"tool_calls"}]}\n\n'
    )

    assert value(trace((80, call), (90, DONE)), "client.ttft") == pytest.approx(0.080)


def test_reasoning_cut_by_the_budget_has_a_first_token_but_no_visible_one() -> None:
    """kubernetes-sigs/inference-perf#559: max_tokens fell into the reasoning, TTFT was null."""
    cut = trace(
        (60, frame(reasoning="hm")), (70, frame(reasoning="mm", finish="length")), (71, DONE)
    )

    assert value(cut, "client.ttft") == pytest.approx(0.060)
    assert reason(cut, "client.ttfv") == "no visible content came; finish reason length"


def test_a_missing_stamp_is_absent_and_never_part_of_a_difference() -> None:
    """vllm-project/guidellm#216: an unset stamp made a mean TTFT of -1.7e12 ms."""
    hidden = answered(counts=usage(completion=40))

    assert reason(hidden, "client.ttft") == "no token came; finish reason stop"
    assert reason(hidden, "client.think") == "no visible content came; finish reason stop"


@pytest.mark.parametrize(
    "failed",
    [
        trace((10, frame(content="x"))),
        trace((10, frame(content="x") + 'data: {"error":{"message":"oom"}}\n\n' + DONE)),
        trace((10, frame(content="x")), transport_error="the connection broke"),
        trace((10, '{"error":{"message":"busy"}}'), status=503, content_type="application/json"),
        trace(status=None, transport_error="cannot connect"),
        trace(),
    ],
    ids=["truncated", "in-band error", "broken", "refused", "unreachable", "empty"],
)
def test_a_failed_turn_has_no_number_for_any_pool(failed: Trace) -> None:
    """vllm-project/guidellm#444, #529; sglang PR#38868: failures bent latencies and token sums."""
    observation = observe(failed)

    assert {m.value for m in measure(observation).values()} == {None}
    assert inter_chunk_gaps(observation) == ()


def test_gaps_begin_after_the_first_token() -> None:
    """vllm-project/vllm#7242: TTFT was the first entry of the ITL list."""
    assert inter_chunk_gaps(observe(answered(100, 110, 140))) == pytest.approx((0.010, 0.030))


def test_deltas_of_one_frame_are_one_gap() -> None:
    """Reasoning and content in one frame came together; there is no gap of 0 between them."""
    both = trace(
        (10, frame(reasoning="a", content="b")),
        (20, frame(content="c")),
        (21, frame(finish="stop") + DONE),
    )

    assert inter_chunk_gaps(observe(both)) == pytest.approx((0.010,))


def test_time_per_token_divides_by_the_servers_count_not_by_frames() -> None:
    """kubernetes-sigs/inference-perf#364: with two tokens a frame, chunk = token doubles TPOT."""
    speculated = answered(100, 120, 140, counts=usage(completion=5))

    assert value(speculated, "client.tpot") == pytest.approx(0.010)
    assert value(speculated, "client.icl_median") == pytest.approx(0.020)


def test_time_per_token_uses_the_tokens_that_came_not_those_that_were_asked_for() -> None:
    """sgl-project/sglang#10746: after an early end TPOT was divided by max_tokens."""
    early = answered(100, 110, 120, counts=usage(completion=3), request=USAGE | {"max_tokens": 99})

    assert value(early, "client.tpot") == pytest.approx(0.010)


def test_tokens_of_the_first_frame_are_not_decoded_after_it() -> None:
    """ai-dynamo/aiperf PR#1279: a first frame of n tokens inflates the rate unless k0 = n."""
    continuous = trace(
        (100, frame(content="a b c", usage=usage(completion=3))),
        (120, frame(content="d e", usage=usage(completion=5))),
        (121, frame(finish="stop") + DONE),
    )
    found = measure(observe(continuous))

    assert found["client.tpot"].value == pytest.approx(0.020 / 2)
    assert found["client.tpot"].note == ""


def test_an_assumed_first_frame_is_flagged() -> None:
    """Without continuous usage k0 is taken as 1, and the measurement says so."""
    found = measure(observe(answered(100, 110)))

    assert found["client.tpot"].note == "first frame taken as one token"
    assert found["client.decode_rate"].note == "first frame taken as one token"


def test_usage_on_a_later_frame_does_not_tell_the_size_of_the_first() -> None:
    """Usage that rides on the last content frame counts all tokens, not those of the first."""
    late = trace(
        (100, frame(content="a")),
        (140, frame(content="b", usage=usage(completion=5))),
        (141, frame(finish="stop") + DONE),
    )

    assert value(late, "client.tpot") == pytest.approx(0.010)


def test_latency_between_tokens_needs_a_count_frame_by_frame() -> None:
    """vllm-project/vllm PR#46652; sglang PR#12064: per-chunk ITL overstates under speculation."""
    continuous = trace(
        (100, frame(content="a", usage=usage(completion=1))),
        (130, frame(content="b c d", usage=usage(completion=4))),
        (131, frame(finish="stop") + DONE),
    )

    assert value(continuous, "client.itl_median") == pytest.approx(0.010)
    assert value(continuous, "client.icl_median") == pytest.approx(0.030)
    assert (
        reason(answered(1, 2), "client.itl_median")
        == "the server does not count tokens frame by frame"
    )


def test_summary_and_pool_come_from_one_definition() -> None:
    """modelscope/evalscope#721: TPOT was computed one way in the summary, another in the table."""
    even = answered(100, 110, 120, 130, 140)
    gaps = inter_chunk_gaps(observe(even))

    assert value(even, "client.icl_max") == max(gaps)
    assert value(even, "client.tpot") == pytest.approx(sum(gaps) / 4)


def test_a_prompt_that_was_reused_is_not_prefilled() -> None:
    """LMCache/LMBenchmark#35: 21k tokens "prefilled" in 60 ms had been in the cache."""
    warm = answered(50, 60, counts=usage(prompt=1000, cached=960))

    assert value(warm, "reuse.ratio") == pytest.approx(0.96)
    assert value(warm, "tokens.prefilled") == 40
    assert value(warm, "client.prefill_rate", rtt_s=0.010) == pytest.approx(40 / 0.040)


def test_nothing_prefilled_is_no_rate() -> None:
    """A rate over 0 tokens says nothing."""
    assert (
        reason(answered(50, counts=usage(prompt=10, cached=10)), "client.prefill_rate")
        == "nothing was prefilled"
    )


def test_the_servers_usage_is_trusted_over_any_other_count() -> None:
    """vllm-project/vllm PR#44708: what a client tokenises is not what the server counted."""
    both = answered(10, 20, counts=usage(prompt=7), request=USAGE)

    assert value(both, "tokens.prompt") == 7


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("server.ttft", 0.120),
        ("server.queue", 0.001),
        ("server.prompt", 0.002),
        ("server.prefill", 0.100),
        ("server.decode", 0.500),
        ("server.total", 0.610),
        ("server.wall", 0.615),
        ("server.prefill_rate", 400.0),
        ("server.decode_rate", 64.0),
        ("tokens.reused", 60),
        ("tokens.prefilled", 40),
        ("tokens.resident", 132),
        ("tokens.reasoning", 8),
    ],
)
def test_figures_of_the_server_are_carried_in_base_units(name: str, expected: float) -> None:
    """`muse_metrics` is in ms; inside the harness everything is in seconds."""
    metrics = {
        "prompt_tokens": 100,
        "reused_prompt_tokens": 60,
        "prefilled_prompt_tokens": 40,
        "resident_tokens": 132,
        "thinking_tokens": 8,
        "ttft_ms": 120,
        "queue_ms": 1,
        "prompt_ms": 2,
        "prefill_ms": 100,
        "decode_ms": 500,
        "total_ms": 610,
        "wall_ms": 615,
        "vision_encoder_ms": None,
        "decode_tokens_per_second": 64,
        "prefill_tokens_per_second": 400,
    }
    told = trace(
        (125, frame(content="x")),
        (620, frame(finish="stop") + frame(muse_metrics=metrics) + frame(usage=usage()) + DONE),
        request=USAGE,
    )

    assert value(told, name) == pytest.approx(expected)
    assert reason(told, "server.vision") == "the server does not report it"


def test_timings_of_another_server_are_read_too() -> None:
    """llama.cpp's `timings` carry the same figures under other names."""
    timings = {"prompt_ms": 50, "predicted_ms": 80, "predicted_per_second": 62.5, "cache_n": 3}
    told = trace((60, frame(content="x")), (140, frame(finish="stop", timings=timings) + DONE))

    assert value(told, "server.prefill") == pytest.approx(0.050)
    assert value(told, "server.decode_rate") == pytest.approx(62.5)
    assert value(told, "tokens.reused") == 3


@pytest.mark.parametrize("nonsense", [-5, True, "12", None, float("inf")])
def test_a_figure_that_can_be_no_size_is_absent(nonsense: object) -> None:
    """A negative duration, a truth value or a string is not a number of the server's."""
    told = trace(
        (9, frame(content="x", muse_metrics={"prefill_ms": nonsense})),
        (10, frame(finish="stop") + DONE),
    )

    assert reason(told, "server.prefill") == "the server does not report it"


@pytest.mark.parametrize("name", ["client.ttft", "client.ttfv", "client.tpot", "client.icl_max"])
def test_a_buffered_reply_has_no_first_token(name: str) -> None:
    """Its one stamp is the end; calling that TTFT would be a lie."""
    body = (
        '{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}],'
        '"usage":{"prompt_tokens":1,"completion_tokens":4}}'
    )
    whole = trace((200, body), request={}, content_type="application/json")

    assert reason(whole, name) == "a buffered reply: its first token cannot be seen"
    assert value(whole, "client.e2e") == pytest.approx(0.200)
    assert value(whole, "client.e2e_rate") == pytest.approx(20)


def test_a_stream_with_tools_has_no_first_token_to_trust() -> None:
    """Servers buffer such replies to parse the call; TTFT would be the end."""
    tools = answered(100, 110, request=USAGE | {"tools": [{"type": "function"}]})

    assert reason(tools, "client.ttft").startswith("a request with tools")


@pytest.mark.parametrize(
    "hidden",
    [
        answered(900, 910, counts=usage(completion=50, reasoning=45)),
        answered(900, 910, request=USAGE | {"chat_template_kwargs": {"return_reasoning": False}}),
    ],
    ids=["counted", "asked for"],
)
def test_hidden_reasoning_refuses_time_per_token(hidden: Trace) -> None:
    """Its tokens are in N, its time is not between first and last visible token."""
    refused = reason(hidden, "client.tpot")

    assert refused.startswith("reasoning is hidden")
    assert refused == reason(hidden, "client.decode_rate")
    assert value(hidden, "client.e2e_rate") is not None


def test_no_reasoning_at_all_hides_nothing() -> None:
    """A server that counts 0 reasoning tokens has not thought."""
    plain = answered(
        100,
        110,
        counts=usage(completion=2, reasoning=0),
        request=USAGE | {"chat_template_kwargs": {"return_reasoning": False}},
    )

    assert value(plain, "client.tpot") == pytest.approx(0.010)


def test_tokens_in_one_read_give_no_rate() -> None:
    """Nothing can be divided by a span of 0."""
    once = trace(
        (50, frame(content="a") + frame(content="b") + frame(finish="stop")),
        (51, frame(usage=usage(completion=2)) + DONE),
        request=USAGE,
    )

    assert reason(once, "client.tpot") == "all tokens came in one read"


def test_a_server_that_counts_nothing_gives_no_rate() -> None:
    """A frame is not a token; without a count there is no time per token."""
    uncounted = trace((10, frame(content="a")), (20, frame(content="b", finish="stop") + DONE))

    assert "does not report completion_tokens" in reason(uncounted, "client.tpot")


def test_a_count_from_a_second_source_names_it() -> None:
    """Without usage the server's own metrics are taken, and the measurement says so."""
    told = trace(
        (10, frame(content="a")),
        (20, frame(content="b", finish="stop", muse_metrics={"completion_tokens": 2}) + DONE),
    )
    found = measure(observe(told))["tokens.completion"]

    assert (found.value, found.note) == (2, "from muse_metrics.completion_tokens")


def test_stalls_are_gaps_far_above_the_median_and_a_quarter_second() -> None:
    """ai-dynamo/dynamo#12883: a mean hides them; the count and the longest gap do not."""
    stalled = answered(0, 100, 200, 300, 1000, 1240)

    assert value(stalled, "client.stalls") == 1
    assert value(stalled, "client.icl_max") == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("turn", "name", "why"),
    [
        (
            trace((1, frame(content="a")), (2, frame(reasoning="b", finish="stop") + DONE)),
            "client.think",
            "content came before reasoning",
        ),
        (
            answered(10, 20, counts=usage(completion=1)),
            "client.tpot",
            "1 tokens in all, 1 in the first frame",
        ),
        (answered(10, counts=usage(prompt=0, cached=0)), "reuse.ratio", "the prompt has no tokens"),
        (
            trace(
                (5, frame(content="a", usage=usage(cached=0), muse_metrics={"prefill_ms": 0})),
                (6, frame(finish="stop") + DONE),
            ),
            "server.prefill_rate",
            "the server reports no time for prefill",
        ),
        (
            trace((0, frame(content="a", finish="stop", usage=usage()) + DONE)),
            "client.e2e_rate",
            "no time passed before the last token",
        ),
        (
            answered(5, counts=usage(cached=0)),
            "client.icl_median",
            "fewer than two token-bearing frames",
        ),
        (answered(5), "cancel.quiet", "no cancel was posted"),
        (
            trace(
                (1, frame(content="a", usage=usage(completion=2))),
                (2, frame(content="b", usage=usage(completion=2), finish="stop") + DONE),
            ),
            "client.itl_median",
            "the running token count does not rise with every frame",
        ),
    ],
)
def test_what_cannot_be_divided_is_absent_with_the_reason(turn: Trace, name: str, why: str) -> None:
    """No sentinel, no infinity, no negative duration."""
    assert reason(turn, name) == why


def cancelled_at(cancel_ms: float, *, ack_ms: float = 52) -> Trace:
    """Tokens at 40, 50, 60 ms; a cancel is posted and answered; the stream ends at 61."""
    return trace(
        *((at, frame(content="x")) for at in (40, 50, 60)),
        (61, frame(finish="stop", muse_metrics={"cancelled": True}) + DONE),
        actions=(
            Action(round(cancel_ms * MS), "cancel"),
            Action(round(ack_ms * MS), "cancel.ack", {"status": 200, "body": {"cancelled": True}}),
        ),
    )


def test_a_cancel_is_timed_to_its_answer_and_to_the_last_token() -> None:
    """t_ack, t_quiet, and what still came after the answer."""
    stopped = cancelled_at(45)

    assert value(stopped, "cancel.ack") == pytest.approx(0.007)
    assert value(stopped, "cancel.quiet") == pytest.approx(0.015)
    assert value(stopped, "cancel.frames_after") == 1


def test_quiet_at_once_is_zero_and_says_why() -> None:
    """No token after the cancel: the one place where 0 is a measurement."""
    found = measure(observe(cancelled_at(60.5, ack_ms=60.8)))["cancel.quiet"]

    assert (found.value, found.note) == (0.0, "no token came after the cancel")


def test_a_cancelled_turn_keeps_what_came_before_and_has_no_end() -> None:
    """NVIDIA/TensorRT-LLM PR#17427: a class of its own, outside every pool of ends."""
    stopped = cancelled_at(45)

    assert value(stopped, "client.ttft") == pytest.approx(0.040)
    assert reason(stopped, "client.e2e") == "the turn was cancelled"
    assert reason(stopped, "client.e2e_rate") != ""
    assert inter_chunk_gaps(observe(stopped)) == ()


def test_a_late_loop_makes_a_dirty_sample() -> None:
    """kubernetes-sigs/inference-perf#86: above 5 ms the client has measured itself."""
    assert is_dirty(answered(1, lag_ns=6 * MS))
    assert not is_dirty(answered(1, lag_ns=5 * MS))
