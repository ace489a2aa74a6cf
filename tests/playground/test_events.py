"""What a turn tells is complete and adds up."""

from __future__ import annotations

from playground.events import Metrics, Usage


def test_metrics_always_have_all_their_keys() -> None:
    """What is not known is null, never left out and never 0."""
    assert set(Metrics().as_json().values()) == {None}
    assert Metrics(prompt_tokens=0).as_json()["prompt_tokens"] == 0


def test_usage_is_told_as_openai_tells_it() -> None:
    """The total is prompt and completion; details are part of them."""
    usage = Usage(prompt_tokens=5, completion_tokens=3, cached_tokens=2, reasoning_tokens=1)

    assert usage.as_json() == {
        "prompt_tokens": 5,
        "completion_tokens": 3,
        "total_tokens": 8,
        "prompt_tokens_details": {"cached_tokens": 2},
        "completion_tokens_details": {"reasoning_tokens": 1},
    }
