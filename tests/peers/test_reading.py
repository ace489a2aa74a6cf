"""A rate is made of the same tokens whichever server a turn came from."""

from __future__ import annotations

from typing import Any

import pytest

from harness.testing import DONE, frame, trace
from harness.wire import observe
from tests.benchmarks.peers.reading import TurnFailed, answer, read_turn
from tests.benchmarks.peers.record import Kind, Turn

USAGE = {"stream": True, "stream_options": {"include_usage": True}}
HEADER = 4
"""Tokens of a header, by `count`."""


def count(text: str) -> int:
    """Words are tokens here; a header has as many as one of Nano's."""
    return HEADER if text.endswith("<|message|>") else len(text.split())


def turn(*parts: tuple[float, str], kind: Kind = Kind.SHORT, **rules: Any) -> Turn:  # noqa: ANN401
    """A turn of these frames, read by a server's rules."""
    seen = observe(trace(*parts, request=USAGE))
    return read_turn(
        seen, kind, "a", count=count, **({"hides_header": True, "counts_end": True} | rules)
    )


def usage(prompt: int, completion: int, cached: int = 0) -> str:
    """The last frame but one."""
    counts = {"prompt_tokens": prompt, "completion_tokens": completion}
    return frame(usage=counts | {"prompt_tokens_details": {"cached_tokens": cached}})


def said(text: str, completion: int, finish: str = "stop") -> tuple[tuple[float, str], ...]:
    """A first text at 20 ms, more at 30 ms, the finish at 40 ms."""
    end = frame(finish=finish) + usage(50, completion, 10) + DONE
    return (20, frame(content=text)), (30, frame(content=" more")), (40, end)


def test_a_hidden_header_was_made_before_the_first_text() -> None:
    """Its time is not in the span, so its tokens are not in the steps."""
    hidden = turn(*said("one", 10))
    shown = turn(*said("one", 10), hides_header=False)

    assert hidden.steps == 10 - HEADER - 1
    assert shown.steps == 10 - 1


def test_a_first_text_of_several_tokens_is_not_one_step() -> None:
    """A draft that was accepted at once comes in one piece."""
    assert turn(*said("one", 10)).steps - 2 == turn(*said("one two three", 10)).steps


def test_the_token_that_ends_an_answer_is_a_step() -> None:
    """Also where the server does not count it; there is none where the answer was cut."""
    counted = turn(*said("one", 10))
    ended = turn(*said("one", 9), counts_end=False)
    cut = turn(*said("one", 9, finish="length"), counts_end=False)

    assert counted.steps == ended.steps
    assert counted.steps - 1 == cut.steps


def test_times_and_counts_are_the_clients_and_the_servers() -> None:
    """Seconds from sending, tokens as in usage."""
    read = turn(*said("one", 10))

    assert (read.first_text_s, read.finish_s) == (0.02, 0.04)
    assert (read.prompt_tokens, read.cached_tokens, read.made) == (50, 10, 10)


def test_one_token_may_say_nothing() -> None:
    """A prompt is timed by a turn whose only token is part of a hidden header."""
    end = frame(finish="length") + usage(50, 1) + DONE
    read = turn((2, frame(role="assistant")), (40, end), kind=Kind.COLD)

    assert (read.first_text_s, read.steps, read.finish_s) == (None, 0, 0.04)


def test_drafts_are_read_under_either_name() -> None:
    """Ours in `muse_metrics`, llama.cpp's in `timings`."""
    metrics = {"dflash_proposed": 9, "dflash_accepted": 6, "decode_ms": 12.0}
    ours = turn(
        *said("one", 10)[:2],
        (40, frame(finish="stop") + frame(muse_metrics=metrics) + usage(5, 10) + DONE),
    )
    timings = {"draft_n": 9, "draft_n_accepted": 6, "predicted_ms": 12.0}
    theirs = turn(
        *said("one", 10)[:2],
        (40, frame(finish="stop") + frame(timings=timings) + usage(5, 10) + DONE),
    )

    assert (ours.drafted, ours.accepted, ours.decode_s) == (9, 6, 0.012)
    assert ours == theirs


def test_a_broken_turn_is_no_measurement() -> None:
    """Nor is one without a count."""
    with pytest.raises(TurnFailed, match="truncated"):
        turn((20, frame(content="one")))
    with pytest.raises(TurnFailed, match="usage"):
        turn((20, frame(content="one")), (30, frame(finish="stop") + DONE))


@pytest.mark.parametrize(
    "text",
    [
        "It is a star.",
        "to=user<|message|>It is a star.",
        "to=self<|message|>A star.<|eom|><|start|>assistant to=user<|message|>It is a star.<|eot|>",
    ],
)
def test_an_answer_is_what_stands_behind_the_last_header(text: str) -> None:
    """Servers that show the model's own format are compared with those that do not."""
    assert answer(text) == "It is a star."
